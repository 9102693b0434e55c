// problem.hpp - a described problem: its tensors, its launch, and its answer by whichever reference it names.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <map>
#include <optional>

#include "argument.hpp"
#include "oracles.hpp"
#include "reference.hpp"

namespace tilewright::check {

/// Allowed distance from the reference: relative * |value| + absolute, or times * (largest error of a yardstick) + absolute.
struct Tolerance {
  double relative = 0, absolute = 0, times = 0;
  std::size_t yardstick = 0;
  bool usual = false;  // nobody says: the reference's own bound comes first
  double bound(double value) const {
    return std::isfinite(value) ? relative * std::abs(value) + absolute : 0;
  }
};

class DescribedProblem final : public Problem {
 public:
  explicit DescribedProblem(const Json& json) : json_(json), key_(json.dump()) {
    std::mt19937_64 random(static_cast<std::uint64_t>(json.integer("seed", 1)));
    const Json::Array& given = json.at("arguments").items();
    for (const Json& item : given) add(item, random);
    for (std::size_t i = 0; i < given.size(); ++i)
      if (const Json* map = given[i].find("map")) add_map(*map, given[i].text("tensor", given[i].at("name").text()), i);
    if (const Json* symbols = json.find("symbols")) add_symbols(*symbols, random);
    const auto is_result = [](const Tensor& one) { return one.is_result(); };
    if (std::none_of(tensors_.begin(), tensors_.end(), is_result)) add_nothing();
    for (int i = 0; i < 3; ++i) {
      const auto at = static_cast<std::size_t>(i);
      launch_.grid[at] = static_cast<unsigned>(json.at("grid").items().at(at).integer());
      launch_.block[at] = static_cast<unsigned>(json.at("block").items().at(at).integer());
      if (const Json* cluster = json.find("cluster"))
        launch_.cluster[at] = static_cast<unsigned>(cluster->items().at(at).integer());
    }
    launch_.shared_bytes = static_cast<std::size_t>(json.integer("shared", 0));
    if (arguments_.size() > kMostSlots)
      throw std::invalid_argument("a kernel may have " + std::to_string(kMostSlots) + " arguments, not " +
                                  std::to_string(arguments_.size()));
  }

  const std::vector<Tensor>& tensors() const override { return placed_; }
  std::vector<tilewright::Reference> reference() const override {
    Answers answers = answer();
    std::vector<tilewright::Reference> references;
    std::map<std::size_t, Answers> yardsticks;
    for (std::size_t i = 0; i < tensors_.size(); ++i) {
      if (!tensors_[i].is_result()) continue;
      tilewright::Reference& one = references.emplace_back();
      one.value = std::move(answers[i].value);
      one.exact = std::move(answers[i].exact);
      one.unspecified = std::move(answers[i].unspecified);
      one.bound = std::move(answers[i].bound);
      if (!one.bound.empty()) continue;
      const Tolerance tolerance = tolerances_[i].times > 0 ? measured(i, one.value, yardsticks) : tolerances_[i];
      for (const double value : one.value) one.bound.push_back(tolerance.bound(value));
    }
    return references;
  }
  double flops() const override { return 0; }
  double bytes() const override { return 0; }
  Bound bind(const Parameters&, const DeviceLimits&) const override {
    Bound bound;
    bound.launches.push_back(launch());
    return bound;
  }
  CallBytes call(const Placement& placement) const override { return CallBytes(slots(placement)); }
  const std::vector<std::string>* printed() const override {
    if (!json_.find("prints")) return nullptr;
    if (!printed_) printed_ = lines_of_reference();
    return &*printed_;
  }
  std::string key() const override { return key_; }

 private:
  void add(const Json& json, std::mt19937_64& random) {
    Argument argument;
    argument.name = json.at("name").text();
    const std::string kind = json.at("kind").text();
    if (kind == "tensor") {
      add_tensor(argument, tensor_of(json, random));
      tolerances_.back() = tolerance_of(json);
      argument.unspecified = json.find("unspecified") != nullptr;
    } else if (kind == "struct") {
      add_structs(argument, json);
    } else if (kind == "field") {
      add_field(argument, json, random);
    } else if (kind == "map") {
      argument.view = true;
    } else {
      argument.kind = Argument::Kind::scalar;
      argument.type = element_type(json.at("type").text());
      argument.value = json.at("value").number();
    }
    arguments_.push_back(std::move(argument));
  }

  static Tolerance tolerance_of(const Json& json) {
    return {json.number("relative", 0), json.number("absolute", 0), json.number("times", 0),
            static_cast<std::size_t>(json.integer("yardstick", 0)), json.find("usual") != nullptr};
  }

