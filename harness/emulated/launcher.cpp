#include "launcher.hpp"

#include <cstring>

namespace tilewright::emulated {
namespace {

// The same for every GPU (CUDA C++ Programming Guide, "Technical Specifications per Compute Capability").
constexpr std::uint64_t kMaxGridYZ = 65535;

simt::Dim3 dim3(const std::array<unsigned, 3>& size) { return {size[0], size[1], size[2]}; }
std::uint64_t volume(const std::array<unsigned, 3>& size) {
  return std::uint64_t{size[0]} * size[1] * size[2];
}

/// What cudaLaunchKernelExC would refuse; empty when nothing.
std::string refusal(const Launch& launch) {
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

simt::TensorMap encode(const TiledMap& map) {
  simt::TensorMap encoded{};
  encoded.base = map.base;
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

}  // namespace

PreparedLaunch::PreparedLaunch(simt::Entry entry, const std::string& name, const Launch& launch)
    : entry_(entry),
      name_(name),
      grid_(dim3(launch.grid)),
      block_(dim3(launch.block)),
      cluster_(dim3(launch.cluster)),
      shared_bytes_(launch.shared_bytes),
      dependent_(launch.dependent) {
  if (const std::string why = refusal(launch); !why.empty()) throw Refused("launch of " + name + ": " + why);
  for (const Arguments::Item& item : launch.arguments.items()) add(item);
}

void PreparedLaunch::add(const Arguments::Item& item) {
  const std::size_t bytes = item.is_map ? sizeof(simt::TensorMap) : item.bytes.size();
  auto& slots = storage_.emplace_back(new Slot[(bytes + sizeof(Slot) - 1) / sizeof(Slot)]);
  if (item.is_map) {
    const simt::TensorMap map = encode(item.map);
    std::memcpy(slots.get(), &map, sizeof map);
  } else {
    std::memcpy(slots.get(), item.bytes.data(), bytes);
  }
  arguments_.push_back(slots.get());
}

simt::Result PreparedLaunch::run(const simt::Config& wanted) const {
  simt::Config config = wanted;
  config.dependent = dependent_;
  // The kernel reads its arguments only; the entry's type is that of cudaLaunchKernel.
  void** arguments = const_cast<void**>(arguments_.data());
  return simt::launch(config, grid_, block_, shared_bytes_, cluster_,
                      [this, arguments] { entry_(arguments); });
}

}  // namespace tilewright::emulated
