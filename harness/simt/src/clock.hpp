// clock.hpp - vector clocks of the race detector. An agent is whatever can touch memory in its own time: a
// thread, or an asynchronous unit working for it. Clocks are immutable and shared: after a barrier every
// thread of a block points to the same one, and equal joins are computed once. A thread's own newest epoch is
// kept beside its clock (Timeline in machine.hpp), so ticking costs nothing.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <utility>

namespace simt::core {

class Clock;

/// Counted reference to an immutable clock; never null (default: the clock that has seen nothing).
class ClockRef {
 public:
  ClockRef();
  ClockRef(const ClockRef& other);
  ClockRef(ClockRef&& other) noexcept;
  ~ClockRef();
  ClockRef& operator=(ClockRef other) noexcept {
    std::swap(clock_, other.clock_);
    return *this;
  }
  const Clock* get() const { return clock_; }
  const Clock* operator->() const { return clock_; }
  bool operator==(const ClockRef& other) const { return clock_ == other.clock_; }

 private:
  friend class ClockBuilder;
  explicit ClockRef(Clock* adopted) : clock_(adopted) {}
  Clock* clock_;
};

/// Knowledge of earlier waves of blocks, by the first epoch of the wave. Rare: only kernels whose
/// blocks synchronise through global atomics have any.
using EarlierWaves = std::map<std::uint32_t, ClockRef>;

class Clock {
 public:
  /// Newest epoch of `agent` that has been seen; 0 when none has.
  std::uint32_t of(std::uint32_t agent) const { return agent < size_ ? epochs()[agent] : 0; }
  /// All accesses of earlier launches up to this epoch have been seen.
  std::uint32_t floor() const { return floor_; }
  /// Has seen all that `other` has seen.
  bool covers(const Clock& other) const;
  const EarlierWaves* earlier() const { return earlier_.get(); }

 private:
  friend class ClockRef;
  friend class ClockBuilder;
  explicit Clock(std::uint32_t size) : size_(size) {}
  static Clock* create(std::uint32_t size);
  static void destroy(Clock* clock);
  // The epochs follow the object in memory.
  std::uint32_t* epochs() { return reinterpret_cast<std::uint32_t*>(this + 1); }
  const std::uint32_t* epochs() const { return reinterpret_cast<const std::uint32_t*>(this + 1); }

  std::uint32_t references_ = 1;
  std::uint32_t size_;
  std::uint32_t floor_ = 0;
  std::shared_ptr<const EarlierWaves> earlier_;
};

/// Accumulates a clock: at a barrier, from each arrival.
class ClockBuilder {
 public:
  ClockBuilder() = default;
  ClockBuilder(const ClockBuilder&) = delete;
  ClockBuilder& operator=(const ClockBuilder&) = delete;
  ClockBuilder(ClockBuilder&& other) noexcept { swap(other); }
  ClockBuilder& operator=(ClockBuilder&& other) noexcept {
    swap(other);
    return *this;
  }
  ~ClockBuilder() { clear(); }

  void join(const ClockRef& other);
  void raise(std::uint32_t agent, std::uint32_t epoch);
  void raise_floor(std::uint32_t epoch);
  void add_earlier(std::uint32_t wave, const ClockRef& clock);
  /// The accumulated clock. The builder goes on from it.
  ClockRef freeze();
  void clear();

 private:
  void swap(ClockBuilder& other) noexcept;
  void reserve(std::uint32_t size);
  Clock* clock_ = nullptr;
  ClockRef joined_;  // the last clock joined: joining it again changes nothing
};

/// All that one party knows of the others' time.
struct Knowledge {
  ClockRef seen;   // accesses ordered before its own from now on
  ClockRef proxy;  // of these, what the async proxy may rely on: seen as of the last proxy fence
  ClockRef
      fenced;  // of these, what other blocks may learn through an atomic: seen as of the last __threadfence
  ClockRef visible;  // of these, the writes that it may read: all but those learnt of from another block by
                     // an arrival or a wait at block scope, after which they may only be overwritten
};

/// Accumulates knowledge at a barrier, from each arrival.
struct Gathering {
  ClockBuilder seen, proxy, fenced;
  ClockBuilder visible;  // kept once it differs from `seen`
  bool differs = false;

  Knowledge freeze() {
    const ClockRef all = seen.freeze();
    return {all, proxy.freeze(), fenced.freeze(), differs ? visible.freeze() : all};
  }
  void add(const Knowledge& more) {
    if (!(more.visible == more.seen)) differ();
    seen.join(more.seen);
    proxy.join(more.proxy);
    fenced.join(more.fenced);
    if (differs) visible.join(more.visible);
  }
  /// Adds the progress of an asynchronous unit.
  void raise(std::uint32_t agent, std::uint32_t epoch) {
    seen.raise(agent, epoch);
    if (differs) visible.raise(agent, epoch);
  }
  /// From now on `visible` is kept apart.
  void differ() {
    if (!differs) visible.join(seen.freeze());
    differs = true;
  }
  void clear() {
    seen.clear();
    proxy.clear();
    fenced.clear();
    visible.clear();
    differs = false;
  }
};

/// Least clock that has seen what both have. Remembers recent answers, so that equal joins give the same
/// object.
ClockRef join(const ClockRef& a, const ClockRef& b);
Knowledge join(const Knowledge& a, const Knowledge& b);
/// Drops remembered joins; call between launches.
void forget_joins();

inline ClockRef::ClockRef(const ClockRef& other) : clock_(other.clock_) { ++clock_->references_; }
inline ClockRef::~ClockRef() {
  if (--clock_->references_ == 0) Clock::destroy(clock_);
}

}  // namespace simt::core
