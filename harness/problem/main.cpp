// main.cpp - answers about a family's problems, as the runner makes them. Each line of its input is a job, each line of its
// output the answer, or {"error"}:
//   {"problem":{…},"tensors":["b"],"folder":"…"}  the problem's tensors, `gen problem`; without `tensors` all, without `folder`
//       none is written. {"tensors":[{"name","type","role","rows","cols","file"}]}
//   {"problem":{…},"variants":[{parameters}],"capability":90}  variants that take the problem,
//       `gen cells`. {"refusals":["",…]}: a variant's reason; empty where it takes the problem on aligned operands
//   {"matrix":"file.mtx","block":32}  sizes of a Matrix Market file in blocks, `--matrix`: see tw/file_matrix.hpp
#include <algorithm>
#include <iostream>
#include <string>
#include <vector>

#include "../src/variant.hpp"
#include "tilewright/family.hpp"
#include "tilewright/json.hpp"
#include "tilewright/npy.hpp"
#include "tw/file_matrix.hpp"

namespace tilewright {
namespace {

const char* name_of(Role role) {
  return role == Role::input ? "input" : role == Role::output ? "output" : "inout";
}

std::string name_of(ElementType type) {
  for (const auto& [name, known] : kElementNames)
    if (known == type) return name;
  return "?";
}

Json describe(const Tensor& tensor) {
  return Json()
      .set("name", tensor.name)
      .set("type", name_of(tensor.type))
      .set("role", name_of(tensor.role))
      .set("rows", tensor.rows)
      .set("cols", tensor.cols);
}

/// Names that are asked for, each of a tensor; empty: all.
std::vector<std::string> wanted(const Json& job, const std::vector<Tensor>& tensors) {
  std::vector<std::string> names;
  if (const Json* list = job.find("tensors"))
    for (const Json& name : list->items()) names.push_back(name.text());
  for (const std::string& name : names) {
    std::string known;
    for (const Tensor& tensor : tensors) known += (known.empty() ? "" : ", ") + tensor.name;
    if (std::none_of(tensors.begin(), tensors.end(), [&](const Tensor& one) { return one.name == name; }))
      throw std::invalid_argument("the problem has no tensor '" + name + "'; there are: " + known);
  }
  return names;
}

/// Operands of which only addresses exist, each aligned to 256 bytes.
Placement aligned_placement(const Problem& problem) {
  const auto address = [](std::size_t place) { return reinterpret_cast<void*>((place + 1) << 32); };
  Placement placement;
  for (std::size_t i = 0; i < problem.tensors().size(); ++i) placement.tensors.push_back(address(i));
  placement.workspace = address(placement.tensors.size());
  return placement;
}

/// Reason of a variant against the problem; empty where it takes it.
std::string refusal(const Problem& problem, const Json& parameters, const DeviceLimits& limits) {
  try {
    const ParameterList list(parameters);
    const Bound bound = problem.bind(list.view(), limits);
    const Requirement* unmet = bound.requirements.unmet(problem.call(aligned_placement(problem)).data());
    return unmet ? unmet->text() : "";
  } catch (const Unsupported& refused) {
    return refused.what();
  }
}

Json refusals(const Problem& problem, const Json& job) {
  const DeviceLimits limits{DeviceLimits{}.sm_count, static_cast<int>(job.at("capability").integer())};
  Json list(Json::Array{});
  for (const Json& parameters : job.at("variants").items()) list.push(refusal(problem, parameters, limits));
  return Json().set("refusals", list);
}

Json tensors_of(const Problem& problem, const Json& job) {
  const std::vector<Tensor>& tensors = problem.tensors();
  const std::vector<std::string> names = wanted(job, tensors);
  Json list(Json::Array{});
  for (const Tensor& tensor : tensors) {
    if (!names.empty() && std::find(names.begin(), names.end(), tensor.name) == names.end()) continue;
    Json one = describe(tensor);
    if (const Json* folder = job.find("folder")) {
      const std::string file = folder->text() + "/" + tensor.name + ".npy";
      write_npy(file, tensor.type, tensor.rows, tensor.cols, tensor.sparse ? tensor.cols : tensor.stride,
                tensor.image.data());
      one.set("file", file);
    }
    list.push(one);
  }
  return Json().set("tensors", list);
}

Json answer(const Json& job) {
  if (const Json* path = job.find("matrix"))
    return sizes_of_file_matrix(path->text(), job.at("block").integer());
  const std::unique_ptr<Problem> problem = make_problem(job.at("problem"), Parameters(nullptr, 0));
  return job.find("variants") ? refusals(*problem, job) : tensors_of(*problem, job);
}

}  // namespace
}  // namespace tilewright

int main() {
  using namespace tilewright;
  int failed = 0;
  for (std::string line; std::getline(std::cin, line);) {
    try {
      std::cout << answer(Json::parse(line)).dump() << '\n';
    } catch (const std::exception& error) {
      std::cout << Json().set("error", error.what()).dump() << '\n';
      failed = 1;
    }
  }
  return failed;
}
