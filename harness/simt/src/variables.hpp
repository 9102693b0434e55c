// variables.hpp - variables that a kernel declares for itself: static shared memory, __device__ and
// __constant__.
#pragma once
#include <cstdint>
#include <string>

#include "machine.hpp"

namespace simt::core {

/// A variable in static shared memory: bytes [begin, begin + bytes) of a block's shared window.
struct SharedVariable {
  const void* key;
  std::string name;
  std::uint32_t begin, bytes;
};

/// The variable that holds all of [address, address + bytes), or null.
const SharedVariable* shared_variable_at(std::uint32_t address, std::uint32_t bytes);
/// "byte 8 of shared 's' (128 bytes)", or the address where no variable is near.
std::string shared_place(std::uint32_t address);
/// Bytes of the window that a block may come to use beside its dynamic shared memory.
std::uint32_t shared_extent();

/// Whether the kernels are somebody's own source, with variables of their own.
bool has_own_variables();

/// At the start of a launch: no static shared memory yet, device variables as their module initialised them.
void start_variables();
/// Poison and no history for the static shared memory of a block that begins.
void poison_shared_variables(Block& block);

}  // namespace simt::core
