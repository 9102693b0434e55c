// key.cpp - keys of calls as text.
#include <cmath>

#include "tuner/request.hpp"

namespace tilewright::library::tuner {
namespace {

std::int64_t rounded_size(double size) {
  if (size <= 128) return static_cast<std::int64_t>(size);
  if (size <= 512) return static_cast<std::int64_t>(std::ceil(size / 8)) * 8;
  return std::llround(std::exp2(std::ceil(2 * std::log2(size) - 1e-9) / 2));
}

/// 2 * log2, rounded: half octaves.
std::string half_octave(double number) {
  if (!(number > 0)) return "0";
  return "2^" + std::to_string(std::lround(2 * std::log2(number))) + "/2";
}

std::string word(const char* name, const std::string& value) { return " " + std::string(name) + "=" + value; }

}  // namespace

std::string key_of(const Request& request, bool deterministic) {
  std::string key = request.operation;
  const Asked& asked = request.asked;
  for (std::size_t i = 0; i < asked.features.size(); ++i) {
    const auto& [name, number] = asked.features[i];
    key += word(name, i < request.sizes ? std::to_string(rounded_size(number)) : half_octave(number));
  }
  for (std::size_t i = 0; i < asked.values.size(); ++i)
    key += word(asked.names[i].name, asked.names[i].values[asked.values[i]]);
  for (const Detail& detail : request.details) key += word(detail.name, std::to_string(detail.number));
  return key + word("deterministic", deterministic ? "1" : "0");
}

}  // namespace tilewright::library::tuner
