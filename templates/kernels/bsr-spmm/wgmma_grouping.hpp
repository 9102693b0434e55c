// wgmma_grouping.hpp - the choice of block rows that share many block columns, for groups of the path `wgmma`. Plain C++17.
#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <vector>

#include "shape.hpp"
#include "tw/bits.hpp"
#include "tw/random.hpp"

namespace tilewright::bsr_spmm::wgmma {

/// The block rows of a group, -1 where there are fewer.
using Rows = std::array<std::int32_t, 3>;
constexpr Rows kNoRows{-1, -1, -1};

namespace detail {

using bsr_spmm::detail::quotient_up;

/// The block columns of every block row, as bits.
class ColumnSets {
 public:
  explicit ColumnSets(const Shape& shape)
      : words_(static_cast<std::size_t>(quotient_up(columns_of_blocks(shape), 64))) {
    bits_.resize(words_ * static_cast<std::size_t>(rows_of_blocks(shape)));
    for (std::int32_t row = 0; row < rows_of_blocks(shape); ++row)
      for (std::int32_t i = row_ptr(shape)[row]; i < row_ptr(shape)[row + 1]; ++i)
        bits_[at(row) + static_cast<std::size_t>(col_idx(shape)[i] / 64)] |= std::uint64_t{1}
                                                                             << col_idx(shape)[i] % 64;
  }

  /// Words of 64 bits of a row.
  std::size_t words() const { return words_; }

  /// Block columns that one of the rows has at least: the steps of the group.
  std::int32_t united(const Rows& rows) const {
    const std::uint64_t* sets[3] = {};
    std::size_t count = 0;
    for (const std::int32_t row : rows)
      if (row >= 0) sets[count++] = of(row);
    return count == 0 ? 0 : bits::count_any(sets[0], sets[count / 2], sets[count - 1], words_);
  }

  /// Block columns that both rows have, and that all three have.
  std::int32_t common(std::int32_t a, std::int32_t b) const { return bits::count_both(of(a), of(b), words_); }
  std::int32_t common(std::int32_t a, std::int32_t b, std::int32_t c) const {
    return bits::count_all(of(a), of(b), of(c), words_);
  }

 private:
  std::size_t at(std::int32_t row) const { return words_ * static_cast<std::size_t>(row); }
  const std::uint64_t* of(std::int32_t row) const { return bits_.data() + at(row); }
  std::size_t words_;
  std::vector<std::uint64_t> bits_;
};

/// Groups among some rows, chosen greedily. What rows share is counted once, for all pairs.
class Grouping {
 public:
  Grouping(const ColumnSets& sets, const std::int32_t* rows, std::size_t count, std::size_t size)
      : sets_(sets), rows_(rows, rows + count), size_(size), groups_((count + size - 1) / size) {
    count_common();
    choose();
  }

  /// Exchanges rows between groups at random, to begin with also where that makes steps of a few more (simulated annealing).
  void anneal(std::int64_t trials) {
    constexpr double kHot = 0.6, kCold = 0.05;  // in steps
    Random random(1);                           // the same groups for the same matrix
    const auto any_of = [&](std::size_t count) {
      return static_cast<std::size_t>(random.below(static_cast<std::int64_t>(count)));
    };
    for (std::int64_t trial = 0; trial < trials; ++trial) {
      const double heat = kHot * static_cast<double>(trials - trial) / static_cast<double>(trials) + kCold;
      const double least = heat * std::log(random.uniform());
      Group &one = groups_[any_of(groups_.size())], &other = groups_[any_of(groups_.size())];
      const std::size_t i = any_of(size_), j = any_of(size_);
      exchange(one, i, other, j, [=](std::int32_t saved) { return saved >= least; });
    }
  }

  /// Exchanges rows between groups as long as that leaves fewer steps.
  void exchange() {
    constexpr int kPasses = 2;                         // a third one saves next to nothing
    const std::size_t moved = size_ == 2 ? 1 : size_;  // two pairs have three ways to be paired
    bool better = true;
    for (int pass = 0; pass < kPasses && better; ++pass) {
      better = false;
      for (std::size_t one = 1; one < groups_.size(); ++one)
        for (std::size_t other = 0; other < one; ++other)
          for (std::size_t i = 0; i < moved; ++i)
            for (std::size_t j = 0; j < size_; ++j)
              better |=
                  exchange(groups_[one], i, groups_[other], j, [](std::int32_t saved) { return saved > 0; });
    }
  }

