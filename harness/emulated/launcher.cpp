#include "launcher.hpp"

namespace tilewright::emulated {
namespace {

// The same for every GPU (CUDA C++ Programming Guide, "Technical Specifications per Compute Capability").
constexpr std::uint64_t kMaxGridYZ = 65535;

simt::Dim3 dim3(const std::array<unsigned, 3>& size) { return {size[0], size[1], size[2]}; }
std::uint64_t volume(const std::array<unsigned, 3>& size) {
  return std::uint64_t{size[0]} * size[1] * size[2];
}

/// Reason for which cudaLaunchKernelExC would refuse the launch; empty if none.
std::string refusal(const BoundLaunch& launch) {
  const simt::Limits& most = simt::limits();
  if (volume(launch.grid) == 0 || volume(launch.block) == 0 || volume(launch.cluster) == 0)
    return "an extent of grid, block or cluster is 0";
  if (volume(launch.block) > most.threads_per_block)
    return std::to_string(volume(launch.block)) + " threads per block; at most " +
           std::to_string(most.threads_per_block);
  if (launch.shared_bytes > most.shared_bytes_per_block)
    return std::to_string(launch.shared_bytes) + " bytes of shared memory; at most " +
           std::to_string(most.shared_bytes_per_block);
  if (launch.grid[1] > kMaxGridYZ || launch.grid[2] > kMaxGridYZ)
    return "grid y or z above " + std::to_string(kMaxGridYZ);
  if (volume(launch.cluster) > most.blocks_per_cluster)
    return std::to_string(volume(launch.cluster)) + " blocks per cluster; at most " +
           std::to_string(most.blocks_per_cluster);
  for (int i = 0; i < 3; ++i)
    if (launch.grid[i] % launch.cluster[i] != 0)
      return "grid extent " + std::to_string(launch.grid[i]) + " is no multiple of the cluster's " +
             std::to_string(launch.cluster[i]);
  return "";
}

/// The launch. Throws Refused.
const BoundLaunch& accepted(const BoundLaunch& launch, const std::string& name) {
  if (const std::string why = refusal(launch); !why.empty()) throw Refused("launch of " + name + ": " + why);
  return launch;
}

/// The map of a tensor whose address comes later.
simt::TensorMap encode(const TiledMap& map) {
  constexpr std::uintptr_t kSomewhere = 1 << 20;
  simt::TensorMap encoded{};
  encoded.base = reinterpret_cast<const void*>(kSomewhere);
  encoded.rank = map.rank;
  encoded.element_bytes = map.element_bytes;
  encoded.swizzle = static_cast<std::uint8_t>(map.swizzle);
  encoded.element_kind = map.element_bytes == 4 ? 3 : map.element_bytes != 2 ? 0 : map.bfloat16 ? 2 : 1;
  for (std::size_t i = 0; i < 5; ++i) {
    encoded.size[i] = map.size[i];
    encoded.stride[i] = i == 0 ? map.element_bytes : map.stride[i];
    encoded.box[i] = map.box[i];
  }
  if (const std::string why = simt::check_tensor_map(encoded); !why.empty())
    throw Refused("tensor map: " + why);
  return encoded;
}

bool move(simt::TensorMap& map, const void* address) {
  map.base = address;
  return simt::check_tensor_map(map).empty();
}

}  // namespace

PlannedLaunch::PlannedLaunch(simt::Entry entry, const std::string& name, const BoundLaunch& launch)
    : entry_(entry), name_(name), launch_(accepted(launch, name)), parameters_(launch, encode) {}

simt::Result PlannedLaunch::run(const simt::Config& wanted, const void* call) const {
  if (launch_.unless.holds(call)) return {};
  KernelParameters<simt::TensorMap> parameters;
  if (!parameters.fill(parameters_, call, move))
    throw Refused("launch of " + name_ + ": the address of a tensor map is not a multiple of 16");
  simt::Config config = wanted;
  config.dependent = launch_.dependent;
  return simt::launch(config, dim3(launch_.grid), dim3(launch_.block), launch_.shared_bytes,
                      dim3(launch_.cluster), [&] { entry_(parameters.pointers); });
}

}  // namespace tilewright::emulated
