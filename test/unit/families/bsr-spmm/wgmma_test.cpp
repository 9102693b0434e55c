// wgmma_test.cpp - the schedule of the path wgmma: every tile of C is assigned once, in whole or in parts,
// with the steps that its block rows need; and the launch that goes with it.
#include <doctest/doctest.h>

#include <algorithm>
#include <bitset>
#include <map>
#include <numeric>
#include <random>
#include <set>

#include "paths/wgmma/launch.hpp"

using namespace tilewright;
using namespace tilewright::bsr_spmm;
using wgmma::Part;
using wgmma::SchedulerParams;
using wgmma::Step;
using wgmma::Tile;

namespace {

/// 23 block rows of 0 to 40 blocks in 41 block columns, in no order.
struct Matrix {
  std::vector<std::int32_t> row_ptr{0}, col_idx;
  Matrix() {
    std::mt19937 random(3);
    std::vector<std::int32_t> columns(41);
    std::iota(columns.begin(), columns.end(), 0);
    for (int row = 0; row < 23; ++row) {
      std::shuffle(columns.begin(), columns.end(), random);
      const auto length = row == 5 ? 40 : static_cast<int>(random() % 12);
      col_idx.insert(col_idx.end(), columns.begin(), columns.begin() + length);
      row_ptr.push_back(static_cast<std::int32_t>(col_idx.size()));
    }
  }
  Shape shape(std::int64_t n) const {
    const auto blocks = static_cast<std::int64_t>(col_idx.size());
    return packed_f16(23 * 32, n, 41 * 32, 32, blocks, row_ptr.data(), col_idx.data());
  }
};

const Matrix kMatrix;
constexpr std::int64_t kColumns = 1000;

SchedulerParams params() {
  SchedulerParams result{};
  result.width = 256;
  result.panel = 512;
  result.group = 1;
  result.split_quantum = 2;
  result.shares = 2;
  result.lists = 4;
  result.along_k = 1;
  result.epilogue = 3;
  result.longest = true;
  return result;
}

template <class T>
T record(const Workspace& schedule, std::size_t index) {
  T value;
  std::memcpy(&value, schedule.contents.data() + index * sizeof(T), sizeof(T));
  return value;
}

/// The tiles of every list, as a kernel walks them.
std::vector<std::vector<Tile>> lists_of(const Workspace& schedule, const SchedulerParams& params) {
  const wgmma::ScheduleLayout at = wgmma::schedule_layout(params);
  const std::size_t base = at.tiles / sizeof(Tile);
  std::vector<std::vector<Tile>> lists(static_cast<std::size_t>(params.lists * params.along_k));
  for (std::size_t i = 0; i < lists.size(); ++i) {
    const auto tail = static_cast<std::size_t>(record<std::int32_t>(schedule, at.tails / 4 + i));
    const auto tile = [&](std::size_t at) {
      return record<Tile>(schedule, base + (at < 32 ? i * 32 + at : tail + at - 32));
    };
    for (std::size_t at = 0; tile(at).count >= 0; ++at) lists[i].push_back(tile(at));
  }
  return lists;
}

/// Blocks of A by (block row, column of C) of the tiles that multiply them. Each must come up once.
using Products = std::map<std::pair<int, int>, std::multiset<int>>;

Products wanted() {
  Products products;
  for (int row = 0; row < 23; ++row)
    for (int column = 0; column < kColumns; column += 256) {
      auto& blocks = products[{row, column}];
      for (int block = kMatrix.row_ptr[row]; block < kMatrix.row_ptr[row + 1]; ++block) blocks.insert(block);
    }
  return products;
}

void add(const Tile& tile, int row, Products& products) {
  auto& blocks = products[{row, tile.column}];
  for (int step = 0; step < tile.count; ++step) blocks.insert(tile.first + step);
}

/// The load of the longest list, in steps.
double longest(const std::vector<std::vector<Tile>>& lists, const SchedulerParams& how) {
  double most = 0;
  for (const auto& list : lists) {
    double load = 0;
    for (const Tile& tile : list) load += tile.count + how.epilogue;
    most = std::max(most, load);
  }
  return most;
}

SchedulerParams in_turn(SchedulerParams how) {
  how.longest = false;
  return how;
}

std::size_t total(const std::vector<std::vector<Tile>>& lists) {
  std::size_t count = 0;
  for (const auto& list : lists) count += list.size();
  return count;
}

}  // namespace

