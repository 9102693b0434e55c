// launch.hpp - how a kernel is started, in plain C++17: the words that a family's launch.hpp, the runner and the
// emitted library share. No CUDA header is needed, so the same code serves the emulated device.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright {

/// One tuning parameter of a variant, or a value that its family derives from them, as written in its manifest. `text`
/// is null for a number or a boolean.
struct Parameter {
  const char* name;
  std::int64_t number;
  const char* text;
};

/// Launch code reads a parameter that the variant does not have, or one of another kind.
struct WrongParameter : std::out_of_range {
  WrongParameter(std::string_view parameter, const std::string& why) : std::out_of_range(why), name(parameter) {}
  std::string name;
};

/// All of a variant's parameters and derived values, by name. Does not own them.
class Parameters {
 public:
  Parameters(const Parameter* first, std::size_t count) : first_(first), count_(count) {}
  // Both throw WrongParameter when there is no such parameter, or it is of the other kind.
  std::int64_t number(std::string_view name) const {
    const Parameter& parameter = find(name);
    if (parameter.text) throw WrongParameter(name, "parameter '" + std::string(name) + "' is a text");
    return parameter.number;
  }
  std::string_view text(std::string_view name) const {
    const Parameter& parameter = find(name);
    if (!parameter.text) throw WrongParameter(name, "parameter '" + std::string(name) + "' is a number");
    return parameter.text;
  }

 private:
  const Parameter& find(std::string_view name) const {
    for (std::size_t i = 0; i < count_; ++i)
      if (name == first_[i].name) return first_[i];
    throw WrongParameter(name, "variant has no parameter '" + std::string(name) + "'");
  }
  const Parameter* first_;
  std::size_t count_;
};

/// The variant cannot run this problem; the text says why and what would be accepted.
struct Unsupported : std::runtime_error {
  using std::runtime_error::runtime_error;
};

enum class Swizzle : std::uint8_t { none, b32, b64, b128 };

/// A tensor in global memory as TMA sees it: what `cuTensorMapEncodeTiled` takes (dimension 0 is contiguous).
struct TiledMap {
  void* base = nullptr;            // 16-byte aligned
  std::uint32_t element_bytes = 2;
  bool bfloat16 = false;           // element type for element_bytes == 2
  std::uint32_t rank = 2;
  std::array<std::uint64_t, 5> size{};    // elements per dimension
  std::array<std::uint64_t, 5> stride{};  // bytes; stride[i] steps dimension i, stride[0] is unused
  std::array<std::uint32_t, 5> box{};     // elements per dimension
  Swizzle swizzle = Swizzle::none;
};

/// The kernel's arguments in order. A scalar or struct is copied by value; a TiledMap is encoded by the device.
class Arguments {
 public:
  struct Item {
    bool is_map;
    TiledMap map;
    std::vector<std::byte> bytes;
  };
  template <class T>
  void add(const T& value) {
    Item item{false, {}, std::vector<std::byte>(sizeof(T))};
    std::memcpy(item.bytes.data(), &value, sizeof(T));
    items_.push_back(std::move(item));
  }
  void add_map(const TiledMap& map) { items_.push_back({true, map, {}}); }
  const std::vector<Item>& items() const { return items_; }

 private:
  std::vector<Item> items_;
};

/// One kernel launch.
struct Launch {
  std::string entry;  // appended to the variant's symbol; empty for the main kernel
  std::array<unsigned, 3> grid{1, 1, 1};
  std::array<unsigned, 3> block{1, 1, 1};
  std::array<unsigned, 3> cluster{1, 1, 1};
  std::size_t shared_bytes = 0;  // dynamic
  bool dependent = false;        // programmatic dependent launch
  Arguments arguments;
};

/// Device memory that the variant needs beside its operands.
struct Workspace {
  std::size_t bytes = 0;
  std::vector<std::byte> image;   // copied to the start of the workspace once, when the plan is made
  std::size_t clear_offset = 0;   // [clear_offset, clear_offset + clear_bytes) is zeroed before every run
  std::size_t clear_bytes = 0;
};

/// What the launch code may know of the device.
struct DeviceLimits {
  int sm_count = 132;
  int compute_capability = 90;  // major * 10 + minor
};

}  // namespace tilewright
