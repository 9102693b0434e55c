// launch_test.cpp - which problems the variants of bsr-spmm take, and the grids and workspaces that they get.
#include "launch.hpp"

#include <limits>

#include "check.hpp"

using namespace tilewright;

namespace {

using List = std::vector<Parameter>;

List mma() {
  return {{"path", 0, "mma"},         {"block", 64, nullptr},        {"input", 0, "f16"},
          {"output", 0, "f16"},       {"tileN", 128, nullptr},       {"tilesPerCta", 1, nullptr},
          {"copyBytes", 16, nullptr}, {"panel", 1, nullptr},         {"order", 0, "natural"},
          {"threads", 256, nullptr},  {"sharedBytes", 4096, nullptr}};
}

List wgmma() {
  return {{"path", 0, "wgmma"},      {"block", 64, nullptr},         {"input", 0, "f16"},
          {"output", 0, "f16"},      {"tileN", 128, nullptr},        {"tileK", 64, nullptr},
          {"cluster", 1, nullptr},   {"panel", 1, nullptr},          {"group", 1, nullptr},
          {"split", 0, nullptr},     {"consumers", 2, nullptr},      {"blocksPerStage", 1, nullptr},
          {"role", 0, "pingpong"},   {"grouping", 0, "adjacent"},    {"order", 0, "longest"},
          {"schedule", 0, "static"}, {"epilogue", 0, "tma"},         {"boxRows", 64, nullptr},
          {"threads", 384, nullptr}, {"sharedBytes", 4096, nullptr}, {"pdl", 0, nullptr}};
}

List with(List list, const Parameter& changed) {
  for (Parameter& parameter : list)
    if (std::string_view(parameter.name) == changed.name) parameter = changed;
  return list;
}

const std::vector<std::int32_t> kRowPtr = {0, 1, 1, 5, 7};

bsr_spmm::Shape shape() { return {256, 1000, 512, 64, 7, "f16", "f16", 1000, 1000, kRowPtr.data(), nullptr}; }

bsr_spmm::Operands operands() {
  alignas(16) static std::byte memory[64];
  return {kRowPtr.data(), kRowPtr.data(), memory, memory, memory, 1, 0, memory};
}

Launch launch(const bsr_spmm::Shape& problem, const List& list, const bsr_spmm::Operands& at = operands()) {
  return bsr_spmm::launches(problem, at, Parameters(list.data(), list.size()), {}).at(0);
}

Workspace workspace(const bsr_spmm::Shape& problem, const List& list) {
  return bsr_spmm::workspace(problem, Parameters(list.data(), list.size()), {});
}

bsr_spmm::Args args_of(const Launch& launch) {
  bsr_spmm::Args args;
  std::memcpy(&args, launch.arguments.items().at(0).bytes.data(), sizeof args);
  return args;
}

}  // namespace

TEST(panels_cover_all_tiles) {
  const auto grid = [](std::int64_t panel) {
    const auto [x, y, z] = launch(shape(), with(mma(), {"panel", panel, nullptr})).grid;
    return std::to_string(x) + " " + std::to_string(y) + " " + std::to_string(z);
  };
  CHECK_EQ(grid(1), "1 4 8");
  CHECK_EQ(grid(4), "4 4 2");
  CHECK_EQ(grid(0), "8 4 1");
}

TEST(several_tiles_per_block_need_fewer_blocks) {
  CHECK_EQ(launch(shape(), with(mma(), {"tilesPerCta", 4, nullptr})).grid[2], 2u);
}

TEST(longest_rows_come_first) {
  const List list = with(mma(), {"order", 0, "longest"});
  const Workspace space = workspace(shape(), list);
  CHECK_EQ(space.bytes, 4 * sizeof(bsr_spmm::Row));
  std::string order;
  for (std::size_t i = 0; i < 4; ++i) {
    bsr_spmm::Row row;
    std::memcpy(&row, space.image.data() + i * sizeof row, sizeof row);
    order +=
        std::to_string(row.index) + ":" + std::to_string(row.first) + "+" + std::to_string(row.count) + " ";
  }
  CHECK_EQ(order, "2:1+4 3:5+2 0:0+1 1:1+0 ");
  bsr_spmm::Shape unknown = shape();
  unknown.row_ptr = nullptr;
  CHECK_THROWS(workspace(unknown, list), "needs a host copy of row_ptr");
  CHECK_EQ(workspace(unknown, mma()).bytes, 0u);
}

