#include "memory.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <stdexcept>

#include "family_code.hpp"
#include "tilewright/parallel.hpp"

namespace tilewright {
namespace {

constexpr std::size_t kLeastBytes = 16;        // an empty operand still has an address
constexpr std::int64_t kGrainBytes = 1 << 22;  // bytes per range of the parallel loop
constexpr std::int64_t kMargin = 1024;         // elements behind each row of a sparse tensor that are watched

std::vector<std::byte> guard_image(std::size_t bytes) {
  std::vector<std::byte> image(bytes);
  fill(image.data(), bytes, kGuard);
  return image;
}

/// Offset of the first byte that differs, or `bytes`.
std::size_t first_difference(const std::byte* left, const std::byte* right, std::size_t bytes) {
  if (bytes == 0 || std::memcmp(left, right, bytes) == 0) return bytes;
  return static_cast<std::size_t>(std::mismatch(left, left + bytes, right).first - left);
}

std::int64_t host_pitch(const Tensor& tensor) {
  return tensor.sparse ? std::min(tensor.stride, tensor.cols + kMargin) : tensor.stride;
}

/// From the first element to behind the last, with rows `pitch` elements apart.
std::size_t extent_bytes(const Tensor& tensor, std::int64_t pitch) {
  if (tensor.rows == 0 || tensor.cols == 0) return 0;
  return static_cast<std::size_t>((tensor.rows - 1) * pitch + tensor.cols) * element_bytes(tensor.type);
}

std::string element_name(const Tensor& tensor, std::int64_t row, std::int64_t column) {
  std::string name = tensor.name;
  if (tensor.rows != 1) name.append("[").append(std::to_string(row)).append("]");
  return name.append("[").append(std::to_string(column)).append("]");
}

/// Not one more than the elements need: reads behind them are findings.
std::size_t buffer_bytes(std::size_t shift, std::size_t extent) {
  return extent > 0 ? shift + extent : std::max(shift, kLeastBytes);
}

/// Bytes of a tensor as a launch must find them: image or poison for the elements, kGuard for everything
/// else.
std::vector<std::byte> initial_contents(const Tensor& tensor, std::size_t shift, std::int64_t host_pitch) {
  const std::size_t size = element_bytes(tensor.type);
  const std::size_t row_bytes = static_cast<std::size_t>(tensor.cols) * size;
  const std::size_t pitch = static_cast<std::size_t>(host_pitch) * size;
  const std::size_t extent = extent_bytes(tensor, host_pitch);
  std::vector<std::byte> bytes(buffer_bytes(shift, extent));
  fill(bytes.data(), bytes.size(), kGuard);
  if (extent == 0) return bytes;
  const bool poisoned = tensor.role == Role::output;
  const std::int64_t image_pitch = tensor.sparse ? tensor.cols : tensor.stride;
  if (!poisoned && tensor.image.size() < extent_bytes(tensor, image_pitch))
    throw std::invalid_argument("tensor '" + tensor.name + "': the image has " +
                                std::to_string(tensor.image.size()) + " bytes, its elements reach to byte " +
                                std::to_string(extent_bytes(tensor, image_pitch)));
  for (std::size_t row = 0; row < static_cast<std::size_t>(tensor.rows); ++row) {
    std::byte* destination = bytes.data() + shift + row * pitch;
    if (poisoned)
      fill(destination, row_bytes, kUnwritten);
    else
      std::memcpy(destination, tensor.image.data() + row * static_cast<std::size_t>(image_pitch) * size,
                  row_bytes);
  }
  return bytes;
}

}  // namespace

void fill(std::byte* memory, std::size_t bytes, std::uint16_t pattern) {
  for (std::size_t i = 0; i + 1 < bytes; i += 2) std::memcpy(memory + i, &pattern, 2);
}

GuardedBuffer::GuardedBuffer(Device& device, std::size_t bytes, std::string name, std::size_t lead)
    : device_(device), name_(std::move(name)), bytes_(bytes), guard_(device.guard_bytes()) {
  const std::size_t all = bytes_ + 2 * guard_;
  memory_ = static_cast<std::byte*>(lead > 0 ? device_.allocate_behind(lead, all, name_)
                                             : device_.allocate(all, name_));
}

GuardedBuffer::~GuardedBuffer() { device_.release(memory_); }

void GuardedBuffer::arm() {
  if (guard_ == 0) return;
  const std::vector<std::byte> zone = guard_image(guard_);
  device_.upload(memory_, zone.data(), guard_);
  device_.upload(address() + bytes_, zone.data(), guard_);
}

std::optional<std::string> GuardedBuffer::damage() const {
  if (guard_ == 0) return std::nullopt;
  const std::vector<std::byte> expected = guard_image(guard_);
  std::vector<std::byte> zone(guard_);
  device_.download(zone.data(), address() + bytes_, guard_);
  const std::size_t behind = first_difference(expected.data(), zone.data(), guard_);
  device_.download(zone.data(), memory_, guard_);
  const std::size_t before = first_difference(expected.data(), zone.data(), guard_);
  if (behind < guard_) return "wrote " + std::to_string(behind) + " bytes behind the end of '" + name_ + "'";
  if (before < guard_)
    return "wrote " + std::to_string(guard_ - before) + " bytes before the start of '" + name_ + "'";
  return std::nullopt;
}

Operand::Operand(Device& device, const Tensor& tensor)
    : tensor_(tensor),
      shift_(static_cast<std::size_t>(tensor.offset) * element_bytes(tensor.type)),
      lead_(static_cast<std::size_t>(tensor.lead) * element_bytes(tensor.type)),
      pitch_(host_pitch(tensor)),
      initial_(initial_contents(tensor, shift_, pitch_)),
      current_(initial_.size()),
      buffer_(device, buffer_bytes(shift_, extent_bytes(tensor, tensor.stride)), tensor.name, lead_) {
  for_each_piece([&](std::size_t at, std::size_t, std::size_t bytes) { buffer_.mark_in_use(at, bytes); });
}

void* Operand::address() const {
  return reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(buffer_.address() + shift_) - lead_);
}

