// problems.hpp - problems and their references, kept while memory allows: a reference costs far more than a
// launch, and one sweep asks for the same few again and again.
#pragma once
#include <list>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "family_code.hpp"
#include "tilewright/family.hpp"

namespace tilewright {

/// Least-recently-used cache of shared values, bounded by bytes. The newest value stays whatever its size.
template <class Value>
class LruCache {
 public:
  explicit LruCache(std::size_t max_bytes) : max_bytes_(max_bytes) {}

  std::shared_ptr<const Value> find(const std::string& key) {
    const auto found = index_.find(key);
    if (found == index_.end()) return nullptr;
    entries_.splice(entries_.begin(), entries_, found->second);
    return found->second->value;
  }

  void insert(const std::string& key, std::shared_ptr<const Value> value, std::size_t bytes) {
    if (index_.contains(key)) return;
    entries_.push_front({key, std::move(value), bytes});
    index_[key] = entries_.begin();
    bytes_ += bytes;
    while (bytes_ > max_bytes_ && entries_.size() > 1) {
      bytes_ -= entries_.back().bytes;
      index_.erase(entries_.back().key);
      entries_.pop_back();
    }
  }

  std::size_t bytes() const { return bytes_; }

 private:
  struct Entry {
    std::string key;
    std::shared_ptr<const Value> value;
    std::size_t bytes;
  };
  std::size_t max_bytes_, bytes_ = 0;
  std::list<Entry> entries_;  // most recently used first
  std::unordered_map<std::string, typename std::list<Entry>::iterator> index_;
};

using References = std::vector<Reference>;

/// Problems by their JSON, references by Problem::key. Each may fill up to `max_bytes`.
class ProblemCache {
 public:
  explicit ProblemCache(std::size_t max_bytes) : problems_(max_bytes), references_(max_bytes) {}
  /// Throws ProblemRefused for one that is malformed, FamilyMistake where the family's code fails. One object serves every variant that is asked for the
  /// same JSON.
  std::shared_ptr<const Problem> problem(const Json& json, const Parameters& parameters);
  std::shared_ptr<const References> references(const Problem& problem);

 private:
  LruCache<Problem> problems_;
  LruCache<References> references_;
};

/// A third of the memory that the system calls available, at least 256 MiB.
std::size_t default_cache_bytes();

}  // namespace tilewright
