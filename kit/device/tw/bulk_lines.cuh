// bulk_lines.cuh - a warpgroup's accumulators become whole lines of C at any address by bulk copies. A line is staged in shared memory
// as far behind a multiple of 16 bytes as it begins in C, so that C's aligned vectors lie aligned there too. Those are copied;
// elements before the first vector of a line and behind the last are written one by one.
#pragma once
#include "tw/result_lines.cuh"

namespace tw {
#if TW_HAS_SM90

/// Staging of a warpgroup, kBytes: 64 lines of C along wgmma's M, 16 by each warp, AlongN elements of each at once. `target` has C's address
/// `c`, its leading dimension `ldc`, and the number of its `columns`, behind which nothing is written.
template <class T, class Layout, int AlongN>
struct BulkLines {
  static_assert(!Layout::kTurned, "C's lines lie along N");
  using Element = T;
  /// The same staging, for lines that are read.
  using Addend = ResultLines<T, Layout, StagingWarp, 64, AlongN>;
  static constexpr bool kSwapped = Layout::kSwapped;
  static constexpr int kLinesOfWarp = Addend::kLines, kLines = 4 * kLinesOfWarp;
  static constexpr int kPitch = Addend::kPitch, kBytes = Addend::kBytes;
  static constexpr int kElementBytes = static_cast<int>(sizeof(T)), kVector = 16 / kElementBytes;
  static_assert(kPitch >= AlongN * kElementBytes + 16, "a line may begin behind any element of a vector");

  std::uint32_t base;

  /// Stages a wgmma tile's sums from `first` along N on, rounded, which begin at (row, column) of C. Of whole lines it writes the ends.
  /// Staging is complete behind a barrier of the warp.
  template <class Target>
  TW_MEMBER void stage(const Target& target, const float* sums, int first, int row, int column) const {
    const int line = ptx::warp_id() % 4 * kLinesOfWarp + ptx::lane_id() / 4;
    stage_line(line_at(target, row, column, line), sums + first / 2);
    stage_line(line_at(target, row, column, line + 8), sums + first / 2 + 2);
    ptx::fence_proxy_async_shared();
  }

  /// Writes lines `begin` to `end` - 1 of what is staged, which begins at (row, column) of C, but for ends that are written. By one
  /// warp, whose lanes copy a line each. Behind it their staging may be filled again.
  template <class Target>
  TW_MEMBER void write(const Target& target, int row, int column, int begin, int end) const {
    const int lane = ptx::lane_id();
    const Line own = line_at(target, row, column, begin + lane);
    const int whole = (own.elements - own.head) / kVector * kVector;
    if (begin + lane < end && whole > 0)
      ptx::bulk_store(own.to + own.head, own.staged + own.head * kElementBytes, whole * kElementBytes);
    ptx::bulk_commit();
    for (int i = begin + lane / kVector; i < end; i += 32 / kVector) {
      const Line line = line_at(target, row, column, i);
      if (line.elements < AlongN) write_ends(line.to, line.elements, line.staged, lane % kVector);
    }
    ptx::bulk_wait_read<0>();
    __syncwarp();
  }

 private:
  /// A line in C and in staging: `elements` that exist, and how many may lie before the first vector.
  struct Line {
    T* to;
    std::uint32_t staged;
    int elements, head;
  };

  template <class Target>
  TW_MEMBER Line line_at(const Target& target, int row, int column, int index) const {
    Layout::kColumnMajor ? column += index : row += index;
    T* const to =
        Layout::kColumnMajor ? target.c + column * target.ldc + row : target.c + row * target.ldc + column;
    const int elements = !Layout::kColumnMajor     ? min(AlongN, target.columns - column)
                         : column < target.columns ? AlongN
                                                   : 0;
    const int head = elements_to_vector(to);
    return {to, base + index * kPitch + (kVector - head) % kVector * kElementBytes, elements, head};
  }

  /// Stages what a lane has of a line: two neighbours of each eight elements.
  TW_MEMBER static void stage_line(const Line& line, const float* sums) {
    if constexpr (kElementBytes == 4)
      stage_elements(line, sums);
    else
      stage_pairs(line, sums);
    if (line.elements < AlongN) return;
    const int element = ptx::lane_id() % 4 * 2, last = AlongN / 2 - 4,
              behind = (kVector - line.head) % kVector;
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      if (element + i < line.head) line.to[element + i] = static_cast<T>(sums[i]);
      if (element + i >= 8 - behind) line.to[AlongN - 8 + element + i] = static_cast<T>(sums[last + i]);
    }
  }

  TW_MEMBER static void stage_elements(const Line& line, const float* sums) {
    const std::uint32_t to = line.staged + ptx::lane_id() % 4 * 8;
#pragma unroll
    for (int i = 0; i < AlongN / 2; i += 4) {
      ptx::store_shared(to + 8 * i, sums[i]);
      ptx::store_shared(to + 8 * i + 4, sums[i + 1]);
    }
  }

  /// In a line that begins at an odd element, a word has the second element of one pair and the first of the next: those come from another
  /// lane, two by a shuffle. The last element is left out: it is no vector's.
  TW_MEMBER static void stage_pairs(const Line& line, const float* sums) {
    const int lane = ptx::lane_id(), before = lane / 4 * 4 + (lane + 3) % 4;
    const bool last = lane % 4 == 3, odd = line.staged % 4 != 0;
    const std::uint32_t to = line.staged / 4 * 4 + lane % 4 * 4;
    const unsigned first_word = odd ? 0x5410 : 0x7654, second_word = odd ? 0x5432 : 0x7654;
    std::uint32_t earlier = 0;
#pragma unroll
    for (int i = 0; i < AlongN / 2; i += 8) {
      const std::uint32_t pair = ptx::pack<T>(sums[i], sums[i + 1]),
                          next = ptx::pack<T>(sums[i + 4], sums[i + 5]);
      const std::uint32_t seconds = __byte_perm(last ? earlier : pair, last ? pair : next, 0x7632);
      const std::uint32_t front = __shfl_sync(ptx::kAllLanes, seconds, before);
      ptx::store_shared(to + 4 * i, __byte_perm(front, pair, first_word));
      ptx::store_shared(to + 4 * i + 16, __byte_perm(front, next, second_word));
      earlier = next;
    }
  }
};
#endif

}  // namespace tw
