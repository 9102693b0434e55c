// reference.hpp - where the right answer comes from: a C or C++ function, another kernel (or the same one, thread by
// thread in order), files, a Python function. Each gives the contents of every tensor, empty for inputs.
#pragma once
#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <functional>
#include <memory>

#include "answer.hpp"
#include "argument.hpp"
#include "guarded.hpp"
#include "tilewright/device.hpp"
#ifdef TW_RUNNER_EMULATED  // the runner of GPUs has no emulated device
#include "../emulated/launcher.hpp"
#endif

namespace tilewright::check {

/// A library opened for as long as this lives.
class Library {
 public:
  explicit Library(const std::string& path) : handle_(dlopen(path.c_str(), RTLD_LAZY | RTLD_LOCAL)) {
    if (!handle_) throw std::runtime_error("cannot load " + path + ": " + dlerror());
  }
  ~Library() { dlclose(handle_); }
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;
  bool has(const char* name) const { return dlsym(handle_, name) != nullptr; }
  template <class Function>
  Function find(const char* name) const {
    void* found = dlsym(handle_, name);
    if (!found) throw std::runtime_error(std::string("the reference exports no ") + name);
    return reinterpret_cast<Function>(found);
  }

 private:
  void* handle_;
};

/// One parameter of a reference function: element type, pointer or value.
struct ReferenceParameter {
  const char* type;
  bool pointer;
};

/// Source line of a place in a reference's code, " at softmax.c:7"; empty where it is not known.
inline std::string line_of([[maybe_unused]] const void* pc) {
#ifdef TW_RUNNER_EMULATED
  if (pc) {
    const std::string line = simt::source_lines({static_cast<const char*>(pc) + 1}).front();
    if (line.find(':') != std::string::npos) return " at " + line;
  }
#endif
  return "";
}

/// Throws std::invalid_argument with what the reference `name` did wrong, unless it returned.
inline void expect_returned(const Apart::Ending& ending, const std::string& name,
                            const std::vector<std::unique_ptr<GuardedBuffer>>& buffers) {
  if (ending.returned) return;
  const auto fail = [&](const std::string& what) {
    throw std::invalid_argument("the reference " + name + " " + what + "; the kernel has not been judged");
  };
  if (ending.address) {
    for (const auto& buffer : buffers)
      if (buffer->holds(ending.address))
        fail("is out of bounds: it accesses " + buffer->place(ending.address) + line_of(ending.pc));
    fail("accesses memory that it was not given, or its stack overflows" + line_of(ending.pc));
  }
  const int number = WIFSIGNALED(ending.status) ? WTERMSIG(ending.status) : 0;
  if (number == 0) fail("ends the process instead of returning");
  if (number == SIGFPE) fail("divides an integer by zero");
  if (number == SIGABRT) fail("aborts: an assertion of it, or damage to memory that it allocated");
  if (number == SIGALRM) fail("takes more than " + std::to_string(Apart::kSeconds) + " seconds");
  fail(std::string("dies of a signal: ") + strsignal(number));
}

/// A reference function's parameters for one call, in guarded memory.
class ReferenceCall {
 public:
  ReferenceCall(const Json& json, const Json& sizes, const std::vector<Argument>& arguments,
                const std::vector<Tensor>& tensors, const ReferenceParameter* types, Flush flush, double left = 0)
      : types_(types), left_(left) {
    for (const Json& given : json.at("parameters").items()) {
      const std::size_t i = buffers_.size();
      const ElementType type = element_type(types[i].type);
      const Json* index = given.find("argument");
      const Argument* argument = index ? &arguments.at(static_cast<std::size_t>(index->integer())) : nullptr;
      const std::string name = argument ? argument->name : given.at("size").text();
      if (types[i].pointer) {
        add(name, contents(type, argument, tensors), flush);
      } else {
        std::vector<std::byte> value(8);
        encode(type, argument ? argument->value : sizes.at(name).number(), value.data());
        add(name, value, flush);
      }
    }
    for (const auto& buffer : buffers_) pointers_.push_back(buffer->data());
    for (std::size_t i = 0; i < buffers_.size(); ++i)
      slots_.push_back(types[i].pointer ? static_cast<void*>(&pointers_[i]) : pointers_[i]);
  }

