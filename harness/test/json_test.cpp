#include "tilewright/json.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <string>

using tilewright::Json;

namespace {
std::string again(const char* text) { return Json::parse(text).dump(); }
std::string nested(int depth) {
  return std::string(static_cast<std::size_t>(depth), '[') +
         std::string(static_cast<std::size_t>(depth), ']');
}
}  // namespace

TEST_CASE("json round trips") {
  for (const char* text :
       {"null", "true", "false", "0", "-7", "9223372036854775807", "0.1", "1e+300", "\"\"", "[]", "{}",
        "[1,[2,{\"a\":null}],\"x\"]", "{\"b\":1,\"a\":{\"c\":[]}}", "\"\\\"\\\\\\n\\t\\u0001\""})
    CHECK_EQ(again(text), text);
  CHECK_EQ(again(" [ 1 , 2 ]\r\n"), "[1,2]");
  CHECK_EQ(again("\"\\u00e4\\ud83d\\ude00\\/\""), "\"\xC3\xA4\xF0\x9F\x98\x80/\"");
}

TEST_CASE("json tells integers from real numbers") {
  CHECK(Json::parse("3").is_integer());
  CHECK(!Json::parse("3.0").is_integer());
  CHECK_EQ(Json::parse("3.0").integer(), 3);
  CHECK_EQ(Json::parse("-0").integer(), 0);
  CHECK_EQ(Json::parse("18446744073709551616").number(), 18446744073709551616.0);
  CHECK_THROWS_WITH(Json::parse("3.5").integer(), doctest::Contains("expected an integer"));
  CHECK_THROWS_WITH(Json::parse("1e400"), doctest::Contains("out of range"));
}

TEST_CASE("json refuses what the standard refuses") {
  CHECK_THROWS_WITH(Json::parse(""), doctest::Contains("the text ends"));
  CHECK_THROWS_WITH(Json::parse("[1,]"), doctest::Contains("line 1, column 4"));
  CHECK_THROWS_WITH(Json::parse("{\"a\":1,}"), doctest::Contains("member name"));
  CHECK_THROWS_WITH(Json::parse("{\"a\":1,\"a\":2}"), doctest::Contains("appears twice"));
  CHECK_THROWS_WITH(Json::parse("{a:1}"), doctest::Contains("double quotes"));
  CHECK_THROWS_WITH(Json::parse("[1 2]"), doctest::Contains("',' or ']'"));
  CHECK_THROWS_WITH(Json::parse("1 2"), doctest::Contains("after the value"));
  CHECK_THROWS_WITH(Json::parse("{\n \"a\": tru}"), doctest::Contains("line 2, column 7: expected true"));
  for (const char* number : {"01", "+1", ".5", "1.", "1e", "-", "NaN", "Infinity", "0x10", "-01"})
    CHECK_THROWS_WITH(Json::parse(number), doctest::Contains("JSON line 1"));
  CHECK_THROWS_WITH(Json::parse("\"a"), doctest::Contains("inside a string"));
  CHECK_THROWS_WITH(Json::parse("\"\t\""), doctest::Contains("control character"));
  CHECK_THROWS_WITH(Json::parse("\"\\x\""), doctest::Contains("unknown escape"));
  CHECK_THROWS_WITH(Json::parse("\"\\u12\""), doctest::Contains("four hex digits"));
  CHECK_THROWS_WITH(Json::parse("\"\\ud800\""), doctest::Contains("lone surrogate"));
  CHECK_THROWS_WITH(Json::parse("\"\\udc00\""), doctest::Contains("lone surrogate"));
  for (const char* bytes :
       {"\"\xC0\x80\"", "\"\xED\xA0\x80\"", "\"\xF5\x80\x80\x80\"", "\"\xE2\x82\"", "\"\x80\""})
    CHECK_THROWS_WITH(Json::parse(bytes), doctest::Contains("invalid UTF-8"));
}

TEST_CASE("json limits depth") {
  CHECK_EQ(again(nested(64).c_str()), nested(64));
  CHECK_THROWS_WITH(Json::parse(nested(66)), doctest::Contains("nested deeper"));
  CHECK_THROWS_WITH(Json::parse(std::string(1000000, '[')), doctest::Contains("nested deeper"));
}

TEST_CASE("json access names what is missing") {
  const Json json = Json::parse("{\"m\":4,\"kind\":\"x\",\"on\":true}");
  CHECK_EQ(json.at("m").integer(), 4);
  CHECK_EQ(json.integer("n", 9), 9);
  CHECK_EQ(json.text("kind", ""), "x");
  CHECK(json.boolean("on", false));
  CHECK(json.find("n") == nullptr);
  CHECK_THROWS_WITH(json.at("n"), doctest::Contains("there are: m, kind, on"));
  CHECK_THROWS_WITH(json.integer("kind", 1),
                    doctest::Contains("member \"kind\": expected an integer, got a string"));
  CHECK_THROWS_WITH(json.at("m").at("x"), doctest::Contains("expected an object, got an integer"));
}

TEST_CASE("json building and writing") {
  Json json;
  json.set("a", 1).set("b", Json().push(true).push(Json())).set("a", 2.5);
  CHECK_EQ(json.dump(), "{\"a\":2.5,\"b\":[true,null]}");
  CHECK_EQ(Json(NAN).dump(), "null");
  CHECK_EQ(Json("\xFF").dump(), "\"\xEF\xBF\xBD\"");
}