TEST_CASE("every tile is assigned once") {
  for (const bool longest : {false, true}) {
    SchedulerParams how = params();
    how.longest = longest;
    const Workspace schedule = wgmma::make_schedule(kMatrix.shape(kColumns), how);
    Products products;
    const auto lists = lists_of(schedule, how);
    for (const auto& list : lists)
      for (const Tile& tile : list) add(tile, tile.row, products);
    CHECK(products == wanted());
    CHECK_EQ(total(lists), 23u * 4u);
  }
}

TEST_CASE("thread blocks of a cluster have equal shares of the same tiles, in whole stages") {
  SchedulerParams how = params();
  how.along_k = 4;
  const auto lists = lists_of(wgmma::make_schedule(kMatrix.shape(kColumns), how), how);
  Products products;
  for (std::size_t list = 0; list < lists.size(); list += 4)
    for (std::size_t at = 0; at < lists[list].size(); ++at) {
      std::int32_t fewest = lists[list][at].count, most = fewest;
      for (std::size_t rank = 0; rank < 4; ++rank) {
        CHECK_EQ(lists[list + rank].size(), lists[list].size());
        const Tile& tile = lists[list + rank][at];
        CHECK_EQ(tile.row, lists[list][at].row);
        CHECK_EQ(tile.column, lists[list][at].column);
        add(tile, tile.row, products);
        fewest = std::min(fewest, tile.count), most = std::max(most, tile.count);
      }
      CHECK(most - fewest <= how.split_quantum);
    }
  CHECK(products == wanted());
}

TEST_CASE("lists end at about the same time") {
  const SchedulerParams how = params();
  const auto lists = lists_of(wgmma::make_schedule(kMatrix.shape(kColumns), how), how);
  double all = 0;
  for (const auto& list : lists)
    for (const Tile& tile : list) all += tile.count + how.epilogue;
  CHECK(longest(lists, how) - all / static_cast<double>(lists.size()) <= 1);
}

TEST_CASE("tiles change places to end sooner") {
  // Longest first gives one list 5 + 3 steps and the other 4 + 3 + 3; each tile costs 3 more.
  const std::int32_t row_ptr[] = {0, 5, 9, 12, 15, 18};
  const Shape shape = packed_f16(5 * 32, 256, 5 * 32, 32, 18, row_ptr, nullptr);
  SchedulerParams how = params();
  how.lists = 2;
  CHECK_EQ(longest(lists_of(wgmma::make_schedule(shape, how), how), how), 3 + 3 + 3 + 3 * how.epilogue);
}

TEST_CASE("panels are worked through one after the other") {
  const SchedulerParams how = params();
  for (const auto& list : lists_of(wgmma::make_schedule(kMatrix.shape(kColumns), how), how))
    for (std::size_t i = 1; i < list.size(); ++i) CHECK(list[i - 1].column / 512 <= list[i].column / 512);
}

TEST_CASE("long tiles come in parts that add up") {
  SchedulerParams how = params();
  how.split = 8;
  const Workspace schedule = wgmma::make_schedule(kMatrix.shape(kColumns), how);
  Products products;
  std::map<int, std::set<int>> slots;  // by first slot
  for (const auto& list : lists_of(schedule, how))
    for (const Tile& tile : list) {
      CHECK(tile.count <= 8);
      int row = tile.row;
      if (tile.row < 0) {
        const Part part = record<Part>(schedule, static_cast<std::size_t>(~tile.row));
        row = part.row;
        CHECK((part.slot >= part.first_slot && part.slot < part.first_slot + part.parts));
        CHECK(slots[part.first_slot].insert(part.slot).second);
        CHECK_EQ(record<std::uint32_t>(schedule, static_cast<std::size_t>(part.counter)), 0u);
        const auto begin = static_cast<std::size_t>(part.slot) * how.slot_bytes(32);
        CHECK((begin >= schedule.contents.size() && begin + how.slot_bytes(32) <= schedule.bytes));
      }
      add(tile, row, products);
    }
  CHECK(products == wanted());
  CHECK(!slots.empty());
}

