// symbols.cpp - turns code addresses in findings into source lines, with addr2line (which comes with the
// compiler). Runs once per launch with findings, so a clean launch pays nothing.
#include <dlfcn.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <string_view>

#include "report.hpp"

extern char** environ;

namespace simt::core {
namespace {

struct Frame {
  std::string function, place;
};
using Frames = std::vector<Frame>;  // innermost first

/// Output of a command, or nothing when it cannot run.
std::string output_of(const std::vector<std::string>& command) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return "";
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
  posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
  std::vector<char*> argv;
  for (const std::string& word : command) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  pid_t child;
  const int failed = posix_spawnp(&child, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  std::string output;
  char buffer[4096];
  ssize_t n;
  while (!failed && (n = read(ends[0], buffer, sizeof buffer)) > 0)
    output.append(buffer, static_cast<std::size_t>(n));
  close(ends[0]);
  if (!failed) waitpid(child, nullptr, 0);
  return output;
}

/// addr2line -a -f -i prints, per address, the address and then two lines per frame.
std::map<std::uint64_t, Frames> frames_of(const std::string& module,
                                          const std::vector<std::uint64_t>& offsets) {
  std::vector<std::string> command{"addr2line", "-e", module, "-a", "-f", "-i", "-C", "-s"};
  for (std::uint64_t offset : offsets)
    command.push_back(text("0x%llx", static_cast<unsigned long long>(offset)));
  const std::string output = output_of(command);
  std::map<std::uint64_t, Frames> result;
  std::uint64_t offset = 0;
  std::string function;
  for (std::size_t begin = 0; begin < output.size();) {
    const std::size_t end = std::min(output.find('\n', begin), output.size());
    const std::string line = output.substr(begin, end - begin);
    begin = end + 1;
    if (line.rfind("0x", 0) == 0) {
      offset = std::strtoull(line.c_str(), nullptr, 16);
      function.clear();
    } else if (function.empty()) {
      function = line;
    } else {
      const std::string place = line.substr(0, line.find(" (disc"));
      if (place.rfind("??", 0) != 0 && place.find(":?") == std::string::npos)
        result[offset].push_back({function, place});
      function.clear();
    }
  }
  return result;
}

/// The kernel's own line where there is one: wrappers are inlined from headers.
const Frame& best_frame(const Frames& frames) {
  for (const Frame& frame : frames)
    if (frame.place.find(".cu:") != std::string::npos) return frame;
  for (const Frame& frame : frames)
    if (frame.place.find(".cuh:") == std::string::npos && frame.place.find(".hpp:") == std::string::npos)
      return frame;
  return frames.back();
}

struct Address {
  std::string module;
  std::uint64_t offset = 0;
  std::string symbol;
};

Address locate(std::uint64_t pc) {
  Dl_info info;
  // A return address points behind the call: step back into it.
  if (!dladdr(reinterpret_cast<void*>(pc - 1), &info) || !info.dli_fname) return {};
  const auto base = reinterpret_cast<std::uintptr_t>(info.dli_fbase);
  // Only position-independent modules are loaded at an offset; a fixed executable's addresses are already its
  // own.
  unsigned char type[2] = {3, 0};
  std::memcpy(type, reinterpret_cast<const unsigned char*>(base) + 16, 2);  // ELF header: e_type, 3 = ET_DYN
  return {info.dli_fname, pc - 1 - (type[0] == 3 ? base : 0), info.dli_sname ? info.dli_sname : ""};
}

/// Address behind '\x01' in a placeholder; a '#' before it asks for the source's text.
std::uint64_t address_in(const char* placeholder) {
  return std::strtoull(placeholder + (*placeholder == '#' ? 1 : 0), nullptr, 16);
}

/// The first argument of the call in a line of source, as it is written there.
std::string first_argument(const std::string& line) {
  std::size_t begin = line.find('(');
  if (begin == std::string::npos) return "";
  int depth = 0;
  for (std::size_t i = ++begin; i < line.size(); ++i) {
    if (line[i] == '(') ++depth;
    if ((line[i] == ',' || line[i] == ')') && depth == 0) return line.substr(begin, i - begin);
    if (line[i] == ')') --depth;
  }
  return "";
}

/// " (shared.full(stage))" for a call at `place`, "kernel.cu:57", whose source lies beside its module.
std::string argument_in(const std::string& module, const std::string& place) {
  const std::size_t colon = place.rfind(':');
  if (colon == std::string::npos) return "";
  std::ifstream source(module.substr(0, module.rfind('/') + 1) + place.substr(0, colon));
  std::string line;
  // Preprocessed: its lines are not those that debuggers know.
  if (std::getline(source, line) && line.rfind("# ", 0) == 0) return "";
  source.seekg(0);
  for (long i = std::strtol(place.c_str() + colon + 1, nullptr, 10); i > 0; --i)
    if (!std::getline(source, line)) return "";
  const std::string argument = first_argument(line);
  return argument.empty() ? "" : " (" + argument + ")";
}

std::vector<std::uint64_t> placeholders(const std::vector<Finding>& findings) {
  std::vector<std::uint64_t> result;
  for (const Finding& finding : findings)
    for (std::size_t i = 0; (i = finding.message.find('\x01', i)) != std::string::npos; ++i)
      result.push_back(address_in(finding.message.c_str() + i + 1));
  return result;
}

void replace(std::string& message, const std::map<std::uint64_t, std::string>& names) {
  for (std::size_t i; (i = message.find('\x01')) != std::string::npos;) {
    const std::size_t end = message.find('\x02', i);
    const std::uint64_t pc = address_in(message.c_str() + i + 1);
    const std::string& place = names.at(pc);
    message.replace(i, end - i + 1, message[i + 1] == '#' ? argument_in(locate(pc).module, place) : place);
  }
}

/// Return addresses -> source lines.
std::map<std::uint64_t, std::string> names_of(const std::vector<std::uint64_t>& pcs) {
  std::map<std::uint64_t, Address> addresses;
  std::map<std::string, std::vector<std::uint64_t>> by_module;
  for (std::uint64_t pc : pcs) {
    if (!addresses.emplace(pc, locate(pc)).second) continue;
    const Address& address = addresses[pc];
    if (!address.module.empty()) by_module[address.module].push_back(address.offset);
  }
  std::map<std::string, std::map<std::uint64_t, Frames>> frames;
  for (const auto& [module, offsets] : by_module) frames[module] = frames_of(module, offsets);
  std::map<std::uint64_t, std::string> names;
  for (const auto& [pc, address] : addresses) {
    const Frames& found = frames[address.module][address.offset];
    if (!found.empty())
      names[pc] = best_frame(found).place;
    else if (!address.symbol.empty())
      names[pc] = address.symbol;
    else if (address.module.empty())  // code that the loader does not know, as in a static program
      names[pc] = text("0x%llx", static_cast<unsigned long long>(pc));
    else
      names[pc] = text("%s+0x%llx", address.module.c_str(), static_cast<unsigned long long>(address.offset));
  }
  return names;
}

}  // namespace

void resolve_symbols(std::vector<Finding>& findings) {
  const std::map<std::uint64_t, std::string> names = names_of(placeholders(findings));
  for (Finding& finding : findings) replace(finding.message, names);
}

}  // namespace simt::core

namespace simt {

std::string with_source_lines(const std::string& message) {
  std::vector<Finding> one{{"", message}};
  core::resolve_symbols(one);
  return one.front().message;
}

std::vector<std::string> source_lines(const std::vector<const void*>& places) {
  std::vector<std::uint64_t> pcs;
  for (const void* place : places) pcs.push_back(reinterpret_cast<std::uintptr_t>(place));
  const std::map<std::uint64_t, std::string> names = core::names_of(pcs);
  std::vector<std::string> lines;
  for (const std::uint64_t pc : pcs) lines.push_back(names.at(pc));
  return lines;
}

}  // namespace simt
