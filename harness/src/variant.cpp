#include "variant.hpp"

namespace tilewright {
namespace {

Schedule schedule(const Json& json) {
  Schedule schedule;
  schedule.seed = static_cast<std::uint64_t>(json.integer("seed", 1));
  schedule.async = json.text("async", schedule.async);
  schedule.order = json.text("order", schedule.order);
  schedule.detect = json.boolean("detect", schedule.detect);
  schedule.preempt = json.number("preempt", schedule.preempt);
  schedule.lag = json.number("lag", schedule.lag);
  return schedule;
}

CompiledKernel compiled_kernel(const Json& json) {
  CompiledKernel kernel{json.at("registers").integer(), json.at("maxThreads").integer(), {}};
  for (const Json& bytes : json.at("parameterBytes").items())
    kernel.parameter_bytes.push_back(bytes.integer());
  return kernel;
}

}  // namespace

ParameterList::ParameterList(const Json& object) {
  for (const auto& [name, value] : object.members()) {
    Parameter parameter{texts_.emplace_back(name).c_str(), 0, nullptr};
    if (value.is_text())
      parameter.text = texts_.emplace_back(value.text()).c_str();
    else
      parameter.number = value.is_boolean() ? value.boolean() : value.integer();
    parameters_.push_back(parameter);
  }
}

Variant::Variant(const Json& json)
    : id(json.at("id").text()),
      symbol(json.at("symbol").text()),
      artifact(json.at("artifact").text()),
      deterministic(json.boolean("deterministic", false)),
      parameters(json.at("parameters")) {
  if (json.find("sharedBytes")) shared_bytes = json.at("sharedBytes").integer();
  if (const Json* known = json.find("kernels"))
    for (const auto& [name, kernel] : known->members()) kernels.emplace(name, compiled_kernel(kernel));
}

const CompiledKernel* Variant::kernel(const std::string& entry) const {
  const auto found = kernels.find(symbol + entry);
  return found == kernels.end() ? nullptr : &found->second;
}

GateCase::GateCase(const Json& json)
    : id(json.at("id").text()),
      tier(json.at("tier").text()),
      launches(json.integer("launches", 1)),
      multiprocessors(json.integer("multiprocessors", 0)),
      refuses(json.text("refuses", "")),
      problem(json.at("problem")) {
  if (const Json* other = json.find("alternate")) alternate = *other;
  if (const Json* chosen = json.find("schedules"))
    for (const Json& index : chosen->items()) schedules.push_back(static_cast<std::size_t>(index.integer()));
}

GateJob::GateJob(const Json& json)
    : id(json.at("id").text()),
      variant(json.at("variant")),
      vendor(json.boolean("vendor", false)),
      dump(json.text("dump", "")),
      opinions(json.boolean("opinions", false)) {
  for (const Json& item : json.at("cases").items()) cases.emplace_back(item);
  if (const Json* list = json.find("schedules"))
    for (const Json& item : list->items()) schedules.push_back(schedule(item));
  if (schedules.empty()) schedules.emplace_back();
  for (Schedule& one : schedules) one.seconds = json.number("watchdog", one.seconds);
  for (const GateCase& item : cases)
    for (const std::size_t index : item.schedules)
      if (index >= schedules.size())
        throw JsonError("case \"" + item.id + "\" names schedule " + std::to_string(index) + " of " +
                        std::to_string(schedules.size()));
}

TimeOptions::TimeOptions(const Json& json)
    : warmup(json.integer("warmup", 3)),
      samples(json.integer("samples", 20)),
      launches_per_sample(json.integer("launchesPerSample", 10)),
      cold(json.boolean("cold", true)),
      hot(json.boolean("hot", true)),
      recheck(json.boolean("recheck", false)),
      early_stop(json.number("earlyStop", 0)),
      peak_flops(json.number("peakTflops", 0) * 1e12),
      bandwidth(json.number("bandwidth", 0)) {
  if (warmup < 0 || samples < 1 || launches_per_sample < 1)
    throw JsonError("options: warmup must be >= 0, samples and launchesPerSample >= 1");
}

TimeJob::TimeJob(const Json& json)
    : id(json.at("id").text()),
      workload(json.at("workload").at("id").text()),
      problem(json.at("workload").at("problem")),
      baselines(json.boolean("baselines", true)),
      options(json.find("options") ? json.at("options") : Json(Json::Object())) {
  for (const Json& item : json.at("variants").items()) variants.emplace_back(item);
}

}  // namespace tilewright
