// result_lines.cuh - a warpgroup's accumulators become whole lines of C at any address: rounded and staged in shared memory, they leave
// as vectors of 16 bytes where C's own alignment has them, and as single elements before the first and behind the last of a line.
#pragma once
#include "tw/unaligned.cuh"
#include "tw/wgmma_result.cuh"

namespace tw {

/// Writes, by as many lanes as a vector has elements, those of a line at `to` that lie before its first vector and behind the last.
/// `elements` of it exist, `staged` from that address on; `lane`: the caller's number.
template <class T>
TW_DEVICE void write_ends(T* to, int elements, std::uint32_t staged, int lane) {
  constexpr int kVector = 16 / static_cast<int>(sizeof(T));
  const int head = min(elements_to_vector(to), elements), within = (elements - head) / kVector * kVector;
  for (int i = lane; i < elements - within; i += kVector) {
    const int element = i < head ? i : i + within;
    to[element] = shared_element<T>(staged + element * static_cast<int>(sizeof(T)));
  }
}

/// Lines on their way between shared memory and C, by one warp: line i begins `i * Pitch` bytes behind `staged`, and `i * ldc` elements
/// behind `c`. `lines` of them, at most Lines, and `elements` of each, at most Elements, are there.
template <class T, int Lines, int Elements, int Pitch>
struct LineCopy {
  static constexpr int kVector = 16 / static_cast<int>(sizeof(T)),
                       kVectors = Elements / kVector;  // of a line
  static_assert(Elements % kVector == 0 && Pitch % 16 == 0, "lines are whole vectors in shared memory");

  T* c;
  long long ldc;
  std::uint32_t staged;
  int lines, elements;

  /// Writes them to C.
  TW_MEMBER void write() const {
    constexpr int kBatch = 4;  // vectors that a lane reads before it writes the first
    constexpr int kRounds = (Lines + kTogether - 1) / kTogether;
    const int lane = ptx::lane_id();
#pragma unroll
    for (int first = 0; first < kRounds; first += kBatch) {
      uint4 vector[kBatch];
      T* to[kBatch];
#pragma unroll
      for (int i = 0; i < kBatch && first + i < kRounds; ++i)
        to[i] = read_vector(vector[i], (first + i) * kTogether + lane / kLanes, lane % kLanes);
#pragma unroll
      for (int i = 0; i < kBatch && first + i < kRounds; ++i)
        if (to[i]) *reinterpret_cast<uint4*>(to[i]) = vector[i];
    }
    for (int line = lane / kVector; line < lines; line += 32 / kVector)
      write_ends(c + line * ldc, elements, staged + line * Pitch, lane % kVector);
  }

  /// Reads them from C by vectors where all of them are whole and begin at one, else by elements.
  TW_MEMBER void read_vectors() const {
    if (elements != Elements || elements_to_vector(c) != 0 || ldc % kVector != 0) return read();
    constexpr int kBatch = 4;  // vectors that a lane reads before it stages the first
    constexpr int kRounds = (Lines + kTogether - 1) / kTogether;
    const int lane = ptx::lane_id(), index = lane % kLanes;
#pragma unroll
    for (int first = 0; first < kRounds; first += kBatch) {
      uint4 vector[kBatch];
#pragma unroll
      for (int i = 0; i < kBatch && first + i < kRounds; ++i) {
        const int line = (first + i) * kTogether + lane / kLanes;
        vector[i] = {};
        if (line < lines && index < kVectors)
          vector[i] = *reinterpret_cast<const uint4*>(c + line * ldc + index * kVector);
      }
#pragma unroll
      for (int i = 0; i < kBatch && first + i < kRounds; ++i) {
        const int line = (first + i) * kTogether + lane / kLanes;
        if (line < Lines && index < kVectors)
          ptx::store_shared_v4(staged + line * Pitch + 16 * index, vector[i]);
      }
    }
  }

  /// Reads them from C; zeros stand for what is not there.
  TW_MEMBER void read() const {
    for (int i = ptx::lane_id(); i < Lines * Elements / 2; i += 32) {
      const int line = i / (Elements / 2), element = i % (Elements / 2) * 2;
      const T* const from = c + line * ldc + element;
      const bool there = line < lines;
      store_pair(line, element, there && element < elements ? from[0] : T(0.0f),
                 there && element + 1 < elements ? from[1] : T(0.0f));
    }
  }

