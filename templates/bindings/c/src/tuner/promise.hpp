// promise.hpp - which kernels are worth measuring, before any of them was.
#pragma once
#include <vector>

#include "tuner/context.hpp"

namespace tilewright::library::tuner {

/// The family's guess for a variant at the nearest workload that it serves; 0 where there is none.
double merit_of(const Variant& variant, const Selection& all, const Asked& asked);

/// Kernels beside the usual one that are worth a run.
struct Promising {
  std::vector<const Variant*> order;  // the most promising first
  std::size_t sampled;                // as many of them and the usual one are sampled at most
};

/// Of kernels that were timed on near workloads the faster ones, at most half of all that serve the call; of those that never were, all
/// but the unlikely by the family's guess. At most eight, the usual one included, and samples of half of all that serve; all where the
/// context is exhaustive, in any order. Counts those that serve.
Promising promising(tw_context& context, const Request& request, std::vector<const Variant*> others);

}  // namespace tilewright::library::tuner
