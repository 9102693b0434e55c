// clock.cpp - clock storage, joining, and the memory of recent joins.
#include "clock.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>
#include <new>
#include <vector>

namespace simt::core {
namespace {

constexpr std::uint32_t kBucket = 64;  // clock sizes are multiples of this; freed clocks are kept by size

std::vector<std::vector<void*>>& free_clocks() {
  static auto* lists =
      new std::vector<std::vector<void*>>();  // never destroyed: statics may still hold clocks
  return *lists;
}

struct RememberedJoin {
  ClockRef a, b, result;
};
constexpr std::size_t kRemembered = 256;

std::array<RememberedJoin, kRemembered>& remembered_joins() {
  static auto* joins = new std::array<RememberedJoin, kRemembered>();
  return *joins;
}

/// Whether all that `b` has seen of earlier waves is in `a`.
bool includes(const EarlierWaves& a, const EarlierWaves& b) {
  return std::all_of(b.begin(), b.end(), [&](const auto& entry) {
    const auto own = a.find(entry.first);
    return own != a.end() && (own->second == entry.second || own->second->covers(*entry.second.get()));
  });
}

/// One of the two where it has all: equal knowledge stays one object, whose comparisons cost nothing.
std::shared_ptr<const EarlierWaves> merge(const std::shared_ptr<const EarlierWaves>& a,
                                          const std::shared_ptr<const EarlierWaves>& b) {
  if (!b || a == b || (a && includes(*a, *b))) return a;
  if (!a || includes(*b, *a)) return b;
  auto merged = std::make_shared<EarlierWaves>(*a);
  for (const auto& [wave, clock] : *b) {
    auto [place, fresh] = merged->emplace(wave, clock);
    if (!fresh) place->second = join(place->second, clock);
  }
  return merged;
}

}  // namespace

Clock* Clock::create(std::uint32_t size) {
  size = (size + kBucket - 1) / kBucket * kBucket;
  auto& lists = free_clocks();
  const std::size_t bucket = size / kBucket;
  if (lists.size() <= bucket) lists.resize(bucket + 1);
  void* memory;
  if (!lists[bucket].empty()) {
    memory = lists[bucket].back();
    lists[bucket].pop_back();
  } else {
    memory = std::malloc(sizeof(Clock) + size * sizeof(std::uint32_t));
    if (!memory) throw std::bad_alloc();
  }
  return new (memory) Clock(size);
}

void Clock::destroy(Clock* clock) {
  const std::size_t bucket = clock->size_ / kBucket;
  clock->~Clock();
  free_clocks()[bucket].push_back(clock);
}

bool Clock::covers(const Clock& other) const {
  if (other.floor_ > floor_) return false;
  for (std::uint32_t i = 0; i < other.size_; ++i)
    if (other.epochs()[i] > of(i)) return false;
  return !other.earlier_ || other.earlier_ == earlier_ || (earlier_ && includes(*earlier_, *other.earlier_));
}

ClockRef::ClockRef() {
  static Clock* nothing = Clock::create(0);
  clock_ = nothing;
  ++clock_->references_;
}

ClockRef::ClockRef(ClockRef&& other) noexcept : ClockRef() { std::swap(clock_, other.clock_); }

void ClockBuilder::swap(ClockBuilder& other) noexcept {
  std::swap(clock_, other.clock_);
  std::swap(joined_, other.joined_);
}

void ClockBuilder::clear() {
  if (clock_ && --clock_->references_ == 0) Clock::destroy(clock_);
  clock_ = nullptr;
  joined_ = ClockRef();
}

void ClockBuilder::reserve(std::uint32_t size) {
  if (clock_ && clock_->size_ >= size && clock_->references_ == 1) return;
  Clock* grown = Clock::create(std::max(size, clock_ ? clock_->size_ : 0));
  const std::uint32_t old = clock_ ? clock_->size_ : 0;
  if (clock_) {
    std::copy_n(clock_->epochs(), old, grown->epochs());
    grown->floor_ = clock_->floor_;
    grown->earlier_ = clock_->earlier_;
    if (--clock_->references_ == 0) Clock::destroy(clock_);
  }
  std::fill(grown->epochs() + old, grown->epochs() + grown->size_, 0);
  clock_ = grown;
}

void ClockBuilder::join(const ClockRef& other) {
  if (joined_ == other) return;
  joined_ = other;
  const Clock& from = *other.get();
  reserve(from.size_);
  for (std::uint32_t i = 0; i < from.size_; ++i)
    clock_->epochs()[i] = std::max(clock_->epochs()[i], from.epochs()[i]);
  clock_->floor_ = std::max(clock_->floor_, from.floor_);
  if (from.earlier_) clock_->earlier_ = merge(clock_->earlier_, from.earlier_);
}

void ClockBuilder::raise(std::uint32_t agent, std::uint32_t epoch) {
  if (!clock_ || agent >= clock_->size_ || clock_->references_ != 1) reserve(agent + 1);
  clock_->epochs()[agent] = std::max(clock_->epochs()[agent], epoch);
}

void ClockBuilder::raise_floor(std::uint32_t epoch) {
  reserve(0);
  clock_->floor_ = std::max(clock_->floor_, epoch);
}

void ClockBuilder::add_earlier(std::uint32_t wave, const ClockRef& clock) {
  auto one = std::make_shared<EarlierWaves>();
  one->emplace(wave, clock);
  reserve(0);
  clock_->earlier_ = merge(clock_->earlier_, one);
  clock_->earlier_ = merge(clock_->earlier_, clock.get()->earlier_);
}

ClockRef ClockBuilder::freeze() {
  if (!clock_) return ClockRef();
  ++clock_->references_;  // the builder keeps its own reference and copies on the next change
  return ClockRef(clock_);
}

ClockRef join(const ClockRef& a, const ClockRef& b) {
  if (a == b) return a;
  const auto hash = (reinterpret_cast<std::uintptr_t>(a.get()) >> 5) * 31 +
                    (reinterpret_cast<std::uintptr_t>(b.get()) >> 5);
  RememberedJoin& memory = remembered_joins()[hash % kRemembered];
  if (memory.a == a && memory.b == b) return memory.result;
  ClockRef result;
  if (a->covers(*b.get())) {
    result = a;
  } else if (b->covers(*a.get())) {
    result = b;
  } else {
    ClockBuilder builder;
    builder.join(a);
    builder.join(b);
    result = builder.freeze();
  }
  memory = {a, b, result};
  return result;
}

Knowledge join(const Knowledge& a, const Knowledge& b) {
  const ClockRef seen = join(a.seen, b.seen);
  const bool same = a.visible == a.seen && b.visible == b.seen;
  return {seen, join(a.proxy, b.proxy), join(a.fenced, b.fenced), same ? seen : join(a.visible, b.visible)};
}

void forget_joins() {
  for (RememberedJoin& memory : remembered_joins()) memory = {};
}

}  // namespace simt::core
