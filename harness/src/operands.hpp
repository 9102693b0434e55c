// operands.hpp - a problem laid out on the device, and a variant set up on it.
#pragma once
#include <deque>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "compare.hpp"
#include "memory.hpp"
#include "problems.hpp"
#include "rules.hpp"
#include "tilewright/device.hpp"
#include "variant.hpp"

namespace tilewright {

/// A failed variant: its verdict, and evidence with at least `message`.
struct Rejection {
  std::string verdict;
  Json evidence;
};
Rejection reject(std::string verdict, std::string message);

/// The folder of a dump cannot be filled: neither a variant nor the runner is to blame.
struct DumpFailed : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A problem's operands on the device. Any number of variants may run on them in turn.
class Operands {
 public:
  Operands(Device& device, std::shared_ptr<const Problem> problem);

  const Problem& problem() const { return *problem_; }
  Placement placement(void* workspace) const;
  /// Whether a launch reads what it writes, so that a second one gives something else.
  bool updates_in_place() const;
  void reset();
  /// Restores what a launch writes: poison, or the initial values of a tensor that is also read.
  void reset_outputs();
  /// Judges what the last launch left. Throws Rejection; returns the largest |error| / bound.
  /// `inputs`: look at the inputs too, which costs a download.
  double judge(const References& references, bool inputs);
  /// Opinions of other projects' acceptance rules on the outputs of the last launch.
  Json opinions(const References& references);
  /// Writes what the last launch was given and left, and what was expected, as .npy files of a folder. Throws
  /// DumpFailed.
  void dump(const std::string& folder, const References& references);
  /// The outputs' elements as judge() read them, rows packed, for bitwise comparison.
  std::vector<std::byte> results() const;

 private:
  std::shared_ptr<const Problem> problem_;
  std::deque<Operand> operands_;
};

/// A variant ready to run on operands: problem bound, workspace placed, kernels found, all as for a
/// device with these limits. Operands and device must outlive it. Construction throws Unsupported where the
/// family declines the problem, LaunchRefused where the device does.
class Setup {
 public:
  Setup(Device& device, const DeviceLimits& limits, const std::shared_ptr<Module>& module,
        const Variant& variant, const Operands& operands);
  Program& program() { return *program_; }
  std::size_t launches() const { return launches_; }
  /// Poisons what launches share nothing in, for the next one.
  void reset_workspace() { workspace_.restore(); }
  /// Throws Rejection when the guard zones of the workspace or its image changed.
  void judge_workspace();

 private:
  Setup(Device& device, const std::shared_ptr<Module>& module, const Variant& variant,
        const Operands& operands, Bound bound);

  WorkspaceBuffer workspace_;
  std::size_t launches_ = 0;
  std::unique_ptr<Program> program_;
};

}  // namespace tilewright
