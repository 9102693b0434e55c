// entry.hpp - how a kernel gets the arguments of a call, which lie in slots of 8 bytes (harness/check/problem.hpp): those
// of g++'s library and of nvcc's alike, hence plain C++17.
#pragma once
#include <cstddef>
#include <cstring>
#include <new>
#include <tuple>
#include <type_traits>

namespace tw {

template <class Kernel>
struct ParametersOf;
template <class... Parameters>
struct ParametersOf<void (*)(Parameters...)> {
  template <std::size_t Index>
  using type = std::remove_cv_t<std::remove_reference_t<std::tuple_element_t<Index, std::tuple<Parameters...>>>>;
};

/// A struct that is passed by value, before its fields are set: as it is by default, else of zeros. Constructors and destructors of
/// one that is no plain data are the host's, and do not run.
template <class T>
class ByValue {
 public:
  ByValue() {
    if constexpr (std::is_default_constructible_v<T> && std::is_trivially_copyable_v<T>) new (bytes_) T{};
  }
  T& get() { return *reinterpret_cast<T*>(bytes_); }

 private:
  alignas(T) unsigned char bytes_[sizeof(T)] = {};
};

/// Sets a field of a struct, or an element of an array in it: an address, or a number, which comes as a double.
template <class Field>
void set_field(Field& field, const char* slot) {
  if constexpr (std::is_pointer_v<Field>) {
    std::memcpy(const_cast<std::remove_cv_t<Field>*>(&field), slot, sizeof field);
  } else {
    double value = 0;
    std::memcpy(&value, slot, sizeof value);
    if constexpr (std::is_arithmetic_v<Field> || std::is_enum_v<Field>) field = static_cast<Field>(value);
    else field = Field(static_cast<float>(value));
  }
}

/// Place of a field in a struct: bytes from its start, and its size.
struct Part {
  std::size_t offset, bytes;
};
template <class Struct, class Field>
Part part_of(Field field) {
  alignas(Struct) static unsigned char bytes[sizeof(Struct)];
  auto& part = field(*reinterpret_cast<Struct*>(bytes));
  return {static_cast<std::size_t>(reinterpret_cast<unsigned char*>(__builtin_addressof(part)) - bytes), sizeof part};
}

/// Slots of a call by which pointers in an array of structs are set: its address, the number of structs, and the address to put in.
struct PointerSlots {
  std::size_t array, count, target;
};

/// Contents of a slot of a call.
template <class T>
T slot_of(const void* call, std::size_t slot) {
  T value{};
  std::memcpy(&value, static_cast<const char*>(call) + 8 * slot, sizeof value);
  return value;
}

}  // namespace tw
