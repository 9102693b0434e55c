// launch_test.cpp - which problems the variants of bsr-spmm take, and the grids and workspaces that they get.
#include "launch.hpp"

#include <doctest/doctest.h>

#include <limits>

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
  return {{"path", 0, "wgmma"},
          {"block", 64, nullptr},
          {"input", 0, "f16"},
          {"output", 0, "f16"},
          {"tileN", 128, nullptr},
          {"tileK", 64, nullptr},
          {"cluster", 1, nullptr},
          {"clusterK", 1, nullptr},
          {"panel", 1, nullptr},
          {"group", 1, nullptr},
          {"split", 0, nullptr},
          {"consumers", 2, nullptr},
          {"blocksPerStage", 1, nullptr},
          {"role", 0, "pingpong"},
          {"grouping", 0, "adjacent"},
          {"order", 0, "longest"},
          {"schedule", 0, "static"},
          {"epilogue", 0, "tma"},
          {"boxLines", 16, nullptr},
          {"threads", 384, nullptr},
          {"sharedBytes", 4096, nullptr},
          {"pdl", 0, nullptr},
          {"packB", 0, nullptr},
          {"transposeA", 0, nullptr},
          {"boxElements", 64, nullptr},
          {"swapped", 0, nullptr},
          {"plainArgs", 1, nullptr},
          {"addend", 0, nullptr},
          {"tiledB", 0, nullptr}};
}

List packing() {
  return {{"path", 0, "general"},        {"block", 64, nullptr},        {"tileN", 128, nullptr},
          {"copyBytes", 16, nullptr},    {"panel", 1, nullptr},         {"order", 0, "natural"},
          {"packB", 1, nullptr},         {"packThreads", 128, nullptr}, {"threads", 128, nullptr},
          {"sharedBytes", 4096, nullptr}};
}

List with(List list, const Parameter& changed) {
  for (Parameter& parameter : list)
    if (std::string_view(parameter.name) == changed.name) parameter = changed;
  return list;
}

const std::vector<std::int32_t> kRowPtr = {0, 1, 1, 5, 7};

bsr_spmm::Shape shape() { return bsr_spmm::packed_f16(256, 1000, 512, 64, 7, kRowPtr.data(), nullptr); }

bsr_spmm::Call call() {
  alignas(16) static std::byte memory[512];
  bsr_spmm::Call at{};
  at.row_ptr = at.col_idx = kRowPtr.data();
  at.values = at.b = memory;
  at.c = at.workspace = memory;
  at.alpha = 1;
  return at;
}

Bound bound_to(const bsr_spmm::Shape& problem, const List& list) {
  return bsr_spmm::bind(problem, Parameters(list.data(), list.size()), {});
}

BoundLaunch launch(const bsr_spmm::Shape& problem, const List& list) {
  return bound_to(problem, list).launches.at(0);
}

Workspace workspace(const bsr_spmm::Shape& problem, const List& list) {
  return bound_to(problem, list).workspace;
}

/// Reason that a call is refused; empty if it is not.
std::string refusal(const bsr_spmm::Shape& problem, const List& list, const bsr_spmm::Call& at) {
  const Bound bound = bound_to(problem, list);
  const Requirement* unmet = bound.requirements.unmet(&at);
  return unmet ? unmet->text() : "";
}

struct Map {
  void* address;
};

/// The kernel's parameters for a call.
KernelParameters<Map> parameters(const BoundLaunch& launch, const bsr_spmm::Call& at) {
  const PreparedParameters<Map> prepared(launch, [](const TiledMap&) { return Map{}; });
  KernelParameters<Map> filled;
  const auto move = [](Map& map, void* address) {
    map.address = address;
    return true;
  };
  CHECK(filled.fill(prepared, &at, move));
  return filled;
}

template <class Args>
Args args_of(const BoundLaunch& launch, const bsr_spmm::Call& at) {
  Args args;
  CHECK_EQ(launch.arguments.size(), sizeof args);
  std::memcpy(&args, parameters(launch, at).arguments, sizeof args);
  return args;
}

}  // namespace

TEST_CASE("panels cover all tiles") {
  const auto grid = [](std::int64_t panel) {
    const auto [x, y, z] = launch(shape(), with(mma(), {"panel", panel, nullptr})).grid;
    return std::to_string(x) + " " + std::to_string(y) + " " + std::to_string(z);
  };
  CHECK_EQ(grid(1), "1 4 8");
  CHECK_EQ(grid(4), "4 4 2");
  CHECK_EQ(grid(0), "8 4 1");
}

TEST_CASE("several tiles per block need fewer blocks") {
  CHECK_EQ(launch(shape(), with(mma(), {"tilesPerCta", 4, nullptr})).grid[2], 2u);
}

