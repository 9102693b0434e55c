// faults.hpp - a crash inside a kernel becomes a finding.
#pragma once

namespace simt::core {

/// Catches SIGSEGV, SIGBUS, SIGFPE, SIGILL and SIGTRAP while a kernel runs; outside of one the handlers that
/// were there before get them. Installed once.
void install_fault_handlers();

}  // namespace simt::core
