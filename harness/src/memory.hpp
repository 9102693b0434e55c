// memory.hpp - operands in device memory, surrounded by guard zones and filled so that a stray access shows.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tilewright/device.hpp"

namespace tilewright {

// Fill patterns, 16-bit units. Read as f16, bf16 or f32 each is a NaN that no arithmetic instruction produces
// (those give 0x7FFF or 0x7FC0); read as i32 each is far below any index.
inline constexpr std::uint16_t kUnwritten = 0xFFA5;  // elements of an output before the launch; workspace
inline constexpr std::uint16_t kGuard = 0xFFC3;      // guard zones and the padding between rows

/// Device memory with `guard_bytes()` of kGuard before and behind it, at an address of at least `lead`. Owns the memory.
class GuardedBuffer {
 public:
  GuardedBuffer(Device& device, std::size_t bytes, std::string name, std::size_t lead = 0);
  ~GuardedBuffer();
  GuardedBuffer(const GuardedBuffer&) = delete;
  GuardedBuffer& operator=(const GuardedBuffer&) = delete;

  std::byte* address() const { return memory_ + guard_; }
  std::size_t bytes() const { return bytes_; }
  const std::string& name() const { return name_; }
  void upload(std::size_t offset, const std::byte* contents, std::size_t bytes) {
    device_.upload(address() + offset, contents, bytes);
  }
  /// [offset, offset + bytes) holds nothing; see Device::mark_undefined.
  void mark_undefined(std::size_t offset, std::size_t bytes) {
    if (bytes > 0) device_.mark_undefined(address() + offset, bytes);
  }
  /// Other kernels use [offset, offset + bytes) too; see Device::mark_in_use.
  void mark_in_use(std::size_t offset, std::size_t bytes) {
    if (bytes > 0) device_.mark_in_use(address() + offset, bytes);
  }
  void download(std::size_t offset, std::byte* contents, std::size_t bytes) const {
    device_.download(contents, address() + offset, bytes);
  }
  /// Fills the guard zones.
  void arm();
  /// One sentence on a guard zone that changed since arm().
  std::optional<std::string> damage() const;

 private:
  Device& device_;
  std::string name_;
  std::size_t bytes_, guard_;
  std::byte* memory_;
};

/// One tensor of a problem on the device. Its buffer ends with the last element of the last row, so that an
/// access beyond it is seen although a caller's stride would leave room for it. Of a sparse tensor the host keeps
/// each row and a margin behind it.
class Operand {
 public:
  Operand(Device& device, const Tensor& tensor);

  const Tensor& tensor() const { return tensor_; }
  /// The base pointer for the launch code; of a tensor with a lead it points to no memory.
  void* address() const;
  bool is_output() const { return tensor_.role != Role::input; }
  /// Puts image or poison, and the guard zones, in place.
  void reset();
  /// Puts image or poison in place again; the guard zones must be intact, as damage() has seen them.
  void restore();
  /// Reads the buffer back and says what a kernel must not have changed but did: a guard zone, the elements
  /// before the base pointer, the padding between rows, an input.
  std::optional<std::string> damage();
  /// Contents that damage() read back: element (r, c) is at contents() + (r * pitch() + c) * element size.
  const std::byte* contents() const { return current_.data() + shift_; }
  /// Elements from row to row on the host.
  std::int64_t pitch() const { return pitch_; }
  const std::byte* initial() const { return initial_.data() + shift_; }

 private:
  /// The bytes of a row (start, length) that a kernel must leave alone: all of an input's, only the padding
  /// of an output's.
  std::pair<std::size_t, std::size_t> protected_bytes(std::int64_t row) const;
  std::int64_t first_damaged_row() const;

  /// Calls `copy(offset on the device, offset on the host, bytes)` for the pieces that the two have in common.
  template <class Copy>
  void for_each_piece(const Copy& copy) const;

  const Tensor& tensor_;
  std::size_t shift_;  // bytes before element (0, 0)
  std::size_t lead_;   // bytes before those, which hold no memory
  std::int64_t pitch_;
  std::vector<std::byte> initial_, current_;
  GuardedBuffer buffer_;
};

/// A variant's workspace: its contents, then poison, which every launch must leave as they were up to the scratch memory. A launch
/// may leave what it likes in that, and in the range that is cleared, and no later one may rely on it.
class WorkspaceBuffer {
 public:
  WorkspaceBuffer(Device& device, const Workspace& workspace);
  void* address() const { return buffer_ ? buffer_->address() : nullptr; }
  /// Poisons what launches share nothing in.
  void restore();
  std::optional<std::string> damage() const { return buffer_ ? buffer_->damage() : std::nullopt; }
  /// One sentence on the first byte in front of the scratch memory that is not as it was.
  std::optional<std::string> change() const;

 private:
  void mark_rest_undefined();

  Workspace wanted_;
  std::vector<std::byte> kept_;  // what is to stay as it is
  std::optional<GuardedBuffer> buffer_;
};

/// Fills `bytes` (even) bytes with a 16-bit pattern.
void fill(std::byte* memory, std::size_t bytes, std::uint16_t pattern);

}  // namespace tilewright
