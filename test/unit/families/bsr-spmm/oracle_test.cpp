// oracle_test.cpp - the problems of bsr-spmm: structure, values, reference, and what malformed ones are told.
#include "oracle.hpp"

#include <doctest/doctest.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>

using namespace tilewright;

namespace {

constexpr std::int64_t kRows = 256, kColumns = 192;

bsr_spmm::Bsr pattern(const std::string& json, bool sorted = true) {
  return bsr_spmm::make_pattern(Json::parse(json), 8, 6, 32, sorted, 7);
}

std::unique_ptr<Problem> problem(const std::string& members) {
  return make_problem(
      Json::parse(R"({"m":256,"n":40,"k":192,"block":32,"input":"f16","output":"f16",)" + members + "}"),
      Parameters(nullptr, 0));
}

std::string text(const std::vector<std::int32_t>& values) {
  std::string result;
  for (const std::int32_t value : values) result += std::to_string(value) + " ";
  return result;
}

double element(const Tensor& tensor, std::int64_t row, std::int64_t column) {
  return decode(tensor.type, tensor.image.data() + static_cast<std::size_t>(row * tensor.stride + column) *
                                                       element_bytes(tensor.type));
}

/// alpha * A * B + beta * C in the plainest way.
std::vector<double> plain_product(const Problem& problem, double alpha, double beta) {
  const std::vector<Tensor>& t = problem.tensors();
  const Tensor &row_ptr = t[0], &col_idx = t[1], &a = t[2], &b = t[3], &c = t[4];
  const std::int64_t block = a.cols;
  std::vector<double> result;
  for (std::int64_t row = 0; row < c.rows; ++row)
    for (std::int64_t column = 0; column < c.cols; ++column) {
      double sum = 0;
      const auto first = static_cast<std::int64_t>(element(row_ptr, 0, row / block));
      const auto last = static_cast<std::int64_t>(element(row_ptr, 0, row / block + 1));
      for (std::int64_t i = first; i < last; ++i)
        for (std::int64_t k = 0; k < block; ++k)
          sum += element(a, i * block + row % block, k) *
                 element(b, static_cast<std::int64_t>(element(col_idx, 0, i)) * block + k, column);
      result.push_back(alpha * sum + (beta != 0 ? beta * element(c, row, column) : 0));
    }
  return result;
}

std::string write_file(const std::string& contents) {
  const std::filesystem::path path = std::filesystem::temp_directory_path() / "tilewright-oracle-test.mtx";
  std::ofstream(path) << contents;
  return path.string();
}

bsr_spmm::Bsr of_file(const std::string& contents) {
  return pattern(R"({"kind":"matrix-market","path":")" + write_file(contents) + R"("})");
}

/// Mean square of the lengths of block rows over the square of their mean.
double unevenness(const std::string& json, std::int64_t size) {
  const bsr_spmm::Bsr a = bsr_spmm::make_pattern(Json::parse(json), size, size, 32, true, 1);
  double squares = 0;
  for (std::int64_t row = 0; row < size; ++row) squares += static_cast<double>(a.length(row) * a.length(row));
  const auto blocks = static_cast<double>(a.blocks());
  return squares * static_cast<double>(size) / (blocks * blocks);
}

}  // namespace

TEST_CASE("patterns have their shapes") {
  CHECK_EQ(text(pattern(R"({"kind":"diagonal"})").col_idx), "0 1 2 3 4 5 ");
  CHECK_EQ(text(pattern(R"({"kind":"last-block"})").row_ptr), "0 0 0 0 0 0 0 0 1 ");
  CHECK_EQ(text(pattern(R"({"kind":"last-block"})").col_idx), "5 ");
  CHECK_EQ(text(pattern(R"({"kind":"full-row","row":2})").row_ptr), "0 0 0 6 6 6 6 6 6 ");
  CHECK_EQ(text(pattern(R"({"kind":"full-column","column":4})").col_idx), "4 4 4 4 4 4 4 4 ");
  CHECK_EQ(text(pattern(R"({"kind":"arrow"})").row_ptr), "0 6 8 10 12 14 16 17 18 ");
  CHECK_EQ(text(pattern(R"({"kind":"banded","width":1})").row_ptr), "0 2 4 7 10 13 16 19 21 ");
  CHECK_EQ(text(pattern(R"({"kind":"block-diagonal","size":4})").row_ptr), "0 4 8 12 16 18 20 22 24 ");
  CHECK_EQ(pattern(R"({"kind":"empty"})").blocks(), 0);
  CHECK_EQ(text(pattern(R"({"kind":"explicit","rowPtr":[0,1,1,1,1,1,1,1,3],"colIdx":[2,5,0]})").col_idx),
           "2 5 0 ");
}

