#include "problems.hpp"

#include <algorithm>
#include <fstream>

namespace tilewright {
namespace {

std::size_t bytes_of(const Problem& problem) {
  std::size_t bytes = 0;
  for (const Tensor& tensor : problem.tensors()) bytes += tensor.image.size();
  return bytes;
}

std::size_t bytes_of(const References& references) {
  std::size_t bytes = 0;
  for (const Reference& reference : references)
    bytes += (reference.value.size() + reference.bound.size()) * sizeof(double);
  return bytes;
}

std::unique_ptr<Problem> make(const Json& json, const Parameters& parameters) {
  try {
    return make_problem(json, parameters);
  } catch (const std::invalid_argument& malformed) {
    throw ProblemRefused(malformed.what());
  } catch (const JsonError& malformed) {
    throw ProblemRefused(std::string("problem: ") + malformed.what());
  }
}

}  // namespace

std::shared_ptr<const Problem> ProblemCache::problem(const Json& json, const Parameters& parameters) {
  const std::string key = json.dump();
  if (auto known = problems_.find(key)) return known;
  std::shared_ptr<const Problem> made = make(json, parameters);
  problems_.insert(key, made, bytes_of(*made));
  return made;
}

std::shared_ptr<const References> ProblemCache::references(const Problem& problem) {
  const std::string key = problem.key();
  if (auto known = references_.find(key)) return known;
  auto made = [&problem] {
    try {
      return std::make_shared<const References>(problem.reference());
    } catch (const std::invalid_argument& malformed) {
      throw ProblemRefused(malformed.what());
    }
  }();
  references_.insert(key, made, bytes_of(*made));
  return made;
}

std::size_t default_cache_bytes() {
  std::ifstream file("/proc/meminfo");
  std::size_t kilobytes = 0;
  for (std::string word; file >> word;)
    if (word == "MemAvailable:" && file >> kilobytes) break;
  return std::max<std::size_t>(kilobytes / 3 << 10, std::size_t{256} << 20);
}

}  // namespace tilewright
