// request.hpp - a call that nothing is settled for yet, as the rendered keyed.cpp of its operation hands it over.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tuner/table.hpp"
#include "tw/operation.hpp"

namespace tilewright::library::tuner {

/// A tensor that the call writes. Counts and strides in elements.
struct Output {
  std::uint32_t at;  // of its address, in the call
  bool read;         // it may be read, too
  Type type;
  wide width, lines, pitch;   // of a line; from one line to the next
  wide products, stride;  // of a batch; from one product to the next
};

/// A word of the key beside sizes, features and operation values.
struct Detail {
  const char* name;
  std::int64_t number;
};

struct Request {
  const char* operation;
  const Selection* all;
  Asked asked;
  std::size_t sizes;  // of asked.features, the first ones
  std::vector<Detail> details;
  Bind bind;
  std::shared_ptr<const void> problem;
  std::vector<std::byte> call;  // the operation's Call, without a workspace
  std::uint32_t workspace_at;   // of the workspace's address, in the call
  std::vector<Output> outputs;
  double rounding;  // of operands before they are multiplied, relative: half the distance of neighbours
  bool empty;  // nothing is to be written
  AddressRules addresses;
  tw_stream stream;
  CallWords words;
  std::uint64_t hash;
  std::size_t capture_word;  // the place in `words` that tells captured calls apart
};

/// log2 of the bytes that an address, and the distance between its lines, are aligned to; at most 4: no kernel asks for more.
inline std::uint64_t alignment_of(const void* address, std::uint64_t stride_bytes = 0) noexcept {
  return static_cast<std::uint64_t>(
      __builtin_ctzll(reinterpret_cast<std::uintptr_t>(address) | stride_bytes | 16));
}

/// The key of a call as text, e.g. `bsr_spmm m=4096 n=512 … input=f16 … b:align=4 beta:zero=1 deterministic=0`. Sizes are
/// rounded up: to a multiple of 8 above 128, to half octaves above 512. Features are rounded to half octaves of a ratio.
/// Calls of one key may differ in what kernels take: whoever uses a key's kernel binds it to the call itself.
std::string key_of(const Request& request, bool deterministic);

}  // namespace tilewright::library::tuner