  /// The tolerance of a tensor whose yardstick, rounded to the tensor's type, is off the right values by so much. `yardsticks`: those that
  /// have been asked.
  Tolerance measured(std::size_t tensor, const std::vector<double>& right, std::map<std::size_t, Answers>& yardsticks) const {
    const Tolerance& tolerance = tolerances_[tensor];
    const auto [asked, first] = yardsticks.try_emplace(tolerance.yardstick);
    Answers& answers = asked->second;
    if (first) answers = answer(json_.at("reference").at("yardsticks").items().at(tolerance.yardstick));
    double worst = 0;
    for (std::size_t i = 0; i < right.size(); ++i) {
      const double error = std::abs(rounded(answers[tensor].value[i], tensors_[tensor].type) - right[i]);
      if (std::isfinite(right[i]) && !std::isfinite(error))
        throw std::invalid_argument("the reference whose error is the measure is not finite at element " + std::to_string(i) +
                                    " of '" + tensors_[tensor].name + "'");
      if (std::isfinite(right[i])) worst = std::max(worst, error);
    }
    return {0, tolerance.times * worst + tolerance.absolute};
  }

  void add_tensor(Argument& argument, Tensor tensor) {
    argument.tensor = tensors_.size();
    argument.place = placed_.size();
    argument.type = tensor.type;
    tensors_.push_back(tensor);
    placed_.push_back(std::move(tensor));
    places_.push_back(argument.place);
    tolerances_.emplace_back();
  }

  /// Layout of the structs of an argument, as its library has it: bytes of one, then of each field where it begins and how long it is.
  const std::size_t* layout_of(const Json& json) {
    layouts_.push_back(std::make_unique<Library>(json.at("library").text()));
    return layouts_.back()->find<const std::size_t* (*)()>(json.at("layout").text().c_str())();
  }

  /// An array of structs, whose fields follow as arguments of their own.
  void add_structs(Argument& argument, const Json& json) {
    layout_ = layout_of(json);
    argument.view = true;
    argument.place = placed_.size();
    Tensor structs;
    structs.name = argument.name;
    structs.type = ElementType::u8;
    const std::string& role = json.at("role").text();
    structs.role = role == "in" ? Role::input : role == "out" ? Role::output : Role::inout;
    structs.rows = json.at("rows").integer();
    structs.cols = structs.stride = static_cast<std::int64_t>(layout_[0]);
    if (structs.role != Role::output) structs.image.resize(count_of(structs));
    placed_.push_back(std::move(structs));
  }

  /// A field of the structs before it.
  void add_field(Argument& argument, const Json& json, std::mt19937_64& random) {
    Tensor& structs = placed_.back();
    const std::size_t* part = layout_ + 1 + 2 * json.at("part").integer();
    const std::size_t size = element_bytes(element_type(json.at("type").text()));
    if (part[0] % size || part[1] % size || layout_[0] % size)
      throw std::invalid_argument("the field '" + argument.name + "' is not aligned: packed structs are not supported");
    Json shaped = json;
    const auto cols = static_cast<std::int64_t>(part[1] / size);
    shaped.set("rows", structs.rows).set("cols", cols).set("stride", cols);
    Tensor field = tensor_of(shaped, random);
    for (std::size_t row = 0; row < static_cast<std::size_t>(structs.rows) && !field.image.empty(); ++row)
      std::memcpy(structs.image.data() + row * layout_[0] + part[0], field.image.data() + row * part[1], part[1]);
    argument.field = true;
    argument.tensor = tensors_.size();
    argument.place = placed_.size() - 1;
    argument.type = field.type;
    tensors_.push_back(field);
    places_.push_back(argument.place);
    tolerances_.push_back(tolerance_of(json));
    field.image.clear();
    field.stride = static_cast<std::int64_t>(layout_[0] / size);
    field.offset = static_cast<std::int64_t>(part[0] / size);
    structs.fields.push_back(std::move(field));
  }

  /// The argument of that number is a tensor map of the tensor `name`.
  void add_map(const Json& json, const std::string& name, std::size_t number) {
    const TiledMap map = map_of(json);
    Argument& argument = arguments_[number];
    const auto named = [&](const Tensor& one) { return one.name == name; };
    const auto found = std::find_if(tensors_.begin(), tensors_.end(), named);
    if (found == tensors_.end())
      throw std::invalid_argument("the tensor map '" + argument.name + "' is of '" + name + "', which is no tensor");
    argument.tensor = static_cast<std::size_t>(found - tensors_.begin());
    argument.place = places_[argument.tensor];
    argument.type = found->type;
    const Tensor& tensor = *found;
    const std::uint64_t bytes = extent_of(tensor) * element_bytes(tensor.type);
    if (extent_of(map) > bytes)
      throw std::invalid_argument("the tensor map '" + argument.name + "' reaches to byte " + std::to_string(extent_of(map)) +
                                  " of '" + tensor.name + "', which has " + std::to_string(bytes));
    if (launch_.maps.size() == kMostMaps)
      throw std::invalid_argument("a kernel may have " + std::to_string(kMostMaps) + " tensor maps");
    launch_.maps.push_back({map, static_cast<std::uint32_t>(8 * number), 0});
  }

