// subject.hpp - a subject: a correct kernel, or the same kernel with one seeded bug, that the emulated device
// is tried on. Correct kernels must pass every schedule; every bug must be found, and the table says by which
// mode.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "problem.hpp"
#include "simt/simt.hpp"

namespace bugs {

/// Findings of one run. Letters: N wrong or unwritten result, D deadlock or hang, R race or uninitialised
/// read, P phase or parity, M tensor map refused, L rule of the hardware broken, E work left behind at the
/// end, T illegal access or trap.
struct Finding {
  std::string letters;  // sorted, each once; empty: passed
  std::string message;  // the first finding's
};

struct Subject {
  std::string kernel;     // "mma", "wgmma", …
  std::string bug;        // empty: correct
  bool harmless = false;  // looks like a bug, is none: must pass
  std::function<Finding(const simt::Config&)> run;
};

/// In the order of the table.
std::vector<Subject>& subjects();

/// Adds subjects from a kernel's file: the correct kernel and one entry per bug.
struct Register {
  Register(const char* kernel, const char* bug, std::function<Finding(const simt::Config&)> run,
           bool harmless = false) {
    subjects().push_back({kernel, bug, harmless, std::move(run)});
  }
};

/// Turns a launch's result and the comparison of its output into a Finding.
Finding summarise(const simt::Result& result, std::size_t wrong_elements, std::size_t elements);

}  // namespace bugs
