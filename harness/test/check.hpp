// check.hpp - tests as plain executables: TEST(name) { CHECK(...); } in any number of files, linked with
// check.cpp. Prints each failure with file and line; exits 1 when there was one. An argument runs only the
// tests whose names contain it.
#pragma once
#include <exception>
#include <sstream>
#include <string>

namespace check {

using Body = void (*)();
struct Registration {
  Registration(const char* name, Body body);
};
void fail(const char* file, int line, const std::string& what);

template <class Left, class Right>
void equal(const char* file, int line, const char* text, const Left& left, const Right& right) {
  if (left == right) return;
  std::ostringstream out;
  out << text << ": " << left << " is not " << right;
  fail(file, line, out.str());
}

template <class Run>
void throws(const char* file, int line, const char* text, const char* part, Run run) {
  try {
    run();
  } catch (const std::exception& error) {
    if (std::string(error.what()).find(part) == std::string::npos)
      fail(file, line, std::string(text) + " threw \"" + error.what() + "\", which lacks \"" + part + "\"");
    return;
  }
  fail(file, line, std::string(text) + " did not throw");
}

}  // namespace check

#define TEST(name)                                                      \
  static void test_##name();                                            \
  static const check::Registration register_##name(#name, test_##name); \
  static void test_##name()
#define CHECK(condition) ((condition) ? void() : check::fail(__FILE__, __LINE__, #condition))
#define CHECK_EQ(left, right) check::equal(__FILE__, __LINE__, #left " == " #right, left, right)
/// The expression must throw an exception whose text contains `part`.
#define CHECK_THROWS(expression, part) \
  check::throws(__FILE__, __LINE__, #expression, part, [&] { static_cast<void>(expression); })