TEST_CASE("groups multiply every block of their rows once") {
  for (const bool similar : {false, true}) {
    SchedulerParams how = params();
    how.grouped = true;
    how.group = 3;
    how.similar = similar;
    const Workspace schedule = wgmma::make_schedule(kMatrix.shape(kColumns), how);
    Products products;
    for (const auto& list : lists_of(schedule, how))
      for (const Tile& tile : list)
        for (int member = 0; member < 3; ++member) {
          const int row = record<std::int32_t>(schedule, static_cast<std::size_t>(tile.row + member));
          if (row < 0) continue;
          auto& blocks = products[{row, tile.column}];
          for (int i = 0; i < tile.count; ++i) {
            const Step step = record<Step>(schedule, static_cast<std::size_t>(tile.first + i));
            if (step.block[member] < 0) continue;
            blocks.insert(step.block[member]);
            CHECK_EQ(kMatrix.col_idx[static_cast<std::size_t>(step.block[member])], step.column);
          }
        }
    CHECK(products == wanted());
  }
}

TEST_CASE("similar rows share more columns") {
  const Shape shape = kMatrix.shape(kColumns);
  const wgmma::detail::ColumnSets sets(shape);
  const auto steps = [&](bool similar) {
    std::size_t count = 0;
    for (const wgmma::Rows& rows : wgmma::group_rows(shape, sets, 2, similar))
      count += wgmma::steps_of(shape, rows).size();
    return count;
  };
  CHECK(steps(true) < steps(false));
}

TEST_CASE("bits are counted alike by every CPU") {
  tilewright::Random random(3);
  std::vector<std::uint64_t> sets(3 * 5);
  for (std::uint64_t& word : sets) word = random.next();
  const std::uint64_t *a = sets.data(), *b = a + 5, *c = b + 5;
  const auto bits = [](std::uint64_t word) {
    return static_cast<std::int32_t>(std::bitset<64>(word).count());
  };
  std::int32_t all = 0, any = 0;
  for (std::size_t i = 0; i < 5; ++i) all += bits(a[i] & b[i] & c[i]), any += bits(a[i] | b[i] | c[i]);
  CHECK_EQ(tilewright::bits::count_all(a, b, c, 5), all);
  CHECK_EQ(tilewright::bits::count_any(a, b, c, 5), any);
  const auto plainly = [](const auto& word_at) {
    return tilewright::bits::detail::count_plainly(5, word_at);
  };
  CHECK_EQ(plainly([=](std::size_t i) { return a[i] & b[i] & c[i]; }), all);
  CHECK_EQ(plainly([=](std::size_t i) { return a[i] | b[i] | c[i]; }), any);
  CHECK_EQ(tilewright::bits::count_any(a, b, c, 0), 0);
  std::uint16_t with_each[3];
  tilewright::bits::count_both_of_each(b, a, 3, 5, with_each);
  for (std::size_t i = 0; i < 3; ++i) CHECK_EQ(with_each[i], tilewright::bits::count_all(b, b, a + 5 * i, 5));
  const std::vector<std::uint64_t> full(5, ~std::uint64_t{0});  // 320 bits
  std::uint8_t most = 0;
  tilewright::bits::count_both_of_each(full.data(), full.data(), 1, 5, &most);
  CHECK_EQ(most, 255);
}