  /// The gate judges outputs: a kernel without any leaves this one as it was.
  void add_nothing() {
    has_output_ = false;
    Tensor nothing;
    nothing.name = "nothing";
    nothing.role = Role::inout;
    nothing.cols = nothing.stride = 1;
    nothing.image = encoded(nothing.type, {0});
    Argument nobody;
    add_tensor(nobody, std::move(nothing));
  }

  /// Variables of the kernel's library, behind the arguments: src/kernel-file/symbols.ts.
  void add_symbols(const Json& json, std::mt19937_64& random) {
    const Library library(json.at("library").text());
    const auto* symbol = library.find<const tw::Symbol*>("tw_symbols");
    for (const Json& given : json.at("given").items()) {
      Argument argument;
      argument.name = symbol->name;
      add_tensor(argument, tensor_of(*symbol++, given.at("values"), random));
      const Tensor& tensor = tensors_.back();
      if (tensor.image.size() == element_bytes(tensor.type)) argument.value = decode(tensor.type, tensor.image.data());
      arguments_.push_back(std::move(argument));
    }
  }

  /// Arguments in slots of 8 bytes, which the kernel's entry knows how to take apart: addresses and scalars.
  static constexpr std::size_t kMostSlots = kMostArgumentBytes / 8;
  struct Slots {
    std::uint64_t slot[kMostSlots];
  };

  BoundLaunch launch() const {
    BoundLaunch launch = launch_;
    launch.arguments.resize(arguments_.size() * 8);
    for (std::uint16_t i = 0; i < arguments_.size() * 8; i += 8)
      launch.patches.push_back({Patch::Kind::address, i, i, 0});
    return launch;
  }

  Slots slots(const Placement& placement) const {
    Slots slots{};
    for (std::size_t i = 0; i < arguments_.size(); ++i) {
      const Argument& argument = arguments_[i];
      if (argument.kind == Argument::Kind::scalar) {
        std::byte bytes[8];  // the slot may be longer than the scalar
        encode(argument.type, argument.value, bytes);
        std::memcpy(&slots.slot[i], bytes, element_bytes(argument.type));
        continue;
      }
      std::memcpy(&slots.slot[i], &placement.tensors[argument.place], sizeof(void*));
    }
    return slots;
  }

  /// The right contents of every tensor; those of inputs are left empty.
  Answers answer() const {
    if (!has_output_) {
      Answers nothing(tensors_.size());
      nothing.back() = Answer({0});
      return nothing;
    }
    return answer(json_.at("reference"));
  }

  Answers answer(const Json& reference) const {
    const std::string& kind = reference.at("kind").text();
    if (kind == "function") {
      Answers answers = call_function(reference, json_.at("sizes"), arguments_, tensors_);
      expect_whole(answers, tensors_, reference.at("name").text());
      return answers;
    }
    if (kind == "oracle") {
      Answers answers = call_oracle(reference, json_, arguments_, tensors_);
      expect_whole(answers, tensors_, reference.at("name").text());
      for (std::size_t i = 0; i < tensors_.size(); ++i)
        if (!tolerances_[i].usual) answers[i].bound.clear();
      return answers;
    }
    if (kind == "files") return read_files(reference, tensors_);
    if (kind == "python") return call_python(reference, json_, arguments_, tensors_);
    return run_kernel(reference, placed_, launch(),
                      [this](const Placement& placement) { return CallBytes(slots(placement)); });
  }

  std::vector<std::string> lines_of_reference() const {
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::tmpfile(), &std::fclose);
    if (!file) throw std::runtime_error("cannot make a temporary file");
    call_function(json_.at("reference"), json_.at("sizes"), arguments_, tensors_, fileno(file.get()));
    std::rewind(file.get());
    std::vector<std::string> lines(1);
    for (int one = std::getc(file.get()); one != EOF; one = std::getc(file.get())) {
      if (one == '\n')
        lines.emplace_back();
      else
        lines.back() += static_cast<char>(one);
    }
    if (lines.back().empty()) lines.pop_back();
    return lines;
  }

  Json json_;
  std::string key_;
  mutable std::optional<std::vector<std::string>> printed_;  // by the reference
  std::vector<Argument> arguments_;
  std::vector<Tensor> tensors_;         // each field of a struct is one
  std::vector<Tensor> placed_;          // as they lie on the device: the same, but for structs
  std::vector<std::size_t> places_;     // by tensor: index in placed_
  std::vector<Tolerance> tolerances_;   // by tensor
  std::vector<std::unique_ptr<Library>> layouts_;
  const std::size_t* layout_ = nullptr;  // of the last structs
  bool has_output_ = true;
  BoundLaunch launch_;
};

}  // namespace tilewright::check
