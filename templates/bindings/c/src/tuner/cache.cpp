// cache.cpp - records on disk.
#include "tuner/cache.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <utility>

namespace tilewright::library::tuner {
namespace {

constexpr std::size_t kMostBytes = 1 << 16;  // of a record

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

/// `tuned` in the folder that the generator's own cache is in; empty where there is no home.
std::string user_folder() {
  if (const std::string own = variable("TILEWRIGHT_CACHE"); !own.empty()) return own + "/tuned";
  if (const std::string base = variable("XDG_CACHE_HOME"); base.starts_with('/')) return base + "/tilewright/tuned";
  const std::string home = variable("HOME");
  return home.empty() ? "" : home + "/.cache/tilewright/tuned";
}

/// Makes a folder and those above it.
bool make_folders(const std::string& path) {
  for (std::size_t at = path.find('/', 1);; at = path.find('/', at + 1)) {
    const std::string part = path.substr(0, at);
    if (mkdir(part.c_str(), 0777) != 0 && errno != EEXIST) return false;
    if (at == std::string::npos) return true;
  }
}

struct File {
  explicit File(int number) : number(number) {}
  ~File() {
    if (number >= 0) close(number);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  int number;
};

/// Content of a file: nothing, a text, or something that cannot be read as one.
struct Content {
  bool there = false;
  std::optional<std::string> text;
};

/// At most one byte more than a record may have. Absence is told by the attempt to open alone: a file that another process
/// links to the name a moment later is neither read nor taken for a damaged one.
Content read_file(const std::string& path) {
  const File file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat about{};
  if (file.number < 0) {
    const bool absent = errno == ENOENT;  // or a symbolic link to nothing
    return {lstat(path.c_str(), &about) == 0 && (!absent || S_ISLNK(about.st_mode)), {}};
  }
  if (fstat(file.number, &about) != 0 || !S_ISREG(about.st_mode)) return {true, {}};
  std::string text(kMostBytes + 1, '\0');
  std::size_t length = 0;
  while (length < text.size()) {
    const ssize_t count = read(file.number, text.data() + length, text.size() - length);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    length += static_cast<std::size_t>(count);
  }
  text.resize(length);
  return {true, std::move(text)};
}

bool write_file(const std::string& path, const std::string& text) {
  const File file(open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  if (file.number < 0) return false;
  std::size_t written = 0;
  while (written < text.size()) {
    const ssize_t count = ::write(file.number, text.data() + written, text.size() - written);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    written += static_cast<std::size_t>(count);
  }
  return fsync(file.number) == 0;
}

bool is_there(const std::string& path) {
  struct stat about{};
  return lstat(path.c_str(), &about) == 0;
}

std::string parent_of(const std::string& path) { return path.substr(0, path.rfind('/')); }

/// No other thread or process writes to it.
std::string aside_of(const std::string& path) {
  static std::atomic<unsigned> count{0};
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return path + ".tmp." + std::to_string(getpid()) + "." + std::to_string(count++) + "." + std::to_string(now.tv_nsec);
}

}  // namespace

Cache::Cache(const char* folder, const std::string& environment) : environment_(environment) {
  const std::string root = folder ? folder : user_folder();
  if (!root.empty()) folder_ = root + "/v1/" + digest_of(environment);
}

std::string Cache::place_of(const Record& record) const {
  if (record.refused.empty()) return folder_ + "/k/" + digest_of(record.key) + ".json";
  return folder_ + "/r/" + digest_of(record.key + " " + record.variant) + ".json";
}

std::optional<Record> Cache::find(const std::string& key, std::atomic<std::int64_t>& damaged) const {
  if (folder_.empty()) return {};
  Record asked;
  asked.key = key;
  const Content content = read_file(place_of(asked));
  std::optional<Record> record = content.text ? record_of(*content.text, key) : std::nullopt;
  if (record && !record->refused.empty()) record.reset();
  if (!record && content.there) ++damaged;
  return record;
}

bool Cache::is_refused(const std::string& key, const std::string& variant, const std::string& hash,
                       std::atomic<std::int64_t>& damaged) const {
  if (folder_.empty()) return false;
  const std::optional<std::string> text = read_file(place_of({key, variant, hash, "refused", ""})).text;
  if (!text) return false;
  const std::optional<Record> record = record_of(*text, key);
  if (!record) ++damaged;
  return record && record->variant == variant && record->hash == hash && !record->refused.empty();
}

Record Cache::publish(const Record& record, bool replace) {
  if (folder_.empty()) return record;
  const std::string path = place_of(record), text = text_of(record, std::time(nullptr));
  if (write(path, text, replace) || replace) return record;
  std::atomic<std::int64_t> damaged{0};
  if (const std::optional<Record> first = find(record.key, damaged)) return *first;
  if (damaged > 0) write(path, text, true);  // what is there is no record
  return record;
}

void Cache::refuse(const Record& record) {
  if (folder_.empty()) return;
  write(place_of(record), text_of(record, std::time(nullptr)), true);
  std::atomic<std::int64_t> damaged{0};
  if (const std::optional<Record> choice = find(record.key, damaged); choice && choice->variant == record.variant)
    unlink(place_of(*choice).c_str());
}

/// False where another one has the name, or nothing can be written.
bool Cache::write(const std::string& path, const std::string& text, bool replace) {
  if (!writable_) return false;
  const std::string about = folder_ + "/environment.txt", aside = aside_of(path);
  if (!make_folders(parent_of(path)) || !write_file(aside, text)) {
    warn(path);
    unlink(aside.c_str());
    return false;
  }
  if (!is_there(about)) {
    const std::string other = aside_of(about);
    if (write_file(other, environment_) && link(other.c_str(), about.c_str()) != 0 && errno != EEXIST) warn(about);
    unlink(other.c_str());
  }
  const bool done = replace ? rename(aside.c_str(), path.c_str()) == 0 : link(aside.c_str(), path.c_str()) == 0;
  if (!done && errno != EEXIST) warn(path);
  unlink(aside.c_str());
  return done;
}

/// Once: from then on, nothing is written.
void Cache::warn(const std::string& path) {
  const int why = errno;
  if (!writable_.exchange(false)) return;
  std::fprintf(stderr, "tilewright: cannot write %s (%s): what is measured is kept in memory only\n", path.c_str(),
               std::strerror(why));
}

}  // namespace tilewright::library::tuner
