// main.cpp - writes the tensors of a family's problem, as the runner makes it: `gen problem`. Its input is a line
// {"problem":{…},"tensors":["b"],"folder":"…"}; without `tensors` it takes all, without `folder` it writes none. Its
// answer is a line, too: {"tensors":[{"name","type","role","rows","cols","file"}]}, or {"error"}.
#include <algorithm>
#include <iostream>
#include <string>
#include <vector>

#include "tilewright/family.hpp"
#include "tilewright/json.hpp"
#include "tilewright/npy.hpp"

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

Json answer(const Json& job) {
  const std::unique_ptr<Problem> problem = make_problem(job.at("problem"), Parameters(nullptr, 0));
  const std::vector<Tensor>& tensors = problem->tensors();
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

}  // namespace
}  // namespace tilewright

int main() {
  using namespace tilewright;
  std::string line;
  std::getline(std::cin, line);
  try {
    std::cout << answer(Json::parse(line)).dump() << '\n';
    return 0;
  } catch (const std::exception& error) {
    std::cout << Json().set("error", error.what()).dump() << '\n';
    return 1;
  }
}
