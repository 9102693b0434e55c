// printed.cpp - what threads print, line by line.
#include <map>
#include <string>
#include <vector>

#include "report.hpp"
#include "scheduler.hpp"

namespace simt::core {
namespace {

constexpr std::size_t kMostLines = 10000;

std::vector<std::string> lines;
std::map<std::pair<std::uint64_t, std::uint32_t>, std::string>
    begun;  // by block of the grid and thread of the wave

void end_line(std::string& line) {
  if (lines.size() < kMostLines) lines.push_back(line);
  line.clear();
}

}  // namespace

void start_printing() {
  lines.clear();
  begun.clear();
}

void finish_printing(Result& result) {
  for (auto& [thread, line] : begun)
    if (!line.empty()) end_line(line);
  result.printed = std::move(lines);
  lines = {};
}

}  // namespace simt::core

namespace simt {

bool note_printed(const char* text) {
  using core::machine;
  if (!machine.current) return false;
  const core::Thread& self = *machine.current;
  std::string& line = core::begun[{machine.first_block + self.block->index, self.index}];
  for (; *text; ++text) {
    if (*text == '\n')
      core::end_line(line);
    else
      line += *text;
  }
  return true;
}

}  // namespace simt