TEST_CASE("random patterns keep their counts") {
  CHECK_EQ(text(pattern(R"({"kind":"rows","counts":[0,1,6]})").row_ptr), "0 0 1 7 7 8 14 14 15 ");
  const bsr_spmm::Bsr equal = pattern(R"({"kind":"equal-rows","density":0.5})");
  for (std::int64_t row = 0; row < equal.rows; ++row) CHECK_EQ(equal.length(row), 3);
  CHECK_EQ(pattern(R"({"kind":"random","density":1})").blocks(), 48);
  CHECK_EQ(pattern(R"({"kind":"random","density":0.25})").blocks(), 12);
  CHECK_EQ(pattern(R"({"kind":"random","density":0})").blocks(), 0);
  const bsr_spmm::Bsr law = bsr_spmm::make_pattern(
      Json::parse(R"({"kind":"power-law","density":0.1,"exponent":1})"), 64, 64, 32, true, 3);
  CHECK(std::abs(law.blocks() - 410) < 20);
  std::set<std::int64_t> lengths;
  for (std::int64_t row = 0; row < law.rows; ++row) lengths.insert(law.length(row));
  CHECK(lengths.size() > 5);
}

TEST_CASE("one seed gives one pattern") {
  const auto random = [](std::uint64_t seed) {
    return bsr_spmm::make_pattern(Json::parse(R"({"kind":"random","density":0.5})"), 8, 6, 32, true, seed)
        .col_idx;
  };
  CHECK(random(1) == random(1));
  CHECK(random(1) != random(2));
}

TEST_CASE("unsorted rows hold the same blocks") {
  bsr_spmm::Bsr a = pattern(R"({"kind":"random","density":0.8})"),
                b = pattern(R"({"kind":"random","density":0.8})", false);
  CHECK(a.col_idx != b.col_idx);
  for (std::int64_t row = 0; row < b.rows; ++row)
    std::sort(b.col_idx.begin() + b.row_ptr[row], b.col_idx.begin() + b.row_ptr[row + 1]);
  CHECK(a.col_idx == b.col_idx);
}

TEST_CASE("malformed matrices are told what is wrong") {
  const auto broken = [](const std::string& members) {
    return pattern(R"({"kind":"explicit",)" + members + "}");
  };
  CHECK_THROWS_WITH(broken(R"("rowPtr":[0,1,1,1,1,1,1,1,1],"colIdx":[6])"),
                    doctest::Contains("col_idx[0] (block row 0) is 6, allowed are 0 to 5"));
  CHECK_THROWS_WITH(broken(R"("rowPtr":[0,1,1,1,1,1,1,1,1],"colIdx":[-1])"),
                    doctest::Contains("is -1, allowed are 0 to 5"));
  CHECK_THROWS_WITH(broken(R"("rowPtr":[0,2,1,2,2,2,2,2,2],"colIdx":[0,1])"),
                    doctest::Contains("row_ptr falls from 2 to 1 at block row 1"));
  CHECK_THROWS_WITH(broken(R"("rowPtr":[0,2,2,2,2,2,2,2,2],"colIdx":[3,3])"),
                    doctest::Contains("a block may be stored once only"));
  CHECK_THROWS_WITH(broken(R"("rowPtr":[1,2,2,2,2,2,2,2,2],"colIdx":[3,3])"),
                    doctest::Contains("row_ptr[0] is 1"));
  CHECK_THROWS_WITH(broken(R"("rowPtr":[0,2],"colIdx":[3,4])"), doctest::Contains("8 block rows need 9"));
  CHECK_THROWS_WITH(broken(R"("rowPtr":[0,2,2,2,2,2,2,2,2],"colIdx":[3])"),
                    doctest::Contains("row_ptr ends with 2, but col_idx has 1 entries"));
  CHECK_THROWS_WITH(broken(R"("rowPtr":[],"colIdx":[3])"), doctest::Contains("row_ptr is empty"));
  CHECK_THROWS_WITH(pattern(R"({"kind":"rows","counts":[7]})"),
                    doctest::Contains("counts has 7, allowed are 0 to 6"));
  CHECK_THROWS_WITH(pattern(R"({"kind":"random","density":1.5})"),
                    doctest::Contains("density must be 0 to 1"));
  CHECK_THROWS_WITH(pattern(R"({"kind":"full-row","row":8})"),
                    doctest::Contains("row is 8, allowed are 0 to 7"));
  CHECK_THROWS_WITH(pattern(R"({"kind":"spiral"})"),
                    doctest::Contains("unknown kind 'spiral'; there are random"));
}

