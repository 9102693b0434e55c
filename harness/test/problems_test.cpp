#include "problems.hpp"

#include <doctest/doctest.h>

#include <cstdlib>

using namespace tilewright;

TEST_CASE("the least recently used value goes first") {
  LruCache<int> cache(100);
  cache.insert("a", std::make_shared<const int>(1), 40);
  cache.insert("b", std::make_shared<const int>(2), 40);
  CHECK_EQ(*cache.find("a"), 1);
  cache.insert("c", std::make_shared<const int>(3), 40);
  CHECK(cache.find("b") == nullptr);
  CHECK(cache.find("a"));
  CHECK(cache.find("c"));
  CHECK_EQ(cache.bytes(), 80u);
}

TEST_CASE("a value larger than the cache stays until the next") {
  LruCache<int> cache(100);
  cache.insert("a", std::make_shared<const int>(1), 40);
  cache.insert("big", std::make_shared<const int>(2), 500);
  CHECK(cache.find("big"));
  CHECK(!cache.find("a"));
  cache.insert("b", std::make_shared<const int>(3), 40);
  CHECK(cache.find("b"));
  CHECK(!cache.find("big"));
}

TEST_CASE("workers share the memory of the host") {
  setenv("TW_WORKERS", "1", 1);
  const std::size_t alone = default_cache_bytes();
  setenv("TW_WORKERS", "4", 1);
  const std::size_t shared = default_cache_bytes();
  unsetenv("TW_WORKERS");
  const std::size_t least = std::size_t{256} << 20;  // and memory comes and goes: no exact quarter
  CHECK((shared == least || shared < alone / 3));
}

TEST_CASE("problems are made once and references shared by key") {
  ProblemCache cache(1 << 20);
  const Json json = Json::parse(R"({"m":3,"n":4})");
  const auto first = cache.problem(json, Parameters(nullptr, 0));
  CHECK(first == cache.problem(json, Parameters(nullptr, 0)));
  CHECK(cache.references(*first) == cache.references(*first));
  CHECK_EQ(cache.references(*first)->at(0).value.size(), 12u);
  CHECK_THROWS_WITH(cache.problem(Json::parse("{\"m\":3}"), Parameters(nullptr, 0)),
                    doctest::Contains("no member \"n\""));
}
