/* Multiplies a block-sparse matrix by a dense one with the emitted library and compares it with a plain
 * loop. Prints PASS with the time of a product, beside cuBLAS where this is built with it, and exits 0, or says what differs and exits 1; exits 77 when
 * there is no GPU to run on. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tilewright/bsr_spmm.h>

#include "buffer.h"
#include "dense.h"

/* A is kM x kM in blocks of kBlock, of which every kEvery-th is stored; B is kM x kColumns. Every kCheckedStep-th row of C is
 * compared: the loop below takes seconds for all of a large one. */
#ifdef WITH_CUDA
enum { kBlock = 64, kSide = 64, kEvery = 8, kColumns = kSide * kBlock };
enum { kCheckedStep = 97, kRuns = 100 };
#else
enum { kBlock = 64, kSide = 4, kEvery = 2, kColumns = 128 };
enum { kCheckedStep = 1, kRuns = 20 };
#endif
enum { kM = kSide * kBlock, kBlocks = kSide * kSide / kEvery };

static int32_t row_ptr_of_a[kSide + 1], col_idx_of_a[kBlocks];

static void make_pattern(void) {
  for (int row = 0; row < kSide; ++row) {
    int end = row_ptr_of_a[row];
    for (int column = 0; column < kSide; ++column)
      if ((row + column) % kEvery == 0) col_idx_of_a[end++] = column;
    row_ptr_of_a[row + 1] = end;
  }
}

/* IEEE binary16 of a number whose bits fit into it: enough for this program's values. */
static uint16_t half_of(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  if (value == 0) return 0;
  return (uint16_t)((bits >> 16 & 0x8000u) | ((bits >> 23 & 0xffu) - 112u) << 10 | (bits >> 13 & 0x3ffu));
}

static float float_of(uint16_t half) {
  const int exponent = half >> 10 & 31, fraction = half & 1023;
  const float size =
      exponent ? ldexpf((float)(1024 + fraction), exponent - 25) : ldexpf((float)fraction, -24);
  return half & 0x8000 ? -size : exponent == 31 ? NAN : size;
}

static float value_at(int index) { return (float)(index * 7 % 11 - 5) / 2; }

/* Says what went wrong and ends the program; no GPU is not a failure of the library. */
static void check(tw_status status, const char* what) {
  if (status == TW_STATUS_SUCCESS) return;
  fprintf(stderr, "%s: %s (%s)\n", what, tw_status_text(status), tw_last_error());
  exit(status == TW_STATUS_NO_DEVICE ? 77 : 1);
}

/* Row `row` of A times column `column` of B, from the values that were rounded to half. */
static float expected(int row, int column) {
  float sum = 0;
  for (int i = row_ptr_of_a[row / kBlock]; i < row_ptr_of_a[row / kBlock + 1]; ++i)
    for (int k = 0; k < kBlock; ++k) {
      const int a = (i * kBlock + row % kBlock) * kBlock + k;
      const int b = (col_idx_of_a[i] * kBlock + k) * kColumns + column;
      sum += value_at(a) * value_at(b);
    }
  return sum;
}

/* C is rounded once, to 11 bits. */
static int count_wrong(const uint16_t* c) {
  int wrong = 0;
  for (int row = 0; row < kM; row += kCheckedStep)
    for (int column = 0; column < kColumns; ++column) {
      const float want = expected(row, column), got = float_of(c[row * kColumns + column]);
      if (fabsf(want - got) <= 5e-4f * fabsf(want)) continue;
      if (wrong++ == 0) printf("C[%d,%d] is %g, should be %g\n", row, column, got, want);
    }
  return wrong;
}

static uint16_t* half_values(int count) {
  uint16_t* values = malloc((size_t)count * sizeof *values);
  for (int i = 0; i < count; ++i) values[i] = half_of(value_at(i));
  return values;
}

int main(void) {
  make_pattern();
  tw_device_info device = {sizeof device, "", 0, 0};
  check(tw_device_query(0, &device), "query device 0");

  const tw_bsr_spmm_problem problem = {.struct_size = sizeof problem,
                                       .m = kM,
                                       .n = kColumns,
                                       .k = kM,
                                       .block = kBlock,
                                       .blocks = kBlocks,
                                       .input = TW_TYPE_F16,
                                       .output = TW_TYPE_F16,
                                       .host_row_ptr = row_ptr_of_a,
                                       .host_col_idx = col_idx_of_a};
  tw_bsr_spmm_plan* plan;
  check(tw_bsr_spmm_plan_create(&problem, &plan), "plan");
  const size_t workspace_bytes = tw_bsr_spmm_workspace_bytes(plan);

  uint16_t *const a = half_values(kBlocks * kBlock * kBlock), *const b = half_values(kM * kColumns);
  uint16_t* const c = malloc(kM * kColumns * sizeof *c);
  void *const row_ptr = buffer_from(row_ptr_of_a, sizeof row_ptr_of_a), *const col_idx =
                                                                            buffer_from(col_idx_of_a,
                                                                                        sizeof col_idx_of_a);
  void* const device_a = buffer_from(a, kBlocks * kBlock * kBlock * sizeof *a);
  void* const device_b = buffer_from(b, kM * kColumns * sizeof *b);
  void *const device_c = buffer_from(NULL, kM * kColumns * sizeof *c), *const workspace =
                                                                           buffer_from(NULL, workspace_bytes);

  check(tw_bsr_spmm_prepare(plan, workspace, workspace_bytes, NULL), "prepare");
  const tw_bsr_spmm_operands operands = {.struct_size = sizeof operands,
                                         .row_ptr = row_ptr,
                                         .col_idx = col_idx,
                                         .values = device_a,
                                         .b = device_b,
                                         .c = device_c,
                                         .alpha = 1};
  check(tw_bsr_spmm_run(plan, &operands, workspace, workspace_bytes, NULL), "run");
  buffer_read(c, device_c, kM * kColumns * sizeof *c);

  const int wrong = count_wrong(c);

  const double begin = microseconds_now();
  for (int i = 0; i < kRuns; ++i)
    check(tw_bsr_spmm_run(plan, &operands, workspace, workspace_bytes, NULL), "run");
  buffer_read(c, device_c, sizeof *c); /* waits for all of them */
  const double each = (microseconds_now() - begin) / kRuns;
  printf("%s: %s by %s on %s, %.1f us a product\n", wrong ? "FAIL" : "PASS", tw_target(),
         tw_bsr_spmm_plan_variant(plan), device.name, each);
  const double dense = dense_microseconds(kM, device_b, device_c);
  if (dense > 0) printf("cuBLAS on the dense matrix: %.1f us, %.2fx\n", dense, dense / each);
  tw_bsr_spmm_plan_destroy(plan);
  return wrong != 0;
}
