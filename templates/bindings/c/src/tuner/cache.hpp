// cache.hpp - records on disk: <root>/v1/<digest of the environment>/{environment.txt,k/<digest of key>.json,
// r/<digest of key and variant>.json}. A file is written aside and linked to its name, so that it is there as a whole or not
// at all, and whoever comes first is believed. Whatever cannot be read is not there; nothing here throws.
#pragma once
#include <atomic>
#include <optional>
#include <string>

#include "tuner/record.hpp"

namespace tilewright::library::tuner {

class Cache {
 public:
  /// `folder`: null for `tuned` in the user's cache folder, empty for no cache. `environment`: of all its records.
  Cache(const char* folder, const std::string& environment);

  /// The choice for a key. `damaged` counts files that are no valid records of it.
  std::optional<Record> find(const std::string& key, std::atomic<std::int64_t>& damaged) const;
  /// Whether a kernel is not to be taken for a key.
  bool is_refused(const std::string& key, const std::string& variant, const std::string& hash,
                  std::atomic<std::int64_t>& damaged) const;

  /// Adds a choice and returns the one that holds: that of whoever came first. With `replace` the new one holds.
  Record publish(const Record& record, bool replace);
  /// Adds a kernel that is not to be taken, and takes away the key's choice where it is that one.
  void refuse(const Record& record);

 private:
  std::string place_of(const Record& record) const;
  bool write(const std::string& path, const std::string& text, bool replace);
  void warn(const std::string& what);
  std::string folder_;  // of the environment; empty: none
  std::string environment_;
  std::atomic<bool> writable_{true};
};

}  // namespace tilewright::library::tuner