 private:
  static constexpr int kLanes = kVectors <= 1    ? 1
                                : kVectors <= 2  ? 2
                                : kVectors <= 4  ? 4
                                : kVectors <= 8  ? 8
                                : kVectors <= 16 ? 16
                                                 : 32;
  static constexpr int kTogether = 32 / kLanes;  // lines that a warp has in hand at once
  static_assert(kVectors <= 32, "a lane has one vector of a line at most");

  /// The place in C of aligned vector `index` of a line, and what is to be written there; null where there is none.
  TW_MEMBER T* read_vector(uint4& vector, int line, int index) const {
    T* const to = c + line * ldc;
    const int head = elements_to_vector(to);
    if (line >= lines || index >= kVectors || head + (index + 1) * kVector > elements) return nullptr;
    const std::uint32_t from = staged + line * Pitch + 16 * index;
    const uint4 low = ptx::load_shared_v4(from), high = head > 0 ? ptx::load_shared_v4(from + 16) : low;
    vector = window(low, high, head * static_cast<int>(sizeof(T)));
    return to + head + index * kVector;
  }

  TW_MEMBER void store_pair(int line, int element, T first, T second) const {
    const std::uint32_t to = staged + line * Pitch + element * static_cast<int>(sizeof(T));
    if constexpr (sizeof(T) == 2) {
      ptx::store_shared(to, ResultPair<T>{first, second});
    } else {
      ptx::store_shared(to, first);
      ptx::store_shared(to + 4, second);
    }
  }
};

#if TW_HAS_SM90
/// Staging of lines for C at any address: kBytes for a warpgroup, at `base`. At a time, 16 lines of `AlongN` elements by each warp, or, of
/// a turned layout, `AlongN` lines of `AlongM` by a warpgroup. `target`: as for store_accumulators.
template <class T, class Layout, class Threads, int AlongM, int AlongN>
struct ResultLines {
  static constexpr bool kTurned = Layout::kTurned;
  static constexpr int kLines = kTurned ? AlongN : 16, kElements = kTurned ? AlongM : AlongN;
  static constexpr int kPitch = kElements * static_cast<int>(sizeof(T)) + 16;  // lines begin in other banks
  static constexpr int kBytes = ((kTurned ? 1 : 4) * kLines * kPitch + 1023) / 1024 * 1024;
  static_assert(AlongM == 64 || (kTurned && Layout::kTilesN == 1), "lines that span wgmma tiles");

  std::uint32_t base;

  /// function(wgmma tile, first element along its N, place of both along the share's M and N) for all that is staged at once.
  template <class Function>
  TW_MEMBER static void each_part(const Function& function) {
#pragma unroll
    for (int m = 0; m < 64 * Layout::kTilesM; m += AlongM)
#pragma unroll
      for (int n = 0; n < Layout::kTilesN * Layout::kN; n += AlongN)
        function(m / 64 * Layout::kTilesN + n / Layout::kN, n % Layout::kN, m, n);
  }

  /// Stores the warpgroup's share, its first element at (row, column) of C, with beta * C added.
  template <class Target, int Tiles, int Registers>
  TW_MEMBER void store(const Target& target, float (&acc)[Tiles][Registers], int row, int column) const {
    if (target.beta != 0.0f)
      each_part([&](int tile, int along_n, int m, int n) {
        sync();  // the lines before have been read
        lines_of(target.c, target.ldc, target.columns, row, column, m, n).read();
        sync();
        add(acc, tile, along_n, target.beta);
      });
    write(target, acc, row, column);
  }

  /// Adds beta * addend to it. `target` has the address `addend`, and the leading dimension `ld_addend`, of a matrix that is
  /// laid out as C.
  template <class Target, int Tiles, int Registers>
  TW_MEMBER void add_addend(const Target& target, float (&acc)[Tiles][Registers], int row, int column) const {
    T* const addend = const_cast<T*>(target.addend);  // LineCopy could write there as well
    each_part([&](int tile, int along_n, int m, int n) {
      sync();  // the lines before have been read
      lines_of(addend, target.ld_addend, target.columns, row, column, m, n).read_vectors();
      sync();
      add(acc, tile, along_n, target.beta);
    });
  }

  /// Writes it to C.
  template <class Target, int Tiles, int Registers>
  TW_MEMBER void write(const Target& target, const float (&acc)[Tiles][Registers], int row,
                       int column) const {
    each_part([&](int tile, int along_n, int m, int n) {
      sync();
      stage(acc, tile, along_n);
      sync();
      lines_of(target.c, target.ldc, target.columns, row, column, m, n).write();
    });
  }

