#include "check.hpp"

#include <cstdio>
#include <cstring>
#include <utility>
#include <vector>

namespace check {
namespace {

int failures = 0;

std::vector<std::pair<const char*, Body>>& tests() {
  static std::vector<std::pair<const char*, Body>> list;
  return list;
}

}  // namespace

Registration::Registration(const char* name, Body body) { tests().emplace_back(name, body); }

void fail(const char* file, int line, const std::string& what) {
  std::fprintf(stderr, "%s:%d: %s\n", file, line, what.c_str());
  ++failures;
}

}  // namespace check

int main(int argc, char** argv) {
  int run = 0;
  for (const auto& [name, body] : check::tests()) {
    if (argc > 1 && !std::strstr(name, argv[1])) continue;
    const int before = check::failures;
    try {
      body();
    } catch (const std::exception& error) {
      check::fail(name, 0, std::string("threw ") + error.what());
    }
    std::printf("%s %s\n", check::failures == before ? "ok  " : "FAIL", name);
    ++run;
  }
  std::printf("%d tests, %d failures\n", run, check::failures);
  return check::failures > 0 || run == 0;
}
