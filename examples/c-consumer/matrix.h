/* matrix.h - a sparse matrix in blocks, and its reader for Matrix Market files
 * (https://math.nist.gov/MatrixMarket/formats.html): coordinate format, real, integer or pattern. */
#ifndef MATRIX_H
#define MATRIX_H
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Block i of the stored ones lies in values[i * block * block], row by row; those of block row r are the ones from row_ptr[r] to
 * before row_ptr[r + 1], of block columns col_idx[i]. */
struct matrix {
  int block, rows, columns, blocks; /* elements of a block's side; the others count blocks */
  int32_t *row_ptr, *col_idx;
  float* values;
};

struct entry {
  long long row, column; /* from 0 */
  double value;
};

static void fail(const char* file, const char* what) {
  fprintf(stderr, "%s: %s\n", file, what);
  exit(2);
}

static void* allocated(size_t count, size_t size) {
  void* const memory = calloc(count ? count : 1, size);
  if (!memory) fail("matrix", "not enough memory");
  return memory;
}

static int sort_block; /* qsort has no place for it */

static int by_block(const void* left, const void* right) {
  const struct entry *const a = left, *const b = right;
  const long long rows = a->row / sort_block - b->row / sort_block,
                  columns = a->column / sort_block - b->column / sort_block;
  return rows ? (rows > 0) - (rows < 0) : (columns > 0) - (columns < 0);
}

/* Blocks of the entries; a place's entries add up. */
static struct matrix in_blocks(struct entry* entries, size_t count, long long rows, long long columns,
                               int block) {
  struct matrix a = {
      block, (int)((rows + block - 1) / block), (int)((columns + block - 1) / block), 0, NULL, NULL, NULL};
  const size_t size = (size_t)block * (size_t)block;
  sort_block = block;
  qsort(entries, count, sizeof *entries, by_block);
  for (size_t i = 0; i < count; ++i) a.blocks += i == 0 || by_block(&entries[i - 1], &entries[i]) != 0;
  a.row_ptr = allocated((size_t)a.rows + 1, sizeof *a.row_ptr);
  a.col_idx = allocated((size_t)a.blocks, sizeof *a.col_idx);
  a.values = allocated((size_t)a.blocks * size, sizeof *a.values);
  size_t stored = 0;
  for (size_t i = 0; i < count; ++i) {
    const struct entry one = entries[i];
    if (i == 0 || by_block(&entries[i - 1], &one) != 0) {
      a.col_idx[stored++] = (int32_t)(one.column / block);
      ++a.row_ptr[one.row / block + 1];
    }
    a.values[(stored - 1) * size + (size_t)(one.row % block * block + one.column % block)] +=
        (float)one.value;
  }
  for (int row = 0; row < a.rows; ++row) a.row_ptr[row + 1] += a.row_ptr[row];
  return a;
}

/* The next line that is neither blank nor a comment; false at the end. */
static int next_line(FILE* file, char* line, int size) {
  while (fgets(line, size, file)) {
    const char first = line[strspn(line, " \t\r\n")];
    if (first && first != '%') return 1;
  }
  return 0;
}

/* The file's matrix; ends the program where it is none, or of a kind that this reader lacks. */
static struct matrix read_matrix(const char* path, int block) {
  FILE* const file = fopen(path, "r");
  if (!file) fail(path, "cannot be read");
  char line[1024], field[64] = "", symmetry[64] = "";
  if (!fgets(line, sizeof line, file) ||
      sscanf(line, "%%%%MatrixMarket matrix coordinate %63s %63s", field, symmetry) != 2)
    fail(path, "is no Matrix Market file in coordinate format");
  const int pattern = !strcmp(field, "pattern"), skew = !strcmp(symmetry, "skew-symmetric");
  const int folded = skew || !strcmp(symmetry, "symmetric");
  if (!pattern && strcmp(field, "real") && strcmp(field, "integer"))
    fail(path, "has values that are not real");
  if (!folded && strcmp(symmetry, "general"))
    fail(path, "has a symmetry other than general, symmetric and skew-symmetric");
  long long rows, columns, given;
  if (!next_line(file, line, sizeof line) || sscanf(line, "%lld %lld %lld", &rows, &columns, &given) != 3 ||
      rows < 1 || columns < 1 || given < 0 || rows > INT32_MAX - block || columns > INT32_MAX - block)
    fail(path, "has no line of sizes, or sizes beyond 32 bits");
  struct entry* const entries = allocated((size_t)given * 2, sizeof *entries);
  size_t count = 0;
  for (long long i = 0; i < given; ++i) {
    struct entry one = {0, 0, 1};
    const int wanted = pattern ? 2 : 3;
    if (!next_line(file, line, sizeof line) ||
        sscanf(line, "%lld %lld %lf", &one.row, &one.column, &one.value) < wanted)
      fail(path, "ends before its last entry, or has one that cannot be read");
    if (one.row < 1 || one.row > rows || one.column < 1 || one.column > columns)
      fail(path, "has an entry outside the matrix");
    --one.row, --one.column;
    entries[count++] = one;
    if (folded && one.row != one.column)
      entries[count++] = (struct entry){one.column, one.row, skew ? -one.value : one.value};
  }
  fclose(file);
  const struct matrix a = in_blocks(entries, count, rows, columns, block);
  free(entries);
  return a;
}

#endif
