// launcher.hpp - starts tilewright::BoundLaunch on the emulated device. The runner and the emitted library
// share it, so it needs nothing but tw/launch.hpp and simt.hpp.
#pragma once
#include <string>

#include "simt/simt.hpp"
#include "tw/launch.hpp"

namespace tilewright::emulated {

/// The emulated device refuses a launch as the driver would; the text says why.
struct Refused : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// As Config::resident_clusters: all blocks at once, as a cooperative launch has them.
inline constexpr unsigned kWholeGrid = ~0u;

/// A bound launch with its tensor maps encoded for some address. Immutable. Throws Refused.
class PlannedLaunch {
 public:
  /// `name` appears in messages.
  PlannedLaunch(simt::Entry entry, const std::string& name, const BoundLaunch& launch);
  /// Runs the whole grid for one call (see BoundLaunch) on the calling thread. Throws Refused.
  simt::Result run(const simt::Config& config, const void* call) const;

 private:
  simt::Entry entry_;
  std::string name_;
  BoundLaunch launch_;
  PreparedParameters<simt::TensorMap> parameters_;
};

}  // namespace tilewright::emulated