template <class Copy>
void Operand::for_each_piece(const Copy& copy) const {
  if (pitch_ == tensor_.stride) return copy(0, 0, buffer_.bytes());
  if (shift_ > 0) copy(0, 0, shift_);
  const std::size_t size = element_bytes(tensor_.type);
  const auto row_bytes = static_cast<std::size_t>(pitch_) * size;
  const auto stride_bytes = static_cast<std::size_t>(tensor_.stride) * size;
  for (std::size_t row = 0; row < static_cast<std::size_t>(tensor_.rows); ++row) {
    const std::size_t at = shift_ + row * row_bytes;
    copy(shift_ + row * stride_bytes, at, std::min(row_bytes, initial_.size() - at));
  }
}

void Operand::reset() {
  buffer_.arm();
  restore();
}

void Operand::restore() {
  for_each_piece([&](std::size_t at, std::size_t from, std::size_t bytes) {
    buffer_.upload(at, initial_.data() + from, bytes);
    if (tensor_.role == Role::output) buffer_.mark_undefined(at, bytes);
  });
}

std::optional<std::string> Operand::damage() {
  if (auto zone = buffer_.damage()) return zone;
  for_each_piece([&](std::size_t at, std::size_t to, std::size_t bytes) {
    buffer_.download(at, current_.data() + to, bytes);
  });
  if (first_difference(initial_.data(), current_.data(), shift_) < shift_)
    return "wrote before the base pointer of '" + tensor_.name + "'";
  const std::int64_t row = first_damaged_row();
  if (row == tensor_.rows) return std::nullopt;
  const auto [start, bytes] = protected_bytes(row);
  const std::size_t at = start + first_difference(initial_.data() + start, current_.data() + start, bytes);
  const std::size_t size = element_bytes(tensor_.type);
  const auto column = static_cast<std::int64_t>((at - shift_) / size) - row * pitch_;
  const std::string place = element_name(tensor_, row, column);
  if (column < tensor_.cols) return "changed the input " + place;
  return "wrote into the padding between rows at " + place + " (rows have " + std::to_string(tensor_.cols) +
         " elements)";
}

std::pair<std::size_t, std::size_t> Operand::protected_bytes(std::int64_t row) const {
  const std::size_t size = element_bytes(tensor_.type);
  const std::size_t first =
      static_cast<std::size_t>(row * pitch_ + (is_output() ? tensor_.cols : 0)) * size + shift_;
  const std::size_t last = static_cast<std::size_t>((row + 1) * pitch_) * size + shift_;
  const std::size_t start = std::min(first, initial_.size());
  return {start, std::min(last, initial_.size()) - start};
}

