// table.cpp - writes of the table of settled calls.
#include "tuner/table.hpp"

namespace tilewright::library::tuner {

const char* name_of(Origin origin) {
  static constexpr const char* kNames[] = {"tuned", "cache", "wisdom", "neighbour", "heuristic", "fallback"};
  return kNames[static_cast<int>(origin)];
}

std::atomic<const Entry*>& Table::Slots::place_of(const Entry& entry) {
  for (std::size_t at = entry.hash & mask;; at = (at + 1) & mask) {
    const Entry* there = entries[at].load(std::memory_order_relaxed);
    if (!there || (there->hash == entry.hash && there->words == entry.words)) return entries[at];
  }
}

void Table::grow() {
  Slots* const old = slots_.load(std::memory_order_relaxed);
  auto larger = std::make_unique<Slots>(old ? 2 * (old->mask + 1) : 16);
  if (old)
    for (const auto& slot : old->entries)
      if (const Entry* entry = slot.load(std::memory_order_relaxed))
        larger->place_of(*entry).store(entry, std::memory_order_relaxed);
  generations_.push_back(std::move(larger));
  slots_.store(generations_.back().get(), std::memory_order_release);
}

const Entry* Table::put(std::unique_ptr<const Entry> entry) {
  const Slots* slots = slots_.load(std::memory_order_relaxed);
  if (!slots || 2 * (used_ + 1) > slots->mask + 1) grow();
  entries_.push_back(std::move(entry));
  kept_.store(entries_.size(), std::memory_order_relaxed);
  const Entry* const added = entries_.back().get();
  std::atomic<const Entry*>& place = slots_.load(std::memory_order_relaxed)->place_of(*added);
  if (!place.load(std::memory_order_relaxed)) ++used_;
  place.store(added, std::memory_order_release);
  return added;
}

std::vector<std::unique_ptr<const Entry>> Table::renew() {
  std::size_t workspaces = 0;
  for (const auto& entry : entries_) workspaces += entry->workspaces->count();
  spare_.reserve(workspaces);
  if (const Slots* const slots = slots_.load(std::memory_order_relaxed)) {
    if (former_.size() >= kMostCalls) former_.clear();
    for (const auto& slot : slots->entries)
      if (const Entry* const entry = slot.load(std::memory_order_relaxed))
        former_.insert_or_assign(entry->words, Former{&entry->plan->variant(), entry->origin, entry->until,
                                                      entry->key, entry->measured});
  }
  for (const auto& entry : entries_) entry->workspaces->give_to(spare_);
  slots_.store(nullptr, std::memory_order_relaxed);
  generations_.clear();
  used_ = 0;
  kept_.store(0, std::memory_order_relaxed);
  return std::exchange(entries_, {});
}

}  // namespace tilewright::library::tuner
