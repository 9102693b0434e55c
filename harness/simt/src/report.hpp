// report.hpp - findings: what is wrong, who did it, where in the source.
#pragma once
#include <array>
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

/// A race found by report_once with `key`, in which the running thread is about to store `bytes` at `pointer` (null: no plain
/// store). Where no store of it changes what the memory holds, the finding becomes a `same-value-race`; if all were `one_store`
/// of a warp each, it is none.
void note_racing_store(std::uint64_t key, const void* pointer, std::size_t bytes, bool one_store);
/// A race found by report_once with `key` between an atomic and a plain load of a cell; `thread`: of this wave that loads, plus
/// one, else 0. Where all that load it compare and swap it too, the load only begins their loops: it is no finding.
void note_seed_load(std::uint64_t key, std::uint64_t cell, std::uint32_t thread);
/// The finding just added is a read, at that site, of what nothing has written.
void note_unwritten_read(std::uint16_t site);
/// The race just added is a write that comes after the read at that site: what that read lacked is this write, which is named first.
void note_late_write(std::uint16_t read);
/// The running thread compares and swaps a cell.
void note_swap(std::uint64_t cell);

/// Volatile accesses of this launch that nothing orders: the first such pair. Result::relaxed.
void note_relaxed(const std::string& message);
extern bool relaxed_noted;

/// Compares what the last racing store left with what was there before. To be called before anything else happens.
void settle_racing_store();
/// The same before a hooked access. The first load of the storing thread may be that of a copy, which is not made yet.
void settle_racing_store_before(bool store);
extern bool racing_store_open;  // there is one to compare

/// "thread 5 of block (0,1,0)".
std::string thread_name(const Thread& thread);
/// "threads 0-31, 64", by their numbers in a block, ascending; the first few runs of them.
std::string threads_text(const std::vector<unsigned>& numbers);
/// "block (0,1,0)", by its number in the order of block_coordinates().
std::string block_name(std::uint32_t block_in_grid);
/// thread_name for any agent and epoch, of an earlier wave too: "the TMA load behind mbarrier 0x400 of block
/// (0,0,0)".
std::string agent_name(std::uint32_t agent, std::uint32_t epoch);
/// "byte 64 of 'C' (4096 bytes)" (memory.cpp).
std::string global_place(const void* pointer);
/// " at kernel.cu:57"; a placeholder until the launch is over, when symbols are looked up once for all.
std::string at(const void* pc);

/// " (shared.full(stage))": how the source writes the first argument of the call there; a placeholder as that of at(),
/// which becomes nothing where the source cannot be read.
std::string argument_at(const void* pc);

/// A place in the kernel together with what it does, numbered for use in stamps.
struct Site {
  const void* pc;
  AccessKind kind;
};
std::uint16_t find_site(const void* pc, AccessKind kind);

/// Numbers found before, by code address: nearly all accesses come from a few places in turn.
struct RecentSite {
  Site site{};
  std::uint16_t number = 0;
};
constexpr std::size_t kRecentSites = 256;
extern std::array<RecentSite, kRecentSites> recent_sites;

inline std::uint16_t site_number(const void* pc, AccessKind kind) {
  RecentSite& recent = recent_sites[reinterpret_cast<std::uintptr_t>(pc) / 4 % kRecentSites];
  if (recent.number == 0 || recent.site.pc != pc || recent.site.kind != kind)
    recent = {{pc, kind}, find_site(pc, kind)};
  return recent.number;
}
const Site& site_of(std::uint16_t number);

/// Forget findings and sites of the launch before; hand over the findings with their source lines.
void start_reports();
void finish_reports(Result& result);

/// Forget what the launch before has printed; hand over what this one has (printed.cpp).
void start_printing();
void finish_printing(Result& result);

/// Replaces the placeholders of at() (symbols.cpp).
void resolve_symbols(std::vector<Finding>& findings);

}  // namespace simt::core