TEST_CASE("matrix market files become blocks") {
  const bsr_spmm::Bsr general = of_file(
      "%%MatrixMarket matrix coordinate real general\n% a comment\n64 96 3\n1 1 0.5\n2 2 1\n33 96 -1e3\n");
  CHECK_EQ(text(general.row_ptr), "0 1 2 2 2 2 2 2 2 ");
  CHECK_EQ(text(general.col_idx), "0 2 ");
  const bsr_spmm::Bsr symmetric =
      of_file("%%MatrixMarket matrix coordinate pattern symmetric\n64 64 1\n40 1\n");
  CHECK_EQ(text(symmetric.col_idx), "1 0 ");
  const std::string path = write_file("%%MatrixMarket matrix coordinate pattern general\n70 40 1\n70 40\n");
  const bsr_spmm::Bsr own = bsr_spmm::make_pattern(
      Json::parse(R"({"kind":"matrix-market","path":")" + path + R"("})"), 0, 0, 32, true, 1);
  CHECK_EQ(own.rows, 3);
  CHECK_EQ(own.columns, 2);
}

TEST_CASE("values of a matrix market file lie in the blocks, entries of a place added and rounded once") {
  const std::string path = write_file(
      "%%MatrixMarket matrix coordinate real general\n70 40 5\n1 1 0.5\n33 40 3\n70 2 -2\n70 2 0.125\n2 1 "
      "2049\n");
  const auto problem =
      make_problem(Json::parse(R"({"n":8,"block":32,"input":"f16","output":"f32","seed":1,"values":"file",)"
                               R"("pattern":{"kind":"matrix-market","path":")" +
                               path + R"("}})"),
                   Parameters(nullptr, 0));
  const std::vector<Tensor>& tensors = problem->tensors();
  const Tensor& a = tensors[2];
  CHECK_EQ(tensors[0].cols, 4);
  CHECK_EQ(a.rows * a.cols, 3 * 32 * 32);
  const auto stored = [&](std::int64_t block, std::int64_t row, std::int64_t column) {
    return element(a, block * 32 + row, column);
  };
  CHECK_EQ(stored(0, 0, 0), 0.5);
  CHECK_EQ(stored(0, 1, 0), 2048);  // 2049 in f16
  CHECK_EQ(stored(1, 0, 7), 3);
  CHECK_EQ(stored(2, 5, 1), -1.875);
  CHECK_EQ(stored(2, 5, 0), 0);
  double sum = 0;
  for (std::int64_t block = 0; block < 3; ++block)
    for (std::int64_t i = 0; i < 32 * 32; ++i) sum += std::abs(stored(block, i / 32, i % 32));
  CHECK_EQ(sum, 0.5 + 2048 + 3 + 1.875);
}