  std::vector<Rows> groups() const {
    std::vector<Rows> result;
    for (const Group& group : groups_) {
      Rows& rows = result.emplace_back(kNoRows);
      for (std::size_t i = 0; i < size_; ++i)
        if (group.member[i] != none()) rows[i] = rows_[group.member[i]];
    }
    return result;
  }

 private:
  using Members = std::array<std::size_t, 3>;  // places in rows_; none() where there are fewer
  struct Group {
    Members member;
    std::array<std::int32_t, 3> shared;  // by each with the others
    std::int32_t by_all;                 // by all three
  };

  /// The place of no row, which shares nothing.
  std::size_t none() const { return rows_.size(); }
  std::int32_t common(std::size_t a, std::size_t b) const { return common_[a * (rows_.size() + 1) + b]; }

  void count_common() {
    constexpr std::int32_t kMost = UINT16_MAX;  // small, for caches
    const std::size_t pitch = rows_.size() + 1;
    common_.resize(pitch * pitch);
    for (std::size_t a = 0; a < rows_.size(); ++a)
      for (std::size_t b = 0; b < a; ++b) {
        const auto count = static_cast<std::uint16_t>(std::min(kMost, sets_.common(rows_[a], rows_[b])));
        common_[a * pitch + b] = common_[b * pitch + a] = count;
      }
  }

  /// Each group around the first row that is left: the next member is the one that shares most columns with those before it.
  void choose() {
    std::vector<std::size_t> left(rows_.size());
    std::iota(left.begin(), left.end(), std::size_t{0});
    for (Group& group : groups_) {
      group.member.fill(none());
      for (std::size_t i = 0; i < size_ && !left.empty(); ++i) {
        const auto best = i == 0 ? left.begin() : most_shared(left, group.member);
        group.member[i] = *best;
        left.erase(best);
      }
      summarise(group);
    }
  }

  std::int32_t common_to_all(const Members& member) const {
    if (size_ < 3 || *std::max_element(member.begin(), member.end()) == none()) return 0;
    return sets_.common(rows_[member[0]], rows_[member[1]], rows_[member[2]]);
  }

  void summarise(Group& group) const {
    const Members& of = group.member;
    const std::int32_t pairs[] = {common(of[1], of[2]), common(of[0], of[2]), common(of[0], of[1])};
    group.shared = {pairs[1] + pairs[2], pairs[0] + pairs[2], pairs[0] + pairs[1]};
    group.by_all = common_to_all(of);
  }

  /// The row that has most of the columns of the first one or two members.
  std::vector<std::size_t>::iterator most_shared(std::vector<std::size_t>& left,
                                                 const Members& member) const {
    auto best = left.begin();
    std::int32_t most = -1;
    for (auto one = left.begin(); one != left.end(); ++one) {
      const std::int32_t shared = common(member[0], *one) + common(member[1], *one);
      if (shared <= most) continue;  // not more without what all three have, which counts twice
      const std::int32_t exact = shared - common_to_all({member[0], member[1], *one});
      if (exact > most) best = one, most = exact;
    }
    return best;
  }

  /// Lets member `i` of one group and `j` of another change places if the steps that this saves are accepted. A group has as many as its
  /// rows are long, less what pairs of them share, and what all three do more.
  template <class Accept>
  bool exchange(Group& left, std::size_t i, Group& right, std::size_t j, const Accept& accept) {
    if (&left == &right) return false;
    const std::size_t a = left.member[i], b = right.member[j];
    std::int32_t saved = left.by_all + right.by_all - left.shared[i] - right.shared[j];
    for (std::size_t k = 0; k < size_; ++k) {
      if (k != i) saved += common(left.member[k], b);
      if (k != j) saved += common(a, right.member[k]);  // the table's row of `a` is in a cache
    }
    if (!accept(saved)) return false;  // nor what is left of it
    const Group before[] = {left, right};
    std::swap(left.member[i], right.member[j]);
    summarise(left);
    summarise(right);
    if (accept(saved - left.by_all - right.by_all)) return true;
    left = before[0], right = before[1];
    return false;
  }

  const ColumnSets& sets_;
  std::vector<std::int32_t> rows_;
  std::size_t size_;
  std::vector<Group> groups_;
  std::vector<std::uint16_t> common_;  // of all pairs
};

}  // namespace detail
}  // namespace tilewright::bsr_spmm::wgmma
