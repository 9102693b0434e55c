// variables.cpp - static shared memory gets its place in the block's window when a thread first reaches the
// declaration. Between two variables stays a gap, so that an index beyond one of them is seen.
#include "variables.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include "memory.hpp"
#include "report.hpp"

namespace simt {
namespace core {
namespace {

constexpr std::uint32_t kGap = 128;              // all banks once: a variable begins in bank 0
constexpr std::uint32_t kMaxStatic = 48 << 10;   // what ptxas accepts

struct DeviceVariable {
  std::string name;
  void* memory;
  const void* initial;
  std::size_t bytes;
};

std::vector<SharedVariable> shared_variables;  // of this launch, by address
std::vector<DeviceVariable> device_variables;  // of all modules that are loaded
bool static_shared_memory = false;

std::uint32_t aligned(std::uint32_t value, std::uint32_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

void poison(Block& block, const SharedVariable& variable) {
  if (machine.config.poison) std::memset(block.shared + variable.begin, 0xff, variable.bytes);
  if (machine.detect)
    std::fill_n(block.cells + (variable.begin - kSharedBase) / 16, (variable.bytes + 15) / 16, Cell{});
}

const SharedVariable& place(const void* key, const char* name, std::uint32_t bytes, std::uint32_t alignment) {
  std::uint32_t sum = bytes, begin = kSharedBase + machine.shared_bytes;
  for (const SharedVariable& one : shared_variables) sum += one.bytes, begin = one.begin + one.bytes;
  if (sum > kMaxStatic)
    fail("resources", text("%u bytes of static shared memory up to '%s'; at most %u", sum, name, kMaxStatic));
  begin = aligned(begin + kGap, std::max(alignment, kGap));
  if (sum + machine.shared_bytes > machine.limits.shared_bytes_per_block || begin + bytes > kArenaStride)
    fail("resources", text("%u bytes of static and %u of dynamic shared memory; at most %u together", sum,
                           machine.shared_bytes, machine.limits.shared_bytes_per_block));
  shared_variables.push_back({key, name, begin, bytes});
  for (Block& block : machine.blocks) poison(block, shared_variables.back());
  return shared_variables.back();
}

}  // namespace

const SharedVariable* shared_variable_at(std::uint32_t address, std::uint32_t bytes) {
  for (const SharedVariable& one : shared_variables)
    if (address >= one.begin && address < one.begin + one.bytes)
      return bytes <= one.begin + one.bytes - address ? &one : nullptr;
  return nullptr;
}

std::string shared_place(std::uint32_t address) {
  const SharedVariable* nearest = nullptr;
  for (const SharedVariable& one : shared_variables)
    if (!nearest || (address >= one.begin && one.begin > nearest->begin)) nearest = &one;
  const std::uint32_t dynamic = kSharedBase + machine.shared_bytes;
  if (!nearest || (address < nearest->begin && address < dynamic + kGap / 2 && machine.shared_bytes > 0))
    return static_shared_memory && address >= kSharedBase
               ? text("byte %u of dynamic shared memory (%u bytes)", address - kSharedBase, machine.shared_bytes)
               : text("shared 0x%x", address);
  return text("byte %lld of shared '%s' (%u bytes)",
              static_cast<long long>(address) - static_cast<long long>(nearest->begin), nearest->name.c_str(),
              nearest->bytes);
}

bool has_own_variables() { return static_shared_memory; }

std::uint32_t shared_extent() {
  return static_shared_memory ? kArenaStride - kSharedBase : machine.shared_bytes;
}

void start_variables() {
  shared_variables.clear();
  const std::string kept = machine.config.kept_variables ? machine.config.kept_variables : "";
  for (const DeviceVariable& one : device_variables)
    if (kept.find(" " + one.name + " ") == std::string::npos) std::memcpy(one.memory, one.initial, one.bytes);
}

void poison_shared_variables(Block& block) {
  for (const SharedVariable& one : shared_variables) poison(block, one);
}

}  // namespace core

void use_static_shared_memory() { core::static_shared_memory = true; }

void* shared_variable(const void* key, const char* name, std::size_t bytes, std::size_t alignment) {
  using namespace core;
  const auto known = std::find_if(shared_variables.begin(), shared_variables.end(),
                                  [key](const SharedVariable& one) { return one.key == key; });
  const SharedVariable& variable = known != shared_variables.end()
                                       ? *known
                                       : place(key, name, static_cast<std::uint32_t>(bytes),
                                               static_cast<std::uint32_t>(alignment));
  return machine.current->block->shared + variable.begin;
}

void* dynamic_shared_memory() {
  core::open_address_space();
  return core::address_space.base + core::kSharedBase;
}

void* device_variable(const void* initial, std::size_t bytes, const char* name, bool constant) {
  void* memory = allocate(bytes, name);
  core::allocation_at(memory)->constant = constant;
  core::constants_present |= constant;
  core::device_variables.push_back({name, memory, initial, bytes});
  std::memcpy(memory, initial, bytes);
  return memory;
}

void release_device_variable(void* memory) {
  std::erase_if(core::device_variables, [memory](const auto& one) { return one.memory == memory; });
  release(memory);
}

}  // namespace simt