TEST_CASE("bad matrix market files name file and line") {
  CHECK_THROWS_WITH(pattern(R"({"kind":"matrix-market","path":"/nowhere/a.mtx"})"),
                    doctest::Contains("cannot read the Matrix Market file /nowhere"));
  CHECK_THROWS_WITH(of_file("hello\n"),
                    doctest::Contains(".mtx:1: a Matrix Market file begins with '%%MatrixMarket matrix'"));
  CHECK_THROWS_WITH(of_file("%%MatrixMarket matrix coordinate quaternion general\n"),
                    doctest::Contains(".mtx:1: unknown field 'quaternion', allowed are real"));
  CHECK_THROWS_WITH(of_file("%%MatrixMarket matrix coordinate complex general\n8 8 0\n"),
                    doctest::Contains("its field is complex; kernels take real numbers"));
  CHECK_THROWS_WITH(of_file("%%MatrixMarket matrix coordinate real general\n8 8 2\n1 1 1\n"),
                    doctest::Contains("ends before entry 2 of 2"));
  CHECK_THROWS_WITH(of_file("%%MatrixMarket matrix coordinate real general\n8 8 1\n9 1 1\n"),
                    doctest::Contains(".mtx:3: row 9 lies outside the matrix of 8 x 8"));
  CHECK_THROWS_WITH(of_file("%%MatrixMarket matrix coordinate real general\n8 x 1\n"),
                    doctest::Contains("expected 'rows columns entries'"));
  CHECK_THROWS_WITH(of_file("%%MatrixMarket matrix coordinate real general\n512 8 1\n500 1 1\n"),
                    doctest::Contains("has 16 x 1 blocks, more than the problem's 8 x 6"));
}

TEST_CASE("malformed problems are invalid arguments") {
  const auto with = [](const std::string& text) {
    return make_problem(Json::parse(text), Parameters(nullptr, 0));
  };
  const auto with_huge = [](const char* size, std::int64_t value, std::int64_t lines) {
    Json huge = Json::parse(R"({"n":8,"block":32,"input":"f16","output":"f16","pattern":{"kind":"empty"}})");
    huge.set("m", lines).set("k", lines).set(size, value);
    return make_problem(huge, Parameters(nullptr, 0));
  };
  for (const char* size : {"m", "n", "k", "offsetA", "offsetB", "leadingBlocks"})
    CHECK_THROWS_WITH(with_huge(size, std::int64_t{1} << 62, 32), doctest::Contains("below 2^31"));
  for (const char* size : {"ldbExtra", "ldcExtra"}) {
    CHECK_THROWS_WITH(with_huge(size, std::int64_t{1} << 36, 32), doctest::Contains("below 2^36"));
    CHECK_THROWS_WITH(with_huge(size, std::int64_t{1} << 31, 2048), doctest::Contains("below 2^31"));
  }
  CHECK_THROWS_WITH(with("{}"), doctest::Contains("problem: "));
  CHECK_THROWS_WITH(problem(R"("pattern":{"kind":"empty"},"layoutB":"diagonal")"),
                    doctest::Contains("layoutB is 'diagonal', allowed are row, column"));
  CHECK_THROWS_WITH(problem(R"("pattern":{"kind":"empty"},"bias":"maybe")"),
                    doctest::Contains("bias is 'maybe', allowed are no, yes"));
  CHECK_THROWS_WITH(problem(R"("pattern":{"kind":"empty"},"batch":0)"), doctest::Contains("batch is 0"));
  CHECK_THROWS_WITH(problem(R"("pattern":{"kind":"empty"},"values":"purple")"),
                    doctest::Contains("unknown values 'purple'; there are normal"));
  CHECK_THROWS_WITH(problem(R"("pattern":{"kind":"empty"},"ldbExtra":-1)"),
                    doctest::Contains("ldbExtra is -1"));
  CHECK_THROWS_WITH(
      with(R"({"m":32,"n":8,"k":32,"block":32,"input":"f64","output":"f16","pattern":{"kind":"empty"}})"),
      doctest::Contains("input is 'f64', allowed are f16, bf16 and f32"));
}

