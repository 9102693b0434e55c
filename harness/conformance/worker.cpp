#include "worker.hpp"

#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <stdexcept>

namespace conformance {
namespace {

/// One outcome on the pipe, followed by the error's text and the output.
struct Header {
  std::uint32_t error_bytes, output_words;
};

bool write_all(int to, const void* data, std::size_t bytes) {
  const auto* next = static_cast<const char*>(data);
  while (bytes > 0) {
    const ssize_t written = write(to, next, bytes);
    if (written <= 0) return false;
    next += written;
    bytes -= static_cast<std::size_t>(written);
  }
  return true;
}

/// False when the child died or the time is up; `timed_out` tells which.
bool read_all(int from, void* data, std::size_t bytes, int seconds, bool& timed_out) {
  auto* next = static_cast<char*>(data);
  while (bytes > 0) {
    pollfd waited{from, POLLIN, 0};
    if (poll(&waited, 1, seconds * 1000) <= 0) {
      timed_out = true;
      return false;
    }
    const ssize_t got = read(from, next, bytes);
    if (got <= 0) return false;
    next += got;
    bytes -= static_cast<std::size_t>(got);
  }
  return true;
}

[[noreturn]] void child(const std::vector<const Entry*>& cases, std::size_t first, int to) {
  const auto modes = static_cast<std::size_t>(mode_count());
  for (std::size_t i = first; i < cases.size() * modes; ++i) {
    const Entry& entry = *cases[i / modes];
    const Outcome outcome = run(entry, make_input(entry.what), static_cast<int>(i % modes));
    const Header header{static_cast<std::uint32_t>(outcome.error.size()),
                        static_cast<std::uint32_t>(outcome.output.size())};
    if (!write_all(to, &header, sizeof header) ||
        !write_all(to, outcome.error.data(), outcome.error.size()) ||
        !write_all(to, outcome.output.data(), outcome.output.size() * 4))
      _exit(1);
  }
  _exit(0);
}

bool read_outcome(int from, Outcome& outcome, int seconds, bool& timed_out) {
  Header header{};
  if (!read_all(from, &header, sizeof header, seconds, timed_out)) return false;
  outcome.error.resize(header.error_bytes);
  outcome.output.resize(header.output_words);
  return read_all(from, outcome.error.data(), header.error_bytes, seconds, timed_out) &&
         read_all(from, outcome.output.data(), header.output_words * std::size_t{4}, seconds, timed_out);
}

/// Runs from `first` on until the child is through or lost; returns the index of the next case and mode to
/// run.
std::size_t run_child(const std::vector<const Entry*>& cases, std::size_t first, int seconds,
                      const Report& report) {
  int ends[2];
  if (pipe(ends) != 0) throw std::runtime_error("cannot make a pipe");
  const pid_t pid = fork();
  if (pid < 0) throw std::runtime_error("cannot start a child process");
  if (pid == 0) {
    close(ends[0]);
    child(cases, first, ends[1]);
  }
  close(ends[1]);
  const auto modes = static_cast<std::size_t>(mode_count());
  std::size_t next = first;
  for (; next < cases.size() * modes; ++next) {
    Outcome outcome;
    bool timed_out = false;
    const bool alive = read_outcome(ends[0], outcome, seconds, timed_out);
    if (!alive)
      outcome = {timed_out ? "no result within " + std::to_string(seconds) + " s" : "the process died", {}};
    report(*cases[next / modes], static_cast<int>(next % modes), outcome);
    if (!alive || outcome.output.empty()) {  // a broken context answers nothing more: a new child takes over
      ++next;
      break;
    }
  }
  close(ends[0]);
  kill(pid, SIGKILL);
  waitpid(pid, nullptr, 0);
  return next;
}

/// xorshift64*, seeded by the FNV-1a hash of the case's name.
class Random {
 public:
  explicit Random(const std::string& name) {
    for (const char c : name) state_ = (state_ ^ static_cast<unsigned char>(c)) * 0x100000001b3ull;
  }
  std::uint32_t next() {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return static_cast<std::uint32_t>((state_ * 0x2545f4914f6cdd1dull) >> 32);
  }

 private:
  std::uint64_t state_ = 0xcbf29ce484222325ull;
};

template <class T>
std::uint32_t sixteen(float value) {
  const T rounded = static_cast<T>(value);
  std::uint16_t bits;
  std::memcpy(&bits, &rounded, 2);
  return bits;
}

std::uint32_t make_word(Fill fill, Random& random) {
  const auto integer = [&] { return static_cast<float>(static_cast<int>(random.next() % 9) - 4); };
  const auto real = [&] { return static_cast<float>(random.next()) * 0x1p-30f - 2.0f; };
  switch (fill) {
    case Fill::words:
      return random.next();
    case Fill::half_integers:
      return sixteen<__half>(integer()) | sixteen<__half>(integer()) << 16;
    case Fill::bfloat16_integers:
      return sixteen<__nv_bfloat16>(integer()) | sixteen<__nv_bfloat16>(integer()) << 16;
    case Fill::float_integers:
      return as_word(integer());
    case Fill::half_reals:
      return sixteen<__half>(real()) | sixteen<__half>(real()) << 16;
    case Fill::bfloat16_reals:
      return sixteen<__nv_bfloat16>(real()) | sixteen<__nv_bfloat16>(real()) << 16;
    case Fill::float_reals:
      break;
  }
  return as_word(real());
}

}  // namespace

Words make_input(const Case& what) {
  Random random(what.name);
  Words words(what.input_words);
  for (std::uint32_t& word : words) word = make_word(what.fill, random);
  return words;
}

void run_all(const std::vector<const Entry*>& cases, int seconds, const Report& report) {
  const std::size_t all = cases.size() * static_cast<std::size_t>(mode_count());
  for (std::size_t next = 0; next < all;) next = run_child(cases, next, seconds, report);
}

Environment environment_of_child() {
  int ends[2];
  if (pipe(ends) != 0) throw std::runtime_error("cannot make a pipe");
  const pid_t pid = fork();
  if (pid < 0) throw std::runtime_error("cannot start a child process");
  if (pid == 0) {
    std::string answer;
    try {
      const Environment found = environment();
      answer = found.device + "\n" + found.runtime + "\n" + (found.gpu ? "GPU" : "");
    } catch (const std::exception& error) {
      answer = error.what();  // one line: no device
    }
    write_all(ends[1], answer.data(), answer.size());
    _exit(0);
  }
  close(ends[1]);
  std::string answer;
  char part[256];
  for (ssize_t got; (got = read(ends[0], part, sizeof part)) > 0;)
    answer.append(part, static_cast<std::size_t>(got));
  close(ends[0]);
  waitpid(pid, nullptr, 0);
  const std::size_t line = answer.find('\n'), last = answer.rfind('\n');
  if (line == std::string::npos) throw std::runtime_error(answer);
  return {answer.substr(0, line), answer.substr(line + 1, last - line - 1), answer.substr(last + 1) == "GPU"};
}

std::vector<Entry>& registry() {
  static std::vector<Entry> entries;
  return entries;
}

}  // namespace conformance
