// launcher.hpp - starts tilewright::Launch on the emulated device. The runner and the emitted library share
// it, so it needs nothing but tw/launch.hpp and simt.hpp.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "simt/simt.hpp"
#include "tw/launch.hpp"

namespace tilewright::emulated {

/// The emulated device refuses a launch as the driver would; the text says why.
struct Refused : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A launch with its arguments copied and its tensor maps encoded. Throws Refused.
class PreparedLaunch {
 public:
  /// `name` appears in messages.
  PreparedLaunch(simt::Entry entry, const std::string& name, const Launch& launch);
  /// Runs the whole grid on the calling thread.
  simt::Result run(const simt::Config& config) const;

 private:
  struct alignas(64) Slot {
    std::byte bytes[64];
  };
  void add(const Arguments::Item& item);

  simt::Entry entry_;
  std::string name_;
  simt::Dim3 grid_, block_, cluster_;
  std::size_t shared_bytes_;
  bool dependent_;
  std::vector<std::unique_ptr<Slot[]>>
      storage_;  // one per argument: addresses stay, alignment serves simt::TensorMap
  std::vector<void*> arguments_;
};

}  // namespace tilewright::emulated
