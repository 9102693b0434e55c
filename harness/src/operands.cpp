#include "operands.hpp"

#include <algorithm>
#include <cstring>
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

namespace {

/// An operand, or a field of one that consists of structs, as it is judged.
struct Part {
  const Tensor& tensor;
  const std::byte* contents;
  const std::byte* initial;
  std::int64_t pitch;

  bool is_output() const { return tensor.role != Role::input; }
  /// One sentence on an input that is not as it was.
  std::optional<std::string> change() const {
    const std::size_t size = element_bytes(tensor.type);
    for (std::int64_t row = 0; row < tensor.rows; ++row) {
      const std::int64_t at = row * pitch * static_cast<std::int64_t>(size);
      if (std::memcmp(contents + at, initial + at, static_cast<std::size_t>(tensor.cols) * size) != 0)
        return "changed the input " + tensor.name + " of struct " + std::to_string(row);
    }
    return std::nullopt;
  }
};

std::vector<Part> parts_of(const Operand& operand) {
  const Tensor& tensor = operand.tensor();
  if (tensor.fields.empty()) return {{tensor, operand.contents(), operand.initial(), operand.pitch()}};
  std::vector<Part> parts;
  for (const Tensor& field : tensor.fields) {
    const std::size_t at = static_cast<std::size_t>(field.offset) * element_bytes(field.type);
    parts.push_back({field, operand.contents() + at, operand.initial() + at, field.stride});
  }
  return parts;
}

}  // namespace

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
  const auto judge = [&](const Part& part) {
    if (output >= references.size())
      throw std::invalid_argument("the reference lacks output '" + part.tensor.name + "'");
    const Comparison comparison =
        compare(part.tensor, part.contents, part.initial, part.pitch, references[output++]);
    worst = std::max(worst, comparison.worst);
    if (comparison.ok()) return;
    Rejection rejection = reject(comparison.verdict(), comparison.message());
    rejection.evidence.set("maxErrorOverBound", worst);
    comparison.add_to(rejection.evidence);
    throw rejection;
  };
  for (const Operand& operand : operands_) {
    if (!operand.tensor().is_result()) continue;
    for (const Part& part : parts_of(operand))
      if (part.is_output())
        judge(part);
      else if (const auto change = part.change())
        throw reject("out-of-bounds", *change);
  }
  return worst;
}

Json Operands::opinions(const References& references) {
  AcceptanceRules rules;
  std::size_t output = 0;
  for (Operand& operand : operands_) {
    if (!operand.tensor().is_result()) continue;
    static_cast<void>(operand.damage());  // reads the buffer back
    rules.look_at(operand.tensor(), operand.contents(), references.at(output++));
  }
  return rules.json();
}

namespace {

void make_folder(const std::string& folder) {
  std::error_code failure;
  std::filesystem::create_directories(folder, failure);
  if (failure) throw DumpFailed("cannot create " + folder + ": " + failure.message());
}

void dump_npy(const std::string& path, ElementType type, std::int64_t rows, std::int64_t cols, std::int64_t pitch,
              const std::byte* contents) {
  try {
    write_npy(path, type, rows, cols, pitch, contents);
  } catch (const std::runtime_error& failure) {
    throw DumpFailed(failure.what());
  }
}

}  // namespace

void Operands::dump(const std::string& folder, const References& references) {
  make_folder(folder);
  std::size_t output = 0;
  const auto dump = [&](const Part& part) {
    const Tensor& tensor = part.tensor;
    const auto write = [&](const char* kind, const std::byte* contents) {
      dump_npy(folder + "/" + tensor.name + kind, tensor.type, tensor.rows, tensor.cols, part.pitch, contents);
    };
    if (!part.is_output()) return write(".npy", part.initial);
    if (tensor.role == Role::inout) write(".before.npy", part.initial);
    write(".npy", part.contents);
    const Reference& expected = references.at(output++);
    const bool whole = !expected.exact.empty();
    const void* elements = whole ? static_cast<const void*>(expected.exact.data()) : expected.value.data();
    dump_npy(folder + "/" + tensor.name + ".expected.npy", whole ? tensor.type : ElementType::f64, tensor.rows,
             tensor.cols, tensor.cols, static_cast<const std::byte*>(elements));
    dump_npy(folder + "/" + tensor.name + ".bound.npy", ElementType::f64, tensor.rows, tensor.cols, tensor.cols,
             reinterpret_cast<const std::byte*>(expected.bound.data()));
    if (!expected.unspecified.empty())
      dump_npy(folder + "/" + tensor.name + ".unspecified.npy", ElementType::u8, tensor.rows, tensor.cols, tensor.cols,
               reinterpret_cast<const std::byte*>(expected.unspecified.data()));
  };
  for (Operand& operand : operands_) {
    if (operand.tensor().scratch) continue;
    if (operand.is_output()) static_cast<void>(operand.damage());  // reads the buffer back
    for (const Part& part : parts_of(operand)) dump(part);
  }
}

std::vector<std::byte> Operands::results() const {
  std::vector<std::byte> packed;
  for (const Operand& operand : operands_) {
    if (!operand.tensor().is_result()) continue;
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
