#include <algorithm>
#include <charconv>

#include "tilewright/json.hpp"
#include "utf8.hpp"

namespace tilewright {
namespace {

constexpr int kMaxDepth = 64;

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  Json document() {
    Json value = this->value(0);
    space();
    if (at_ < text_.size()) fail("unexpected text after the value");
    return value;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    std::size_t line = 1, column = 1;
    for (std::size_t i = 0; i < at_ && i < text_.size(); ++i) {
      column = text_[i] == '\n' ? 1 : column + 1;
      line += text_[i] == '\n';
    }
    throw JsonError("JSON line " + std::to_string(line) + ", column " + std::to_string(column) + ": " + what);
  }

  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }

  void space() {
    while (at_ < text_.size() && std::string_view(" \t\r\n").find(text_[at_]) != std::string_view::npos)
      ++at_;
  }

  bool take(char c) {
    space();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  void expect(char c) {
    if (!take(c))
      fail(std::string("expected '") + c + "'" + (at_ < text_.size() ? "" : ", but the text ends"));
  }

  Json value(int depth) {
    if (depth > kMaxDepth) fail("nested deeper than " + std::to_string(kMaxDepth) + " levels");
    space();
    switch (peek()) {
      case '{':
        return object(depth);
      case '[':
        return array(depth);
      case '"':
        return string();
      case 't':
        return word("true", true);
      case 'f':
        return word("false", false);
      case 'n':
        return word("null", Json());
      default:
        return number();
    }
  }

  Json word(std::string_view word, Json value) {
    if (text_.substr(at_, word.size()) != word) fail("expected " + std::string(word));
    at_ += word.size();
    return value;
  }

  Json object(int depth) {
    expect('{');
    Json::Object members;
    if (take('}')) return members;
    do {
      space();
      if (peek() != '"') fail("expected a member name in double quotes");
      std::string name = string();
      for (const auto& [other, ignored] : members)
        if (other == name) fail("member \"" + name + "\" appears twice");
      expect(':');
      members.emplace_back(std::move(name), value(depth + 1));
    } while (take(','));
    if (!take('}')) fail("expected ',' or '}'");
    return members;
  }

  Json array(int depth) {
    expect('[');
    Json::Array items;
    if (take(']')) return items;
    do items.push_back(value(depth + 1));
    while (take(','));
    if (!take(']')) fail("expected ',' or ']'");
    return items;
  }

  std::string string() {
    expect('"');
    std::string out;
    while (true) {
      if (at_ >= text_.size()) fail("the text ends inside a string");
      const char c = text_[at_];
      if (c == '"') break;
      if (static_cast<unsigned char>(c) < 0x20) fail("control character in a string; write \\u00XX");
      if (c == '\\') {
        escape(out);
        continue;
      }
      const std::size_t length = utf8_length(text_.substr(at_));
      if (length == 0) fail("invalid UTF-8 in a string");
      out.append(text_, at_, length);
      at_ += length;
    }
    ++at_;
    return out;
  }

  void escape(std::string& out) {
    static constexpr std::string_view kCodes = "\"\\/bfnrt", kMeanings = "\"\\/\b\f\n\r\t";
    ++at_;
    const char code = peek();
    if (code == 'u') return append_utf8(out, unicode_escape());
    const std::size_t which = kCodes.find(code);
    if (which == std::string_view::npos || code == '\0') fail("unknown escape in a string");
    out += kMeanings[which];
    ++at_;
  }

  std::uint32_t unicode_escape() {
    const std::uint32_t high = hex4();
    if (high < 0xD800 || high >= 0xE000) return high;
    if (high >= 0xDC00 || text_.substr(at_, 2) != "\\u") fail("lone surrogate in a \\u escape");
    ++at_;
    const std::uint32_t low = hex4();
    if (low < 0xDC00 || low >= 0xE000) fail("lone surrogate in a \\u escape");
    return 0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00);
  }

  std::uint32_t hex4() {  // at the 'u'
    ++at_;
    std::uint32_t code = 0;
    const std::string_view digits = text_.substr(std::min(at_, text_.size()), 4);
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), code, 16);
    if (digits.size() < 4 || error != std::errc() || end != digits.data() + 4)
      fail("\\u needs four hex digits");
    at_ += 4;
    return code;
  }

  Json number() {
    const std::size_t start = at_;
    const auto digits = [&] {
      const std::size_t first = at_;
      while (peek() >= '0' && peek() <= '9') ++at_;
      return at_ - first;
    };
    if (peek() == '-') ++at_;
    const bool leading_zero = peek() == '0';
    const std::size_t whole = digits();
    if (whole == 0 || (leading_zero && whole > 1)) {
      at_ = start;
      fail(start < text_.size() ? "expected a value" : "expected a value, but the text ends");
    }
    bool real = false;
    if (peek() == '.') {
      real = true;
      ++at_;
      if (digits() == 0) fail("expected digits after the decimal point");
    }
    if (peek() == 'e' || peek() == 'E') {
      real = true;
      ++at_;
      if (peek() == '+' || peek() == '-') ++at_;
      if (digits() == 0) fail("expected digits in the exponent");
    }
    return convert(text_.substr(start, at_ - start), real);
  }

  Json convert(std::string_view text, bool real) const {
    const char *first = text.data(), *last = first + text.size();
    std::int64_t integer = 0;
    if (!real && std::from_chars(first, last, integer).ec == std::errc()) return integer;
    double value = 0;
    if (std::from_chars(first, last, value).ec != std::errc()) fail("number out of range");
    return value;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

Json Json::parse(std::string_view text) { return Reader(text).document(); }

}  // namespace tilewright