std::int64_t Operand::first_damaged_row() const {
  const std::int64_t row_bytes = pitch_ * static_cast<std::int64_t>(element_bytes(tensor_.type));
  std::atomic<std::int64_t> first{tensor_.rows};
  parallel_for(
      tensor_.rows, kGrainBytes / std::max<std::int64_t>(row_bytes, 1) + 1,
      [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t row = begin; row < std::min<std::int64_t>(end, first); ++row) {
          const auto [start, bytes] = protected_bytes(row);
          if (bytes == 0 || std::memcmp(initial_.data() + start, current_.data() + start, bytes) == 0)
            continue;
          for (std::int64_t seen = first; row < seen && !first.compare_exchange_weak(seen, row);) {
          }
        }
      });
  return first;
}

WorkspaceBuffer::WorkspaceBuffer(Device& device, const Workspace& workspace) : wanted_(workspace) {
  if (wanted_.bytes == 0) return;
  if (std::max(wanted_.contents.size(), wanted_.scratch_offset) > wanted_.bytes ||
      wanted_.clear_offset + wanted_.clear_bytes > wanted_.bytes)
    throw FamilyMistake("workspace", "its contents, cleared range or scratch memory reaches beyond its " +
                                         std::to_string(wanted_.bytes) + " bytes");
  buffer_.emplace(device, wanted_.bytes, "workspace");
  buffer_->arm();
  std::vector<std::byte> bytes(wanted_.bytes);
  fill(bytes.data(), bytes.size(), kUnwritten);
  std::copy(wanted_.contents.begin(), wanted_.contents.end(), bytes.begin());
  buffer_->upload(0, bytes.data(), bytes.size());
  buffer_->mark_in_use(wanted_.contents.size(), wanted_.bytes - wanted_.contents.size());
  mark_rest_undefined();
  bytes.resize(std::max(wanted_.contents.size(), wanted_.scratch_offset));
  kept_ = std::move(bytes);
}

void WorkspaceBuffer::restore() {
  if (kept_.size() == wanted_.bytes) return;
  std::vector<std::byte> rest(wanted_.bytes - kept_.size());
  fill(rest.data(), rest.size(), kUnwritten);
  buffer_->upload(kept_.size(), rest.data(), rest.size());
  mark_rest_undefined();
}

void WorkspaceBuffer::mark_rest_undefined() {
  // Contents and memory zeroed before each run are defined; a kernel must write all else before it reads it.
  const std::size_t given = wanted_.contents.size();
  const std::size_t cleared = wanted_.clear_bytes > 0 ? wanted_.clear_offset : wanted_.bytes;
  if (given < cleared) buffer_->mark_undefined(given, cleared - given);
  const std::size_t rest = std::max(given, cleared + wanted_.clear_bytes);
  buffer_->mark_undefined(rest, wanted_.bytes - rest);
}

std::optional<std::string> WorkspaceBuffer::change() const {
  if (kept_.empty()) return std::nullopt;
  std::vector<std::byte> now(kept_.size());
  buffer_->download(0, now.data(), now.size());
  if (wanted_.clear_bytes > 0 && wanted_.clear_offset < now.size())
    std::copy_n(kept_.begin() + static_cast<std::ptrdiff_t>(wanted_.clear_offset),
                std::min(wanted_.clear_bytes, now.size() - wanted_.clear_offset),
                now.begin() + static_cast<std::ptrdiff_t>(wanted_.clear_offset));
  const std::size_t at = first_difference(kept_.data(), now.data(), now.size());
  if (at == now.size()) return std::nullopt;
  if (at >= wanted_.contents.size())
    return "the launch wrote byte " + std::to_string(at) +
           " of the workspace, between its contents, which end at " +
           std::to_string(wanted_.contents.size()) + ", and its scratch memory, which begins at " +
           std::to_string(kept_.size());
  return "the launch left byte " + std::to_string(at) + " of the workspace as " +
         std::to_string(std::to_integer<int>(now[at])) + ", it was " +
         std::to_string(std::to_integer<int>(kept_[at])) +
         ": the next launch begins in another state. What a launch may leave changed lies behind the "
         "contents";
}

}  // namespace tilewright
