// launch_check.hpp - a launch against what the compiler made of its kernel: a driver refuses what does not fit, or
// reads arguments that are not there.
#pragma once
#include <string>

#include "tw/launch.hpp"
#include "variant.hpp"

namespace tilewright {

/// Mismatch between the launch and the variant's kernel, with both numbers; empty if none or nothing is known.
std::string launch_mismatch(const Variant& variant, const BoundLaunch& launch);

}  // namespace tilewright
