#include "vendor.hpp"

#include <algorithm>

namespace tilewright {

const Json& VendorPanel::opinions(Operands& operands, const References& references) {
  const std::string key = operands.problem().key();
  if (const auto known = known_.find(key); known != known_.end()) return known->second;
  if (!made_) baselines_ = make_baselines();
  made_ = true;
  Json opinions{Json::Array()};
  for (const auto& baseline : baselines_) opinions.push(ask(*baseline, operands, references));
  return known_[key] = std::move(opinions);
}

Json VendorPanel::ask(Baseline& baseline, Operands& operands, const References& references) {
  Json opinion;
  opinion.set("name", baseline.name());
  try {
    operands.reset();
    baseline.prepare(operands.problem(), operands.placement(nullptr), device_.streams()->stream(0));
    baseline.run();
    device_.streams()->synchronize();
    opinion.set("maxErrorOverBound", operands.judge(references, true));
  } catch (const Unsupported& why) {
    opinion.set("unsupported", why.what());
  } catch (const DeviceLost&) {
    throw;
  } catch (const std::exception& error) {
    opinion.set("unsupported", std::string("failed: ") + error.what());
  } catch (const Rejection& rejection) {
    opinion.set("disagrees", rejection.verdict + ": " + rejection.evidence.at("message").text());
  }
  return opinion;
}

void summarise(Json& summary, const Json& opinions, const std::string& case_id) {
  for (const Json& opinion : opinions.items()) {
    const std::string& name = opinion.at("name").text();
    Json entry = summary.is_null() || !summary.find(name) ? Json() : summary.at(name);
    if (entry.is_null())
      entry.set("agreed", 0)
          .set("unsupported", 0)
          .set("maxErrorOverBound", 0.0)
          .set("disagrees", Json::Array());
    if (opinion.find("unsupported")) {
      entry.set("unsupported", entry.at("unsupported").integer() + 1);
    } else if (opinion.find("disagrees")) {
      entry.set("disagrees", Json(entry.at("disagrees")).push(case_id));
    } else {
      entry.set("agreed", entry.at("agreed").integer() + 1);
      const double worst = opinion.at("maxErrorOverBound").number();
      entry.set("maxErrorOverBound", std::max(worst, entry.at("maxErrorOverBound").number()));
    }
    summary.set(name, std::move(entry));
  }
}

}  // namespace tilewright
