// symbol_of.hpp - entries of a library's table of symbols, made by the compiler that knows the variables: g++ or nvcc.
#pragma once
#include <type_traits>
#include <utility>

#include "symbol.hpp"

namespace tw {

/// Null for a type that the runner does not know.
template <class T>
constexpr const char* element_name() {
  if constexpr (std::is_same_v<T, __half>) return "f16";
  else if constexpr (std::is_same_v<T, __nv_bfloat16>) return "bf16";
  else if constexpr (std::is_same_v<T, float>) return "f32";
  else if constexpr (std::is_same_v<T, double>) return "f64";
  else if constexpr (!std::is_integral_v<T>) return nullptr;
  else {
    constexpr const char* kSigned[] = {"i8", "i16", "i32", "i64"};
    constexpr const char* kUnsigned[] = {"u8", "u16", "u32", "u64"};
    constexpr int kPlace = sizeof(T) == 8 ? 3 : sizeof(T) == 4 ? 2 : sizeof(T) == 2 ? 1 : 0;
    return std::is_signed_v<T> ? kSigned[kPlace] : kUnsigned[kPlace];
  }
}

/// The type of a part of a vector such as `float4`; void for what has none. C++17, since nvcc compiles users' files as that.
template <class T, class = void>
struct PartOf {
  using type = void;
};
template <class T>
struct PartOf<T, std::void_t<decltype(std::declval<T&>().x), decltype(std::declval<T&>().y)>> {
  using type = std::remove_cv_t<std::remove_reference_t<decltype(std::declval<T&>().x)>>;
};

/// Elements of `float4` and `__half2` are their parts.
template <class T>
constexpr const char* part_name() {
  using Bare = std::remove_cv_t<T>;
  if constexpr (element_name<Bare>() != nullptr) return element_name<Bare>();
  else if constexpr (!std::is_void_v<typename PartOf<Bare>::type>)
    return element_name<typename PartOf<Bare>::type>();
  else return nullptr;
}

/// A variable of type T; `type`: its elements where the description says so.
template <class T>
constexpr Symbol symbol(const char* name, const char* type) {
  const std::size_t rows = std::rank_v<T> > 1 ? std::extent_v<T> : 1;
  return {name, type ? type : part_name<std::remove_all_extents_t<T>>(), sizeof(T), rows};
}

}  // namespace tw