 private:
  static constexpr int kLinesPerWarp = kTurned ? kLines / 4 : kLines;
  using Lines = LineCopy<T, kLinesPerWarp, kElements, kPitch>;

  TW_MEMBER static void sync() { Threads::sync(ptx::warp_id() / 4); }

  /// The buffer that the warp's lines are in.
  TW_MEMBER std::uint32_t buffer() const {
    const int warp = ptx::warp_id();
    return base + warp / 4 * kBytes + (kTurned ? 0 : warp % 4 * kLines * kPitch);
  }

  /// The warp's lines, of the matrix at `c`, of a part at (m, n) of the share.
  TW_MEMBER Lines lines_of(T* c, long long ldc, int columns, int row, int column, int m, int n) const {
    const int warp = ptx::warp_id() % 4, first_line = kTurned ? warp * kLinesPerWarp : 0;
    if (!kTurned) m += warp * 16;
    row += Layout::kSwapped ? n : m;
    column += Layout::kSwapped ? m : n;
    Lines lines{c, ldc, buffer() + first_line * kPitch, kLinesPerWarp, kElements};
    if constexpr (Layout::kColumnMajor) {
      lines.c += (column + first_line) * ldc + row;
      lines.lines = min(kLinesPerWarp, columns - column - first_line);
    } else {
      lines.c += (row + first_line) * ldc + column;
      lines.elements = min(kElements, columns - column);
    }
    return lines;
  }

  /// Stages a part, rounded.
  template <int Tiles, int Registers>
  TW_MEMBER void stage(const float (&acc)[Tiles][Registers], int tile, int along_n) const {
#pragma unroll
    for (int m = 0; m < AlongM; m += 64) stage_tile(acc[tile + m / 64], along_n, m);
  }

  /// Stages the part of a wgmma tile from `along_n` on, `m` elements behind the begin of the lines.
  TW_MEMBER void stage_tile(const float* sums, int along_n, int m) const {
    const unsigned lane = ptx::lane_id();
    if constexpr (sizeof(T) == 4) {
#pragma unroll
      for (int i = 0; i < AlongN / 2; ++i) ptx::store_shared(place(i, m), sums[along_n / 2 + i]);
    } else if constexpr (kTurned) {
      const unsigned line = lane / 16 * 8 + lane % 8, chunk = ptx::warp_id() % 4 * 2 + lane / 8 % 2;
#pragma unroll
      for (int i = 0, at = along_n / 4; i < AlongN; i += 16, at += 4)
        ptx::stmatrix_x4_trans(buffer() + (line + i) * kPitch + 2 * m + 16 * chunk,
                               {rounded_pair<T>(sums, at), rounded_pair<T>(sums, at + 1),
                                rounded_pair<T>(sums, at + 2), rounded_pair<T>(sums, at + 3)});
    } else {
      const unsigned line = lane % 16, chunk = lane / 16;
#pragma unroll
      for (int i = 0, at = along_n / 4; i < AlongN; i += 16, at += 4)
        ptx::stmatrix_x4(buffer() + line * kPitch + 2 * i + 16 * chunk,
                         {rounded_pair<T>(sums, at), rounded_pair<T>(sums, at + 1),
                          rounded_pair<T>(sums, at + 2), rounded_pair<T>(sums, at + 3)});
    }
  }

  /// Adds beta * C, of which a part is staged.
  template <int Tiles, int Registers>
  TW_MEMBER void add(float (&acc)[Tiles][Registers], int tile, int along_n, float beta) const {
#pragma unroll
    for (int m = 0; m < AlongM; m += 64)
#pragma unroll
      for (int i = 0; i < AlongN / 2; ++i)
        acc[tile + m / 64][along_n / 2 + i] += beta * static_cast<float>(shared_element<T>(place(i, m)));
  }

  /// The place in staging of accumulator `i` of a part, of the wgmma tile `m` elements behind the begin of the lines.
  TW_MEMBER std::uint32_t place(int i, int m) const {
    const int lane = ptx::lane_id(), along_n = lane % 4 * 2 + i / 4 * 8 + i % 2,
              along_m = lane / 4 + i / 2 % 2 * 8;
    const int line = kTurned ? along_n : along_m,
              element = kTurned ? m + ptx::warp_id() % 4 * 16 + along_m : along_n;
    return buffer() + line * kPitch + element * static_cast<int>(sizeof(T));
  }
};
#endif

}  // namespace tw
