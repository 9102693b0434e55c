// tma_operand.cuh: every element of an operand where wgmma looks for it, in either order, of any matrix of a batch.
#include "tw/tma_operand.cuh"

#include "block_test.hpp"

using namespace simt;
using namespace blocks;

namespace {

constexpr int kHeight = 160, kWidth = 200, kMatrices = 3;  // of a batch, one matrix below the other
constexpr int kExtent = 128, kDepth = 32;                  // of an operand
constexpr int kBytes = 2 * kExtent * kDepth;

template <ptx::Major Order, int Cluster>
void load(const Config& config, int first, int k, int index) {
  constexpr bool kByDepth = Order == ptx::Major::k;
  constexpr int kLines = kByDepth ? kExtent : kDepth;
  using Operand = tw::WgmmaOperand<Order, kDepth>;
  const Matrix matrices(kMatrices * kHeight, kWidth);
  const TensorMap map =
      matrices.map({kWidth, kHeight, kMatrices}, {kByDepth ? kDepth : 64, kLines / Cluster, 1},
                   {kWidth, kWidth * kHeight}, kByDepth ? 2 * kDepth : 128);
  CHECK_CLEAN(launch(config, {Cluster}, {32}, kBytes + 8, {Cluster}, [&] {
    const std::uint32_t base = shared_start(), full = base + kBytes;
    if (ids->thread.x == 0) {
      mbarrier_init(full, 1);
      fence_mbarrier_init();
      mbarrier_arrive_expect_tx(full, kBytes);
    }
    tw::cluster_sync<Cluster>();
    if (ids->thread.x == 0)
      tw::load_operand<Operand, kExtent, Cluster>(base, tw::Tensor{&map}, first, k, index, full);
    mbarrier_wait(full, 0);
    for (int i = static_cast<int>(ids->lane); i < kExtent * kDepth; i += 32) {
      const int along = i / kDepth, deep = i % kDepth;
      const std::uint32_t panel = along / 64 * (128 * kDepth);
      const std::uint32_t offset = kByDepth ? swizzled_offset<2 * kDepth>(along, deep)
                                            : panel + swizzled_offset<128>(deep, along % 64);
      const int row = kByDepth ? first + along : k + deep, column = kByDepth ? k + deep : first + along;
      CHECK_EQ(shared_number(base + offset),
               row < kHeight && column < kWidth ? number_at(index * kHeight + row, column) : 0.0f);
    }
    tw::cluster_sync<Cluster>();
  }));
}

template <int Cluster>
void load_both(const Config& config) {
  load<ptx::Major::k, Cluster>(config, 0, 64, 1);
  load<ptx::Major::k, Cluster>(config, 64, 192, 2);  // beyond the last row and the last column of its matrix
  load<ptx::Major::mn, Cluster>(config, 64, 32, 0);
  load<ptx::Major::mn, Cluster>(config, 128, 144, 1);
}

}  // namespace

TEST_CASE("operands of either order, whole and ragged") {
  for (const Config& config : all_modes()) load_both<1>(config);
}

TEST_CASE("thread blocks of a cluster fetch a share each, and all have the whole operand") {
  for (const Config& config : all_modes()) {
    load_both<2>(config);
    load_both<4>(config);
  }
}
