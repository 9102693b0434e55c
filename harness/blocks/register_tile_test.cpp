// register_tile.cuh: tiles reach shared memory as they are and transposed, in vectors of every size, with zeros behind the last
// column.
#include "tw/register_tile.cuh"

#include "block_test.hpp"

using namespace simt;
using namespace blocks;

namespace {

constexpr int kRows = 24, kColumns = 32, kPitch = 72,
              kThreads = 64;  // of a tile; of its matrix; of a thread block

enum class Way { whole, ragged, transposed };

/// Brings the columns from `first` on of a matrix with `columns` columns to shared memory.
template <int Count, Way way>
void bring(const Config& config, int first, int columns) {
  constexpr bool kTransposed = way == Way::transposed;
  constexpr int kSharedPitch = (kTransposed ? kRows : kColumns) + 8;
  const Matrix matrix(kRows, kPitch);
  const int bytes = 2 * kSharedPitch * (kTransposed ? kColumns : kRows);
  CHECK_CLEAN(launch(config, {1}, {kThreads}, bytes, {1}, [&] {
    auto* const shared = reinterpret_cast<__half*>(shared_base());
    tw::RegisterTile<__half, kRows, kColumns, Count, kThreads> tile;
    if constexpr (way == Way::whole)
      tile.fetch(&matrix.at(0, first), kPitch);
    else
      tile.fetch(&matrix.at(0, 0), static_cast<long long>(kPitch), first, columns);
    if constexpr (kTransposed)
      tile.template store_transposed<kSharedPitch>(shared);
    else
      tile.template store<kSharedPitch>(shared);
    sync_threads();
    for (int i = static_cast<int>(ids->thread.x); i < kRows * kColumns; i += kThreads) {
      const int row = i / kColumns, column = i % kColumns;
      const int place = kTransposed ? column * kSharedPitch + row : row * kSharedPitch + column;
      CHECK_EQ(shared_number(shared_start() + 2 * static_cast<std::uint32_t>(place)),
               first + column < columns ? number_at(row, first + column) : 0.0f);
    }
  }));
}

template <int Count>
void bring_all(const Config& config) {
  bring<Count, Way::whole>(config, 16, kPitch);
  bring<Count, Way::ragged>(config, 32, kPitch);
  bring<Count, Way::ragged>(config, 32, 51);
  bring<Count, Way::ragged>(config, 32, 32);
  bring<Count, Way::transposed>(config, 0, kPitch);
  bring<Count, Way::transposed>(config, 32, 45);
}

}  // namespace

TEST_CASE("tiles whole and ragged, as they are and transposed") {
  for (const Config& config : all_modes()) {
    bring_all<8>(config);
    bring_all<4>(config);
    bring_all<2>(config);
    bring_all<1>(config);
  }
}