  void** slots() { return slots_.data(); }
  const std::vector<std::unique_ptr<GuardedBuffer>>& buffers() const { return buffers_; }
  Answer contents(std::size_t parameter, const Tensor& tensor) const {
    return answer_of(tensor, element_type(types_[parameter].type), buffers_[parameter]->data());
  }

 private:
  std::vector<std::byte> contents(ElementType type, const Argument* argument, const std::vector<Tensor>& tensors) const {
    if (!argument) return std::vector<std::byte>(8);
    const Tensor& tensor = tensors[argument->tensor];
    const std::size_t count = count_of(tensor);
    const auto converted = [&] {
      if (tensor.role == Role::output) return encoded(type, std::vector<double>(count, argument->unspecified ? left_ : 0));
      if (is_wide_integer(type) && is_wide_integer(tensor.type)) return tensor.image;
      return encoded(type, decoded(tensor.type, tensor.image.data(), count));
    };
    // Gaps between lines: NaN, or a number that is no usual one.
    constexpr double kGap = 85;
    const bool whole = !is_float(type);
    std::vector<std::byte> image =
        tensor.sparse ? encoded(type, std::vector<double>(extent_of(tensor), whole ? kGap : std::nan(""))) : converted();
    if (tensor.sparse) spread(tensor, element_bytes(type), converted().data(), image.data());
    // A workspace may be used otherwise than by the kernel.
    if (tensor.scratch) image.resize(std::max<std::size_t>(image.size(), 1 << 20));
    return image;
  }

  void add(const std::string& name, const std::vector<std::byte>& bytes, Flush flush) {
    buffers_.push_back(std::make_unique<GuardedBuffer>(name, bytes.size(), flush));
    if (!bytes.empty()) std::memcpy(buffers_.back()->data(), bytes.data(), bytes.size());
  }

