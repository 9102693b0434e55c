// wgmma_grouping.hpp - the choice of block rows that share many block columns, for groups of the path `wgmma`. Plain C++17.
#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <vector>

#include "tw/random.hpp"
#include "wgmma_column_sets.hpp"

namespace tilewright::bsr_spmm::wgmma::detail {

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
    if (size_ == 2) exchange_all<2>();
    if (size_ == 3) exchange_all<3>();
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
  using Place = std::uint32_t;           // in rows_
  using Members = std::array<Place, 3>;  // none() where there are fewer
  struct Group {
    Members member;
    std::array<std::int32_t, 3> shared;  // by each with the others
    std::int32_t by_all;                 // by all three
  };

  /// The place of no row, which shares nothing.
  Place none() const { return static_cast<Place>(rows_.size()); }
  /// Columns that a row shares with each, by place.
  const std::uint16_t* common_with(Place a) const { return common_.data() + a * (rows_.size() + 1); }
  std::int32_t common(Place a, Place b) const { return common_with(a)[b]; }

  void count_common() {
    const std::size_t words = sets_.words(), pitch = rows_.size() + 1;
    std::vector<std::uint64_t> sets;  // of these rows alone, in their order: they are read from first to last
    sets.reserve(rows_.size() * words);
    for (const std::int32_t row : rows_) sets.insert(sets.end(), sets_.of(row), sets_.of(row) + words);
    common_.resize(pitch * pitch);
    for (std::size_t a = 0; a < rows_.size(); ++a)
      bits::count_both_of_each(sets.data() + a * words, sets.data(), a, words, common_.data() + a * pitch);
    mirror_common();
  }

  /// Copies what is below the diagonal to above it, so many rows at a time that their lines stay in a cache.
  void mirror_common() {
    constexpr std::size_t kRows = 32;
    const std::size_t pitch = rows_.size() + 1;
    for (std::size_t from = 0; from < rows_.size(); from += kRows) {
      const std::size_t end = std::min(from + kRows, rows_.size());
      for (std::size_t b = 0; b < end; ++b)
        for (std::size_t a = std::max(from, b + 1); a < end; ++a)
          common_[b * pitch + a] = common_[a * pitch + b];
    }
  }

  /// Each group around the first row that is left: the next member is the one that shares most columns with those before it.
  void choose() {
    std::vector<Place> left(rows_.size());
    std::iota(left.begin(), left.end(), Place{0});
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
  std::vector<Place>::iterator most_shared(std::vector<Place>& left, const Members& member) const {
    const std::uint16_t *first = common_with(member[0]), *second = common_with(member[1]);
    auto best = left.begin();
    std::int32_t most = -1;
    for (auto one = left.begin(); one != left.end(); ++one) {
      const std::int32_t shared = first[*one] + second[*one];
      if (shared <= most) continue;  // not more without what all three have, which counts twice
      const std::int32_t exact = shared - common_to_all({member[0], member[1], *one});
      if (exact > most) best = one, most = exact;
    }
    return best;
  }

  template <std::size_t Size>
  void exchange_all() {
    constexpr int kPasses = 2;  // a third one saves next to nothing
    bool better = true;
    for (int pass = 0; pass < kPasses && better; ++pass) {
      better = false;
      for (std::size_t one = 1; one < groups_.size(); ++one)
        for (std::size_t other = 0; (other = first_to_save<Size>(one, other)) < one; ++other)
          better |= exchange_any<Size>(groups_[one], groups_[other]);
    }
  }

  /// The first group from `other` on that might save steps by an exchange with `one`; `one` if there is none before it.
  template <std::size_t Size>
  std::size_t first_to_save(std::size_t one, std::size_t other) const {
    const Group& left = groups_[one];
    const std::uint16_t* with[Size];
    for (std::size_t i = 0; i < Size; ++i) with[i] = common_with(left.member[i]);
    while (other < one && !may_save(left, with, groups_[other])) ++other;
    return other;
  }

  /// Whether an exchange between two groups might save steps; `with`: what each row of the one shares with all. Next to all
  /// pairs of groups are done with here. Pairs of rows have two other ways to be paired.
  static bool may_save(const Group& left, const std::uint16_t* const (&with)[2], const Group& right) {
    const std::uint16_t *const a = with[0], *const b = with[1];
    const Place c = right.member[0], d = right.member[1];
    return std::max(a[c] + b[d], a[d] + b[c]) > left.shared[0] + right.shared[0];
  }

  /// The nine exchanges of three rows have their terms in common.
  static bool may_save(const Group& left, const std::uint16_t* const (&with)[3], const Group& right) {
    std::int32_t both[3][3], of_left[3] = {}, of_right[3] = {};
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j < 3; ++j) {
        both[i][j] = with[i][right.member[j]];
        of_left[i] += both[i][j];
        of_right[j] += both[i][j];
      }
    const std::int32_t least = -left.by_all - right.by_all;
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j < 3; ++j)
        if (of_left[i] - left.shared[i] + of_right[j] - right.shared[j] - 2 * both[i][j] > least) return true;
    return false;
  }

  template <std::size_t Size>
  bool exchange_any(Group& left, Group& right) {
    constexpr std::size_t kMoved = Size == 2 ? 1 : Size;  // of one pair, either row will do
    bool better = false;
    for (std::size_t i = 0; i < kMoved; ++i)
      for (std::size_t j = 0; j < Size; ++j)
        better |= exchange(left, i, right, j, [](std::int32_t saved) { return saved > 0; });
    return better;
  }

  /// Lets member `i` of one group and `j` of another change places if the steps that this saves are accepted. A group has as many as its
  /// rows are long, less what pairs of them share, and what all three do more.
  template <class Accept>
  bool exchange(Group& left, std::size_t i, Group& right, std::size_t j, const Accept& accept) {
    if (&left == &right) return false;
    const Place a = left.member[i], b = right.member[j];
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

}  // namespace tilewright::bsr_spmm::wgmma::detail