TEST_CASE("tensors have the layout that kernels expect") {
  const auto p =
      problem(R"("pattern":{"kind":"diagonal"},"ldbExtra":8,"ldcExtra":3,"offsetB":8,"offsetC":1,"beta":0)");
  const std::vector<Tensor>& t = p->tensors();
  CHECK_EQ(t.size(), 5u);
  CHECK_EQ(t[2].rows, 6 * 32);
  CHECK_EQ(t[2].cols, 32);
  CHECK_EQ(t[3].rows, kColumns);
  CHECK_EQ(t[3].stride, 48);
  CHECK_EQ(t[3].offset, 8);
  CHECK_EQ(t[4].rows, kRows);
  CHECK_EQ(t[4].stride, 43);
  CHECK(t[4].role == Role::output);
  CHECK(problem(R"("pattern":{"kind":"diagonal"},"beta":2)")->tensors()[4].role == Role::inout);
  CHECK_EQ(p->flops(), 2.0 * 6 * 32 * 32 * 40);
  // Six blocks and all of B (six block rows), C once, 9 + 6 indices.
  CHECK_EQ(p->bytes(), 2.0 * (6 * 32 * 32 + kColumns * 40 + kRows * 40) + 4 * 15);
}

TEST_CASE("reference agrees with a plain product") {
  for (const char* values : {"normal", "positive", "tiny", "huge"}) {
    const auto p = problem(
        std::string(R"("pattern":{"kind":"random","density":0.5},"alpha":-1.5,"beta":0.5,"values":")") +
        values + '"');
    const Reference reference = p->reference().at(0);
    const std::vector<double> expected = plain_product(*p, -1.5, 0.5);
    CHECK_EQ(reference.value.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
      CHECK(std::fabs(reference.value[i] - expected[i]) <=
            1e-9 * reference.bound[i] + 1e-12 * std::fabs(expected[i]));
      CHECK(reference.bound[i] > 0);
    }
  }
}

/// Element (row, column) of C in the reference of a problem of 256 rows and 40 columns.
double answer(const Reference& reference, bool by_columns, std::int64_t row, std::int64_t column) {
  return reference.value[by_columns ? column * kRows + row : row * 40 + column];
}

TEST_CASE("layouts change where elements lie and no result") {
  for (const bool b_columns : {false, true})
    for (const bool c_columns : {false, true}) {
      const std::string layouts = std::string(R"("layoutB":")") + (b_columns ? "column" : "row") +
                                  R"(","layoutC":")" + (c_columns ? "column" : "row") + '"';
      const auto p =
          problem(R"("pattern":{"kind":"random","density":0.5},"values":"integers","ldbExtra":8,)" + layouts);
      const std::vector<Tensor>& t = p->tensors();
      CHECK_EQ(t[3].rows, b_columns ? 40 : kColumns);
      CHECK_EQ(t[3].stride, b_columns ? kColumns + 8 : 48);
      CHECK_EQ(t[4].rows, c_columns ? 40 : kRows);
      const Reference reference = p->reference().at(0);
      for (std::int64_t row = 0; row < kRows; row += 5)
        for (std::int64_t column = 0; column < 40; column += 3) {
          double sum = 0;
          for (auto i = static_cast<std::int64_t>(element(t[0], 0, row / 32));
               i < element(t[0], 0, row / 32 + 1); ++i)
            for (std::int64_t k = 0; k < 32; ++k) {
              const std::int64_t at = static_cast<std::int64_t>(element(t[1], 0, i)) * 32 + k;
              sum += element(t[2], i * 32 + row % 32, k) *
                     (b_columns ? element(t[3], column, at) : element(t[3], at, column));
            }
          CHECK_EQ(answer(reference, c_columns, row, column), sum);
        }
    }
}

TEST_CASE("bias residual and activation follow the formula") {
  const auto p = problem(R"("pattern":{"kind":"random","density":0.3},"alpha":0.25,"beta":-0.5,"bias":"yes",)"
                         R"("residual":"yes","ldrExtra":3,"activation":"silu")");
  const std::vector<Tensor>& t = p->tensors();
  CHECK_EQ(t[4].name, "bias");
  CHECK_EQ(t[5].name, "residual");
  CHECK_EQ(t[5].stride, 43);
  CHECK(t[6].role == Role::output);
  const Reference reference = p->reference().at(0);
  for (std::int64_t row = 0; row < kRows; row += 7) {
    double sum = 0;
    for (auto i = static_cast<std::int64_t>(element(t[0], 0, row / 32)); i < element(t[0], 0, row / 32 + 1);
         ++i)
      for (std::int64_t k = 0; k < 32; ++k)
        sum += element(t[2], i * 32 + row % 32, k) *
               element(t[3], static_cast<std::int64_t>(element(t[1], 0, i)) * 32 + k, 1);
    const double x = 0.25 * sum - 0.5 * element(t[5], row, 1) + element(t[4], 0, row);
    CHECK(std::fabs(reference.value[row * 40 + 1] - x / (1 + std::exp(-x))) < 1e-9);
  }
}

