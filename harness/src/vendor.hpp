// vendor.hpp - the family's baselines as a second opinion: where the vendor agrees with the oracle, a variant
// that does so agrees with the vendor. Where it does not, the oracle decides, and the verdict's evidence says
// so. Each problem is asked once and remembered.
#pragma once
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "operands.hpp"

namespace tilewright {

class VendorPanel {
 public:
  explicit VendorPanel(Device& device) : device_(device) {}
  /// Runs every baseline on the operands (which it resets before each) and returns one object per baseline:
  /// `name`, and `maxErrorOverBound`, or `disagrees`: why, or `unsupported`: why.
  const Json& opinions(Operands& operands, const References& references);

 private:
  Json ask(Baseline& baseline, Operands& operands, const References& references);

  Device& device_;
  std::vector<std::unique_ptr<Baseline>> baselines_;
  bool made_ = false;
  std::map<std::string, Json> known_;  // by Problem::key
};

/// Adds the opinions on one case to the summary over all cases of a verdict: per baseline `name`, `agreed`,
/// `unsupported` (counts), `maxErrorOverBound`, `disagrees` (case ids).
void summarise(Json& summary, const Json& opinions, const std::string& case_id);

}  // namespace tilewright
