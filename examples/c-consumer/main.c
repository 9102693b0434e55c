/* Multiplies a block-sparse matrix by a dense one with the emitted library and checks every element against a
 * plain loop: a small matrix of its own, or that of a Matrix Market file,
 *   consumer [--matrix file.mtx[@block]]
 * with blocks of 64 where none are said. Prints PASS with the time of a product and exits 0, or says what differs and
 * exits 1; exits 77 when there is no GPU to run on. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tilewright/bsr_spmm.h>
#include <time.h>

#include "buffer.h"
#include "matrix.h"

enum { kBlock = 64, kColumns = 128 };

/* IEEE binary16, rounded to nearest, ties to even. */
static uint16_t half_of(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  const uint32_t sign = bits >> 16 & 0x8000u, size = bits & 0x7fffffffu;
  if (size > 0x7f800000u) return 0x7e00;
  if (size >= 0x477ff000u) return (uint16_t)(sign | 0x7c00u);
  if (size < 0x38800000u) return (uint16_t)(sign | (uint32_t)lrintf(ldexpf(fabsf(value), 24)));
  return (uint16_t)(sign | (((size + 0xfffu + (size >> 13 & 1u)) >> 13) - (112u << 10)));
}

static float float_of(uint16_t half) {
  const int exponent = half >> 10 & 31, fraction = half & 1023;
  const float size = exponent == 31 ? (fraction ? NAN : INFINITY)
                     : exponent     ? ldexpf((float)(1024 + fraction), exponent - 25)
                                    : ldexpf((float)fraction, -24);
  return half & 0x8000 ? -size : size;
}

static float value_at(size_t index) { return (float)((int)(index * 7 % 11) - 5) / 2; }

/* Row 0 has blocks 0 and 2, row 1 block 1, row 2 is empty, row 3 is full. */
static struct matrix own_matrix(void) {
  static int32_t row_ptr[] = {0, 2, 3, 3, 6}, col_idx[] = {0, 2, 1, 0, 1, 2};
  const size_t elements = (size_t)6 * kBlock * kBlock;
  struct matrix a = {kBlock, 4, 3, 6, row_ptr, col_idx, allocated(elements, sizeof(float))};
  for (size_t i = 0; i < elements; ++i) a.values[i] = value_at(i);
  return a;
}

static struct matrix matrix_for(int argc, char** argv) {
  if (argc == 1) return own_matrix();
  if (argc != 3 || strcmp(argv[1], "--matrix") != 0)
    fail(argv[0], "usage: consumer [--matrix file.mtx[@block]]");
  char* const at = strrchr(argv[2], '@');
  const int block = at ? atoi(at + 1) : kBlock;
  if (at) *at = 0;
  if (block < 1 || block > 1024) fail(argv[2], "the block behind @ is a number up to 1024");
  return read_matrix(argv[2], block);
}

/* Says what went wrong and ends the program; no GPU is not a failure of the library. */
static void check(tw_status status, const char* what) {
  if (status == TW_STATUS_SUCCESS) return;
  fprintf(stderr, "%s: %s (%s)\n", what, tw_status_text(status), tw_last_error());
  exit(status == TW_STATUS_NO_DEVICE ? 77 : 1);
}

static uint16_t* halves(const float* values, size_t count) {
  uint16_t* const all = allocated(count, sizeof *all);
  for (size_t i = 0; i < count; ++i) all[i] = half_of(values ? values[i] : value_at(i));
  return all;
}

