// fragments.cpp - ldmatrix, stmatrix and mma.sync: warp-wide moves and products of matrix fragments.
#include <algorithm>
#include <cstring>

#include "matmul.hpp"
#include "memory.hpp"
#include "numerics.hpp"
#include "report.hpp"
#include "scheduler.hpp"

namespace simt {
namespace core {
namespace {

struct MatrixArgument {
  std::uint32_t* registers;  // of ldmatrix: written; of stmatrix: only read
  std::uint32_t address;
  const void* pc;
};

const MatrixArgument& matrix_argument(const Convergence& convergence, int lane) {
  return *static_cast<const MatrixArgument*>(convergence.arguments[lane]);
}

/// Eight rows of 16 bytes are moved in one pass unless several lie in the same banks.
unsigned matrix_wavefronts(const Convergence& convergence, int matrix) {
  unsigned hits[8] = {}, most = 0;
  for (int row = 0; row < 8; ++row) {
    const std::uint32_t chunk = matrix_argument(convergence, matrix * 8 + row).address >> 4;
    bool repeated = false;  // the same row is broadcast
    for (int before = 0; before < row; ++before)
      repeated = repeated || matrix_argument(convergence, matrix * 8 + before).address >> 4 == chunk;
    if (!repeated) most = std::max(most, ++hits[chunk & 7]);
  }
  return most;
}

void count_matrices(const Convergence& convergence, int count, AccessKind kind) {
  unsigned wavefronts = 0;
  for (int matrix = 0; matrix < count; ++matrix) wavefronts += matrix_wavefronts(convergence, matrix);
  count_access(site_number(matrix_argument(convergence, 0).pc, kind), wavefronts,
               static_cast<unsigned>(count));
}

/// Address of row `row` of a matrix, given by lane matrix * 8 + row; null when it is not valid.
unsigned char* matrix_row(const Warp& warp, const Convergence& convergence, int matrix, int row, bool store) {
  const int lane = matrix * 8 + row;
  const MatrixArgument& argument = matrix_argument(convergence, lane);
  const char* what = store ? "stmatrix row" : "ldmatrix row";
  unsigned char* memory = own_shared_memory(*warp.block, argument.address, 16, what);
  if (!check_shared_alignment(argument.address, 16, what) || !memory) return nullptr;
  if (machine.detect) {
    const Access access =
        access_by(warp.threads[lane], store ? AccessKind::stmatrix : AccessKind::ldmatrix, argument.pc);
    if (store)
      note_shared_write(*warp.block, argument.address, 16, access);
    else
      note_shared_read(*warp.block, argument.address, 16, access);
  }
  return memory;
}

void load_matrix(const Warp& warp, const Convergence& convergence, int matrix, bool transpose) {
  std::uint16_t rows[8][8] = {};
  for (int row = 0; row < 8; ++row)
    if (const unsigned char* memory = matrix_row(warp, convergence, matrix, row, false))
      std::memcpy(rows[row], memory, 16);
  for (int lane = 0; lane < 32; ++lane) {
    const int major = lane / 4, minor = lane % 4 * 2;  // matrix_fragment()
    const std::uint32_t low = transpose ? rows[minor][major] : rows[major][minor];
    const std::uint32_t high = transpose ? rows[minor + 1][major] : rows[major][minor + 1];
    matrix_argument(convergence, lane).registers[matrix] = low | high << 16;
  }
}

void store_matrix(const Warp& warp, const Convergence& convergence, int matrix, bool transpose) {
  std::uint16_t rows[8][8];
  for (int lane = 0; lane < 32; ++lane) {
    const int major = lane / 4, minor = lane % 4 * 2;
    const std::uint32_t pair = matrix_argument(convergence, lane).registers[matrix];
    (transpose ? rows[minor][major] : rows[major][minor]) = static_cast<std::uint16_t>(pair);
    (transpose ? rows[minor + 1][major] : rows[major][minor + 1]) = static_cast<std::uint16_t>(pair >> 16);
  }
  for (int row = 0; row < 8; ++row)
    if (unsigned char* memory = matrix_row(warp, convergence, matrix, row, true))
      std::memcpy(memory, rows[row], 16);
}

void check_count(int count, const char* what) {
  if (count != 1 && count != 2 && count != 4)
    fail("trap", text("%s moves 1, 2 or 4 matrices, not %d", what, count));
}

struct MmaArgument {
  float* d;
  const std::uint32_t *a, *b;
};

const MmaArgument& mma_argument(const Convergence& convergence, int lane) {
  return *static_cast<const MmaArgument*>(convergence.arguments[lane]);
}

/// 16-bit operands, m16n8k16: the layouts are mma_a_f16 and mma_b_f16 (numerics.hpp), written out for speed.
void gather_16_bit(const Convergence& convergence, MmaType type, float (*a)[16], float (*b)[8]) {
  std::uint16_t raw_a[32][8], raw_b[32][4];
  for (int lane = 0; lane < 32; ++lane) {
    std::memcpy(raw_a[lane], mma_argument(convergence, lane).a, 16);
    std::memcpy(raw_b[lane], mma_argument(convergence, lane).b, 8);
  }
  float wide_a[32][8], wide_b[32][4];
  to_float(raw_a[0], wide_a[0], 256, type);
  to_float(raw_b[0], wide_b[0], 128, type);
  for (int lane = 0; lane < 32; ++lane) {
    const int group = lane / 4, pair = lane % 4 * 2;
    for (int half = 0; half < 2; ++half) {
      a[group][pair + half] = wide_a[lane][half];
      a[group + 8][pair + half] = wide_a[lane][2 + half];
      a[group][pair + 8 + half] = wide_a[lane][4 + half];
      a[group + 8][pair + 8 + half] = wide_a[lane][6 + half];
      b[pair + half][group] = wide_b[lane][half];
      b[pair + 8 + half][group] = wide_b[lane][2 + half];
    }
  }
}

void gather_tf32(const Convergence& convergence, float (*a)[16], float (*b)[8]) {
  for (int lane = 0; lane < 32; ++lane) {
    const MmaArgument& argument = mma_argument(convergence, lane);
    for (int reg = 0; reg < 4; ++reg) {
      const Element place = mma_a_tf32(lane, reg);
      a[place.row][place.column] = tf32_to_float(argument.a[reg]);
    }
    for (int reg = 0; reg < 2; ++reg) {
      const Element place = mma_b_tf32(lane, reg);
      b[place.row][place.column] = tf32_to_float(argument.b[reg]);
    }
  }
}

void execute_mma(const Convergence& convergence, MmaType type) {
  ++machine.stats.mma;
  float a[16][16], b[16][8], sum[16][8];
  if (type == MmaType::tf32)
    gather_tf32(convergence, a, b);
  else
    gather_16_bit(convergence, type, a, b);
  multiply_16x8(a, b, sum, type == MmaType::tf32 ? 8 : 16);
  for (int lane = 0; lane < 32; ++lane) {
    float* d = mma_argument(convergence, lane).d;
    const int group = lane / 4, pair = lane % 4 * 2;  // mma_d()
    d[0] += sum[group][pair];
    d[1] += sum[group][pair + 1];
    d[2] += sum[group + 8][pair];
    d[3] += sum[group + 8][pair + 1];
  }
}

}  // namespace
}  // namespace core

void ldmatrix(std::uint32_t* registers, int count, bool transpose, std::uint32_t address) {
  core::Thread& self = SIMT_ENTER();
  core::check_count(count, "ldmatrix");
  const core::MatrixArgument argument{registers, address, self.pc};
  core::converge(self, core::Collective::ldmatrix, static_cast<std::uint32_t>(count << 1 | transpose),
                 core::kWarpMask, &argument, [&](const core::Convergence& convergence) {
                   ++core::machine.stats.ldmatrix;
                   core::machine.stats.ldmatrix_bytes += 128u * static_cast<unsigned>(count);
                   core::count_matrices(convergence, count, core::AccessKind::ldmatrix);
                   for (int matrix = 0; matrix < count; ++matrix)
                     core::load_matrix(*self.warp, convergence, matrix, transpose);
                 });
}

void stmatrix(const std::uint32_t* registers, int count, bool transpose, std::uint32_t address) {
  core::Thread& self = SIMT_ENTER();
  core::check_count(count, "stmatrix");
  const core::MatrixArgument argument{const_cast<std::uint32_t*>(registers), address, self.pc};
  core::converge(self, core::Collective::stmatrix, static_cast<std::uint32_t>(count << 1 | transpose),
                 core::kWarpMask, &argument, [&](const core::Convergence& convergence) {
                   core::machine.stats.stmatrix_bytes += 128u * static_cast<unsigned>(count);
                   core::count_matrices(convergence, count, core::AccessKind::stmatrix);
                   for (int matrix = 0; matrix < count; ++matrix)
                     core::store_matrix(*self.warp, convergence, matrix, transpose);
                 });
}

void mma_m16n8(float* d, const std::uint32_t* a, const std::uint32_t* b, MmaType type) {
  core::Thread& self = SIMT_ENTER();
  const core::MmaArgument argument{d, a, b};
  core::converge(self, core::Collective::mma, static_cast<std::uint32_t>(type), core::kWarpMask, &argument,
                 [type](const core::Convergence& convergence) { core::execute_mma(convergence, type); });
}

}  // namespace simt