TEST_CASE("a transposed product reads rows as columns") {
  const auto p =
      problem(R"("pattern":{"kind":"random","density":0.4},"values":"integers","transposeA":"yes")");
  const std::vector<Tensor>& t = p->tensors();
  CHECK_EQ(t[3].rows, kRows);
  CHECK_EQ(t[4].rows, kColumns);
  const Reference reference = p->reference().at(0);
  for (std::int64_t row = 0; row < kColumns; row += 5) {
    double sum = 0;
    for (std::int64_t from = 0; from < kRows; ++from)
      for (auto i = static_cast<std::int64_t>(element(t[0], 0, from / 32));
           i < element(t[0], 0, from / 32 + 1); ++i)
        if (element(t[1], 0, i) == static_cast<double>(row / 32))
          sum += element(t[2], i * 32 + from % 32, row % 32) * element(t[3], from, 3);
    CHECK_EQ(reference.value[row * 40 + 3], sum);
  }
}

TEST_CASE("products of a batch have operands of their own") {
  const auto p = problem(R"("pattern":{"kind":"random","density":0.4},"batch":3,"batchExtra":8)");
  const std::vector<Tensor>& t = p->tensors();
  CHECK_EQ(t[3].rows, 3);
  CHECK_EQ(t[3].stride, kColumns * 40 + 8);
  CHECK_EQ(t[4].cols, kRows * 40);
  const Reference reference = p->reference().at(0);
  CHECK_EQ(reference.value.size(), static_cast<std::size_t>(3 * kRows * 40));
  CHECK(reference.value[0] != reference.value[kRows * 40]);
}

TEST_CASE("products of a batch have one bias") {
  const std::string members =
      R"("pattern":{"kind":"random","density":0.4},"values":"integers","batch":2,"bias":)";
  const auto biased = problem(members + R"("yes")"), plain = problem(members + R"("no")");
  const Tensor& bias = biased->tensors()[4];
  const Reference with = biased->reference().at(0), without = plain->reference().at(0);
  for (std::size_t product = 0; product < 2; ++product)
    for (std::size_t row = 0; row < kRows; row += 5) {
      const std::size_t at = (product * kRows + row) * 40;
      CHECK_EQ(with.value[at] - without.value[at], element(bias, 0, static_cast<std::int64_t>(row)));
    }
}

TEST_CASE("products of one operand may lie further apart than the others") {
  const auto p = problem(R"("pattern":{"kind":"diagonal"},"batch":2,"batchExtraB":3,"offsetA":1)");
  const std::vector<Tensor>& t = p->tensors();
  CHECK_EQ(t[2].offset, 1);
  CHECK_EQ(t[3].stride, kColumns * 40 + 3);
  CHECK_EQ(t[4].stride, 40);
}

TEST_CASE("products that are far apart have images without what lies between") {
  const auto near = problem(R"("pattern":{"kind":"random","density":0.4},"batch":3,"batchExtra":8)");
  const auto far = problem(R"("pattern":{"kind":"random","density":0.4},"batch":3,"batchExtra":2147483640)");
  const Tensor &b = near->tensors()[3], &apart = far->tensors()[3];
  CHECK(apart.sparse);
  CHECK_EQ(apart.stride, kColumns * 40 + 2147483640);
  const std::size_t product = kColumns * 40 * 2, gap = 8 * 2;
  CHECK_EQ(apart.image.size(), 3 * product);
  for (std::size_t i = 0; i < 3; ++i)
    CHECK_EQ(std::memcmp(apart.image.data() + i * product, b.image.data() + i * (product + gap), product), 0);
  CHECK(far->reference().at(0).value == near->reference().at(0).value);
}

TEST_CASE("indices may have 64 bits") {
  const auto p = problem(R"("pattern":{"kind":"diagonal"},"index":"i64")");
  CHECK(p->tensors()[0].type == ElementType::i64);
  CHECK_EQ(p->tensors()[1].image.size(), 6u * 8);
}

