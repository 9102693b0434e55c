#include "tilewright/json.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace tilewright {
namespace {

constexpr int kMaxDepth = 64;
constexpr double kExactIntegers = 9007199254740992.0;  // 2^53

void append_utf8(std::string& out, std::uint32_t code) {
  if (code < 0x80) {
    out += static_cast<char>(code);
    return;
  }
  const int extra = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
  static constexpr unsigned kLead[] = {0, 0xC0, 0xE0, 0xF0};
  out += static_cast<char>(kLead[extra] | (code >> (6 * extra)));
  for (int i = extra - 1; i >= 0; --i) out += static_cast<char>(0x80 | ((code >> (6 * i)) & 0x3F));
}

/// Length of the UTF-8 sequence at `text[0]`, 0 if it is malformed (overlong, surrogate, above U+10FFFF, cut
/// short).
std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned lead = byte(0);
  if (lead < 0x80) return 1;
  const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : lead >= 0xC2 ? 2 : 0;
  if (length == 0 || lead > 0xF4 || text.size() < length) return 0;
  std::uint32_t code = lead & (0x7Fu >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
    code = code << 6 | (byte(i) & 0x3F);
  }
  static constexpr std::uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = code >= 0xD800 && code < 0xE000;
  return code < kLeast[length] || surrogate || code > 0x10FFFF ? 0 : length;
}

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

void write_string(std::string& out, std::string_view text) {
  static constexpr char kHex[] = "0123456789abcdef";
  out += '"';
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    const auto c = static_cast<unsigned char>(text[0]);
    if (length == 0)
      out += "\xEF\xBF\xBD";  // replacement character: a message may quote foreign bytes
    else if (c == '"' || c == '\\')
      (out += '\\') += static_cast<char>(c);
    else if (c == '\n')
      out += "\\n";
    else if (c == '\t')
      out += "\\t";
    else if (c < 0x20)
      ((out += "\\u00") += kHex[c >> 4]) += kHex[c & 15];
    else
      out.append(text.substr(0, length));
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  out += '"';
}

template <class Number>
void write_number(std::string& out, Number value) {
  char buffer[32];
  out.append(buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr);
}

void write(std::string& out, const Json& json) {
  if (json.is_null()) {
    out += "null";
  } else if (json.is_boolean()) {
    out += json.boolean() ? "true" : "false";
  } else if (json.is_integer()) {
    write_number(out, json.integer());
  } else if (json.is_number()) {
    if (std::isfinite(json.number()))
      write_number(out, json.number());
    else
      out += "null";
  } else if (json.is_text()) {
    write_string(out, json.text());
  } else if (json.is_array()) {
    char separator = '[';
    for (const Json& item : json.items()) write((out += std::exchange(separator, ',')), item);
    out += json.items().empty() ? "[]" : "]";
  } else {
    char separator = '{';
    for (const auto& [name, value] : json.members()) {
      write_string(out += std::exchange(separator, ','), name);
      write(out += ':', value);
    }
    out += json.members().empty() ? "{}" : "}";
  }
}

}  // namespace

Json Json::parse(std::string_view text) { return Reader(text).document(); }

std::string Json::dump() const {
  std::string out;
  write(out, *this);
  return out;
}

const char* Json::kind() const {
  static constexpr const char* kNames[] = {"null",     "a boolean", "an integer", "a number",
                                           "a string", "an array",  "an object"};
  return kNames[value_.index()];
}

namespace {
[[noreturn]] void wrong_kind(const char* wanted, const char* got) {
  throw JsonError(std::string("expected ") + wanted + ", got " + got);
}

/// Runs `read` on the named member so that an error names it.
template <class Read>
auto member(const Json& object, std::string_view name, Read read) {
  try {
    return read(object.at(name));
  } catch (const JsonError& error) {
    throw JsonError("member \"" + std::string(name) + "\": " + error.what());
  }
}
}  // namespace

bool Json::boolean() const {
  if (!is_boolean()) wrong_kind("a boolean", kind());
  return std::get<bool>(value_);
}

std::int64_t Json::integer() const {
  if (is_integer()) return std::get<std::int64_t>(value_);
  if (!is_number()) wrong_kind("an integer", kind());
  const double real = std::get<double>(value_);
  if (real != std::floor(real) || std::abs(real) > kExactIntegers) wrong_kind("an integer", kind());
  return static_cast<std::int64_t>(real);
}

double Json::number() const {
  if (is_integer()) return static_cast<double>(std::get<std::int64_t>(value_));
  if (!is_number()) wrong_kind("a number", kind());
  return std::get<double>(value_);
}

const std::string& Json::text() const {
  if (!is_text()) wrong_kind("a string", kind());
  return std::get<std::string>(value_);
}

const Json::Array& Json::items() const {
  if (!is_array()) wrong_kind("an array", kind());
  return std::get<Array>(value_);
}

const Json::Object& Json::members() const {
  if (!is_object()) wrong_kind("an object", kind());
  return std::get<Object>(value_);
}

const Json* Json::find(std::string_view name) const {
  for (const auto& [key, value] : members())
    if (key == name) return &value;
  return nullptr;
}

const Json& Json::at(std::string_view name) const {
  if (const Json* found = find(name)) return *found;
  std::string names;
  for (const auto& [key, ignored] : members()) names += (names.empty() ? "" : ", ") + key;
  throw JsonError("no member \"" + std::string(name) + "\"; there are: " + (names.empty() ? "none" : names));
}

bool Json::boolean(std::string_view name, bool otherwise) const {
  return find(name) ? member(*this, name, [](const Json& json) { return json.boolean(); }) : otherwise;
}

std::int64_t Json::integer(std::string_view name, std::int64_t otherwise) const {
  return find(name) ? member(*this, name, [](const Json& json) { return json.integer(); }) : otherwise;
}

double Json::number(std::string_view name, double otherwise) const {
  return find(name) ? member(*this, name, [](const Json& json) { return json.number(); }) : otherwise;
}

std::string Json::text(std::string_view name, std::string_view otherwise) const {
  return find(name) ? member(*this, name, [](const Json& json) { return json.text(); })
                    : std::string(otherwise);
}

Json& Json::set(std::string_view name, Json value) {
  if (is_null()) value_ = Object();
  if (!is_object()) wrong_kind("an object", kind());
  auto& object = std::get<Object>(value_);
  for (auto& [key, old] : object) {
    if (key != name) continue;
    old = std::move(value);
    return *this;
  }
  object.emplace_back(std::string(name), std::move(value));
  return *this;
}

Json& Json::push(Json value) {
  if (is_null()) value_ = Array();
  if (!is_array()) wrong_kind("an array", kind());
  std::get<Array>(value_).push_back(std::move(value));
  return *this;
}

}  // namespace tilewright