TEST_CASE("longest rows come first") {
  const List list = with(mma(), {"order", 0, "longest"});
  const Workspace space = workspace(shape(), list);
  CHECK_EQ(space.bytes, 4 * sizeof(bsr_spmm::mma::Row));
  std::string order;
  for (std::size_t i = 0; i < 4; ++i) {
    bsr_spmm::mma::Row row;
    std::memcpy(&row, space.contents.data() + i * sizeof row, sizeof row);
    order +=
        std::to_string(row.index) + ":" + std::to_string(row.first) + "+" + std::to_string(row.count) + " ";
  }
  CHECK_EQ(order, "2:1+4 3:5+2 0:0+1 1:1+0 ");
  bsr_spmm::Shape unknown = shape();
  unknown.host_row_ptr = nullptr;
  CHECK_THROWS_WITH(workspace(unknown, list), doctest::Contains("needs a host copy of row_ptr"));
  CHECK_EQ(workspace(unknown, mma()).bytes, 0u);
}

TEST_CASE("B is packed where its lines or its address are not aligned") {
  bsr_spmm::Shape problem = shape();
  bsr_spmm::Call at = call();
  const auto reads = [&] {
    const Bound bound = bound_to(problem, packing());
    REQUIRE_EQ(bound.launches.size(), 2u);
    const auto args = args_of<bsr_spmm::general::UntypedArgs>(bound.launches[1], at);
    const bool packed = !bound.launches[0].unless.holds(&at);
    CHECK_EQ(args.b, packed ? at.workspace : at.b);
    return std::string(packed ? "packed " : "as it is ") + std::to_string(args.ldb);
  };
  at.workspace = const_cast<std::byte*>(static_cast<const std::byte*>(at.b) + 256);
  CHECK_EQ(reads(), "as it is 1000");
  problem.ldb = 1008;
  CHECK_EQ(reads(), "as it is 1008");
  at.b = static_cast<const std::byte*>(at.b) + 2;
  CHECK_EQ(reads(), "packed 1008");
  problem.ldb = 1001;
  CHECK_EQ(reads(), "packed 1000");
  problem.ldb = 4096;
  CHECK_EQ(reads(), "packed 1000");
  at = call(), problem = shape();
  at.workspace = const_cast<std::byte*>(static_cast<const std::byte*>(at.b) + 256);
  problem.batch = 2, problem.values_stride = 7 * 64 * 64, problem.b_stride = 512 * 1000;
  CHECK_EQ(reads(), "as it is 1000");
  problem.b_stride += 8;
  CHECK_EQ(reads(), "packed 1000");
}

TEST_CASE("refuses what it was not made for") {
  bsr_spmm::Shape other = shape();
  other.ldb = 1001;
  CHECK_THROWS_WITH(bound_to(other, mma()), doctest::Contains("ldb must be a multiple of 8, not 1001"));
  for (std::int64_t bsr_spmm::Shape::* stride : {&bsr_spmm::Shape::ldb, &bsr_spmm::Shape::ldc}) {
    bsr_spmm::Shape wide = shape();
    wide.*stride = std::numeric_limits<std::int64_t>::max();
    CHECK_THROWS_WITH(bound_to(wide, mma()), doctest::Contains("ldb and ldc must be below 2^40"));
  }
  other.ldb = 1002;
  CHECK_EQ(workspace(other, with(mma(), {"copyBytes", 4, nullptr})).bytes, 0u);
  other = shape();
  other.m = 64 * 70000;
  CHECK_THROWS_WITH(bound_to(other, mma()),
                    doctest::Contains("launches 70000 thread blocks along block rows"));
  other = shape();
  other.layout_b = Layout::column;
  other.k = other.ldb = (std::int64_t{1} << 31) - 1;
  CHECK_THROWS_WITH(bound_to(other, packing()),
                    doctest::Contains("packs B in lines of less than 2^31 - 1024 elements"));
}

TEST_CASE("refuses misaligned operands but takes any c") {
  using Args = bsr_spmm::mma::UntypedArgs;
  bsr_spmm::Call at = call();
  CHECK_EQ(refusal(shape(), mma(), at), "");
  at.b = static_cast<const std::byte*>(at.b) + 2;
  CHECK_EQ(refusal(shape(), mma(), at), "loads 16 bytes at a time: values and B must be aligned to that");
  at = call();
  CHECK_EQ(args_of<Args>(launch(shape(), mma()), at).aligned_c, 1);
  at.c = static_cast<std::byte*>(at.c) + 2;
  CHECK_EQ(refusal(shape(), mma(), at), "");
  CHECK_EQ(args_of<Args>(launch(shape(), mma()), at).aligned_c, 0);
  bsr_spmm::Shape odd = shape();
  odd.ldc = 1001;
  CHECK_EQ(args_of<Args>(launch(odd, mma()), call()).aligned_c, 0);
}

