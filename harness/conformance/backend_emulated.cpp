// backend_emulated.cpp - conformance cases on the emulated device, under several schedules and with the race
// detector.
#include <memory>

#include "backend.hpp"
#include "simt/simt.hpp"

namespace conformance {
namespace {

struct Mode {
  const char* name;
  simt::Async async;
  simt::Order order;
  bool detect;
};
constexpr Mode kModes[] = {
    {"now, in order", simt::Async::now, simt::Order::in_order, false},
    {"late, greedy, race detector", simt::Async::late, simt::Order::greedy, true},
    {"random, random, race detector", simt::Async::random, simt::Order::random, true},
};

struct Release {
  void operator()(void* memory) const { simt::release(memory); }
};
using Buffer = std::unique_ptr<std::uint32_t, Release>;

Buffer upload(const Words& words, const char* name) {
  Buffer buffer(static_cast<std::uint32_t*>(simt::allocate(words.size() * 4, name)));
  std::memcpy(buffer.get(), words.data(), words.size() * 4);
  return buffer;
}

simt::TensorMap encode(const Map& map, const Buffer& input, const Buffer& output) {
  simt::TensorMap encoded{};
  encoded.base = map.over_output ? output.get() : input.get();
  encoded.rank = map.tiled.rank;
  encoded.element_bytes = map.tiled.element_bytes;
  encoded.swizzle = static_cast<std::uint8_t>(map.tiled.swizzle);
  encoded.element_kind = map.tiled.element_bytes == 4 ? 3 : map.tiled.bfloat16 ? 2 : 1;
  for (int i = 0; i < 5; ++i) {
    encoded.size[i] = map.tiled.size[i];
    encoded.stride[i] = map.tiled.stride[i];
    encoded.box[i] = map.tiled.box[i];
  }
  return encoded;
}

}  // namespace

int mode_count() { return static_cast<int>(std::size(kModes)); }
const char* mode_name(int mode) { return kModes[mode].name; }

Environment environment() { return {"emulated", "simt", /*gpu=*/false}; }

Outcome run(const Entry& entry, const Words& input, int mode) {
  const Case& what = entry.what;
  const Buffer in = upload(input, "input"), out = upload(Words(what.output_words, kUntouched), "output");
  Args args{in.get(), out.get()};
  simt::TensorMap map{};
  std::uint32_t bytes = 0;
  if (what.map) {
    map = encode(*what.map, in, out);
    if (const std::string why = simt::check_tensor_map(map); !why.empty()) return {"tensor map: " + why, {}};
    bytes = map.element_bytes;
    for (std::uint32_t i = 0; i < map.rank; ++i) bytes *= map.box[i];
  }
  void* arguments[] = {&args, &map, &bytes};
  simt::Config config;
  config.async = kModes[mode].async;
  config.order = kModes[mode].order;
  config.detect = kModes[mode].detect;
  const simt::Result result =
      simt::launch(config, {what.blocks, 1, 1}, {what.threads, 1, 1}, what.shared_bytes, {what.cluster, 1, 1},
                   [&] { entry.kernel(arguments); });
  if (!result.ok()) return {result.findings.front().kind + ": " + result.findings.front().message, {}};
  return {"", Words(out.get(), out.get() + what.output_words)};
}

}  // namespace conformance
