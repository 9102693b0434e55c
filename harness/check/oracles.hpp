// oracles.hpp - oracles of families as references: src/kernel-file/oracle.ts says which argument of the kernel each operand is.
#pragma once
#include <utility>

#include "answer.hpp"
#include "argument.hpp"
#include "tilewright/described.hpp"

namespace tilewright::check {

/// A tensor by the shape that its description gives, `axes` being the dimensions in the order of memory.
inline Described::Operand operand_of(const std::string& argument, const Tensor& tensor, const Json& shape,
                                     const Json* axes) {
  Described::Operand operand{argument, &tensor, {}, {}};
  for (const Json& size : shape.items()) operand.sizes.push_back(size.integer());
  const std::size_t rank = operand.sizes.size();
  std::vector<std::size_t> steps(rank);
  std::size_t count = 1;
  for (std::size_t i = rank; i-- > 0;) {
    const std::size_t axis = axes ? static_cast<std::size_t>(axes->items()[i].integer()) : i;
    steps[axis] = std::exchange(count, count * static_cast<std::size_t>(operand.sizes[axis]));
  }
  operand.places.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    std::size_t rest = i;
    for (std::size_t axis = rank; axis-- > 0; rest /= static_cast<std::size_t>(operand.sizes[axis]))
      operand.places[i] += rest % static_cast<std::size_t>(operand.sizes[axis]) * steps[axis];
  }
  return operand;
}

/// Asks the oracle that the reference `json` of a `problem` names.
inline Answers call_oracle(const Json& json, const Json& problem, const std::vector<Argument>& arguments,
                           const std::vector<Tensor>& tensors) {
  const std::string& name = json.at("name").text();
  const auto found = described_oracles().find(name);
  if (found == described_oracles().end())
    throw std::invalid_argument("the runner has no oracle of '" + name + "'");
  const auto argument = [&](const Json& index) -> const Argument& {
    return arguments.at(static_cast<std::size_t>(index.integer()));
  };
  std::map<std::string, Described::Operand> operands;
  for (const auto& [operand, index] : json.at("operands").members()) {
    const Tensor& tensor = tensors[argument(index).tensor];
    operands.emplace(operand, operand_of(argument(index).name, tensor, problem.at("shapes").at(tensor.name),
                                         problem.at("axes").find(tensor.name)));
  }
  std::map<std::string, double> scalars;
  for (const auto& [scalar, given] : json.at("scalars").members()) {
    const Json* index = given.find("argument");
    scalars[scalar] = index ? argument(*index).value : given.at("value").number();
  }
  const Described call(name, std::move(operands), std::move(scalars),
                       static_cast<Activation>(json.integer("activation", 0)));
  const Reference reference = found->second(call);
  const std::string& output = json.at("output").text();
  const std::vector<std::size_t>& places = call.operand(output).places;
  Answers answers(tensors.size());
  Answer& answer = answers[argument(json.at("operands").at(output)).tensor];
  answer.value.resize(places.size());
  answer.bound.resize(places.size());
  for (std::size_t i = 0; i < places.size(); ++i) {
    answer.value[places[i]] = reference.value[i];
    answer.bound[places[i]] = reference.bound[i];
  }
  return answers;
}

}  // namespace tilewright::check