  const ReferenceParameter* types_;
  double left_;  // what outputs hold before, of which elements may be left as they are
  std::vector<std::unique_ptr<GuardedBuffer>> buffers_;
  std::vector<void*> pointers_, slots_;
};

/// Fields of structs that a reference does not compute have to stay as they were.
inline void keep_fields(Answers& answers, const std::vector<Argument>& arguments, const std::vector<Tensor>& tensors) {
  for (const Argument& argument : arguments) {
    if (!argument.field || !answers[argument.tensor].empty()) continue;
    const Tensor& field = tensors[argument.tensor];
    if (field.role == Role::inout) answers[argument.tensor] = answer_of(field.type, field.type, field.image.data(), count_of(field));
  }
}

/// Of the same output of two calls, which began with zeros and with `left`, the elements that kept these.
inline std::vector<std::uint8_t> left_alone(const Answer& first, const Answer& second, double left, const std::string& name) {
  std::vector<std::uint8_t> alone(first.value.size());
  for (std::size_t i = 0; i < alone.size(); ++i) alone[i] = first.value[i] == 0 && second.value[i] == left;
  if (!alone.empty() && std::find(alone.begin(), alone.end(), 0) == alone.end())
    throw std::invalid_argument("the reference writes no element of '" + name + "'");
  return alone;
}

/// Calls a function of the library that src/kernel-file/reference.ts made. `parameters`: for each of its parameters the
/// index of the kernel's argument, or a size. Two calls side by side, on buffers that are guarded behind their ends and before
/// their beginnings. `output`: the file to which the first prints. Throws std::invalid_argument where it is out of bounds or
/// does not return.
inline Answers call_function(const Json& json, const Json& sizes, const std::vector<Argument>& arguments,
                             const std::vector<Tensor>& tensors, int output = STDERR_FILENO) {
  const Library library(json.at("library").text());
  const auto* types = *library.find<const ReferenceParameter* const*>("tw_reference_parameters");
  const auto function = library.find<void (*)(void**)>("tw_reference");
  ReferenceCall call(json, sizes, arguments, tensors, types, Flush::end);
  constexpr double kLeft = 77;
  ReferenceCall other(json, sizes, arguments, tensors, types, Flush::begin, kLeft);
  Apart first([&] { function(call.slots()); }, output);
  Apart second([&] { function(other.slots()); });
  const std::string& name = json.at("name").text();
  expect_returned(first.wait(), name, call.buffers());
  expect_returned(second.wait(), name, other.buffers());
  const Json::Array& given = json.at("parameters").items();
  Answers answers(tensors.size());
  for (std::size_t i = 0; i < given.size(); ++i) {
    const Json* index = given[i].find("argument");
    if (!index || !types[i].pointer) continue;
    const Argument& argument = arguments.at(static_cast<std::size_t>(index->integer()));
    if (argument.kind != Argument::Kind::tensor || !tensors[argument.tensor].is_result()) continue;
    Answer& answer = answers[argument.tensor] = call.contents(i, tensors[argument.tensor]);
    if (argument.unspecified)
      answer.unspecified = left_alone(answer, other.contents(i, tensors[argument.tensor]), kLeft, argument.name);
  }
  keep_fields(answers, arguments, tensors);
  return answers;
}

/// Throws std::invalid_argument where a reference left an output out.
inline void expect_whole(const Answers& answers, const std::vector<Tensor>& tensors, const std::string& name) {
  for (std::size_t i = 0; i < tensors.size(); ++i)
    if (tensors[i].is_result() && answers[i].empty() && count_of(tensors[i]) > 0)
      throw std::invalid_argument("the reference " + name + " does not compute '" + tensors[i].name + "'");
}

#ifdef TW_RUNNER_EMULATED
/// Throws std::invalid_argument where the reference declares a variable in device memory otherwise than the kernel does.
inline void expect_same_symbols(const Library& library, const std::vector<Tensor>& tensors) {
  for (const auto* symbol = library.find<const tw::Symbol*>("tw_symbols"); symbol->name; ++symbol)
    for (const Tensor& tensor : tensors)
      if (tensor.name == symbol->name && tensor.image.size() != symbol->bytes)
        throw std::invalid_argument("symbol '" + tensor.name + "' of the reference has " + std::to_string(symbol->bytes) +
                                    " bytes, the kernel's " + std::to_string(tensor.image.size()));
}

/// Throws std::invalid_argument where a reference kernel was stopped, or did what its description does not allow.
inline void expect_no_findings(const simt::Result& result, const Library& library, const std::string& name) {
  const std::string allowed = library.has("tw_check_kernel_allows") ? library.find<const char*>("tw_check_kernel_allows") : "";
  for (const simt::Finding& finding : result.findings)
    if (allowed.find(" " + finding.kind + " ") == std::string::npos)
      throw std::invalid_argument("the reference " + name + " fails: " + finding.kind + ": " + finding.message +
                                  "; the kernel has not been judged");
}

/// Throws std::invalid_argument where the launch is refused, LaunchTooLarge where there is no room for it.
inline simt::Result run_or_refuse(simt::Entry entry, const BoundLaunch& launch, const simt::Config& config,
                                  const CallBytes& bytes) {
  try {
    return emulated::PlannedLaunch(entry, "the kernel", launch).run(config, bytes.data());
  } catch (const emulated::Refused& refused) {
    throw std::invalid_argument(refused.what());
  } catch (const simt::TooManyBlocks& many) {
    throw LaunchTooLarge(many.what());
  }
}

/// Runs a kernel thread by thread in order, without the detector. What it leaves as it was is other poison than the
/// gate's, which then says `unwritten`. Another kernel has a `name`; the kernel in question itself is judged elsewhere.
inline Answers run_kernel(const Json& json, const std::vector<Tensor>& tensors, const BoundLaunch& launch,
                          const std::function<CallBytes(const Placement&)>& call) {
  struct Release {
    void operator()(void* memory) const { simt::release(memory); }
  };
  constexpr std::byte kPoison{0xA5};
  const Library library(json.at("library").text());
  const auto entry = library.find<simt::Entry>("tw_check_kernel_emulated");
  expect_same_symbols(library, tensors);
  std::vector<std::unique_ptr<void, Release>> memory;
  Placement placement;
  for (const Tensor& tensor : tensors) {
    const std::size_t bytes = extent_of(tensor) * element_bytes(tensor.type);
    memory.emplace_back(simt::allocate(std::max<std::size_t>(bytes, 16), tensor.name.c_str()));
    placement.tensors.push_back(memory.back().get());
    std::memset(memory.back().get(), static_cast<int>(kPoison), bytes);
    if (!tensor.image.empty())
      spread(tensor, element_bytes(tensor.type), tensor.image.data(), static_cast<std::byte*>(memory.back().get()));
  }
  simt::Config config;
  config.async = simt::Async::now;
  config.order = simt::Order::in_order;
  config.poison = false;
  config.seconds = 20;
  config.free_subscripts = library.find<const char*>("tw_check_kernel_free_subscripts");
  if (library.has("tw_check_kernel_cooperative"))
    config.resident_clusters = emulated::kWholeGrid;
  else
    config.stack_bytes = simt::kMostStackBytes;
  const CallBytes bytes = call(placement);
  library.find<void (*)(const void*, void*)>("tw_check_kernel_prepare")(bytes.data(), nullptr);
  const simt::Result result = run_or_refuse(entry, launch, config, bytes);
  if (const Json* name = json.find("name")) expect_no_findings(result, library, name->text());
  Answers answers;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const auto* contents = static_cast<const std::byte*>(placement.tensors[i]);
    const auto add = [&](const Tensor& one, Answer answer) {
      answers.push_back(one.is_result() ? std::move(answer) : Answer());
    };
    if (tensors[i].fields.empty()) add(tensors[i], answer_of(tensors[i], tensors[i].type, contents));
    for (const Tensor& field : tensors[i].fields) add(field, answer_of(field, field.type, contents));
  }
  return answers;
}

