#include "tilewright/json.hpp"

#include <cmath>

#include "check.hpp"

using tilewright::Json;

namespace {
std::string again(const char* text) { return Json::parse(text).dump(); }
std::string nested(int depth) {
  return std::string(static_cast<std::size_t>(depth), '[') +
         std::string(static_cast<std::size_t>(depth), ']');
}
}  // namespace

TEST(json_round_trips) {
  for (const char* text :
       {"null", "true", "false", "0", "-7", "9223372036854775807", "0.1", "1e+300", "\"\"", "[]", "{}",
        "[1,[2,{\"a\":null}],\"x\"]", "{\"b\":1,\"a\":{\"c\":[]}}", "\"\\\"\\\\\\n\\t\\u0001\""})
    CHECK_EQ(again(text), text);
  CHECK_EQ(again(" [ 1 , 2 ]\r\n"), "[1,2]");
  CHECK_EQ(again("\"\\u00e4\\ud83d\\ude00\\/\""), "\"\xC3\xA4\xF0\x9F\x98\x80/\"");
}

TEST(json_tells_integers_from_real_numbers) {
  CHECK(Json::parse("3").is_integer());
  CHECK(!Json::parse("3.0").is_integer());
  CHECK_EQ(Json::parse("3.0").integer(), 3);
  CHECK_EQ(Json::parse("-0").integer(), 0);
  CHECK_EQ(Json::parse("18446744073709551616").number(), 18446744073709551616.0);
  CHECK_THROWS(Json::parse("3.5").integer(), "expected an integer");
  CHECK_THROWS(Json::parse("1e400"), "out of range");
}

TEST(json_refuses_what_the_standard_refuses) {
  CHECK_THROWS(Json::parse(""), "the text ends");
  CHECK_THROWS(Json::parse("[1,]"), "line 1, column 4");
  CHECK_THROWS(Json::parse("{\"a\":1,}"), "member name");
  CHECK_THROWS(Json::parse("{\"a\":1,\"a\":2}"), "appears twice");
  CHECK_THROWS(Json::parse("{a:1}"), "double quotes");
  CHECK_THROWS(Json::parse("[1 2]"), "',' or ']'");
  CHECK_THROWS(Json::parse("1 2"), "after the value");
  CHECK_THROWS(Json::parse("{\n \"a\": tru}"), "line 2, column 7: expected true");
  for (const char* number : {"01", "+1", ".5", "1.", "1e", "-", "NaN", "Infinity", "0x10", "-01"})
    CHECK_THROWS(Json::parse(number), "JSON line 1");
  CHECK_THROWS(Json::parse("\"a"), "inside a string");
  CHECK_THROWS(Json::parse("\"\t\""), "control character");
  CHECK_THROWS(Json::parse("\"\\x\""), "unknown escape");
  CHECK_THROWS(Json::parse("\"\\u12\""), "four hex digits");
  CHECK_THROWS(Json::parse("\"\\ud800\""), "lone surrogate");
  CHECK_THROWS(Json::parse("\"\\udc00\""), "lone surrogate");
  for (const char* bytes :
       {"\"\xC0\x80\"", "\"\xED\xA0\x80\"", "\"\xF5\x80\x80\x80\"", "\"\xE2\x82\"", "\"\x80\""})
    CHECK_THROWS(Json::parse(bytes), "invalid UTF-8");
}

TEST(json_limits_depth) {
  CHECK_EQ(again(nested(64).c_str()), nested(64));
  CHECK_THROWS(Json::parse(nested(66)), "nested deeper");
  CHECK_THROWS(Json::parse(std::string(1000000, '[')), "nested deeper");
}

TEST(json_access_names_what_is_missing) {
  const Json json = Json::parse("{\"m\":4,\"kind\":\"x\",\"on\":true}");
  CHECK_EQ(json.at("m").integer(), 4);
  CHECK_EQ(json.integer("n", 9), 9);
  CHECK_EQ(json.text("kind", ""), "x");
  CHECK(json.boolean("on", false));
  CHECK(json.find("n") == nullptr);
  CHECK_THROWS(json.at("n"), "there are: m, kind, on");
  CHECK_THROWS(json.integer("kind", 1), "member \"kind\": expected an integer, got a string");
  CHECK_THROWS(json.at("m").at("x"), "expected an object, got an integer");
}

TEST(json_building_and_writing) {
  Json json;
  json.set("a", 1).set("b", Json().push(true).push(Json())).set("a", 2.5);
  CHECK_EQ(json.dump(), "{\"a\":2.5,\"b\":[true,null]}");
  CHECK_EQ(Json(NAN).dump(), "null");
  CHECK_EQ(Json("\xFF").dump(), "\"\xEF\xBF\xBD\"");
}
