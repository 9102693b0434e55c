// worker.hpp - runs the cases in a child process, so that a crash or a hang costs one case and says which.
#pragma once
#include <functional>
#include <string>

#include "backend.hpp"

namespace conformance {

/// Called for every case and mode, in order. An outcome whose error is set has no output.
using Report = std::function<void(const Entry&, int mode, const Outcome&)>;

/// Runs the selected cases, each limited to `seconds`; a case that outlasts it, or kills the child, gets an
/// error and the rest goes on in a new child.
void run_all(const std::vector<const Entry*>& cases, int seconds, const Report& report);

/// environment() asked in a child: a process that has touched CUDA must not fork. Throws as environment()
/// does.
Environment environment_of_child();

/// The input of a case, from its name.
Words make_input(const Case& what);

}  // namespace conformance
