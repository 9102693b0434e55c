// promise.hpp - which kernels are worth measuring, before any of them was.
#pragma once
#include <vector>

#include "tuner/context.hpp"

namespace tilewright::library::tuner {

/// The family's guess for a variant at the nearest workload that it serves; 0 where there is none.
double merit_of(const Variant& variant, const Selection& all, const Asked& asked);

/// Of the kernels beside the usual one, those to measure, the most promising first. Of kernels that were timed on near workloads the
/// faster ones, at most half of all that serve the call; of those that never were, all but the unlikely by the family's guess. At
/// most eight, the usual one included; all where the context is exhaustive, in any order. Counts those that serve.
std::vector<const Variant*> promising(tw_context& context, const Request& request, std::vector<const Variant*> others);

}  // namespace tilewright::library::tuner
