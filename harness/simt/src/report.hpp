// report.hpp - findings: what is wrong, who did it, where in the source.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "machine.hpp"

namespace simt::core {

/// printf into a string.
[[gnu::format(printf, 1, 2)]] std::string text(const char* format, ...);

/// Adds a finding about the running thread, once per kind and source line. The message gets its thread, block
/// and line.
void report(const char* kind, const std::string& message);
/// Adds a finding once per `key`; the message is complete. False when it was there already.
bool report_once(const char* kind, std::uint64_t key, const std::string& message);
/// Adds a finding and ends the launch: nothing that follows would mean anything. Only within a fiber.
[[noreturn]] void fail(const char* kind, const std::string& message);

/// "thread 5 of block (0,1,0)".
std::string thread_name(const Thread& thread);
/// "block (0,1,0)", by its number in the order of block_coordinates().
std::string block_name(std::uint32_t block_in_grid);
/// thread_name for any agent and epoch, of an earlier wave too: "the TMA load behind mbarrier 0x400 of block
/// (0,0,0)".
std::string agent_name(std::uint32_t agent, std::uint32_t epoch);
/// "byte 64 of 'C' (4096 bytes)" (memory.cpp).
std::string global_place(const void* pointer);
/// " at kernel.cu:57"; a placeholder until the launch is over, when symbols are looked up once for all.
std::string at(const void* pc);

/// A place in the kernel together with what it does, numbered for use in stamps.
struct Site {
  const void* pc;
  AccessKind kind;
};
std::uint16_t site_number(const void* pc, AccessKind kind);
const Site& site_of(std::uint16_t number);

/// Forget findings and sites of the launch before; hand over the findings with their source lines.
void start_reports();
void finish_reports(Result& result);

/// Replaces the placeholders of at() (symbols.cpp).
void resolve_symbols(std::vector<Finding>& findings);

}  // namespace simt::core
