// context.cpp - what a context is made of, its locks, and the C functions of context.h.
#include "tuner/context.hpp"

#include <pthread.h>

namespace tilewright::library::tuner {
namespace {

/// Never destroyed: threads may outlive static destructors.
struct Locks {
  std::mutex settling, measuring;
  Locks() { pthread_atfork(take, give, give); }
  static void take();
  static void give();
};

Locks& locks() {
  static Locks* const all = new Locks;
  return *all;
}

void Locks::take() {
  locks().measuring.lock();
  locks().settling.lock();
  device::pause();
}

void Locks::give() {
  device::resume();
  locks().settling.unlock();
  locks().measuring.unlock();
}

}  // namespace

std::mutex& settling() { return locks().settling; }
std::mutex& measuring() { return locks().measuring; }

}  // namespace tilewright::library::tuner

namespace {

using namespace tilewright::library;

void check(const tw_context_options& options) {
  require(options.struct_size == sizeof options, "options->struct_size is not sizeof(tw_context_options)");
  require(options.policy >= TW_POLICY_SCOPED && options.policy <= TW_POLICY_FORCE,
          "options->policy is none of TW_POLICY_SCOPED, TW_POLICY_REPLAY, TW_POLICY_ON_MISS, TW_POLICY_FORCE");
  require(options.budget_ms >= 0, "options->budget_ms must not be negative");
  require(!options.allocate == !options.release, "options->allocate and options->release go together");
}

}  // namespace

tw_status tw_context_create(int device, const tw_context_options* options, tw_context** context) {
  return guarded([&] {
    require(context != nullptr, "context is null");
    tw_context_options all{};
    all.struct_size = sizeof all;
    if (options) all = *options;
    check(all);
    const int devices = device::count();
    require(device >= 0 && device < devices, [&] {
      return "there is no device " + std::to_string(device) + ": devices are 0 to " + std::to_string(devices - 1);
    });
    require(device == device::current(), [&] {
      return "device " + std::to_string(device) + " is not the calling thread's current device";
    });
    *context = new tw_context(device, all);
  });
}

void tw_context_destroy(tw_context* context) {
  const device::CaptureGuard guard;
  delete context;
}

tw_status tw_tune_begin(tw_context* context) {
  return guarded([&] {
    require(context != nullptr, "context is null");
    ++context->scopes;
    ++context->epoch;
  });
}

tw_status tw_tune_end(tw_context* context) {
  return guarded([&] {
    require(context != nullptr, "context is null");
    int open = context->scopes;
    do require(open > 0, "tw_tune_end without a tw_tune_begin");
    while (!context->scopes.compare_exchange_weak(open, open - 1));
    ++context->epoch;
  });
}

tw_status tw_context_query(const tw_context* context, tw_context_statistics* statistics) {
  return guarded([&] {
    require(context != nullptr, "context is null");
    require(statistics != nullptr, "statistics is null");
    require(statistics->struct_size == sizeof *statistics,
            "statistics->struct_size is not sizeof(tw_context_statistics)");
    const auto& counts = context->counts;
    *statistics = {sizeof *statistics, counts.resolved,        counts.from_cache,     counts.from_wisdom, counts.tuned,
                   counts.candidates,  counts.measured,        counts.rejected,       counts.launch_failures,
                   counts.damaged_records};
  });
}
