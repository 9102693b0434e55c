// launch.hpp - how a kernel is started, in plain C++17: the words that a family's launch.hpp, the runner and
// the emitted library share. No CUDA header is needed, so the same code serves the emulated device.
//
// A family binds a problem to a variant once, when a plan is made: grid, shared memory, constants of the
// kernel's arguments. A run copies the addresses and scalars of one call into the arguments, and launches.
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "tw/matrix_lines.hpp"

namespace tilewright {

/// One tuning parameter of a variant, or a value that its family derives from them, as written in its
/// manifest. `text` is null for a number or a boolean.
struct Parameter {
  const char* name;
  std::int64_t number;
  const char* text;
};

/// Launch code reads a parameter that the variant does not have, or one of another kind.
struct WrongParameter : std::out_of_range {
  WrongParameter(std::string_view parameter, const std::string& why)
      : std::out_of_range(why), name(parameter) {}
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

/// Throws Unsupported with what `reason()` returns, a text, unless `holds`.
template <class Reason>
void refuse_unless(bool holds, const Reason& reason) {
  if (!holds) throw Unsupported(reason());
}
inline void refuse_unless(bool holds, const char* reason) {
  if (!holds) throw Unsupported(reason);
}

/// A size, distance or the like, and its name in messages.
struct Named {
  const char* name;
  std::int64_t value;
};

/// Throws Unsupported unless both numbers are multiples of `multiple`. `why`: `loads 16 bytes at a time`.
inline void refuse_unless_multiples(const std::string& why, std::int64_t multiple, const Named& first,
                                    const Named& second) {
  refuse_unless(first.value % multiple == 0 && second.value % multiple == 0, [&] {
    return why + ": " + first.name + " and " + second.name + " must be multiples of " +
           std::to_string(multiple) + ", not " + std::to_string(first.value) + " and " +
           std::to_string(second.value);
  });
}

/// Throws Unsupported unless an int holds the numbers, and places behind the last tile too.
inline void refuse_unless_ints(std::initializer_list<Named> numbers) {
  for (const auto& [name, value] : numbers)
    refuse_unless(value < (std::int64_t{1} << 31) - 1024, [name = name, value = value] {
      return std::string("counts in 32 bits: ") + name + " must be below 2^31 - 1024, not " +
             std::to_string(value);
    });
}

inline std::int64_t quotient_up(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

enum class Swizzle : std::uint8_t { none, b32, b64, b128 };

/// A tensor in global memory as TMA sees it, but for its address: what `cuTensorMapEncodeTiled` takes
/// (dimension 0 is contiguous).
struct TiledMap {
  std::uint32_t element_bytes = 2;
  bool bfloat16 = false;  // element type for element_bytes == 2
  std::uint32_t rank = 2;
  std::array<std::uint64_t, 5> size{};    // elements per dimension
  std::array<std::uint64_t, 5> stride{};  // bytes; stride[i] steps dimension i, stride[0] is unused
  std::array<std::uint32_t, 5> box{};     // elements per dimension
  Swizzle swizzle = Swizzle::none;
};

/// The swizzle of lines of 64 or 128 bytes in shared memory.
inline Swizzle line_swizzle(std::int64_t bytes) { return bytes == 64 ? Swizzle::b64 : Swizzle::b128; }

/// A map of a matrix with elements of 2 bytes in boxes of `box_lines` lines of `box_width` elements, 32 or 64, swizzled over the line of a
/// box.
inline TiledMap map_of_lines(const MatrixLines& lines, std::int64_t box_width, std::int64_t box_lines) {
  TiledMap map;
  map.bfloat16 = lines.type == Type::bf16;
  map.size = {static_cast<std::uint64_t>(lines.width), static_cast<std::uint64_t>(lines.count)};
  map.stride = {0, static_cast<std::uint64_t>(2 * lines.pitch)};
  map.box = {static_cast<std::uint32_t>(box_width), static_cast<std::uint32_t>(box_lines)};
  map.swizzle = line_swizzle(2 * box_width);
  return map;
}

/// Bytes of the argument struct that a kernel may have beside its tensor maps, and how many of these.
inline constexpr std::size_t kMostArgumentBytes = 2048, kMostMaps = 8;

namespace detail {

template <class T>
T load(const void* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

template <class Struct, class Member>
std::uint32_t offset_of(Member Struct::* member) {
  static_assert(std::is_standard_layout_v<Struct> && std::is_trivially_copyable_v<Struct>, "plain data");
  const Struct object{};
  return static_cast<std::uint32_t>(reinterpret_cast<const std::byte*>(&(object.*member)) -
                                    reinterpret_cast<const std::byte*>(&object));
}

}  // namespace detail

// A family says in a struct of its own, its Call, what changes from run to run: addresses, the workspace's
// among them, and scalars. `from` below is an offset in it.

/// One value of the call on its way into the kernel's arguments.
struct Patch {
  enum class Kind : std::uint8_t {
    word,                // 4 bytes
    address,             // 8 bytes, plus `value`
    aligned,             // an int: whether the address is a multiple of `value`, a power of two
    address_if_aligned,  // 8 bytes where the address is such a multiple; else what was there stays
  };
  Kind kind;
  std::uint16_t to, from;
  std::uint64_t value;
};

/// A tensor map among the kernel's parameters; its address comes with the call, and lies `offset` bytes further on.
struct BoundMap {
  TiledMap map;
  std::uint32_t from;
  std::size_t offset;

  std::byte* address(const void* call) const noexcept {
    return detail::load<std::byte*>(static_cast<const std::byte*>(call) + from) + offset;
  }
};

/// Whether an address of the call is a multiple of `bytes`, a power of two; with 0 bytes none is.
struct AddressCondition {
  std::uint32_t from = 0, bytes = 0;

  bool holds(const void* call) const noexcept {
    const auto* const address = static_cast<const std::byte*>(call) + from;
    return bytes != 0 && (detail::load<std::uintptr_t>(address) & (bytes - 1)) == 0;
  }
};

/// A kernel launch that lacks only what comes with the call. The kernel takes the argument struct, then the
/// maps.
struct BoundLaunch {
  std::string entry;  // appended to the variant's symbol; empty for the main kernel
  std::array<unsigned, 3> grid{1, 1, 1};
  std::array<unsigned, 3> block{1, 1, 1};
  std::array<unsigned, 3> cluster{1, 1, 1};
  std::size_t shared_bytes = 0;      // dynamic
  bool dependent = false;            // programmatic dependent launch
  std::vector<std::byte> arguments;  // the argument struct with its constants
  std::vector<Patch> patches;        // of the struct
  std::vector<BoundMap> maps;
  AddressCondition unless;  // calls for which it holds do without the launch
};

/// Puts a BoundLaunch together: constants go into `args`, what comes with a call is named member by member.
template <class Args, class Call>
class LaunchBuilder {
 public:
  Args args{};
  BoundLaunch launch;

  /// Copies a member of the call to one of the arguments: an address, `bytes` further on, or a scalar of 4
  /// bytes.
  template <class To, class From>
  void set(To Args::* to, From Call::* from, std::size_t bytes = 0) {
    constexpr bool kAddress = std::is_pointer_v<To> && std::is_pointer_v<From>;
    static_assert(kAddress || (std::is_same_v<To, From> && sizeof(To) == 4),
                  "addresses, or scalars of one type of 4 bytes");
    add(kAddress ? Patch::Kind::address : Patch::Kind::word, to, from, bytes);
  }
  /// The same for an argument that does not change from run to run.
  template <class To, class Value>
  void set_constant(To Args::* to, Value value) {
    static_assert(sizeof(To) >= sizeof(Value) && std::is_signed_v<To> == std::is_signed_v<Value>,
                  "no value is cut short");
    args.*to = static_cast<To>(value);
  }
  /// The same for a size, which the family has found to be small enough.
  void set_size(int Args::* to, std::int64_t size) { args.*to = static_cast<int>(size); }
  // Arguments without such a member.
  void set_size(std::nullptr_t, std::int64_t) {}
  template <class From>
  void set(std::nullptr_t, From Call::*) {}
  template <class Value>
  void set_constant(std::nullptr_t, Value) {}
  /// Sets `to` to 1 in runs whose address is a multiple of `bytes`, else to 0.
  template <class From>
  void set_if_aligned(int Args::* to, From* Call::* from, std::size_t bytes) {
    add(Patch::Kind::aligned, to, from, bytes);
  }
  /// Copies an address of the call in runs in which it is a multiple of `bytes`; in others the argument is what it was set to
  /// before.
  template <class To, class From>
  void set_address_if_aligned(To* Args::* to, From* Call::* from, std::size_t bytes) {
    add(Patch::Kind::address_if_aligned, to, from, bytes);
  }
  /// Leaves the launch out of runs in which an address is a multiple of `bytes`, a power of two.
  template <class From>
  void leave_out_if_aligned(From* Call::* address, std::size_t bytes) {
    launch.unless = {detail::offset_of(address), static_cast<std::uint32_t>(bytes)};
  }
  /// Adds a tensor map as the kernel's next parameter, for the tensor at an address of the call, `bytes` further on.
  template <class From>
  void add_map(const TiledMap& map, From* Call::* address, std::size_t bytes = 0) {
    if (launch.maps.size() == kMostMaps) throw std::length_error("a kernel has too many tensor maps");
    launch.maps.push_back({map, detail::offset_of(address), bytes});
  }
  /// The same; where the tensor has no elements, which TMA refuses, another one, so that the kernel has a map that it never reads by.
  template <class From, class Other>
  void add_map_or(const TiledMap& map, From* Call::* address, const TiledMap& other,
                  Other* Call::* other_address) {
    map.size[0] > 0 && map.size[1] > 0 ? add_map(map, address) : add_map(other, other_address);
  }
  /// Threads of a block and dynamic shared memory, as the variant's `threads` and `sharedBytes` say.
  void set_resources(const Parameters& parameters) {
    launch.block[0] = static_cast<unsigned>(parameters.number("threads"));
    launch.shared_bytes = static_cast<std::size_t>(parameters.number("sharedBytes"));
  }
  BoundLaunch finish() {
    launch.arguments.resize(sizeof(Args));
    std::memcpy(launch.arguments.data(), &args, sizeof(Args));
    return std::move(launch);
  }

 private:
  static_assert(sizeof(Args) <= kMostArgumentBytes, "the arguments of a kernel");
  static_assert(sizeof(Call) <= std::numeric_limits<std::uint16_t>::max(), "offsets of a Patch");
  template <class To, class From>
  void add(Patch::Kind kind, To to, From from, std::size_t value) {
    launch.patches.push_back({kind, static_cast<std::uint16_t>(detail::offset_of(to)),
                              static_cast<std::uint16_t>(detail::offset_of(from)), value});
  }
};

/// A condition on the call, beyond what the problem's shape decides.
struct Requirement {
  std::uint32_t from;
  std::uint32_t alignment;  // of an address, a power of two in bytes; 0: a float, which must be 0
  const char* reason;       // "{}" stands for the alignment

  bool holds(const void* call) const noexcept {
    const std::byte* value = static_cast<const std::byte*>(call) + from;
    if (alignment == 0) return detail::load<float>(value) == 0;
    return (detail::load<std::uintptr_t>(value) & (alignment - 1)) == 0;
  }
  std::string text() const {
    std::string text = reason;
    if (const std::size_t at = text.find("{}"); at != std::string::npos)
      text.replace(at, 2, std::to_string(alignment));
    return text;
  }
};

/// Device memory that the variant needs beside its operands.
struct Workspace {
  std::size_t bytes = 0;
  std::vector<std::byte> contents;  // copied to the start of the workspace once, when the plan is made
  std::size_t clear_offset = 0;     // [clear_offset, clear_offset + clear_bytes) is zeroed before every run
  std::size_t clear_bytes = 0;
  std::size_t scratch_offset =
      0;  // where kernels begin to write beside the contents; 0: anywhere behind them
};

/// Conditions of a variant on a call.
class Requirements {
 public:
  void add(const Requirement& requirement) { all_.push_back(requirement); }
  /// The first that does not hold for the call, or null.
  const Requirement* unmet(const void* call) const noexcept {
    for (const Requirement& requirement : all_)
      if (!requirement.holds(call)) return &requirement;
    return nullptr;
  }

 private:
  std::vector<Requirement> all_;
};

/// A problem bound to a variant: everything that a run needs but the call. What `bind` of a family returns.
struct Bound {
  Workspace workspace;
  Requirements requirements;
  std::vector<BoundLaunch> launches;  // in order; none where there is nothing to compute

  /// Refuses calls whose address is no multiple of `bytes`, a power of two.
  template <class Call, class From>
  void require_aligned(From* Call::* address, std::int64_t bytes, const char* reason) {
    requirements.add({detail::offset_of(address), static_cast<std::uint32_t>(bytes), reason});
  }
  /// Refuses calls of which a kernel cannot load `bytes` at a time from two operands with elements of 2 bytes: throws Unsupported for
  /// the distances of their lines, and requires their addresses to be aligned; `reason` as of require_aligned.
  template <class Call, class A, class B>
  void require_loads(std::int64_t bytes, const char* reason, A* Call::* a, const Named& lda, B* Call::* b,
                     const Named& ldb) {
    refuse_unless_multiples("loads " + std::to_string(bytes) + " bytes at a time", bytes / 2, lda, ldb);
    require_aligned(a, bytes, reason);
    require_aligned(b, bytes, reason);
  }
  template <class Call>
  void require_zero(float Call::* scalar, const char* reason) {
    requirements.add({detail::offset_of(scalar), 0, reason});
  }
};

/// Bytes of a cache line: runs find the caches as the driver left them, and take what they need line by line.
inline constexpr std::size_t kLine = 64;

/// The parameters of a launch but for the call, and how they depend on it: all that filling them in reads. `Map` is the
/// device's tensor map.
template <class Map>
struct alignas(kLine) PreparedParameters {
  struct MapAddress {
    std::uint32_t from;
    std::size_t offset;
  };
  std::size_t argument_bytes, map_count;
  std::vector<Patch> patches;
  MapAddress addresses[kMostMaps];
  alignas(kLine) Map maps[kMostMaps]{};  // for whatever address
  alignas(kLine) std::byte arguments[kMostArgumentBytes]{};

  /// `encode(map)` makes a map for whatever address.
  template <class Encode>
  PreparedParameters(const BoundLaunch& launch, const Encode& encode)
      : argument_bytes(launch.arguments.size()), map_count(launch.maps.size()), patches(launch.patches) {
    for (std::size_t i = 0; i < map_count; ++i) {
      maps[i] = encode(launch.maps[i].map);
      addresses[i] = {launch.maps[i].from, launch.maps[i].offset};
    }
    std::copy(launch.arguments.begin(), launch.arguments.end(), arguments);
  }
};

/// The parameters of one launch, on the stack of whoever launches.
template <class Map>
struct KernelParameters {
  void* pointers[1 + kMostMaps];  // as cudaLaunchKernel takes them
  alignas(kLine) Map maps[kMostMaps];
  alignas(kLine) std::byte arguments[kMostArgumentBytes];

  /// Fills them in for a call. `move(map, address)` moves a map. False as soon as that says false.
  template <class Move>
  bool fill(const PreparedParameters<Map>& prepared, const void* call, const Move& move) noexcept {
    const auto* from = static_cast<const std::byte*>(call);
    for (std::size_t i = 0; i < prepared.argument_bytes; i += kLine)
      std::memcpy(arguments + i, prepared.arguments + i, kLine);
    for (const Patch& patch : prepared.patches) apply(patch, from + patch.from, arguments + patch.to);
    pointers[0] = arguments;
    for (std::size_t i = 0; i < prepared.map_count; ++i) {
      const auto& [at, offset] = prepared.addresses[i];
      maps[i] = prepared.maps[i];
      pointers[1 + i] = &maps[i];
      if (!move(maps[i], detail::load<std::byte*>(from + at) + offset)) return false;
    }
    return true;
  }

 private:
  static void apply(const Patch& patch, const std::byte* from, std::byte* to) noexcept {
    if (patch.kind == Patch::Kind::address) {
      const std::uint64_t moved = detail::load<std::uint64_t>(from) + patch.value;
      std::memcpy(to, &moved, sizeof moved);
    } else if (patch.kind == Patch::Kind::word) {
      std::memcpy(to, from, 4);
    } else {
      apply_if_aligned(patch, detail::load<std::uint64_t>(from), to);
    }
  }
  static void apply_if_aligned(const Patch& patch, std::uint64_t address, std::byte* to) noexcept {
    const int aligned = (address & (patch.value - 1)) == 0;
    if (patch.kind == Patch::Kind::aligned)
      std::memcpy(to, &aligned, sizeof aligned);
    else if (aligned)
      std::memcpy(to, &address, sizeof address);
  }
};

/// Limits of the device, for launch code.
struct DeviceLimits {
  int sm_count = 132;
  int compute_capability = 90;  // major * 10 + minor
};

}  // namespace tilewright
