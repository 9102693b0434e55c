#include "tilewright/json.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "utf8.hpp"

namespace tilewright {
namespace {

constexpr double kExactIntegers = 9007199254740992.0;  // 2^53

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
