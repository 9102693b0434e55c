// Cost and quality of a schedule of the path wgmma, for random matrices of 12.5 %: steps of groups of like
// rows beside those of neighbours, the longest list beside the mean, what its copies bring from L2
// into shared memory, and the time of a whole schedule, also of the matrices of bench/plans.py. Needs no GPU; docs/results/README.md has the command.
#include <chrono>
#include <cstdio>
#include <iterator>

#include "launch.hpp"
#include "tw/bsr.hpp"

namespace {

using namespace tilewright;
using namespace tilewright::bsr_spmm;
using namespace tilewright::bsr_spmm::wgmma;

/// The most that copies alone were measured to bring into all SMs of an H200, bytes/s; not documented.
constexpr double kL2Bandwidth = 10.1e12;

/// Parameters of the variants shipped for an H200 (f16), as far as the launch code reads them.
struct Winner {
  std::int64_t size, block, group, tile_n, cluster, panel;
};

constexpr Winner kWinners[] = {
    {4096, 32, 3, 512, 1, 1}, {8192, 32, 3, 512, 1, 1},  {16384, 32, 3, 512, 1, 1}, {4096, 64, 2, 256, 1, 4},
    {8192, 64, 2, 256, 1, 4}, {4096, 128, 1, 256, 1, 1}, {8192, 128, 1, 256, 2, 1},
};

SchedulerParams scheduler_params(const Winner& winner) {
  const bool grouped = winner.group > 1;
  const Parameter list[] = {
      {"block", winner.block, nullptr},
      {"tileN", winner.tile_n, nullptr},
      {"cluster", winner.cluster, nullptr},
      {"clusterK", 1, nullptr},
      {"panel", winner.panel, nullptr},
      {"group", winner.group, nullptr},
      {"consumers", grouped ? winner.group : 2, nullptr},
      {"blocksPerStage", 1, nullptr},
      {"split", 0, nullptr},
      {"role", 0, grouped ? "rows" : "coopM"},
      {"grouping", 0, grouped ? "similar" : "adjacent"},
      {"order", 0, "longest"},
      {"schedule", 0, "static"},
  };
  return wgmma::detail::scheduler_params({list, std::size(list)}, DeviceLimits{});
}

template <class Work>
double milliseconds(const Work& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
}

void report_groups(const Shape& shape, std::size_t size) {
  const wgmma::detail::ColumnSets sets(shape);
  const auto steps_of = [&](const std::vector<Rows>& groups) {
    std::int64_t count = 0;
    for (const Rows& rows : groups) count += sets.united(rows);
    return count;
  };
  std::vector<Rows> groups;
  const double spent = milliseconds([&] { groups = group_rows(shape, sets, size, true); });
  const std::int64_t steps = steps_of(groups), of_neighbours = steps_of(group_rows(shape, sets, size, false));
  std::printf("  groups of %zu: %lld steps, %.1f %% less than of neighbours, chosen in %.1f ms\n", size,
              static_cast<long long>(steps),
              100.0 * static_cast<double>(of_neighbours - steps) / static_cast<double>(of_neighbours), spent);
}

/// Bytes into shared memory: a slice of B for each step of each block of a cluster, and every block of A once
/// for each column tile, also where one copy serves both blocks. Nsight Compute counts so, and has the same
/// to 0.1 %.
double bytes_into_sms(const Shape& shape, const Winner& winner, std::int64_t steps) {
  const std::int64_t b = steps * winner.block * winner.tile_n * winner.cluster * 2;
  const std::int64_t a = shape.blocks * winner.block * winner.block * 2 * (shape.n / winner.tile_n);
  return static_cast<double>(a + b);
}

void report_lists(const Shape& shape, const SchedulerParams& params, const Winner& winner) {
  std::vector<Part> parts;
  wgmma::detail::ScheduleBuilder builder;
  const wgmma::detail::Lists lists = params.grouped
                                         ? wgmma::detail::schedule_groups(shape, params, parts, builder)
                                         : wgmma::detail::schedule_rows(shape, params, parts);
  double most = 0, all = 0;
  std::int64_t steps = 0;
  for (const std::vector<Tile>& list : lists) {
    double load = 0;
    for (const Tile& tile : list) {
      load += tile.count + params.epilogue;
      steps += tile.count;
    }
    most = std::max(most, load);
    all += load;
  }
  std::printf("  longest list %.1f steps, mean %.1f\n", most, all / static_cast<double>(lists.size()));
  const double bytes = bytes_into_sms(shape, winner, steps);
  std::printf("  %.1f MB from L2 into the SMs, %.1f us at %.1f TB/s\n", bytes / 1e6,
              1e6 * bytes / kL2Bandwidth, kL2Bandwidth / 1e12);
}

tilewright::bsr::Bsr random_pattern(std::int64_t rows, std::int64_t block) {
  return tilewright::bsr::make_pattern(Json::parse(R"({"kind":"random","density":0.125})"), rows, rows, block,
                                       true, 1);
}

/// Medians of schedules for 1024 columns of C and square matrices of so many blocks of 64 a side.
void report_times() {
  constexpr std::size_t kSamples = 15;
  for (const std::int64_t side : {362, 727, 2829}) {
    const tilewright::bsr::Bsr a = random_pattern(side, 64);
    const Shape shape =
        packed_f16(side * 64, 1024, side * 64, 64, a.blocks(), a.row_ptr.data(), a.col_idx.data());
    const SchedulerParams params = scheduler_params({side * 64, 64, 2, 256, 1, 2});
    std::vector<double> times;
    for (std::size_t i = 0; i < kSamples; ++i)
      times.push_back(milliseconds([&] { make_schedule(shape, params); }));
    std::sort(times.begin(), times.end());
    std::printf("%lld blocks of 64: schedule %.2f ms\n", static_cast<long long>(shape.blocks),
                times[kSamples / 2]);
  }
}

}  // namespace

int main() {
  report_times();
  for (const Winner& winner : kWinners) {
    const std::int64_t rows = winner.size / winner.block;
    const tilewright::bsr::Bsr a = random_pattern(rows, winner.block);
    const Shape shape = packed_f16(winner.size, winner.size, winner.size, winner.block, a.blocks(),
                                   a.row_ptr.data(), a.col_idx.data());
    const SchedulerParams params = scheduler_params(winner);
    std::printf("%lld, blocks of %lld: schedule %.1f ms\n", static_cast<long long>(winner.size),
                static_cast<long long>(winner.block), milliseconds([&] { make_schedule(shape, params); }));
    if (winner.group > 1) report_groups(shape, static_cast<std::size_t>(winner.group));
    report_lists(shape, params, winner);
  }
}
