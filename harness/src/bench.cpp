#include "bench.hpp"

#include <algorithm>
#include <filesystem>

#include "family_code.hpp"
#include "launch_check.hpp"
#include "tilewright/npy.hpp"

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

Json Operands::opinions(const References& references) {
  AcceptanceRules rules;
  std::size_t output = 0;
  for (Operand& operand : operands_) {
    if (!operand.is_output()) continue;
    static_cast<void>(operand.damage());  // reads the buffer back
    rules.look_at(operand.tensor(), operand.contents(), references.at(output++));
  }
  return rules.json();
}

void Operands::dump(const std::string& folder, const References& references) {
  std::filesystem::create_directories(folder);
  std::size_t output = 0;
  for (Operand& operand : operands_) {
    const Tensor& tensor = operand.tensor();
    const auto write = [&](const char* kind, const std::byte* contents) {
      write_npy(folder + "/" + tensor.name + kind, tensor.type, tensor.rows, tensor.cols, operand.pitch(), contents);
    };
    if (!operand.is_output()) {
      write(".npy", operand.initial());
      continue;
    }
    if (tensor.role == Role::inout) write(".before.npy", operand.initial());
    static_cast<void>(operand.damage());  // reads the buffer back
    write(".npy", operand.contents());
    const std::vector<double>& expected = references.at(output++).value;
    write_npy(folder + "/" + tensor.name + ".expected.npy", ElementType::f64, tensor.rows, tensor.cols, tensor.cols,
              reinterpret_cast<const std::byte*>(expected.data()));
  }
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
    : Setup(device, module, variant, operands, family_code("bind", [&] {
              return operands.problem().bind(variant.parameters.view(), limits);
            })) {}

Setup::Setup(Device& device, const std::shared_ptr<Module>& module, const Variant& variant,
             const Operands& operands, Bound bound) try
    : workspace_(device, bound.workspace),
      launches_(bound.launches.size()) {
  Plan plan;
  plan.call =
      family_code("call", [&] { return operands.problem().call(operands.placement(workspace_.address())); });
  if (const Requirement* unmet = bound.requirements.unmet(plan.call.data())) throw Unsupported(unmet->text());
  if (bound.workspace.clear_bytes > 0) {
    plan.clear = static_cast<std::byte*>(workspace_.address()) + bound.workspace.clear_offset;
    plan.clear_bytes = bound.workspace.clear_bytes;
  }
  for (const BoundLaunch& launch : bound.launches) {
    if (const std::string why = launch_mismatch(variant, launch); !why.empty()) throw LaunchRefused(why);
    const CompiledKernel* kernel = variant.kernel(launch.entry);
    plan.registers.push_back(kernel ? static_cast<int>(kernel->registers) : 0);
  }
  plan.launches = std::move(bound.launches);
  program_ = device.prepare(module, plan);
} catch (const std::bad_alloc&) {
  throw LaunchRefused("memory runs out: a workspace of " + std::to_string(bound.workspace.bytes) +
                      " bytes does not fit");
}

void Setup::judge_workspace() {
  if (const auto damage = workspace_.damage()) throw reject("out-of-bounds", *damage);
  if (const auto change = workspace_.change()) throw reject("stateful", *change);
}

}  // namespace tilewright
