// api.cpp - the C functions of new_kernel.h: check the arguments, choose a variant by the library's policy,
// launch it.
#include <memory>

#include "launch.hpp"
#include "runtime.hpp"
#include "tilewright/new_kernel.h"

using namespace tilewright;
using library::Candidate;
using library::guarded;
using library::require;

struct tw_new_kernel_plan {
  std::int64_t count;
  std::vector<Candidate> candidates;  // the chosen variant first
};

tw_status tw_new_kernel_plan_create(int64_t count, tw_new_kernel_plan** plan) {
  return guarded([&] {
    require(plan != nullptr, "plan is null");
    require(count >= 0, "count must not be negative, is " + std::to_string(count));
    const std::vector<library::Feature> features{{"count", static_cast<double>(count), nullptr}};
    auto made = std::make_unique<tw_new_kernel_plan>();
    made->count = count;
    made->candidates = library::candidates(features, library::device::limits(),
                                           [](const Parameters&) { return Workspace{}; });
    *plan = made.release();
  });
}

void tw_new_kernel_plan_destroy(tw_new_kernel_plan* plan) { delete plan; }

const char* tw_new_kernel_plan_variant(const tw_new_kernel_plan* plan) {
  return plan ? plan->candidates.front().variant->id : "";
}

tw_status tw_new_kernel_run(const tw_new_kernel_plan* plan, float alpha, const float* x, float* y,
                            tw_stream stream) {
  return guarded([&] {
    require(plan != nullptr, "plan is null");
    if (plan->count == 0) return;
    require(x != nullptr && y != nullptr, "x or y is null");
    const new_kernel::Args args{x, y, plan->count, alpha};
    library::run(plan->candidates, nullptr, 0, stream,
                 [&](const Parameters& parameters) { return new_kernel::launches(args, parameters); });
  });
}