TEST(refuses_what_it_was_not_made_for) {
  bsr_spmm::Shape other = shape();
  other.block = 32;
  CHECK_THROWS(workspace(other, mma()), "made for blocks of 64, not 32");
  other = shape();
  other.output = "f32";
  CHECK_THROWS(workspace(other, mma()), "f16 out, not f16 and f32");
  other = shape();
  other.ldb = 1001;
  CHECK_THROWS(workspace(other, mma()), "ldb must be a multiple of 8, not 1001");
  for (std::int64_t bsr_spmm::Shape::*stride : {&bsr_spmm::Shape::ldb, &bsr_spmm::Shape::ldc}) {
    bsr_spmm::Shape wide = shape();
    wide.*stride = std::numeric_limits<std::int64_t>::max();
    CHECK_THROWS(workspace(wide, mma()), "ldb and ldc must be below 2^40");
  }
  other.ldb = 1002;
  CHECK_EQ(workspace(other, with(mma(), {"copyBytes", 4, nullptr})).bytes, 0u);
  other = shape();
  other.m = 64 * 70000;
  CHECK_THROWS(workspace(other, mma()), "launches 70000 thread blocks along block rows");
}

TEST(refuses_misaligned_operands_but_takes_any_c) {
  bsr_spmm::Operands at = operands();
  at.b = static_cast<const std::byte*>(at.b) + 2;
  CHECK_THROWS(launch(shape(), mma(), at), "values and B must be aligned to that");
  at = operands();
  CHECK_EQ(args_of(launch(shape(), mma(), at)).aligned_c, 1);
  at.c = static_cast<std::byte*>(at.c) + 2;
  CHECK_EQ(args_of(launch(shape(), mma(), at)).aligned_c, 0);
  bsr_spmm::Shape odd = shape();
  odd.ldc = 1001;
  CHECK_EQ(args_of(launch(odd, mma())).aligned_c, 0);
}

TEST(plans_refuse_sizes_and_runs_refuse_pointers_and_beta) {
  bsr_spmm::Operands at = operands();
  CHECK_EQ(launch(shape(), wgmma(), at).grid[0], 132u);
  at.beta = 1;
  CHECK(workspace(shape(), wgmma()).bytes > 0);
  CHECK_THROWS(launch(shape(), wgmma(), at), "beta must be 0");
  at = operands();
  at.c = static_cast<std::byte*>(at.c) + 2;
  CHECK_THROWS(launch(shape(), wgmma(), at), "C by TMA: it must be 16-byte aligned");
  bsr_spmm::Shape other = shape();
  other.ldc = 1004;
  CHECK_THROWS(workspace(other, wgmma()), "ldc must be a multiple of 8, not 1004");
  other.n = 996;
  other.ldc = 1000;
  CHECK_THROWS(workspace(other, wgmma()), "n must be a multiple of 8, not 996");

  at = operands();
  const List overlap = with(wgmma(), {"epilogue", 0, "overlap"});
  CHECK_EQ(launch(shape(), overlap, at).arguments.items().size(), 4u);  // a map of C too
  at.beta = 1;
  CHECK_THROWS(launch(shape(), overlap, at), "beta must be 0");
  at = operands();
  at.c = static_cast<std::byte*>(at.c) + 2;

  const List direct = with(wgmma(), {"epilogue", 0, "direct"});
  CHECK(workspace(other, direct).bytes > 0);
  CHECK_THROWS(launch(other, direct, at), "in pairs: it must be aligned to two elements");
  at = operands();
  at.beta = 1;
  CHECK_EQ(launch(other, direct, at).arguments.items().size(), 3u);
  other.n = 997;
  CHECK_THROWS(workspace(other, direct), "n and ldc must be even");

  other = shape();
  other.reads_c = true;
  CHECK_THROWS(workspace(other, wgmma()), "beta must be 0");
  CHECK_THROWS(workspace(other, overlap), "beta must be 0");
  CHECK(workspace(other, direct).bytes > 0);
  CHECK_EQ(workspace(other, mma()).bytes, 0u);
}

TEST(an_empty_c_needs_no_launch) {
  bsr_spmm::Shape nothing = shape();
  nothing.n = 0;
  const List list = mma();
  CHECK(bsr_spmm::launches(nothing, operands(), Parameters(list.data(), list.size()), {}).empty());
}
