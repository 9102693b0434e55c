// CPU seconds of kernels on the emulated device: without hooks or detector, and under each kind of schedule of the gate.
#include <algorithm>
#include <cstdio>
#include <ctime>

#include "kernels.hpp"
#include "simt/simt.hpp"

namespace {

constexpr int kRuns = 5;

struct Schedule {
  const char* name;
  simt::Order order;
  bool detect;
};
constexpr Schedule kSchedules[] = {{"random", simt::Order::random, false},
                                   {"in order", simt::Order::in_order, true},
                                   {"greedy", simt::Order::greedy, true}};

double now() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

/// The least of several runs: other work on the machine only adds.
double seconds(const Kernel& kernel, simt::Order order, bool detect, float* out, const float* in) {
  simt::Config config;
  config.order = order;
  config.detect = detect;
  double least = 1e9;
  for (int run = 0; run < kRuns; ++run) {
    const double start = now();
    const simt::Result result = simt::launch(config, {kBlocks}, {kThreads}, kThreads * sizeof(float), {},
                                             [&] { kernel.run(out, in); });
    least = std::min(least, now() - start);
    for (const simt::Finding& finding : result.findings)
      std::printf("%s: %s\n", finding.kind.c_str(), finding.message.c_str());
  }
  return least;
}

}  // namespace

int main() {
  const std::size_t count = kBlocks * kThreads;
  auto* in = static_cast<float*>(simt::allocate(count * sizeof(float), "in"));
  auto* out = static_cast<float*>(simt::allocate(count * sizeof(float), "out"));
  std::fill_n(in, count, 1.0f);
  const std::vector<Kernel> plain = plain::kernels(), hooked = hooked::kernels();
  for (std::size_t i = 0; i < plain.size(); ++i) {
    const double base = seconds(plain[i], simt::Order::in_order, false, out, in);
    std::printf("%-8s plain %.3f s", plain[i].name, base);
    for (const Schedule& one : kSchedules) {
      const double taken = seconds(hooked[i], one.order, one.detect, out, in);
      std::printf("   %s%s %.3f s, %.1fx", one.name, one.detect ? ", detector" : "", taken, taken / base);
    }
    std::printf("\n");
  }
}
