// no_baselines.cpp - the tests' family has no vendor library.
#include "tilewright/family.hpp"

namespace tilewright {
std::vector<std::unique_ptr<Baseline>> make_baselines() { return {}; }
}  // namespace tilewright