#else
inline Answers run_kernel(const Json&, const std::vector<Tensor>&, const BoundLaunch&,
                          const std::function<CallBytes(const Placement&)>&) {
  throw std::invalid_argument("only the emulated device runs another kernel as the reference");
}
#endif

/// Elements of a file.
inline Answer answer_of(ElementType wanted, const std::string& path) {
  const NpyArray array = read_npy(path);
  return answer_of(wanted, array.type, array.bytes.data(), array.count());
}

/// Elements of a file that are not 0.
inline std::vector<std::uint8_t> flags_in(const std::string& path) {
  std::vector<std::uint8_t> flags;
  for (const double value : read_npy(path).values()) flags.push_back(value != 0);
  return flags;
}

/// `files`: a .npy by the name of each output; `unspecified`, `bounds`: of those where there is one.
inline Answers read_files(const Json& json, const std::vector<Tensor>& tensors) {
  Answers answers(tensors.size());
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    if (!tensors[i].is_result()) continue;
    const std::string& path = json.at("files").at(tensors[i].name).text();
    answers[i] = answer_of(tensors[i].type, path);
    if (answers[i].value.size() != count_of(tensors[i]))
      throw std::invalid_argument(path + " has " + std::to_string(answers[i].value.size()) + " elements; '" +
                                  tensors[i].name + "' has " + std::to_string(count_of(tensors[i])));
    if (const Json* file = json.at("unspecified").find(tensors[i].name)) answers[i].unspecified = flags_in(file->text());
    if (const Json* file = json.at("bounds").find(tensors[i].name)) answers[i].bound = read_npy(file->text()).values();
  }
  return answers;
}

