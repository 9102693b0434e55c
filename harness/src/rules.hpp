// rules.hpp - what the acceptance checks of other projects would say of an output: for comparison, never a
// verdict. docs/gate.md names the sources.
#pragma once
#include "tilewright/family.hpp"
#include "tilewright/json.hpp"

namespace tilewright {

/// Each rule's answer on one output, true where it accepts. The reference is rounded to the output's type, as
/// a vendor's library or PyTorch would give it.
class AcceptanceRules {
 public:
  /// Compares rows x cols elements at `contents` (pitch tensor.stride); several outputs must all be accepted.
  void look_at(const Tensor& tensor, const std::byte* contents, const Reference& reference);
  Json json() const;

 private:
  void element(double got, double expected);

  bool cutlass_ = true, allclose_ = true, tilelang_ = true;
  double kernel_tuner_atol_ = 0;  // the least that accepts; infinite where none does
  double products_ = 0, squares_ = 0;
  std::int64_t far_ = 0;  // from the reference, of the output that is looked at
};

}  // namespace tilewright
