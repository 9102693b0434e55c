// vendor.hpp - other libraries' functions as kernels of an operation, for its family's vendor_calls.hpp. Libraries are opened at
// run time, and what is used of their headers is declared by the family: neither need be there.
#pragma once
#include <initializer_list>
#include <string>

#include "tuner/device.hpp"
#include "tuner/request.hpp"

namespace tilewright::library::tuner {

/// The first of some shared libraries that the process has loaded, or with `load` that can be loaded. Throws Unsupported where
/// there is none.
class VendorLibrary {
 public:
  VendorLibrary(std::initializer_list<const char*> names, bool load);
  /// Throws Unsupported where it has no such function.
  template <class Function>
  Function* find(const char* symbol) const {
    void* const address = device::find_function(handle_, symbol);
    if (!address) throw Unsupported(name_ + " has no function " + symbol);
    return reinterpret_cast<Function*>(address);
  }

 private:
  std::string name_;
  void* handle_ = nullptr;
};

/// Variant that stands for a vendor library's function in records and reports. Never taken if equal bits are asked for.
constexpr Variant vendor_variant(const char* name) {
  Variant variant{};
  variant.id = variant.symbol = name;
  variant.hash = "";
  return variant;
}

/// Throws Unsupported unless the status is 0, which is success in cuBLAS and cuSPARSE.
void accept(int status, const char* function);
/// As above, of a call: throws Error.
void launched(int status, const char* function);

/// Enqueues another library's function. A refusal at this point is a failed launch: it had taken the call.
template <class Body>
void launch(const Body& body) {
  try {
    body();
  } catch (const Unsupported& why) {
    throw Error(TW_STATUS_LAUNCH_FAILED, why.what());
  }
}

/// cudaDataType of a type.
constexpr int vendor_type(Type type) { return type == Type::f32 ? 0 : type == Type::bf16 ? 14 : 2; }

/// Bytes that the address is a multiple of in all calls of the same words: 16 at most.
inline std::uint32_t alignment_bytes(const void* address) {
  return std::uint32_t{1} << alignment_of(address);
}

}  // namespace tilewright::library::tuner
