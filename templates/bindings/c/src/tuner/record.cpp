// record.cpp - records as text. What is written has no character that JSON escapes, and what is read was written here: its
// digest says so.
#include "tuner/record.hpp"

namespace tilewright::library::tuner {
namespace {

constexpr std::string_view kBegin = "{\"schema\":1,", kSum = ",\"sum\":\"", kEnd = "\"}\n";
constexpr std::size_t kDigits = 16;

std::string member(std::string_view name, std::string_view value) {
  return "\"" + std::string(name) + "\":\"" + std::string(value) + "\",";
}

/// A member that is a string without escapes; nothing where there is none.
std::string find_member(std::string_view text, std::string_view name) {
  const std::string begin = "\"" + std::string(name) + "\":\"";
  const std::size_t at = text.find(begin);
  if (at == std::string_view::npos) return {};
  const std::size_t from = at + begin.size();
  return std::string(text.substr(from, text.find('"', from) - from));
}

/// The member `measured`, a list of pairs.
std::string find_measured(std::string_view text) {
  constexpr std::string_view kName = "\"measured\":", kNext = ",\"time\":";
  const std::size_t at = text.find(kName), end = text.find(kNext);
  if (at == std::string_view::npos || end == std::string_view::npos || end < at) return {};
  return std::string(text.substr(at + kName.size(), end - at - kName.size()));
}

}  // namespace

std::string digest_of(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char one : text) hash = (hash ^ static_cast<unsigned char>(one)) * 0x100000001b3;
  std::string digits;
  for (int shift = 60; shift >= 0; shift -= 4) digits.push_back("0123456789abcdef"[hash >> shift & 15]);
  return digits;
}

std::string text_of(const Record& record, std::int64_t time) {
  std::string text(kBegin);
  text += member("key", record.key) + member("variant", record.variant) + member("hash", record.hash);
  if (!record.refused.empty()) text += member("refused", record.refused);
  text += "\"measured\":" + (record.measured.empty() ? "[]" : record.measured) + ",\"time\":" + std::to_string(time);
  return text + std::string(kSum) + digest_of(text) + std::string(kEnd);
}

std::optional<Record> record_of(std::string_view text, std::string_view key) {
  const std::size_t tail = kSum.size() + kDigits + kEnd.size();
  if (text.size() < kBegin.size() + tail || !text.starts_with(kBegin) || !text.ends_with(kEnd)) return {};
  const std::string_view body = text.substr(0, text.size() - tail);
  if (text.substr(body.size(), kSum.size()) != kSum) return {};
  if (text.substr(body.size() + kSum.size(), kDigits) != digest_of(body)) return {};
  Record record{find_member(body, "key"), find_member(body, "variant"), find_member(body, "hash"),
                find_member(body, "refused"), find_measured(body)};
  if (record.key != key || record.variant.empty()) return {};
  return record;
}

}  // namespace tilewright::library::tuner
