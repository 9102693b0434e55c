// api.cpp - the C functions of new_kernel.h: check the arguments, choose a variant by the library's policy,
// launch it.
#include <string>

#include "launch.hpp"
#include "runtime.hpp"
#include "tilewright/new_kernel.h"

using namespace tilewright;
using library::guarded;
using library::require;

struct tw_new_kernel_plan {
  std::int64_t count;
  library::Plan launches;
};

tw_status tw_new_kernel_plan_create(int64_t count, tw_new_kernel_plan** plan) {
  return guarded([&] {
    require(plan != nullptr, "plan is null");
    require(count >= 0, [&] { return "count must not be negative, is " + std::to_string(count); });
    const std::vector<library::Feature> features{{"count", static_cast<double>(count), nullptr}};
    const auto bind = [&](const Parameters& parameters, const DeviceLimits&) {
      return new_kernel::bind(count, parameters);
    };
    *plan = new tw_new_kernel_plan{count, {features, bind}};
  });
}

void tw_new_kernel_plan_destroy(tw_new_kernel_plan* plan) { delete plan; }

const char* tw_new_kernel_plan_variant(const tw_new_kernel_plan* plan) {
  return plan ? plan->launches.variant().id : "";
}

tw_status tw_new_kernel_run(const tw_new_kernel_plan* plan, float alpha, const float* x, float* y,
                            tw_stream stream) {
  return guarded([&] {
    require(plan != nullptr, "plan is null");
    if (plan->count == 0) return;
    require(x != nullptr && y != nullptr, "x or y is null");
    const new_kernel::Call call{x, y, alpha};
    plan->launches.run(&call, nullptr, 0, stream);
  });
}
