// main.cpp - tries every subject in every mode and prints what caught which bug.
//
//   bugs [--seeds N] [--only TEXT]           the table; fails when no mode catches a bug
//        [--markdown FILE] [--command TEXT]  and writes it, with the command to quote
//   bugs --false-alarms N                    at least N runs of the correct kernels;
//                                            with --markdown: beside the table
//   bugs --show TEXT                         the findings of the subjects that match
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <exception>
#include <fstream>
#include <map>
#include <string_view>

#include "problem.hpp"
#include "subject.hpp"

namespace bugs {
namespace {

struct Mode {
  const char* name;
  const char* what;
  simt::Async async;
  simt::Order order;
  bool poison, detect;
};

/// From what an ordinary emulator does to the full checker.
constexpr Mode kModes[] = {
    {"naive", "copies done at once, threads in order, no poison", simt::Async::now, simt::Order::in_order,
     false, false},
    {"random", "random threads, random completion, poison", simt::Async::random, simt::Order::random, true,
     false},
    {"late", "copies as late as legal, greedy order, poison", simt::Async::late, simt::Order::greedy, true,
     false},
    {"HB", "happens-before detector, copies at once, threads in order", simt::Async::now,
     simt::Order::in_order, true, true},
    {"HB late", "happens-before detector, copies late, greedy order", simt::Async::late, simt::Order::greedy,
     true, true},
};

simt::Config config_of(const Mode& mode, std::uint64_t seed) {
  simt::Config config;
  config.seed = seed;
  config.async = mode.async;
  config.order = mode.order;
  config.poison = mode.poison;
  config.detect = mode.detect;
  config.seconds = 20;
  return config;
}

/// One subject in one mode over all seeds.
struct Cell {
  int runs = 0, caught = 0;
  std::string letters, message;
};

void add(Cell& cell, const Finding& finding) {
  ++cell.runs;
  if (finding.letters.empty()) return;
  ++cell.caught;
  if (cell.message.empty()) cell.message = finding.message;
  for (const char letter : finding.letters)
    if (cell.letters.find(letter) == std::string::npos) cell.letters += letter;
  std::sort(cell.letters.begin(), cell.letters.end());
}

/// Runs in a child, so that what a wild kernel does to memory ends there: its death is caught as T.
Finding run_isolated(const Subject& subject, const simt::Config& config) {
  int ends[2];
  if (pipe(ends) != 0) throw std::runtime_error("cannot make a pipe");
  std::fflush(nullptr);
  const pid_t pid = fork();
  if (pid < 0) throw std::runtime_error("cannot start a child process");
  if (pid == 0) {
    alarm(60);
    const Finding finding = subject.run(config);
    const std::string text = finding.letters + "\n" + finding.message.substr(0, 3000);
    _exit(write(ends[1], text.data(), text.size()) == static_cast<ssize_t>(text.size()) ? 0 : 1);
  }
  close(ends[1]);
  std::string text;
  char part[4096];
  for (ssize_t got; (got = read(ends[0], part, sizeof part)) > 0;)
    text.append(part, static_cast<std::size_t>(got));
  close(ends[0]);
  int status = 0;
  waitpid(pid, &status, 0);
  const std::size_t line = text.find('\n');
  if (line == std::string::npos) return {"T", "the process died of signal " + std::to_string(status & 127)};
  return {text.substr(0, line), text.substr(line + 1)};
}

constexpr std::string_view kKernels[] = {"mma", "wgmma", "cluster", "persistent", "ping-pong", "attention"};

struct Options {
  int seeds = 5, false_alarms = 0;
  std::string only, show, markdown, command = "bugs";
};

/// The matching subjects in the order of the table, whatever the linker made of the registrations.
std::vector<const Subject*> selected(const std::string& text) {
  std::vector<const Subject*> list;
  for (const Subject& subject : subjects())
    if ((subject.kernel + ": " + subject.bug).find(text) != std::string::npos) list.push_back(&subject);
  const auto rank = [](const Subject* subject) {
    return std::find(std::begin(kKernels), std::end(kKernels), subject->kernel) - std::begin(kKernels);
  };
  std::stable_sort(list.begin(), list.end(),
                   [&](const Subject* a, const Subject* b) { return rank(a) < rank(b); });
  return list;
}

std::string name_of(const Subject& subject) {
  if (subject.bug.empty()) return subject.kernel + ": correct";
  return subject.kernel + ": " + subject.bug;
}

struct Row {
  const Subject* subject;
  std::vector<Cell> cells;
};

bool must_pass(const Subject& subject) { return subject.bug.empty() || subject.harmless; }

bool as_expected(const Row& row) {
  const bool caught =
      std::any_of(row.cells.begin(), row.cells.end(), [](const Cell& cell) { return cell.caught > 0; });
  return caught != must_pass(*row.subject);
}

std::string cell_text(const Cell& cell) {
  if (cell.caught == 0) return "**0**";
  return std::to_string(cell.caught) + " " + cell.letters;
}

std::string today() {
  const std::time_t now = std::time(nullptr);
  char text[16];
  std::strftime(text, sizeof text, "%Y-%m-%d", std::gmtime(&now));
  return text;
}

std::string markdown(const std::vector<Row>& rows, const Options& options) {
  std::string text =
      "# Seeded bugs on the emulated device\n\nWritten by `" + options.command + "` (" + today() +
      "). Runs that flagged the kernel, of " + std::to_string(options.seeds) +
      " seeds. N wrong or unwritten result, D deadlock, R race or uninitialised read, P phase or parity, "
      "M tensor map refused, L rule of the hardware broken, E work left behind at the end, T illegal access "
      "or trap.\n\n";
  for (const Mode& mode : kModes) text += std::string("- ") + mode.name + ": " + mode.what + "\n";
  text += "\n| kernel: seeded bug |";
  for (const Mode& mode : kModes) text += std::string(" ") + mode.name + " |";
  text += "\n|---|" + [] {
    std::string bars;
    for (std::size_t i = 0; i < std::size(kModes); ++i) bars += "---|";
    return bars;
  }() + "\n";
  std::vector<int> totals(std::size(kModes));
  int bugs = 0;
  for (const Row& row : rows) {
    text += "| " + name_of(*row.subject) + " |";
    for (std::size_t i = 0; i < row.cells.size(); ++i) {
      text += " " +
              (must_pass(*row.subject) && row.cells[i].caught == 0 ? std::string("passes")
                                                                   : cell_text(row.cells[i])) +
              " |";
      if (!must_pass(*row.subject) && row.cells[i].caught == row.cells[i].runs) ++totals[i];
    }
    bugs += !must_pass(*row.subject);
    text += "\n";
  }
  text += "| **bugs caught with every seed, of " + std::to_string(bugs) + "** |";
  for (const int total : totals) text += " **" + std::to_string(total) + "** |";
  return text + "\n";
}

/// Correct kernels under every mode, with new seeds until there were `wanted` runs.
struct Alarms {
  int runs = 0, alarms = 0;
  std::string text;
};

Alarms false_alarms(int wanted) {
  std::vector<const Subject*> correct;
  for (const Subject& subject : subjects())
    if (must_pass(subject)) correct.push_back(&subject);
  Alarms count;
  const auto start = std::chrono::steady_clock::now();
  for (std::uint64_t seed = 1; count.runs < wanted; ++seed)
    for (const Subject* subject : correct)
      for (const Mode& mode : kModes) {
        const Finding finding = run_isolated(*subject, config_of(mode, seed));
        ++count.runs;
        if (finding.letters.empty()) continue;
        ++count.alarms;
        std::printf("FALSE ALARM %s, %s, seed %llu: %s %s\n", name_of(*subject).c_str(), mode.name,
                    static_cast<unsigned long long>(seed), finding.letters.c_str(), finding.message.c_str());
      }
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  count.text = std::to_string(count.runs) + " runs of " + std::to_string(correct.size()) +
               " correct kernels in " + std::to_string(std::size(kModes)) +
               " modes: " + std::to_string(count.alarms) + " false alarms";
  std::printf("%s (%.1f s)\n", count.text.c_str(), seconds);
  return count;
}

int table(const Options& options) {
  std::vector<Row> rows;
  int surprises = 0;
  for (const Subject* subject : selected(options.only)) {
    Row row{subject, {}};
    for (const Mode& mode : kModes) {
      Cell cell;
      for (int seed = 1; seed <= options.seeds; ++seed)
        add(cell, run_isolated(*subject, config_of(mode, static_cast<std::uint64_t>(seed))));
      row.cells.push_back(cell);
    }
    std::printf("%-66s", name_of(*subject).c_str());
    for (const Cell& cell : row.cells) std::printf(" | %2d %-4s", cell.caught, cell.letters.c_str());
    const bool expected = as_expected(row);
    std::printf("%s\n", expected ? "" : must_pass(*subject) ? "  FALSE ALARM" : "  NOT CAUGHT");
    if (!expected && must_pass(*subject))
      for (const Cell& cell : row.cells)
        if (cell.caught > 0) std::printf("    %s\n", cell.message.c_str());
    std::fflush(stdout);
    surprises += !expected;
    rows.push_back(std::move(row));
  }
  if (!options.markdown.empty()) {
    std::string text = markdown(rows, options);
    if (options.false_alarms > 0) {
      const Alarms count = false_alarms(options.false_alarms);
      surprises += count.alarms;
      text += "\n" + count.text + ".\n";
    }
    std::ofstream file(options.markdown);
    file << text;
    if (!file.flush()) throw std::runtime_error("cannot write " + options.markdown);
  }
  std::printf("%zu subjects, %d surprises\n", rows.size(), surprises);
  return surprises == 0 ? 0 : 1;
}

int show(const std::string& text) {
  for (const Subject* subject : selected(text))
    for (const Mode& mode : kModes) {
      const Finding finding = run_isolated(*subject, config_of(mode, 1));
      std::printf("%s, %s: %s\n  %s\n", name_of(*subject).c_str(), mode.name,
                  finding.letters.empty() ? "passed" : finding.letters.c_str(), finding.message.c_str());
    }
  return 0;
}

Options parse(int count, char** arguments) {
  Options options;
  for (int i = 1; i < count; ++i) {
    const std::string flag = arguments[i];
    if (i + 1 == count) throw std::runtime_error(flag + " needs a value, or is no option");
    const std::string value = arguments[++i];
    if (flag == "--seeds")
      options.seeds = std::stoi(value);
    else if (flag == "--false-alarms")
      options.false_alarms = std::stoi(value);
    else if (flag == "--only")
      options.only = value;
    else if (flag == "--show")
      options.show = value;
    else if (flag == "--markdown")
      options.markdown = value;
    else if (flag == "--command")
      options.command = value;
    else
      throw std::runtime_error("unknown option " + flag);
  }
  return options;
}

}  // namespace

std::vector<Subject>& subjects() {
  static std::vector<Subject> list;
  return list;
}

Finding summarise(const simt::Result& result, std::size_t wrong_elements, std::size_t elements) {
  static const std::map<std::string, char> kLetters = {
      {"deadlock", 'D'},   {"hang", 'D'},       {"race", 'R'},       {"uninitialised", 'R'},
      {"phase", 'P'},      {"mbarrier", 'P'},   {"tensor-map", 'M'}, {"wgmma", 'L'},
      {"setmaxnreg", 'L'}, {"divergence", 'L'}, {"barrier", 'L'},    {"exit", 'E'}};
  Finding finding;
  const auto letter = [&](char c) {
    if (finding.letters.find(c) == std::string::npos) finding.letters += c;
  };
  for (const simt::Finding& found : result.findings) {
    const auto known = kLetters.find(found.kind);
    letter(known == kLetters.end() ? 'T' : known->second);
  }
  if (!result.findings.empty())
    finding.message = result.findings.front().kind + ": " + result.findings.front().message;
  if (wrong_elements > 0) {
    letter('N');
    if (finding.message.empty())
      finding.message =
          std::to_string(wrong_elements) + " of " + std::to_string(elements) + " elements are wrong";
  }
  std::sort(finding.letters.begin(), finding.letters.end());
  return finding;
}

}  // namespace bugs

int main(int count, char** arguments) {
  try {
    const bugs::Options options = bugs::parse(count, arguments);
    bugs::sparse();  // made here, once: every run is a fork of this process
    bugs::attention();
    if (options.false_alarms > 0 && options.markdown.empty())
      return bugs::false_alarms(options.false_alarms).alarms == 0 ? 0 : 1;
    if (!options.show.empty()) return bugs::show(options.show);
    return bugs::table(options);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bugs: %s\n", error.what());
    return 2;
  }
}
