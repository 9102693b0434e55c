// golden.hpp - recorded outputs: one JSON file per group of cases, with where and when they were recorded.
#pragma once
#include <map>
#include <optional>
#include <string>

#include "case.hpp"

namespace conformance {

/// Output of a GPU: a digest of all words, and the words themselves if they are few (always if a
/// tolerance applies).
struct Golden {
  std::string digest;  // FNV-1a, 64 bits, hex
  std::optional<Words> words;
};
Golden make_golden(const Words& output);

/// Provenance of goldens; every field is text as the recorder found it.
struct Provenance {
  std::string date, gpu, driver, toolkit, header;  // header: SHA-256 of ptx.cuh
};

class GoldenStore {
 public:
  explicit GoldenStore(std::string folder) : folder_(std::move(folder)) {}
  /// Null when the case was never recorded. Throws std::runtime_error on a file that cannot be read.
  const Golden* find(const Case& what);
  /// Provenance of a group's file, if there is one.
  const Provenance* provenance(const std::string& group);
  /// Rewrites the group's file.
  void write(const std::string& group, const Provenance& from,
             const std::map<std::string, Golden>& goldens) const;

 private:
  struct File {
    Provenance from;
    std::map<std::string, Golden> goldens;
  };
  const File* load(const std::string& group);
  std::string folder_;
  std::map<std::string, std::optional<File>> files_;
};

}  // namespace conformance
