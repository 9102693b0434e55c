// tile_scheduler.cuh: every tile once, whatever the number of workers, and groups of rows go down together.
#include "tw/tile_scheduler.cuh"

#include <set>
#include <utility>

#include "block_test.hpp"

namespace {

template <int Group>
void check_cover(int tiles_m, int tiles_n, int workers) {
  std::set<std::pair<int, int>> seen;
  for (int worker = 0; worker < workers; ++worker)
    for (tw::TileScheduler<Group> tiles(tiles_m, tiles_n, worker, workers); tiles.more(); tiles.advance()) {
      const tw::TilePlace place = tiles.place();
      CHECK((place.m >= 0 && place.m < tiles_m && place.n >= 0 && place.n < tiles_n));
      CHECK(seen.emplace(place.m, place.n).second);
    }
  CHECK_EQ(seen.size(), static_cast<std::size_t>(tiles_m * tiles_n));
}

}  // namespace

TEST_CASE("every tile is taken once") {
  for (const int workers : {1, 3, 7, 132}) {
    check_cover<1>(5, 4, workers);
    check_cover<8>(17, 3, workers);  // two groups and one row
    check_cover<8>(3, 9, workers);   // not a whole group
    check_cover<16>(32, 16, workers);
    check_cover<4>(1, 1, workers);
  }
}

TEST_CASE("tiles go down a group and then to the next column") {
  const auto at = [](int index) {
    const tw::TilePlace place = tw::tile_place<2>(index, 3, 2);
    return std::pair(place.m, place.n);
  };
  const std::pair<int, int> expected[] = {{0, 0}, {1, 0}, {0, 1}, {1, 1}, {2, 0}, {2, 1}};
  for (int i = 0; i < 6; ++i) CHECK(at(i) == expected[i]);
}