TEST_CASE("the last blocks may reach over the edge") {
  const auto p = make_problem(Json::parse(R"({"m":100,"n":8,"k":70,"block":32,"input":"f16","output":"f16",)"
                                          R"("pattern":{"kind":"rows","counts":[3]}})"),
                              Parameters(nullptr, 0));
  const std::vector<Tensor>& t = p->tensors();
  CHECK_EQ(t[0].cols, 5);
  CHECK_EQ(t[3].rows, 70);
  CHECK_EQ(t[4].rows, 100);
  double sum = 0;
  for (std::int64_t i = 0; i < 3; ++i)
    for (std::int64_t k = 0; k < 32; ++k) {
      const std::int64_t at = static_cast<std::int64_t>(element(t[1], 0, i)) * 32 + k;
      if (at < 70) sum += element(t[2], i * 32, k) * element(t[3], at, 0);
    }
  CHECK(std::fabs(p->reference().at(0).value[0] - sum) < 1e-9);
}

TEST_CASE("integer problems demand exact results") {
  for (const char* output : {"f16", "bf16", "f32"}) {
    const std::string input = std::string(output) == "f32" ? "f16" : output;
    const auto p = make_problem(
        Json::parse(R"({"m":256,"n":40,"k":1024,"block":32,"input":")" + input + R"(","output":")" + output +
                    R"(","pattern":{"kind":"random","density":0.9},"values":"integers"})"),
        Parameters(nullptr, 0));
    const Reference reference = p->reference().at(0);
    const std::vector<double> expected = plain_product(*p, 1, 0);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      CHECK_EQ(reference.value[i], expected[i]);  // also: no sum is beyond what the output type represents
      CHECK_EQ(reference.bound[i], 0.0);
    }
  }
}

TEST_CASE("one hot problems copy rows of b") {
  const auto p = problem(R"("pattern":{"kind":"rows","counts":[2,0]},"values":"one-hot")");
  const Reference reference = p->reference().at(0);
  const Tensor& b = p->tensors()[3];
  for (std::int64_t row = 0; row < 32; ++row) {
    bool found = false;
    for (std::int64_t k = 0; k < b.rows && !found; ++k) {
      found = true;
      for (std::int64_t n = 0; n < 40; ++n)
        found = found && reference.value[row * 40 + n] == element(b, k, n);
    }
    CHECK(found);
  }
  CHECK_EQ(reference.value[32 * 40], 0.0);
}

TEST_CASE("non finite values reach dependent elements only") {
  const auto p = problem(R"("pattern":{"kind":"rows","counts":[1,0]},"values":"nan")");
  const Reference reference = p->reference().at(0);
  std::int64_t finite = 0, other = 0;
  for (std::int64_t i = 0; i < 32 * 40; ++i) (std::isfinite(reference.value[i]) ? finite : other) += 1;
  CHECK(finite > 0);
  for (std::int64_t row = 32; row < 64; ++row)
    for (std::int64_t n = 0; n < 40; ++n) CHECK_EQ(reference.value[row * 40 + n], 0.0);
  std::int64_t all = 0;
  for (const double value : reference.value) all += !std::isfinite(value);
  CHECK(all > 0);
}

TEST_CASE("cancelling values sum to zero") {
  const auto p = problem(R"("pattern":{"kind":"random","density":0.5},"values":"cancel")");
  const Reference reference = p->reference().at(0);
  for (const double value : reference.value) CHECK_EQ(value, 0.0);
}

TEST_CASE("patterns are as uneven as the policy takes them to be") {
  // The figures of family.test.ts; lengths that are drawn scatter about theirs.
  CHECK(std::fabs(unevenness(R"({"kind":"power-law","density":0.125,"exponent":1})", 32) - 3.14) < 0.1);
  CHECK(std::fabs(unevenness(R"({"kind":"power-law","density":0.125,"exponent":1})", 128) - 3.3) < 0.1);
  CHECK(std::fabs(unevenness(R"({"kind":"random","density":0.125})", 32) - 1.22) < 0.15);
  CHECK(std::fabs(unevenness(R"({"kind":"equal-rows","density":0.125})", 32) - 1) < 1e-9);
}