TEST_CASE("steps by bits are those of merged rows") {
  // An empty row, full ones, the first and the last of a word, and two that are not in order: swapped, and one column twice.
  const std::vector<std::vector<std::int32_t>> rows{
      {}, {0, 63, 64, 127, 128}, {5, 63, 129}, {0, 1, 64}, {64, 5}, {7, 7, 9}};
  std::vector<std::int32_t> row_ptr{0}, col_idx;
  for (const std::vector<std::int32_t>& row : rows) {
    col_idx.insert(col_idx.end(), row.begin(), row.end());
    row_ptr.push_back(static_cast<std::int32_t>(col_idx.size()));
  }
  const auto blocks = static_cast<std::int64_t>(col_idx.size());
  const Shape shape = packed_f16(6 * 32, 512, 130 * 32, 32, blocks, row_ptr.data(), col_idx.data());
  const wgmma::detail::ColumnSets sets(shape);
  CHECK(sets.in_order(wgmma::Rows{0, 1, -1}));
  CHECK_FALSE(sets.in_order(4));
  CHECK_FALSE(sets.in_order(wgmma::Rows{1, 2, 5}));
  CHECK_EQ(sets.count(5), 2);
  CHECK_EQ(sets.count(-1), 0);
  for (const wgmma::Rows& group : {wgmma::Rows{1, 2, 3}, wgmma::Rows{3, 0, 1}, wgmma::Rows{2, -1, -1},
                                   wgmma::Rows{0, -1, -1}, wgmma::Rows{-1, 3, 2}}) {
    const std::vector<Step> merged = wgmma::steps_of(shape, group);
    std::vector<Step> steps(static_cast<std::size_t>(sets.united(group)));
    REQUIRE_EQ(steps.size(), merged.size());
    wgmma::detail::put_steps(shape, sets, group, steps.data());
    for (std::size_t i = 0; i < steps.size(); ++i) {
      CHECK_EQ(steps[i].column, merged[i].column);
      CHECK(std::equal(steps[i].block, steps[i].block + 3, merged[i].block));
    }
  }
}

TEST_CASE("groups have one number, in whatever order their rows come") {
  const Shape shape = kMatrix.shape(kColumns);
  wgmma::detail::Groups groups(shape, 3);
  const std::int32_t pair = groups.of({1, 4, -1}), three = groups.of({4, 2, 1});
  CHECK(pair != three);
  CHECK_EQ(groups.of({-1, 4, 1}), pair);
  CHECK_EQ(groups.of({1, 2, 4}), three);
  CHECK_EQ(groups.count(), 2u);
  CHECK(groups.has_place(pair));
  CHECK_FALSE(groups.has_place(three));
}

TEST_CASE("no exchange is left that saves steps of pairs") {
  tilewright::Random random(11);
  std::vector<std::int32_t> row_ptr{0}, col_idx;
  for (int row = 0; row < 12; ++row) {
    for (std::int32_t column = 0; column < 70; ++column)
      if (random.below(5) == 0) col_idx.push_back(column);
    row_ptr.push_back(static_cast<std::int32_t>(col_idx.size()));
  }
  const auto blocks = static_cast<std::int64_t>(col_idx.size());
  const Shape shape = packed_f16(12 * 32, 512, 70 * 32, 32, blocks, row_ptr.data(), col_idx.data());
  const wgmma::detail::ColumnSets sets(shape);
  std::vector<std::int32_t> order(12);
  std::iota(order.begin(), order.end(), 0);
  wgmma::detail::Grouping grouping(sets, order.data(), order.size(), 2);
  for (int i = 0; i < 3; ++i) grouping.exchange();
  const std::vector<wgmma::Rows> groups = grouping.groups();
  for (const wgmma::Rows& left : groups)
    for (const wgmma::Rows& right : groups) {
      if (&left == &right) continue;
      const std::int32_t now = sets.united(left) + sets.united(right);
      CHECK(sets.united({left[0], right[0], -1}) + sets.united({left[1], right[1], -1}) >= now);
      CHECK(sets.united({left[0], right[1], -1}) + sets.united({left[1], right[0], -1}) >= now);
    }
}

