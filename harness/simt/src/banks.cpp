// banks.cpp - shared memory has 32 banks of 4 bytes. Lanes that touch different words of one bank are served
// one after the other, each turn a wavefront; lanes that touch the same word share one. Accesses of 8 bytes
// are served by half warps and those of 16 bytes by quarter warps, so that they need two and four wavefronts
// at least.
#include "banks.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <tuple>

#include "report.hpp"

namespace simt::core {
namespace {

std::vector<SharedSite> sites;  // by site_number(); their code addresses are filled in at the end

constexpr unsigned kMostWords = 64;  // 32 lanes of 4 bytes, each over the end of a word

/// One access of one lane; `turn` counts the lane's accesses at this site.
struct Placed {
  std::uint32_t site, turn, lane, address, bytes;
};

std::uint32_t lanes_per_part(std::uint32_t bytes) { return bytes <= 4 ? 32 : bytes <= 8 ? 16 : 8; }

/// Lanes at one access, in the order of their numbers. All move the same number of bytes: one code address
/// does.
class WarpAccess {
 public:
  void add(std::uint32_t lane, std::uint32_t address, std::uint32_t bytes) {
    const std::uint32_t part = lane / lanes_per_part(bytes);
    if (part != part_) finish_part();
    part_ = part;
    const std::uint32_t last = (address + bytes - 1) / 4;
    for (std::uint32_t word = address / 4; word <= last && count_ < kMostWords; ++word)
      words_[count_++] = word;
  }
  void finish(std::uint16_t site) {
    finish_part();
    count_access(site, wavefronts_, parts_);
    wavefronts_ = parts_ = 0;
  }

 private:
  void finish_part() {
    if (count_ == 0) return;
    wavefronts_ += wavefronts_of(words_, count_);
    ++parts_;
    count_ = 0;
  }

