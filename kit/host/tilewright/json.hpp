// json.hpp - a strict JSON (RFC 8259) value, reader and writer. The bare machine has no such library, and
// jobs, problems and verdicts travel as JSON lines.
#pragma once
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace tilewright {

/// Malformed text, or a value that is not what the reader expects; the message says where.
struct JsonError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A JSON value. Objects keep the order of their members. A number without fraction or exponent that fits is
/// an integer and keeps all its digits; a reader may ask for it as a real number too.
class Json {
 public:
  using Array = std::vector<Json>;
  using Member = std::pair<std::string, Json>;
  using Object = std::vector<Member>;

  Json() = default;  // null
  Json(bool value) : value_(value) {}
  Json(int value) : value_(std::int64_t{value}) {}
  Json(std::int64_t value) : value_(value) {}
  Json(std::size_t value) : value_(static_cast<std::int64_t>(value)) {}
  Json(double value) : value_(value) {}
  Json(const char* value) : value_(std::string(value)) {}
  Json(std::string_view value) : value_(std::string(value)) {}
  Json(std::string value) : value_(std::move(value)) {}
  Json(Array value) : value_(std::move(value)) {}
  Json(Object value) : value_(std::move(value)) {}

  /// Reads one value and nothing after it but white space. Refuses duplicate member names, trailing commas,
  /// comments, NaN, lone surrogates, invalid UTF-8 and nesting deeper than 64; throws JsonError with line and
  /// column.
  static Json parse(std::string_view text);

  bool is_null() const { return std::holds_alternative<std::monostate>(value_); }
  bool is_boolean() const { return std::holds_alternative<bool>(value_); }
  bool is_integer() const { return std::holds_alternative<std::int64_t>(value_); }
  bool is_number() const { return is_integer() || std::holds_alternative<double>(value_); }
  bool is_text() const { return std::holds_alternative<std::string>(value_); }
  bool is_array() const { return std::holds_alternative<Array>(value_); }
  bool is_object() const { return std::holds_alternative<Object>(value_); }

  // Each throws JsonError when the value is of another kind.
  bool boolean() const;
  std::int64_t integer() const;  // an integer, or a real number with an integral value below 2^53
  double number() const;
  const std::string& text() const;
  const Array& items() const;
  const Object& members() const;

  /// The named member, or null when there is none. Throws unless this is an object.
  const Json* find(std::string_view name) const;
  /// The named member. Throws, and lists the members there are, when there is none.
  const Json& at(std::string_view name) const;

  // The named member if it is there, `otherwise` if it is not. Throws when it is there with another kind.
  bool boolean(std::string_view name, bool otherwise) const;
  std::int64_t integer(std::string_view name, std::int64_t otherwise) const;
  double number(std::string_view name, double otherwise) const;
  std::string text(std::string_view name, std::string_view otherwise) const;

  /// Replaces the named member or appends it. A null value becomes an object first.
  Json& set(std::string_view name, Json value);
  /// Appends to an array. A null value becomes an array first.
  Json& push(Json value);

  /// One line, no spaces. Numbers round-trip; NaN and infinities, which JSON lacks, become null.
  std::string dump() const;

  bool operator==(const Json&) const = default;

 private:
  const char* kind() const;
  std::variant<std::monostate, bool, std::int64_t, double, std::string, Array, Object> value_;
};

}  // namespace tilewright
