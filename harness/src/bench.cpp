#include "bench.hpp"

#include <algorithm>

#include "launch_check.hpp"

namespace tilewright {

Rejection reject(std::string verdict, std::string message) {
  Rejection rejection{std::move(verdict), {}};
  rejection.evidence.set("message", std::move(message));
  return rejection;
}

Operands::Operands(Device& device, std::shared_ptr<const Problem> problem) : problem_(std::move(problem)) {
  for (const Tensor& tensor : problem_->tensors()) operands_.emplace_back(device, tensor);
}

Placement Operands::placement(void* workspace) const {
  Placement placement{{}, workspace};
  for (const Operand& operand : operands_) placement.tensors.push_back(operand.address());
  return placement;
}

bool Operands::updates_in_place() const {
  return std::any_of(operands_.begin(), operands_.end(),
                     [](const Operand& operand) { return operand.tensor().role == Role::inout; });
}

void Operands::reset() {
  for (Operand& operand : operands_) operand.reset();
}

void Operands::reset_outputs() {
  for (Operand& operand : operands_)
    if (operand.is_output()) operand.restore();
}

double Operands::judge(const References& references, bool inputs) {
  for (Operand& operand : operands_) {
    if (!operand.is_output() && !inputs) continue;
    if (const auto damage = operand.damage()) throw reject("out-of-bounds", *damage);
  }
  double worst = 0;
  std::size_t output = 0;
  for (const Operand& operand : operands_) {
    if (!operand.is_output()) continue;
    if (output >= references.size())
      throw std::invalid_argument("the reference lacks output '" + operand.tensor().name + "'");
    const Comparison comparison = compare(operand.tensor(), operand.contents(), operand.initial(),
                                          operand.pitch(), references[output++]);
    worst = std::max(worst, comparison.worst);
    if (comparison.ok()) continue;
    Rejection rejection = reject(comparison.verdict(), comparison.message());
    rejection.evidence.set("maxErrorOverBound", worst);
    comparison.add_to(rejection.evidence);
    throw rejection;
  }
  return worst;
}

std::vector<std::byte> Operands::results() const {
  std::vector<std::byte> packed;
  for (const Operand& operand : operands_) {
    if (!operand.is_output()) continue;
    const Tensor& tensor = operand.tensor();
    const auto size = static_cast<std::int64_t>(element_bytes(tensor.type));
    for (std::int64_t row = 0; row < tensor.rows; ++row) {
      const std::byte* first = operand.contents() + row * operand.pitch() * size;
      packed.insert(packed.end(), first, first + tensor.cols * size);
    }
  }
  return packed;
}

Setup::Setup(Device& device, const DeviceLimits& limits, const std::shared_ptr<Module>& module,
             const Variant& variant, const Operands& operands)
    : Setup(device, limits, module, variant, operands,
            operands.problem().workspace(variant.parameters.view(), limits)) {}

Setup::Setup(Device& device, const DeviceLimits& limits, const std::shared_ptr<Module>& module,
             const Variant& variant, const Operands& operands, const Workspace& wanted)
    : workspace_(device, wanted) {
  Plan plan;
  if (wanted.clear_bytes > 0) {
    plan.clear = static_cast<std::byte*>(workspace_.address()) + wanted.clear_offset;
    plan.clear_bytes = wanted.clear_bytes;
  }
  plan.launches = operands.problem().launches(variant.parameters.view(), limits,
                                              operands.placement(workspace_.address()));
  for (const Launch& launch : plan.launches) {
    if (const std::string why = launch_mismatch(variant, launch); !why.empty()) throw LaunchRefused(why);
    if (const CompiledKernel* kernel = variant.kernel(launch.entry))
      plan.registers.push_back(static_cast<int>(kernel->registers));
    else
      plan.registers.push_back(0);
  }
  launches_ = plan.launches.size();
  program_ = device.prepare(module, plan);
}

void Setup::judge_workspace() {
  if (const auto damage = workspace_.damage()) throw reject("out-of-bounds", *damage);
  if (const auto change = workspace_.change()) throw reject("stateful", *change);
}

}  // namespace tilewright