  std::uint32_t words_[kMostWords];
  std::uint32_t part_ = 0;
  unsigned count_ = 0, wavefronts_ = 0, parts_ = 0;
};

/// All lanes that noted anything noted the same sites in the same order, as they do unless they
/// diverge.
bool in_step(const Warp& warp, const Thread*& model) {
  model = nullptr;
  for (std::uint32_t lanes = ~warp.absent, lane; lanes; lanes &= lanes - 1) {
    lane = static_cast<std::uint32_t>(std::countr_zero(lanes));
    const Thread& thread = warp.threads[lane];
    if (thread.noted.empty()) continue;
    if (!model) model = &thread;
    if (!std::equal(thread.noted.begin(), thread.noted.end(), model->noted.begin(), model->noted.end(),
                    [](const NotedAccess& a, const NotedAccess& b) { return a.site == b.site; }))
      return false;
  }
  return model != nullptr;
}

void count_in_step(const Warp& warp, const Thread& model) {
  WarpAccess access;
  for (std::size_t i = 0; i < model.noted.size(); ++i) {
    for (std::uint32_t lanes = ~warp.absent; lanes; lanes &= lanes - 1) {
      const auto lane = static_cast<std::uint32_t>(std::countr_zero(lanes));
      const auto& noted = warp.threads[lane].noted;
      if (!noted.empty()) access.add(lane, noted[i].address, noted[i].bytes);
    }
    access.finish(model.noted[i].site);
  }
}

void count_diverged(const Warp& warp) {
  std::vector<Placed> all;
  for (std::uint32_t lane = 0; lane < 32 && !(warp.absent >> lane & 1u); ++lane)
    for (const NotedAccess& noted : warp.threads[lane].noted)
      all.push_back({noted.site, 0, lane, noted.address, noted.bytes});
  std::stable_sort(all.begin(), all.end(), [](const Placed& a, const Placed& b) {
    return std::tie(a.site, a.lane) < std::tie(b.site, b.lane);
  });
  for (std::size_t i = 1; i < all.size(); ++i)
    if (all[i].site == all[i - 1].site && all[i].lane == all[i - 1].lane) all[i].turn = all[i - 1].turn + 1;
  std::sort(all.begin(), all.end(), [](const Placed& a, const Placed& b) {
    return std::tie(a.site, a.turn, a.lane) < std::tie(b.site, b.turn, b.lane);
  });
  WarpAccess access;
  for (std::size_t i = 0; i < all.size(); ++i) {
    access.add(all[i].lane, all[i].address, all[i].bytes);
    if (i + 1 == all.size() || all[i + 1].site != all[i].site || all[i + 1].turn != all[i].turn)
      access.finish(static_cast<std::uint16_t>(all[i].site));
  }
}

}  // namespace

void keep_for_banks(Thread& thread, std::uint16_t site, std::uint32_t address, std::size_t bytes) {
  for (; bytes > 16; bytes -= 16, address += 16) keep_for_banks(thread, site, address, 16);
  if (thread.noted.size() >= kMostNoted) {
    ++machine.stats.shared_accesses_uncounted;
    return;
  }
  thread.noted.push_back({address & kOffsetMask, static_cast<std::uint16_t>(bytes), site});
  thread.warp->noted = true;
}

unsigned wavefronts_of(const std::uint32_t* words, unsigned count) {
  // Most accesses are to words in a row, or to one word.
  bool in_row = true, same = true;
  for (unsigned i = 1; i < count; ++i) {
    in_row &= words[i] == words[0] + i;
    same &= words[i] == words[0];
  }
  if ((in_row && count <= 32) || same) return 1;
  std::uint32_t first[32] = {}, used = 0;
  bool conflict = false;
  for (unsigned i = 0; i < count && !conflict; ++i) {
    const std::uint32_t bank = words[i] & 31u;
    conflict = (used >> bank & 1u) && first[bank] != words[i];
    first[bank] = words[i];
    used |= 1u << bank;
  }
  if (!conflict) return 1;
  std::uint32_t sorted[kMostWords];
  std::copy_n(words, count, sorted);
  std::sort(sorted, sorted + count);
  const auto different = std::unique(sorted, sorted + count);
  unsigned hits[32] = {}, most = 0;
  for (const std::uint32_t* word = sorted; word != different; ++word)
    most = std::max(most, ++hits[*word & 31u]);
  return most;
}

void count_access(std::uint16_t site, std::uint64_t wavefronts, std::uint64_t parts) {
  if (!machine.config.count_banks) return;
  if (sites.size() <= site) sites.resize(site + 1u);
  SharedSite& counted = sites[site];
  ++counted.accesses;
  counted.wavefronts += wavefronts;
  counted.conflicts += wavefronts - parts;
}

void settle_banks(Warp& warp) {
  const Thread* model;
  if (in_step(warp, model))
    count_in_step(warp, *model);
  else
    count_diverged(warp);
  for (std::uint32_t lane = 0; lane < 32 && !(warp.absent >> lane & 1u); ++lane)
    warp.threads[lane].noted.clear();
  warp.noted = false;
}

void start_banks() { sites.clear(); }

std::vector<SharedSite> finish_banks() {
  std::map<const void*, SharedSite> by_address;
  for (std::size_t i = 0; i < sites.size(); ++i) {
    const SharedSite& site = sites[i];
    if (site.accesses == 0) continue;
    machine.stats.shared_accesses += site.accesses;
    machine.stats.shared_wavefronts += site.wavefronts;
    machine.stats.shared_bank_conflicts += site.conflicts;
    const void* const pc = site_of(static_cast<std::uint16_t>(i)).pc;
    if (!pc) continue;  // one of more places than have numbers
    SharedSite& sum = by_address[pc];
    sum.pc = pc;
    sum.accesses += site.accesses;
    sum.wavefronts += site.wavefronts;
    sum.conflicts += site.conflicts;
  }
  std::vector<SharedSite> result;
  for (const auto& [pc, site] : by_address) result.push_back(site);
  std::sort(result.begin(), result.end(), [](const SharedSite& a, const SharedSite& b) {
    return std::tie(b.conflicts, a.pc) < std::tie(a.conflicts, b.pc);
  });
  return result;
}

}  // namespace simt::core
