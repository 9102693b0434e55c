#include "problem.hpp"

#include <cmath>
#include <cstring>
#include <random>

namespace bugs {
namespace {

const std::vector<int> kRowLengths = {2, 0, 13, 3, 1, 7, 4};
constexpr int kColumns = 128, kBlockColumns = 14;

template <class T>
void upload(const Buffer<T>& to, const std::vector<T>& from) {
  std::memcpy(static_cast<void*>(to.get()), from.data(), from.size() * sizeof(T));
}

/// Columns of row r: `length` different ones, rising, from the first to the last.
std::vector<int> pattern(const std::vector<int>& lengths, std::vector<int>& row_ptr) {
  std::vector<int> columns;
  row_ptr = {0};
  for (const int length : lengths) {
    for (int i = 0; i < length; ++i)
      columns.push_back(length == 1 ? 0 : i * (kBlockColumns - 1) / (length - 1));
    row_ptr.push_back(static_cast<int>(columns.size()));
  }
  return columns;
}

std::vector<__half> random_halves(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> values(-1, 1);
  std::vector<__half> halves(count);
  for (__half& half : halves) half = __float2half_rn(values(random));
  return halves;
}

void fill_with_nan(const Buffer<__half>& buffer) {
  std::memset(static_cast<void*>(buffer.get()), 0xff, buffer.size() * sizeof(__half));
}

void multiply(const std::vector<int>& row_ptr, const std::vector<int>& columns,
              const std::vector<__half>& values, const std::vector<__half>& b, Sparse& problem) {
  for (int row = 0; row < problem.m; ++row)
    for (int at = row_ptr[row / kBlock]; at < row_ptr[row / kBlock + 1]; ++at)
      for (int k = 0; k < kBlock; ++k) {
        const double a =
            __half2float(values[(static_cast<std::size_t>(at) * kBlock + row % kBlock) * kBlock + k]);
        const __half* b_row = &b[(static_cast<std::size_t>(columns[at]) * kBlock + k) * kColumns];
        for (int column = 0; column < kColumns; ++column) {
          const double product = a * __half2float(b_row[column]);
          problem.answer[static_cast<std::size_t>(row) * kColumns + column] += product;
          problem.magnitude[static_cast<std::size_t>(row) * kColumns + column] += std::fabs(product);
        }
      }
}

Sparse make_sparse() {
  std::vector<int> row_ptr;
  const std::vector<int> columns = pattern(kRowLengths, row_ptr);
  const std::vector<__half> values = random_halves(columns.size() * kBlock * kBlock, 1);
  const int m = static_cast<int>(kRowLengths.size()) * kBlock, k = kBlockColumns * kBlock;
  const std::vector<__half> b = random_halves(static_cast<std::size_t>(k) * kColumns, 2);
  const std::size_t outputs = static_cast<std::size_t>(m) * kColumns;
  Sparse problem{m,
                 kColumns,
                 k,
                 {row_ptr.size(), "row_ptr"},
                 {columns.size(), "col_idx"},
                 {values.size(), "A"},
                 {b.size(), "B"},
                 {outputs, "C"},
                 std::vector<double>(outputs),
                 std::vector<double>(outputs)};
  upload(problem.row_ptr, row_ptr);
  upload(problem.col_idx, columns);
  upload(problem.values, values);
  upload(problem.b, b);
  multiply(row_ptr, columns, values, b, problem);
  return problem;
}

/// One query: scores of the keys listed for it, softmax, weighted sum of values.
void attend(int query, const std::vector<int>& row_ptr, const std::vector<int>& columns,
            const std::vector<__half>& q, const std::vector<__half>& k, const std::vector<__half>& v,
            double* out) {
  const int block = query / kBlock;
  std::vector<std::pair<int, double>> scores;
  double largest = -INFINITY, sum = 0;
  for (int at = row_ptr[block]; at < row_ptr[block + 1]; ++at)
    for (int key = columns[at] * kBlock; key < (columns[at] + 1) * kBlock; ++key) {
      if (columns[at] == block && key > query) continue;
      double score = 0;
      for (int d = 0; d < kBlock; ++d)
        score += static_cast<double>(__half2float(q[static_cast<std::size_t>(query) * kBlock + d])) *
                 __half2float(k[static_cast<std::size_t>(key) * kBlock + d]);
      scores.emplace_back(key, score / 8);
      largest = std::fmax(largest, score / 8);
    }
  for (auto& [key, score] : scores) sum += score = std::exp(score - largest);
  for (const auto& [key, weight] : scores)
    for (int d = 0; d < kBlock; ++d)
      out[d] += weight / sum * __half2float(v[static_cast<std::size_t>(key) * kBlock + d]);
}

Attention make_attention() {
  // Row r of blocks attends to blocks 0 (a sink), r-2, r-1 and r; the diagonal block comes last.
  constexpr int kRows = 6;
  std::vector<int> row_ptr = {0}, columns;
  for (int row = 0; row < kRows; ++row) {
    for (int column = 0; column <= row; ++column)
      if (column == 0 || column + 2 >= row) columns.push_back(column);
    row_ptr.push_back(static_cast<int>(columns.size()));
  }
  constexpr std::size_t kElements = static_cast<std::size_t>(kRows) * kBlock * kBlock;
  const std::vector<__half> q = random_halves(kElements, 3), k = random_halves(kElements, 4),
                            v = random_halves(kElements, 5);
  Attention problem{kRows * kBlock,
                    {row_ptr.size(), "row_ptr"},
                    {columns.size(), "col_idx"},
                    {kElements, "Q"},
                    {kElements, "K"},
                    {kElements, "V"},
                    {kElements, "O"},
                    std::vector<double>(kElements)};
  upload(problem.row_ptr, row_ptr);
  upload(problem.col_idx, columns);
  upload(problem.q, q);
  upload(problem.k, k);
  upload(problem.v, v);
  for (int query = 0; query < problem.length; ++query)
    attend(query, row_ptr, columns, q, k, v, &problem.answer[static_cast<std::size_t>(query) * kBlock]);
  return problem;
}

}  // namespace

void Sparse::poison() const {
  fill_with_nan(c);
  simt::mark_undefined(c.get(), c.size() * sizeof(__half));
}

std::size_t Sparse::wrong_elements() const {
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < answer.size(); ++i) {
    // fp32 sums of at most 13 * 64 products, then one rounding to half.
    const double bound = 0x1p-18 * magnitude[i] + 0x1.02p-11 * std::fabs(answer[i]) + 0x1p-25;
    if (!(std::fabs(__half2float(c.get()[i]) - answer[i]) <= bound)) ++wrong;
  }
  return wrong;
}

void Attention::poison() const {
  fill_with_nan(o);
  simt::mark_undefined(o.get(), o.size() * sizeof(__half));
}

std::size_t Attention::wrong_elements() const {
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < answer.size(); ++i)  // weights are rounded to half before the second product
    if (!(std::fabs(__half2float(o.get()[i]) - answer[i]) <= 0x1p-9)) ++wrong;
  return wrong;
}

const Sparse& sparse() {
  static const Sparse problem = make_sparse();
  return problem;
}

const Attention& attention() {
  static const Attention problem = make_attention();
  return problem;
}

simt::TensorMap matrix_map(const __half* base, int rows, int columns, int box_rows, int swizzle) {
  simt::TensorMap map{};
  map.base = base;
  map.rank = 2;
  map.element_bytes = 2;
  map.element_kind = 1;
  map.size[0] = static_cast<std::uint64_t>(columns);
  map.size[1] = static_cast<std::uint64_t>(rows);
  map.stride[0] = 2;
  map.stride[1] = static_cast<std::uint64_t>(columns) * 2;
  map.box[0] = 64;
  map.box[1] = static_cast<std::uint32_t>(box_rows);
  map.swizzle = static_cast<std::uint8_t>(swizzle);
  return map;
}

}  // namespace bugs
