// report.cpp - collects findings, numbers sites, names threads and agents.
#include "report.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "scheduler.hpp"

namespace simt::core {
namespace {

constexpr std::size_t kRunsShown = 3;
constexpr std::size_t kCollected = 100;  // an unrolled loop makes many code addresses of one source line

std::vector<Finding> findings;
std::uint64_t finding_count;
std::unordered_set<std::uint64_t> reported;

/// Of each race: the finding, and whether all its stores so far left the memory as it was.
struct RacingStores {
  std::size_t finding;
  bool same, one_store;
  std::uint64_t times = 0;
};
std::unordered_map<std::uint64_t, RacingStores> racing_stores;  // by finding
struct {
  std::vector<std::uint64_t> findings;  // several where its bytes race with several accesses
  const void* pointer;
  const Thread* thread;
  bool read_since;  // it may be a copy, of whose store GCC tells before it tells of the load
  std::size_t bytes;
  unsigned char before[64];
} racing_store;

/// Of each race of a plain load with an atomic: who loaded where.
struct SeedLoads {
  std::size_t finding;
  std::uint64_t times = 0;
  std::unordered_set<std::uint64_t> loads = {};
};
std::unordered_map<std::uint64_t, SeedLoads> seed_loads;  // by finding
std::unordered_set<std::uint64_t> swaps;
std::unordered_map<std::uint16_t, std::size_t> unwritten_reads;  // by site: the finding
std::vector<std::pair<std::size_t, std::size_t>>
    late_writes;  // findings: such a read, and the race that explains it
std::string relaxed;

/// A cell with the thread of this wave that uses it; thread 0: any.
std::uint64_t use_of(std::uint64_t cell, std::uint32_t thread) {
  const std::uint64_t who = thread ? std::uint64_t{machine.wave_epoch} << 32 | thread : 0;
  return (cell * 0x9e3779b97f4a7c15ull ^ who) * 0xff51afd7ed558ccdull;
}

struct SiteTable {
  static constexpr std::uint32_t kSlots = 1 << 14;
  std::array<std::uint16_t, kSlots> slot{};  // hash -> number; 0 is free
  std::vector<Site> sites;
};
SiteTable table;

std::uint64_t hash_text(const char* words, std::uint64_t value) {
  for (; *words; ++words) value = (value ^ static_cast<unsigned char>(*words)) * 0x100000001b3ull;
  return value;
}

std::string triple(unsigned x, unsigned y, unsigned z) { return text("(%u,%u,%u)", x, y, z); }

/// "5", or "(1,2,0)" in a block of several dimensions.
std::string number_in_block(unsigned linear) {
  const Dim3& dim = machine.block_dim;
  if (dim.y == 1 && dim.z == 1) return std::to_string(linear);
  return triple(linear % dim.x, linear / dim.x % dim.y, linear / (dim.x * dim.y));
}

std::string thread_in_block(unsigned linear) { return "thread " + number_in_block(linear); }

/// A message without its numbers, but with its source lines (":57"): equal for findings that say the same.
std::string shape_of(const std::string& message) {
  std::string shape;
  for (std::size_t i = 0; i < message.size(); ++i) {
    const bool hex = message.compare(i, 2, "0x") == 0, line = i > 0 && message[i - 1] == ':';
    if (!hex && !std::isdigit(static_cast<unsigned char>(message[i]))) {
      shape += message[i];
      continue;
    }
    const std::size_t begin = i;
    if (hex) ++i;
    while (i + 1 < message.size() && std::isxdigit(static_cast<unsigned char>(message[i + 1])) &&
           (hex || std::isdigit(static_cast<unsigned char>(message[i + 1]))))
      ++i;
    if (line) shape.append(message, begin, i - begin + 1);
  }
  return shape;
}

void drop_repetitions() {
  std::set<std::string> shapes;
  std::erase_if(findings, [&](const Finding& finding) {
    return !shapes.insert(finding.kind + shape_of(finding.message)).second;
  });
  const auto most = static_cast<std::size_t>(std::max(machine.config.max_findings, 1));
  if (findings.size() > most) findings.resize(most);
}

}  // namespace

std::string text(const char* format, ...) {
  char buffer[1024];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(buffer, sizeof buffer, format, arguments);
  va_end(arguments);
  return buffer;
}

std::string block_name(std::uint32_t block_in_grid) {
  const Coordinates c = block_coordinates(block_in_grid);
  return "block " + triple(c.block.x, c.block.y, c.block.z);
}

std::string thread_name(const Thread& thread) {
  const Dim3& b = thread.ids.block;
  return thread_in_block(thread.index % machine.threads_per_block) + " of block " + triple(b.x, b.y, b.z);
}

std::string threads_text(const std::vector<unsigned>& numbers) {
  std::string words = numbers.size() == 1 ? "thread " : "threads ";
  std::size_t shown = 0;
  for (std::size_t runs = 0; shown < numbers.size(); ++runs) {
    if (runs == kRunsShown) return words + text(" and %zu more", numbers.size() - shown);
    const unsigned first = numbers[shown++];
    unsigned last = first;
    for (; shown < numbers.size() && numbers[shown] == last + 1; ++shown) ++last;
    words += (runs ? ", " : "") + number_in_block(first) + (last > first ? "-" + number_in_block(last) : "");
  }
  return words;
}

std::string agent_name(std::uint32_t number, std::uint32_t epoch) {
  if (epoch <= machine.launch_epoch) return "the launch before, which griddepcontrol.wait would wait for";
  const std::vector<Agent>* agents = &machine.agents;
  std::uint32_t first_block = machine.first_block;
  std::size_t threads = machine.threads.size();
  if (epoch <= machine.wave_epoch) {
    auto after =
        std::upper_bound(machine.past_waves.begin(), machine.past_waves.end(), epoch,
                         [](std::uint32_t e, const Machine::PastWave& wave) { return e <= wave.epoch; });
    if (after != machine.past_waves.begin()) {
      agents = &std::prev(after)->agents;
      first_block = std::prev(after)->first_block;
      threads = std::prev(after)->threads;
    }
  }
  if (number < threads || number >= agents->size() + threads) {
    const unsigned per_block = machine.threads_per_block;
    return thread_in_block(number % per_block) + " of " + block_name(first_block + number / per_block);
  }
  const Agent& agent = (*agents)[number - threads];
  const unsigned per_block = machine.threads_per_block;
  const std::string block = block_name(first_block + agent.owner / per_block);
  if (agent.unit == Unit::wgmma) return text("warpgroup %u of ", agent.owner % per_block / 128) + block;
  const std::string owner = thread_in_block(agent.owner % per_block) + " of " + block;
  return agent.unit == Unit::tma ? owner + text(" (mbarrier 0x%x)", agent.barrier) : owner;
}

std::string at(const void* pc) {
  if (!pc) return "";
  return text(" at \x01%llx\x02", static_cast<unsigned long long>(reinterpret_cast<std::uintptr_t>(pc)));
}

std::string argument_at(const void* pc) {
  if (!pc) return "";
  return text("\x01#%llx\x02", static_cast<unsigned long long>(reinterpret_cast<std::uintptr_t>(pc)));
}

bool report_once(const char* kind, std::uint64_t key, const std::string& message) {
  ++finding_count;
  if (!reported.insert(hash_text(kind, key)).second) return false;
  if (findings.size() < kCollected) findings.push_back({kind, message});
  return true;
}

void note_racing_store(std::uint64_t key, const void* pointer, std::size_t bytes, bool one_store) {
  const auto [known, is_new] =
      racing_stores.try_emplace(key, RacingStores{findings.size() - 1, true, one_store});
  ++known->second.times;
  if (!known->second.same) return;
  if (!pointer || bytes > sizeof racing_store.before) {
    known->second.same = false;
    return;
  }
  if (racing_store_open && racing_store.pointer == pointer && racing_store.thread == machine.current) {
    racing_store.findings.push_back(key);
    return;
  }
  settle_racing_store();
  racing_store_open = true;
  racing_store.findings.assign(1, key);
  racing_store.pointer = pointer;
  racing_store.thread = machine.current;
  racing_store.read_since = false;
  racing_store.bytes = bytes;
  std::memcpy(racing_store.before, pointer, bytes);
}

void note_seed_load(std::uint64_t key, std::uint64_t cell, std::uint32_t thread) {
  SeedLoads& known = seed_loads.try_emplace(key, SeedLoads{findings.size() - 1}).first->second;
  ++known.times;
  known.loads.insert(use_of(cell, thread));
}

void note_unwritten_read(std::uint16_t site) { unwritten_reads.try_emplace(site, findings.size() - 1); }

void note_late_write(std::uint16_t read) {
  const auto known = unwritten_reads.find(read);
  if (known == unwritten_reads.end()) return;
  late_writes.emplace_back(known->second, findings.size() - 1);
  unwritten_reads.erase(known);
}

void note_swap(std::uint64_t cell) {
  swaps.insert(use_of(cell, machine.current->index + 1));
  swaps.insert(use_of(cell, 0));
}

bool racing_store_open = false;
bool relaxed_noted = false;

void note_relaxed(const std::string& message) {
  relaxed_noted = true;
  relaxed = message;
}

void settle_racing_store() {
  if (!racing_store_open) return;
  if (std::memcmp(racing_store.pointer, racing_store.before, racing_store.bytes) != 0)
    for (const std::uint64_t finding : racing_store.findings) racing_stores.at(finding).same = false;
  racing_store_open = false;
}

void settle_racing_store_before(bool store) {
  if (store || racing_store.read_since || machine.current != racing_store.thread)
    return settle_racing_store();
  racing_store.read_since = true;
  machine.budget = std::max<std::int64_t>(machine.budget, 1);  // nobody else runs before the copy is made
}

void report(const char* kind, const std::string& message) {
  const Thread* self = machine.current;
  const auto key = self ? reinterpret_cast<std::uintptr_t>(self->pc) : 0;
  report_once(kind, hash_text(message.substr(0, 24).c_str(), key),
              self ? message + " [" + thread_name(*self) + at(self->pc) + "]" : message);
}

void fail(const char* kind, const std::string& message) {
  report(kind, message);
  throw Abandoned();
}

std::uint16_t find_site(const void* pc, AccessKind kind) {
  const auto bits = reinterpret_cast<std::uintptr_t>(pc) * 31 + static_cast<std::uintptr_t>(kind);
  std::uint32_t slot = static_cast<std::uint32_t>((bits * 0x9e3779b97f4a7c15ull) >> 40) % SiteTable::kSlots;
  for (;; slot = (slot + 1) % SiteTable::kSlots) {
    const std::uint16_t number = table.slot[slot];
    if (!number) break;
    const Site& site = table.sites[number];
    if (site.pc == pc && site.kind == kind) return number;
  }
  if (table.sites.size() >= SiteTable::kSlots / 2)
    return 1 + static_cast<std::uint16_t>(kind);  // the kind alone
  table.slot[slot] = static_cast<std::uint16_t>(table.sites.size());
  table.sites.push_back({pc, kind});
  return table.slot[slot];
}

std::array<RecentSite, kRecentSites> recent_sites;

const Site& site_of(std::uint16_t number) { return table.sites[number]; }

void start_reports() {
  findings.clear();
  reported.clear();
  finding_count = 0;
  racing_stores.clear();
  racing_store_open = false;
  seed_loads.clear();
  swaps.clear();
  unwritten_reads.clear();
  late_writes.clear();
  relaxed.clear();
  relaxed_noted = false;
  if (machine.keeps_accesses) return;  // stamps of the launch before still name its sites
  table.slot.fill(0);
  recent_sites.fill({});
  table.sites.assign(1, Site{nullptr, AccessKind::load});
  for (int kind = 0; kind <= static_cast<int>(AccessKind::wgmma_read); ++kind)
    table.sites.push_back({nullptr, static_cast<AccessKind>(kind)});
}

/// Races that are none: loads that begin a loop of compare and swap, and stores of one warp's instruction that all left the value
/// that was there. Other stores of that kind come last, since they may be meant.
static void judge_racing_stores() {
  for (const auto& [key, loads] : seed_loads) {
    const bool all = std::all_of(loads.loads.begin(), loads.loads.end(),
                                 [](std::uint64_t one) { return swaps.contains(one); });
    if (!all || loads.finding >= findings.size()) continue;
    findings[loads.finding].kind.clear();
    finding_count -= loads.times;
  }
  for (const auto& [key, stores] : racing_stores) {
    if (!stores.same || stores.finding >= findings.size() || findings[stores.finding].kind.empty()) continue;
    Finding& finding = findings[stores.finding];
    finding.kind = stores.one_store ? "" : "same-value-race";
    finding.message += "; each store leaves the value that was there";
    if (stores.one_store) finding_count -= stores.times;
  }
  for (const auto& [read, race] : late_writes)
    if (race < findings.size() && findings[race].kind == "race") std::swap(findings[read], findings[race]);
  std::erase_if(findings, [](const Finding& one) { return one.kind.empty(); });
  std::stable_partition(findings.begin(), findings.end(),
                        [](const Finding& one) { return one.kind != "same-value-race"; });
  // First the barriers that do not order what follows them: races may be their consequence.
  std::stable_partition(findings.begin(), findings.end(), [](const Finding& one) {
    return one.kind == "divergent-barrier" || one.kind == "early-exit";
  });
}

void finish_reports(Result& result) {
  settle_racing_store();
  judge_racing_stores();
  resolve_symbols(findings);
  drop_repetitions();
  result.findings = std::move(findings);
  result.finding_count = finding_count;
  result.relaxed = relaxed;
  findings = {};
}

}  // namespace simt::core
