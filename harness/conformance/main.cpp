// main.cpp - runs every conformance case and compares it: with its reference (what the PTX ISA says) and with
// the golden that a GPU recorded. On a GPU, `--record` writes the goldens.
//
//   conformance [--golden FOLDER] [--case TEXT] [--require-golden]
//   conformance --record FOLDER --date D --driver V --header HASH
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <set>

#include "golden.hpp"
#include "worker.hpp"

namespace conformance {
namespace {

struct Options {
  std::string golden, record, only, date = "unknown", driver = "unknown", header = "unknown";
  bool require_golden = false;
};

struct Usage {
  std::string what;
};

Options parse(int count, char** arguments) {
  Options options;
  for (int i = 1; i < count; ++i) {
    const std::string flag = arguments[i];
    if (flag == "--require-golden") {
      options.require_golden = true;
      continue;
    }
    std::string* value = flag == "--golden"   ? &options.golden
                         : flag == "--record" ? &options.record
                         : flag == "--case"   ? &options.only
                         : flag == "--date"   ? &options.date
                         : flag == "--driver" ? &options.driver
                         : flag == "--header" ? &options.header
                                              : nullptr;
    if (!value) throw Usage{"unknown option " + flag};
    if (++i == count) throw Usage{flag + " needs a value"};
    *value = arguments[i];
  }
  return options;
}

/// Empty, or the first difference. Tolerances are for floats; NaN never agrees.
std::string difference(const Words& got, const Words& expected, float tolerance) {
  if (got.size() != expected.size())
    return std::to_string(got.size()) + " words instead of " + std::to_string(expected.size());
  std::size_t wrong = 0, first = 0;
  for (std::size_t i = got.size(); i-- > 0;) {
    const bool same = tolerance > 0 ? std::fabs(as_float(got[i]) - as_float(expected[i])) <= tolerance
                                    : got[i] == expected[i];
    if (same) continue;
    ++wrong;
    first = i;
  }
  if (wrong == 0) return "";
  char text[160];
  std::snprintf(text, sizeof text, "%zu of %zu words differ, first [%zu]: %08x (%g) instead of %08x (%g)",
                wrong, got.size(), first, got[first], as_float(got[first]), expected[first],
                as_float(expected[first]));
  return text;
}

/// One run: its failures by name, the goldens it makes, what it misses.
class Session {
 public:
  explicit Session(const Options& options) : options_(options), store_(options.golden) {}

  int run() {
    const Environment where = environment_of_child();
    if (!options_.record.empty() && !where.gpu)
      throw std::runtime_error("goldens are recorded on a GPU: use harness/conformance/record.sh there");
    const std::vector<const Entry*> cases = selected();
    run_all(cases, 10,
            [this](const Entry& entry, int mode, const Outcome& outcome) { judge(entry, mode, outcome); });
    if (!options_.record.empty()) record(where);
    return summarise(cases.size(), where);
  }

 private:
  std::vector<const Entry*> selected() const {
    std::vector<const Entry*> cases;
    std::set<std::string> names;
    for (const Entry& entry : registry()) {
      if (!names.insert(entry.what.name).second)
        throw std::runtime_error("two cases are called " + entry.what.name);
      if (entry.what.name.find(options_.only) != std::string::npos) cases.push_back(&entry);
    }
    return cases;
  }

  void judge(const Entry& entry, int mode, const Outcome& outcome) {
    const Case& what = entry.what;
    std::string why = outcome.error;
    if (why.empty()) {
      Words expected(what.output_words, kUntouched);
      what.reference(make_input(what), expected);
      why = difference(outcome.output, expected, what.tolerance);
      if (!why.empty()) why = "against the reference: " + why;
    }
    if (outcome.error.empty() && !options_.golden.empty()) {
      const std::string against = against_golden(what, outcome.output);
      if (!against.empty()) why = against;
    }
    if (outcome.error.empty() && mode == 0) recorded_[what.group][what.name] = make_golden(outcome.output);
    if (why.empty()) return;
    ++failures_;
    std::printf("FAIL %s (%s; %s): %s\n", what.name.c_str(), mode_name(mode), what.wrappers.c_str(),
                why.c_str());
  }

  std::string against_golden(const Case& what, const Words& output) {
    const Golden* golden = store_.find(what);
    if (!golden) {
      missing_.insert(what.name);
      return "";
    }
    if (golden->words) {
      const std::string why = difference(output, *golden->words, what.tolerance);
      return why.empty() ? "" : "against the golden: " + why;
    }
    return golden->digest == make_golden(output).digest ? "" : "against the golden: the digest differs";
  }

  void record(const Environment& where) const {
    const GoldenStore store(options_.record);
    for (const auto& [group, goldens] : recorded_)
      store.write(group, {options_.date, where.device, options_.driver, where.runtime, options_.header},
                  goldens);
  }

  int summarise(std::size_t cases, const Environment& where) {
    std::printf("%zu cases on %s, %d ways each: %zu failures\n", cases, where.device.c_str(), mode_count(),
                failures_);
    if (options_.golden.empty()) return failures_ == 0 ? 0 : 1;
    print_provenance();
    if (missing_.empty()) {
      std::printf("every case has a golden\n");
    } else {
      std::printf(
          "MISSING: %zu of %zu cases have no golden from a GPU and were compared with their references only: "
          "%s, …\n"
          "record them on a Hopper GPU: harness/conformance/record.sh harness/conformance/golden\n",
          missing_.size(), cases, missing_.begin()->c_str());
    }
    return failures_ == 0 && (missing_.empty() || !options_.require_golden) ? 0 : 1;
  }

  /// Prints the provenance of the goldens, one line per group that has some.
  void print_provenance() {
    for (const auto& [group, goldens] : recorded_)
      if (const Provenance* from = store_.provenance(group))
        std::printf("%s: %zu goldens of %s, driver %s, %s, %s\n", group.c_str(), goldens.size(),
                    from->gpu.c_str(), from->driver.c_str(), from->toolkit.c_str(), from->date.c_str());
  }

  const Options& options_;
  GoldenStore store_;
  std::size_t failures_ = 0;
  std::set<std::string> missing_;
  std::map<std::string, std::map<std::string, Golden>> recorded_;
};

}  // namespace
}  // namespace conformance

int main(int count, char** arguments) {
  try {
    const conformance::Options options = conformance::parse(count, arguments);
    return conformance::Session(options).run();
  } catch (const conformance::Usage& usage) {
    std::fprintf(stderr, "conformance: %s\n", usage.what.c_str());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "conformance: %s\n", error.what());
  }
  return 2;
}