/* Elements that are further from the sum of the rounded products than the rounding of C to 11 bits, and of sums to 24, explains. */
static int count_wrong(const struct matrix* a, const uint16_t* values, const uint16_t* b, const uint16_t* c) {
  const size_t block = (size_t)a->block;
  int wrong = 0;
  for (size_t row = 0; row < (size_t)a->rows * block; ++row)
    for (size_t column = 0; column < kColumns; ++column) {
      double want = 0, magnitude = 0;
      for (int32_t i = a->row_ptr[row / block]; i < a->row_ptr[row / block + 1]; ++i)
        for (size_t k = 0; k < block; ++k) {
          const double left = float_of(values[((size_t)i * block + row % block) * block + k]);
          const double product = left * float_of(b[((size_t)a->col_idx[i] * block + k) * kColumns + column]);
          want += product;
          magnitude += fabs(product);
        }
      const double got = float_of(c[row * kColumns + column]);
      if (fabs(want - got) <= 5e-4 * fabs(want) + 1e-5 * magnitude + 6e-8) continue;
      if (wrong++ == 0) printf("C[%zu,%zu] is %g, should be %g\n", row, column, got, want);
    }
  return wrong;
}

static double microseconds_now(void) {
  struct timespec now;
  timespec_get(&now, TIME_UTC);
  return 1e6 * (double)now.tv_sec + 1e-3 * (double)now.tv_nsec;
}

int main(int argc, char** argv) {
  const struct matrix a = matrix_for(argc, argv);
  tw_device_info device = {sizeof device, "", 0, 0};
  check(tw_device_query(0, &device), "query device 0");

  const tw_bsr_spmm_problem problem = {.struct_size = sizeof problem,
                                       .m = (int64_t)a.rows * a.block,
                                       .n = kColumns,
                                       .k = (int64_t)a.columns * a.block,
                                       .block = a.block,
                                       .blocks = a.blocks,
                                       .input = TW_TYPE_F16,
                                       .output = TW_TYPE_F16,
                                       .host_row_ptr = a.row_ptr,
                                       .host_col_idx = a.col_idx};
  tw_bsr_spmm_plan* plan;
  check(tw_bsr_spmm_plan_create(&problem, &plan), "plan");
  const size_t workspace_bytes = tw_bsr_spmm_workspace_bytes(plan);

  const size_t stored = (size_t)a.blocks * (size_t)a.block * (size_t)a.block;
  const size_t b_elements = (size_t)problem.k * kColumns,
               c_bytes = (size_t)problem.m * kColumns * sizeof(uint16_t);
  uint16_t *const values = halves(a.values, stored), *const b = halves(NULL, b_elements);
  uint16_t* const c = allocated(1, c_bytes);
  void* const row_ptr = buffer_from(a.row_ptr, ((size_t)a.rows + 1) * sizeof *a.row_ptr);
  void* const col_idx = buffer_from(a.col_idx, (size_t)a.blocks * sizeof *a.col_idx);
  void* const device_a = buffer_from(values, stored * sizeof *values);
  void* const device_b = buffer_from(b, b_elements * sizeof *b);
  void* const device_c = buffer_from(NULL, c_bytes);
  void* const workspace = buffer_from(NULL, workspace_bytes);

  check(tw_bsr_spmm_prepare(plan, workspace, workspace_bytes, NULL), "prepare");
  const tw_bsr_spmm_operands operands = {.struct_size = sizeof operands,
                                         .row_ptr = row_ptr,
                                         .col_idx = col_idx,
                                         .values = device_a,
                                         .b = device_b,
                                         .c = device_c,
                                         .alpha = 1};
  check(tw_bsr_spmm_run(plan, &operands, workspace, workspace_bytes, NULL), "run");
  buffer_read(c, device_c, c_bytes);

  const int wrong = count_wrong(&a, values, b, c);

  enum { kRuns = 20 };
  const double begin = microseconds_now();
  for (int i = 0; i < kRuns; ++i)
    check(tw_bsr_spmm_run(plan, &operands, workspace, workspace_bytes, NULL), "run");
  buffer_read(c, device_c, sizeof *c); /* waits for all of them */
  const double each = (microseconds_now() - begin) / kRuns;
  printf("%s: %s by %s on %s, %.1f us a product\n", wrong ? "FAIL" : "PASS", tw_target(),
         tw_bsr_spmm_plan_variant(plan), device.name, each);
  tw_bsr_spmm_plan_destroy(plan);
  return wrong != 0;
}