TEST_CASE("plans refuse sizes and runs refuse pointers and beta") {
  bsr_spmm::Call at = call();
  CHECK_EQ(launch(shape(), wgmma()).grid[0], 132u);
  CHECK_EQ(refusal(shape(), wgmma(), at), "");
  at.beta = 1;
  CHECK(workspace(shape(), wgmma()).bytes > 0);
  CHECK_EQ(refusal(shape(), wgmma(), at), "stores C by TMA without reading it: beta must be 0");
  at = call();
  at.c = static_cast<std::byte*>(at.c) + 2;
  CHECK_EQ(refusal(shape(), wgmma(), at), "stores C by TMA: it must be 16-byte aligned");
  bsr_spmm::Shape other = shape();
  other.ldc = 1004;
  CHECK_THROWS_WITH(bound_to(other, wgmma()), doctest::Contains("ldc must be a multiple of 8, not 1004"));
  other.n = 996;
  other.ldc = 1000;
  CHECK_THROWS_WITH(bound_to(other, wgmma()), doctest::Contains("n must be a multiple of 8, not 996"));

  at = call();
  const List overlap = with(wgmma(), {"epilogue", 0, "overlap"});
  CHECK_EQ(launch(shape(), overlap).maps.size(), 3u);  // a map of C too
  at.beta = 1;
  CHECK_EQ(refusal(shape(), overlap, at), "stores C by TMA without reading it: beta must be 0");
  at = call();
  at.c = static_cast<std::byte*>(at.c) + 2;

  const List direct = with(wgmma(), {"epilogue", 0, "direct"});
  CHECK(workspace(other, direct).bytes > 0);
  CHECK_EQ(refusal(other, direct, at), "stores C in pairs: it must be aligned to two elements");
  at = call();
  at.beta = 1;
  CHECK_EQ(refusal(other, direct, at), "");
  CHECK_EQ(launch(other, direct).maps.size(), 2u);
  other.n = 997;
  CHECK_THROWS_WITH(bound_to(other, direct), doctest::Contains("n and ldc must be even"));

  other = shape();
  other.reads_c = true;
  CHECK_THROWS_WITH(bound_to(other, wgmma()), doctest::Contains("beta must be 0"));
  CHECK_THROWS_WITH(bound_to(other, overlap), doctest::Contains("beta must be 0"));
  CHECK(workspace(other, direct).bytes > 0);
  CHECK_EQ(workspace(other, mma()).bytes, 0u);
}

TEST_CASE("calls change addresses and scalars and nothing else") {
  const bsr_spmm::Shape problem = shape();
  const BoundLaunch bound = launch(problem, with(mma(), {"order", 0, "longest"}));
  alignas(256) static std::byte other[64];
  bsr_spmm::Call at = call();
  at.b = other;
  at.workspace = other + 32;
  at.alpha = 3;
  const auto first = args_of<bsr_spmm::mma::UntypedArgs>(bound, call()),
             second = args_of<bsr_spmm::mma::UntypedArgs>(bound, at);
  CHECK((first.b == call().b && second.b == other));
  CHECK(static_cast<const void*>(second.order) == other + 32);
  CHECK_EQ(first.alpha, 1.0f);
  CHECK_EQ(second.alpha, 3.0f);
  for (const auto& args : {first, second}) {
    CHECK((args.row_ptr == at.row_ptr && args.values == at.values && args.c == at.c));
    CHECK_EQ(args.ldb, problem.ldb);
    CHECK_EQ(args.columns, static_cast<int>(problem.n));
    CHECK_EQ(args.beta, 0.0f);
  }
}

TEST_CASE("plans of wgmma are found in the workspace and maps at the operands") {
  const BoundLaunch bound = launch(shape(), wgmma());
  bsr_spmm::Call at = call();
  alignas(256) static std::byte b[16], c[16];
  at.b = b;
  at.c = c;
  const auto args = args_of<bsr_spmm::wgmma::UntypedPlainArgs>(bound, at);
  const auto* workspace = static_cast<const std::byte*>(at.workspace);
  CHECK(reinterpret_cast<const std::byte*>(args.tiles) == workspace + 32);
  CHECK(reinterpret_cast<const std::byte*>(args.tails) == workspace + 32 + 132 * 32 * 16);
  CHECK(args.steps == at.col_idx);
  CHECK((args.parts == nullptr && args.counters == nullptr));  // not of this variant
  CHECK_EQ(args.clipped, 1);
  const KernelParameters<Map> filled = parameters(bound, at);
  CHECK((filled.maps[0].address == at.values && filled.maps[1].address == b && filled.maps[2].address == c));

  bsr_spmm::Shape empty = shape();
  static const std::vector<std::int32_t> none(5);
  empty.blocks = 0;
  empty.host_row_ptr = none.data();
  CHECK(parameters(launch(empty, wgmma()), at).maps[0].address == at.workspace);  // A is not there
}

TEST_CASE("an empty c needs no launch") {
  bsr_spmm::Shape nothing = shape();
  nothing.n = 0;
  CHECK(bound_to(nothing, mma()).launches.empty());
  CHECK(bound_to(nothing, wgmma()).launches.empty());
}
