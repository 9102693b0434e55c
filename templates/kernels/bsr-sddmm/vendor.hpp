// vendor.hpp - what to be compared with on the GPU: a class per library call, derived from tilewright::Baseline
// (kit/host/tilewright/family.hpp). None: cuSPARSE's sampled product takes CSR alone.
#pragma once
#include "tilewright/family.hpp"

namespace tilewright {

std::vector<std::unique_ptr<Baseline>> make_baselines() { return {}; }

}  // namespace tilewright
