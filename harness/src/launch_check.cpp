#include "launch_check.hpp"

namespace tilewright {
namespace {

constexpr std::int64_t kTensorMapBytes = 128;  // of a CUtensorMap

std::string against(const std::string& launch, const std::string& kernel) {
  return "the launch " + launch + ", the kernel " + kernel;
}

/// A kernel's parameters: the struct of arguments, then the tensor maps.
std::vector<std::int64_t> parameter_bytes(const BoundLaunch& launch) {
  std::vector<std::int64_t> bytes{static_cast<std::int64_t>(launch.arguments.size())};
  bytes.insert(bytes.end(), launch.maps.size(), kTensorMapBytes);
  return bytes;
}

std::string argument_mismatch(const std::vector<std::int64_t>& taken, const std::vector<std::int64_t>& passed) {
  if (passed.size() != taken.size())
    return against("passes " + std::to_string(passed.size()) + " arguments",
                   "takes " + std::to_string(taken.size()));
  for (std::size_t i = 0; i < passed.size(); ++i)
    if (passed[i] != taken[i])
      return against("passes " + std::to_string(passed[i]) + " bytes as argument " + std::to_string(i),
                     "takes " + std::to_string(taken[i]));
  return "";
}

}  // namespace

std::string launch_mismatch(const Variant& variant, const BoundLaunch& launch) {
  const auto shared = static_cast<std::int64_t>(launch.shared_bytes);
  if (variant.shared_bytes && shared > *variant.shared_bytes)
    return "the launch asks for " + std::to_string(shared) + " bytes of shared memory, the variant declares " +
           std::to_string(*variant.shared_bytes);
  const CompiledKernel* kernel = variant.kernel(launch.entry);
  if (!kernel) return "";
  const std::int64_t threads = std::int64_t{launch.block[0]} * launch.block[1] * launch.block[2];
  if (kernel->max_threads > 0 && threads > kernel->max_threads)
    return against("has " + std::to_string(threads) + " threads a block",
                   "is compiled for at most " + std::to_string(kernel->max_threads) + " (__launch_bounds__)");
  constexpr std::int64_t kRegisters = 65536;  // of a multiprocessor
  const std::int64_t registers = (kernel->registers + 7) / 8 * 8 * ((threads + 31) / 32 * 32);
  if (registers > kRegisters)
    return against("needs " + std::to_string(registers) + " registers for " + std::to_string(threads) +
                       " threads",
                   "has " + std::to_string(kernel->registers) + " a thread and a multiprocessor " +
                       std::to_string(kRegisters));
  return argument_mismatch(kernel->parameter_bytes, parameter_bytes(launch));
}

}  // namespace tilewright
