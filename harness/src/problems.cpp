#include "problems.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <limits>

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
    bytes += (reference.value.size() + reference.bound.size() + reference.exact.size()) * sizeof(double);
  return bytes;
}

std::unique_ptr<Problem> make(const Json& json, const Parameters& parameters) {
  return family_code("make_problem", [&] {
    try {
      return make_problem(json, parameters);
    } catch (const std::invalid_argument& malformed) {
      throw ProblemRefused(malformed.what());
    } catch (const JsonError& malformed) {
      throw ProblemRefused(std::string("problem: ") + malformed.what());
    }
  });
}

[[noreturn]] void fail(const char* function, const std::string& what) { throw FamilyMistake(function, what); }

/// Refuses tensors that cannot be laid out, and a problem that leaves nothing to judge.
void check_tensors(const std::vector<Tensor>& tensors) {
  bool written = false;
  for (const Tensor& tensor : tensors) {
    const std::string name = "tensor '" + tensor.name + "'";
    if (tensor.rows < 0 || tensor.cols < 0 || tensor.offset < 0)
      fail("tensors", name + " has a negative number of rows or columns, or a negative offset");
    if (tensor.rows > 1 && tensor.stride < tensor.cols)
      fail("tensors", name + " has rows of " + std::to_string(tensor.cols) + " elements only " +
                          std::to_string(tensor.stride) + " apart");
    written = written || tensor.is_result();
    if (tensor.role == Role::output || tensor.rows == 0 || tensor.cols == 0) continue;
    const std::int64_t pitch = tensor.sparse ? tensor.cols : tensor.stride;
    const std::size_t extent =
        static_cast<std::size_t>((tensor.rows - 1) * pitch + tensor.cols) * element_bytes(tensor.type);
    if (tensor.image.size() < extent)
      fail("tensors", name + ": the image has " + std::to_string(tensor.image.size()) +
                          " bytes, its elements reach to byte " + std::to_string(extent));
  }
  if (!written) fail("tensors", "no tensor is an output: there is nothing to judge");
}

void check_bounds(const Tensor& tensor, const Reference& reference) {
  for (std::size_t i = 0; i < reference.value.size(); ++i) {
    if (!std::isfinite(reference.value[i])) continue;
    if (!(reference.bound[i] >= 0 && reference.bound[i] <= std::numeric_limits<double>::max()))
      fail("reference", "the bound of element " + std::to_string(i) + " of '" + tensor.name + "' is " +
                            std::to_string(reference.bound[i]) + "; it must be 0 or a positive number");
  }
}

/// One reference per tensor that is a result, each with a value and a bound per element.
void check_references(const std::vector<Tensor>& tensors, const References& references) {
  std::size_t count = 0;
  const auto check = [&](const Tensor& tensor) {
    if (!tensor.is_result()) return;
    if (count == references.size()) fail("reference", "no reference for the output '" + tensor.name + "'");
    const Reference& reference = references[count++];
    const auto elements = static_cast<std::size_t>(tensor.rows * tensor.cols);
    if (reference.value.size() != elements || reference.bound.size() != elements)
      fail("reference", std::to_string(reference.value.size()) + " values and " +
                            std::to_string(reference.bound.size()) + " bounds for the " +
                            std::to_string(elements) + " elements of '" + tensor.name + "'");
    if (!reference.unspecified.empty() && reference.unspecified.size() != elements)
      fail("reference", "'" + tensor.name + "' has " + std::to_string(elements) + " elements, of which " +
                            std::to_string(reference.unspecified.size()) + " are unspecified or not");
    check_bounds(tensor, reference);
  };
  for (const Tensor& tensor : tensors) {
    if (tensor.fields.empty()) check(tensor);
    for (const Tensor& field : tensor.fields) check(field);
  }
  if (count != references.size())
    fail("reference",
         std::to_string(references.size()) + " references for " + std::to_string(count) + " outputs");
}

}  // namespace

std::shared_ptr<const Problem> ProblemCache::problem(const Json& json, const Parameters& parameters) {
  const std::string key = json.dump();
  if (auto known = problems_.find(key)) return known;
  std::shared_ptr<const Problem> made = make(json, parameters);
  if (!made) fail("make_problem", "it gave no problem");
  check_tensors(family_code("tensors", [&]() -> const std::vector<Tensor>& { return made->tensors(); }));
  problems_.insert(key, made, bytes_of(*made));
  return made;
}

std::shared_ptr<const References> ProblemCache::references(const Problem& problem) {
  const std::string key = family_code("key", [&] { return problem.key(); });
  if (auto known = references_.find(key)) return known;
  auto made = std::make_shared<const References>(family_code("reference", [&] {
    try {
      return problem.reference();
    } catch (const std::invalid_argument&
                 malformed) {  // a reference beside the problem, a file say, does not fit it
      throw ProblemRefused(malformed.what());
    }
  }));
  check_references(problem.tensors(), *made);
  references_.insert(key, made, bytes_of(*made));
  return made;
}

std::size_t default_cache_bytes() {
  std::ifstream file("/proc/meminfo");
  std::size_t kilobytes = 0;
  for (std::string word; file >> word;)
    if (word == "MemAvailable:" && file >> kilobytes) break;
  const char* text = std::getenv("TW_WORKERS");  // that share this machine's memory
  const std::size_t workers = std::max(1, text ? std::atoi(text) : 1);
  return std::max<std::size_t>((kilobytes / 3 << 10) / workers, std::size_t{256} << 20);
}

}  // namespace tilewright
