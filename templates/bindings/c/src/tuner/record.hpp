// record.hpp - one settled key as text: a line of JSON that says itself whether it is whole. `gen cache` reads the same.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tilewright::library::tuner {

/// FNV-1a, 64 bits, as 16 hexadecimal digits.
std::string digest_of(std::string_view text);

/// Tuning record of a key.
struct Record {
  std::string key;
  std::string variant;   // its id; that of a kernel not to be taken where `refused` says why
  std::string hash;      // of the variant's source
  std::string refused;   // empty: the variant is the key's choice
  std::string measured;  // JSON, as in Outcome; may be empty
};

/// `{"schema":1,"key":…,"variant":…,"hash":…[,"refused":…],"measured":…,"time":…,"sum":"<digest of all before this member>"}`.
/// `time`: seconds since 1970.
std::string text_of(const Record& record, std::int64_t time);

/// Nothing where the text is cut, changed, of another schema or not about the key.
std::optional<Record> record_of(std::string_view text, std::string_view key);

}  // namespace tilewright::library::tuner