TEST_CASE("exchanged rows make shorter groups") {
  // 30 rows of 8 in 64 columns, drawn with repetition: neighbours share one column or none.
  tilewright::Random random(7);
  std::vector<std::int32_t> row_ptr{0}, col_idx;
  for (int row = 0; row < 30; ++row) {
    std::set<std::int32_t> columns;
    for (int i = 0; i < 8; ++i) columns.insert(static_cast<std::int32_t>(random.below(64)));
    col_idx.insert(col_idx.end(), columns.begin(), columns.end());
    row_ptr.push_back(static_cast<std::int32_t>(col_idx.size()));
  }
  const auto blocks = static_cast<std::int64_t>(col_idx.size());
  const Shape shape = packed_f16(30 * 32, 512, 64 * 32, 32, blocks, row_ptr.data(), col_idx.data());
  const wgmma::detail::ColumnSets sets(shape);
  const auto steps = [&](const std::vector<wgmma::Rows>& groups) {
    std::int32_t count = 0;
    for (const wgmma::Rows& rows : groups) count += sets.united(rows);
    return count;
  };
  std::vector<std::int32_t> order(30);
  std::iota(order.begin(), order.end(), 0);
  wgmma::detail::Grouping grouping(sets, order.data(), order.size(), 3);
  const std::int32_t before = steps(wgmma::group_rows(shape, sets, 3, false));
  const std::int32_t greedy = steps(grouping.groups());
  CHECK(greedy < before);
  grouping.exchange();
  const std::int32_t exchanged = steps(grouping.groups());
  CHECK(exchanged < greedy);
  grouping.anneal(30'000);
  grouping.exchange();
  const std::vector<wgmma::Rows> groups = grouping.groups();
  CHECK(steps(groups) <= exchanged);
  CHECK(steps(groups) < before * 9 / 10);
  std::multiset<std::int32_t> members, all;
  for (const wgmma::Rows& rows : groups) members.insert(rows.begin(), rows.end());
  for (int row = 0; row < 30; ++row) all.insert(row);
  CHECK(members == all);
}

TEST_CASE("matrices without columns have groups too") {
  const std::int32_t row_ptr[] = {0, 0, 0, 0, 0, 0}, none[] = {0};
  const Shape shape = packed_f16(5 * 32, 512, 0, 32, 0, row_ptr, none);
  SchedulerParams how = params();
  how.grouped = how.similar = true;
  how.group = 3;
  std::size_t tiles = 0;
  for (const auto& list : lists_of(wgmma::make_schedule(shape, how), how))
    for (const Tile& tile : list) tiles += tile.count == 0;
  CHECK_EQ(tiles, 2u * 2u);  // two groups by 512 columns
}

TEST_CASE("the search for a shorter longest list reaches all lists") {
  // Ten and ten steps can give way to a nine only, and those are in the list with most to do but one.
  SchedulerParams how = params();
  how.epilogue = 0;
  how.panel = 0;
  wgmma::detail::Lists lists(35);
  lists[0] = {{0, 0, 0, 10}, {1, 0, 0, 10}};
  for (std::size_t i = 1; i < 34; ++i) lists[i] = {{2, 0, 0, 10}};
  lists[34] = {{3, 0, 0, 9}, {4, 0, 0, 9}};
  wgmma::detail::LoadBalancer(how, nullptr, lists).run();
  CHECK_EQ(longest(lists, how), 19.0);
}

TEST_CASE("rows that share everything are not one tile for the price of one") {
  // Three rows of 40 blocks in the same columns, and 21 of 4: together the three take as long as 60 steps.
  std::vector<std::int32_t> row_ptr{0}, col_idx;
  for (int row = 0; row < 24; ++row) {
    for (int i = 0; i < (row < 3 ? 40 : 4); ++i) col_idx.push_back(row < 3 ? i : (row + i) % 40);
    row_ptr.push_back(static_cast<std::int32_t>(col_idx.size()));
  }
  const auto blocks = static_cast<std::int64_t>(col_idx.size());
  const Shape shape = packed_f16(24 * 32, 256, 40 * 32, 32, blocks, row_ptr.data(), col_idx.data());
  SchedulerParams how = params();
  how.grouped = how.similar = true;
  how.group = 3;
  wgmma::detail::Groups groups(shape, 3);
  CHECK_EQ(groups.weight({0, 1, 2}), 60);
  CHECK_EQ(groups.weight({0, 1, -1}), 40);
  const std::vector<wgmma::Rows> fitting = wgmma::detail::fitting_groups(shape, how, groups);
  for (const int row : {0, 1, 2})
    CHECK(std::count(fitting.begin(), fitting.end(), wgmma::Rows{row, -1, -1}) == 1);
  CHECK_EQ(fitting.size(), 3u + 7u);
  how.lists = 1;  // all of the work: no group is too long for that
  for (const auto& row_work : wgmma::detail::work_of_whole_groups(shape, how, groups))
    CHECK_EQ(row_work.count, groups.weight(groups.rows(row_work.row)));
  CHECK_EQ(wgmma::detail::fitting_groups(shape, how, groups).size(), 8u);
  how.lists = 4;
  int together = 0;
  const Workspace schedule = wgmma::make_schedule(shape, how);
  for (const auto& list : lists_of(schedule, how))
    for (const Tile& tile : list) {
      int longs = 0;
      for (int member = 0; member < 3; ++member) {
        const auto row = record<std::int32_t>(schedule, static_cast<std::size_t>(tile.row + member));
        longs += row >= 0 && row < 3;
      }
      if (longs > 0) CHECK_EQ(tile.count, 40);  // as many steps as it has, whatever it weighs
      together = std::max(together, longs);
    }
  CHECK(together < 3);
}

TEST_CASE("groups come apart where whole ones leave lists uneven") {
  // Nine equal rows, three to a tile: four lists would have one tile, two or none of the other's length.
  std::vector<std::int32_t> row_ptr{0}, col_idx;
  for (int row = 0; row < 9; ++row) {
    for (int i = 0; i < 10; ++i) col_idx.push_back((row * 3 + i * 2) % 40);
    row_ptr.push_back(static_cast<std::int32_t>(col_idx.size()));
  }
  const Shape shape = packed_f16(9 * 32, 512, 40 * 32, 32, 90, row_ptr.data(), col_idx.data());
  SchedulerParams how = params();
  how.grouped = how.similar = true;
  how.group = 3;
  const double in_order = longest(lists_of(wgmma::make_schedule(shape, in_turn(how)), how), how),
               balanced = longest(lists_of(wgmma::make_schedule(shape, how), how), how);
  CHECK(balanced < in_order);
  std::multiset<int> rows;
  const Workspace schedule = wgmma::make_schedule(shape, how);
  for (const auto& list : lists_of(schedule, how))
    for (const Tile& tile : list)
      for (int member = 0; member < 3; ++member)
        rows.insert(record<std::int32_t>(schedule, static_cast<std::size_t>(tile.row + member)));
  for (int row = 0; row < 9; ++row) CHECK_EQ(rows.count(row), 2u);  // tiles of 256 columns
}

TEST_CASE("lists come with their first steps") {
  for (const bool grouped : {false, true}) {
    SchedulerParams how = params();
    how.grouped = grouped;
    how.group = grouped ? 3 : 1;
    const Workspace schedule = wgmma::make_schedule(kMatrix.shape(kColumns), how);
    const auto lists = lists_of(schedule, how);
    const std::size_t at = wgmma::schedule_layout(how).first_steps;
    for (std::size_t list = 0; list < lists.size(); ++list)
      for (std::size_t i = 0; i < std::min<std::size_t>(32, static_cast<std::size_t>(lists[list][0].count));
           ++i) {
        const std::size_t step = static_cast<std::size_t>(lists[list][0].first) + i;
        if (grouped)
          CHECK_EQ(record<Step>(schedule, at / sizeof(Step) + list * 32 + i).column,
                   record<Step>(schedule, step).column);
        else
          CHECK_EQ(record<std::int32_t>(schedule, at / 4 + list * 32 + i), kMatrix.col_idx[step]);
      }
  }
  Shape blind = kMatrix.shape(kColumns);
  blind.host_col_idx = nullptr;
  CHECK_EQ(record<std::int32_t>(wgmma::make_schedule(blind, params()),
                                wgmma::schedule_layout(params()).first_steps / 4),
           -1);
}

TEST_CASE("pops of the work queue find all tiles in a row") {
  SchedulerParams how = params();
  how.atomic = true;
  how.lists = 200;  // more than there are tiles
  const Workspace schedule = wgmma::make_schedule(kMatrix.shape(kColumns), how);
  const std::size_t base = wgmma::schedule_layout(how).tiles / sizeof(Tile);
  for (std::size_t i = 0; i < 200; ++i) CHECK_EQ(record<Tile>(schedule, base + i).count >= 0, i < 23 * 4);
  CHECK_EQ(record<std::uint32_t>(schedule, 0), 0u);
}

TEST_CASE("plans say what they miss") {
  Shape shape = kMatrix.shape(kColumns);
  shape.host_col_idx = nullptr;
  SchedulerParams how = params();
  CHECK_EQ(wgmma::make_schedule(shape, how).contents.empty(), false);
  how.grouped = true;
  how.group = 2;
  CHECK_THROWS_WITH(wgmma::make_schedule(shape, how), doctest::Contains("host copy of col_idx"));
  shape.host_row_ptr = nullptr;
  CHECK_THROWS_WITH(wgmma::make_schedule(shape, how), doctest::Contains("host copy of row_ptr"));
}
