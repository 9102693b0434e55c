// argument.hpp - one argument of a kernel, as its description gives it, and the values that it begins with.
#pragma once
#include <algorithm>
#include <cstring>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "symbol.hpp"
#include "tilewright/elements.hpp"
#include "tilewright/family.hpp"
#include "tilewright/npy.hpp"

namespace tilewright::check {

inline ElementType element_type(const std::string& name) {
  for (const auto& [known, type] : kElementNames)
    if (name == known) return type;
  throw std::invalid_argument("unknown element type '" + name + "'");
}

inline std::vector<std::byte> encoded(ElementType type, const std::vector<double>& values) {
  const std::size_t size = element_bytes(type);
  std::vector<std::byte> image(values.size() * size);
  for (std::size_t i = 0; i < values.size(); ++i) encode(type, values[i], image.data() + i * size);
  return image;
}

/// Distribution of an input's elements.
struct Values {
  std::string kind = "normal";  // normal, uniform, integers, one-hot, ascending, file, list
  double low = 0, high = 0;
  std::string file;
  std::vector<double> elements;

  explicit Values(const Json& json)
      : kind(json.text("kind", "normal")),
        low(json.number("low", 0)),
        high(json.number("high", 0)),
        file(json.text("file", "")) {
    if (const Json* list = json.find("elements"))
      for (const Json& element : list->items()) elements.push_back(element.number());
  }

  /// `what`: whose elements these are. Whole numbers of 64 bits in a file are taken bit by bit.
  std::vector<std::byte> image(ElementType type, std::mt19937_64& random, std::size_t count, const std::string& what) const {
    if (kind != "file") return encoded(type, draw(random, count, what));
    const NpyArray array = read_npy(file);
    expect(array.count(), count, file, what);
    return is_wide_integer(type) && is_wide_integer(array.type) ? array.bytes : encoded(type, array.values());
  }

 private:
  std::vector<double> draw(std::mt19937_64& random, std::size_t count, const std::string& what) const {
    if (kind == "list") {
      expect(elements.size(), count, "the list", what);
      return elements;
    }
    std::vector<double> values(count);
    if (kind == "one-hot" && count > 0) values[random() % count] = 1;
    if (kind == "ascending")
      for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<double>(i);
    std::normal_distribution<double> normal(low, high);
    const auto span = static_cast<std::uint64_t>(std::max(0.0, high - low)) + 1;
    const double unit = 0x1p-53;
    for (double& value : values) {
      if (kind == "normal") value = normal(random);
      if (kind == "uniform") value = low + (high - low) * static_cast<double>(random() >> 11) * unit;
      if (kind == "integers") value = low + static_cast<double>(random() % span);
    }
    return values;
  }

  static void expect(std::size_t given, std::size_t count, const std::string& source, const std::string& what) {
    if (given != count)
      throw std::invalid_argument(source + " has " + std::to_string(given) + " elements; '" + what + "' has " +
                                  std::to_string(count));
  }
};

struct Argument {
  enum class Kind { tensor, scalar };
  std::string name;
  Kind kind = Kind::tensor;
  ElementType type = ElementType::f32;
  double value = 0;          // scalar, or a symbol of one element
  std::size_t tensor = 0;    // index among the tensors, of which each field of a struct is one
  std::size_t place = 0;     // index among those on the device
  bool view = false;         // of another argument's tensor
  bool field = false;        // of an array of structs
  bool unspecified = false;  // elements that the reference leaves as they are may hold anything
};

inline Tensor tensor_of(const Json& json, std::mt19937_64& random) {
  Tensor tensor;
  tensor.name = json.at("name").text();
  tensor.type = element_type(json.at("type").text());
  const std::string role = json.at("role").text();
  tensor.scratch = role == "workspace";
  const bool empty = tensor.scratch && !json.find("values");
  tensor.role = role == "in" ? Role::input : role == "out" || empty ? Role::output : Role::inout;
  tensor.rows = json.at("rows").integer();
  tensor.cols = json.at("cols").integer();
  tensor.stride = json.integer("stride", tensor.cols);
  tensor.sparse = tensor.stride != tensor.cols;  // the image has the elements alone
  if (tensor.role != Role::output) {
    const auto count = static_cast<std::size_t>(tensor.rows * tensor.cols);
    tensor.image = Values(json.at("values")).image(tensor.type, random, count, tensor.name);
  }
  return tensor;
}

/// A tensor map as src/kernel-file/tensor-map.ts writes it: the contiguous dimension first, strides of the others in bytes.
inline TiledMap map_of(const Json& json) {
  TiledMap map;
  const ElementType type = element_type(json.at("type").text());
  const Json::Array &size = json.at("size").items(), &box = json.at("box").items(), &strides = json.at("strides").items();
  map.element_bytes = static_cast<std::uint32_t>(element_bytes(type));
  map.bfloat16 = type == ElementType::bf16;
  map.rank = static_cast<std::uint32_t>(size.size());
  map.swizzle = static_cast<Swizzle>(json.at("swizzle").integer());
  for (std::size_t i = 0; i < size.size(); ++i) {
    map.size[i] = static_cast<std::uint64_t>(size[i].integer());
    map.box[i] = static_cast<std::uint32_t>(box[i].integer());
    if (i > 0) map.stride[i] = static_cast<std::uint64_t>(strides[i - 1].integer());
  }
  return map;
}

/// Bytes from the first element that a map reaches to behind the last.
inline std::uint64_t extent_of(const TiledMap& map) {
  std::uint64_t bytes = map.size[0] * map.element_bytes;
  for (std::uint32_t i = 1; i < map.rank; ++i) bytes += (map.size[i] - 1) * map.stride[i];
  return bytes;
}

/// Contents of a library's variable before each launch: an input of the problem.
inline Tensor tensor_of(const tw::Symbol& symbol, const Json& values, std::mt19937_64& random) {
  const std::string name = symbol.name;
  if (!symbol.type)
    throw std::invalid_argument("symbol '" + name + "' has elements of a type that is not known; say one, e.g. symbols: { " +
                                name + ": { type: f32, values: normal } }");
  Tensor tensor;
  tensor.name = name;
  tensor.type = element_type(symbol.type);
  const std::size_t count = symbol.bytes / element_bytes(tensor.type);
  if (count * element_bytes(tensor.type) != symbol.bytes)
    throw std::invalid_argument("symbol '" + name + "' has " + std::to_string(symbol.bytes) +
                                " bytes, no whole number of elements of " + symbol.type);
  tensor.rows = static_cast<std::int64_t>(symbol.rows);
  tensor.cols = tensor.stride = static_cast<std::int64_t>(count / symbol.rows);
  tensor.image = Values(values).image(tensor.type, random, count, name);
  return tensor;
}

}  // namespace tilewright::check