/// Runs argv and waits. Throws std::invalid_argument with what it said where it fails.
inline void run_program(const std::vector<std::string>& argv, const std::filesystem::path& log) {
  std::vector<char*> words;
  for (const std::string& word : argv) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    if (std::freopen(log.c_str(), "w", stderr)) execvp(words[0], words.data());
    _exit(127);
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (child > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0) return;
  std::ifstream file(log);
  std::string said, line;
  while (std::getline(file, line))
    if (!line.empty()) said = line;  // the last line of a traceback is the one that counts
  throw std::invalid_argument("the Python reference fails: " + (said.empty() ? argv[0] + " does not run" : said));
}

/// Inputs as .npy into a folder of its own, results as .npy out of it.
inline Answers call_python(const Json& json, const Json& problem, const std::vector<Argument>& arguments,
                           const std::vector<Tensor>& tensors) {
  std::string folder = (std::filesystem::temp_directory_path() / "tilewright-XXXXXX").string();
  if (!mkdtemp(folder.data())) throw std::runtime_error("cannot make a temporary folder");
  const std::filesystem::path place(folder);
  Answers answers(tensors.size());
  try {
    Json call;
    call.set("own", json.find("own") != nullptr).set("file", json.at("file")).set("function", json.at("function"));
    Json values{Json::Object()}, outputs{Json::Array()}, fields{Json::Array()}, order{Json::Array()};
    Json unspecified{Json::Array()};
    for (const Argument& argument : arguments) {
      order.push(argument.name);
      if (argument.kind == Argument::Kind::scalar) values.set(argument.name, argument.value);
      if (argument.kind != Argument::Kind::tensor || argument.view) continue;
      const Tensor& tensor = tensors[argument.tensor];
      if (tensor.scratch) continue;
      if (tensor.role == Role::input && !problem.at("shapes").find(tensor.name) && count_of(tensor) == 1)
        values.set(tensor.name, argument.value);  // a symbol that is no array
      else if (tensor.role != Role::output)
        write_npy(place / (tensor.name + ".npy"), tensor.type, tensor.rows, tensor.cols, tensor.cols, tensor.image.data());
      if (tensor.role != Role::input) outputs.push(tensor.name);
      if (argument.field) fields.push(tensor.name);
      if (argument.unspecified) unspecified.push(tensor.name);
    }
    call.set("values", values).set("outputs", outputs).set("fields", fields).set("order", order);
    call.set("unspecified", unspecified);
    call.set("sizes", problem.at("sizes")).set("shapes", problem.at("shapes")).set("axes", problem.at("axes"));
    std::ofstream(place / "call.json") << call.dump();
    run_program({json.at("python").text(), json.at("script").text(), folder}, place / "log.txt");
    for (std::size_t i = 0; i < tensors.size(); ++i) {
      if (!tensors[i].is_result() || !std::filesystem::exists(place / ("out-" + tensors[i].name + ".npy"))) continue;
      answers[i] = answer_of(tensors[i].type, place / ("out-" + tensors[i].name + ".npy"));
      const std::filesystem::path mask = place / ("mask-" + tensors[i].name + ".npy");
      if (std::filesystem::exists(mask)) answers[i].unspecified = flags_in(mask);
      if (answers[i].value.size() != count_of(tensors[i]))
        throw std::invalid_argument("the Python reference gives " + std::to_string(answers[i].value.size()) +
                                    " elements for '" + tensors[i].name + "', which has " +
                                    std::to_string(count_of(tensors[i])));
    }
    keep_fields(answers, arguments, tensors);
  } catch (...) {
    std::filesystem::remove_all(place);
    throw;
  }
  std::filesystem::remove_all(place);
  return answers;
}

}  // namespace tilewright::check
