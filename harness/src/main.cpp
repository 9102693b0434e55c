// main.cpp - the worker: reads jobs as JSON lines on stdin, answers as JSON lines on stdout. Everything else
// that is printed, by whatever library, goes to stderr. docs/worker-protocol.md lists the lines.
// The emulated device takes one argument: the architecture that it stands for, a JSON object.
//
// Exit codes: 0 end of input, 1 internal error, 3 no such device, 4 the device is lost (a sticky CUDA error).
#ifdef __linux__
#include <sys/prctl.h>
#endif
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <iostream>

#include "family_code.hpp"
#include "gate.hpp"
#include "measure.hpp"

namespace tilewright {
namespace {

enum ExitCode { kDone = 0, kUnavailable = 3, kDeviceLost = 4 };

/// Takes the real stdout for the protocol and points descriptor 1 at stderr.
std::FILE* take_stdout() {
  std::FILE* out = fdopen(dup(STDOUT_FILENO), "w");
  dup2(STDERR_FILENO, STDOUT_FILENO);
  return out;
}

Json ready(const DeviceDescription& device) {
  return Json()
      .set("event", "ready")
      .set("device", device.device)
      .set("name", device.name)
      .set("driver", device.driver)
      .set("runtime", device.runtime)
      .set("uuid", device.uuid)
      .set("smCount", device.sm_count)
      .set("computeCapability", device.compute_capability)
      .set("memoryBytes", device.memory_bytes)
      .set("l2Bytes", device.l2_bytes)
      .set("maxSmClock", device.max_sm_clock)
      .set("bandwidth", device.bandwidth);
}

class Worker {
 public:
  Worker(Device& device, Send send)
      : send_(send),
        problems_(default_cache_bytes()),
        gate_(device, problems_, send),
        stopwatch_(device, problems_, send) {}

  /// Throws DeviceLost; everything else becomes an `error` line.
  void answer(const std::string& line) {
    Json id;
    try {
      const Json job = Json::parse(line);
      id = job.at("id");
      const std::string& kind = job.at("job").text();
      if (kind == "gate")
        gate_.run(GateJob(job));
      else if (kind == "time")
        stopwatch_.run(TimeJob(job));
      else
        throw JsonError("unknown job \"" + kind + "\"; there are: gate, time");
    } catch (const DeviceLost&) {
      throw;
    } catch (const ProblemRefused& refused) {
      send_(error_line(id, refused.what()).set("blame", "problem"));
    } catch (const FamilyMistake& mistake) {
      Json line = error_line(id, mistake.what()).set("blame", "family").set("function", mistake.function);
      if (!mistake.parameter.empty()) line.set("parameter", mistake.parameter);
      if (!mistake.variant.empty()) line.set("variant", mistake.variant);
      send_(line);
    } catch (const LaunchTooLarge& large) {
      send_(error_line(id, large.what()).set("blame", "size"));
    } catch (const DumpFailed& failed) {
      send_(error_line(id, failed.what()).set("blame", "dump"));
    } catch (const std::bad_alloc&) {
      send_(error_line(id, "memory runs out").set("blame", "memory"));
    } catch (const std::exception& error) {
      send_(error_line(id, error.what()));
    }
  }

 private:
  static Json error_line(const Json& id, const std::string& message) {
    return Json().set("event", "error").set("id", id).set("message", message);
  }

  Send send_;
  ProblemCache problems_;
  Gate gate_;
  Stopwatch stopwatch_;
};

int serve(const Json& arch, const Send& send) {
  std::unique_ptr<Device> device;
  try {
    device = open_device(arch);
  } catch (const DeviceUnavailable& why) {
    send(Json().set("event", "unavailable").set("reason", why.what()));
    return kUnavailable;
  }
  send(ready(device->description()));
  Worker worker(*device, send);
  try {
    for (std::string line; std::getline(std::cin, line);)
      if (line.find_first_not_of(" \t\r") != std::string::npos) worker.answer(line);
  } catch (const DeviceLost& lost) {
    std::fprintf(stderr, "%s\n", lost.what());
    std::fflush(nullptr);
    _exit(kDeviceLost);  // destructors would call into the broken context
  }
  return kDone;
}

}  // namespace
}  // namespace tilewright

int main(int argc, char** argv) {
#ifdef __linux__
  // A kernel that loops reads no end of input: without this it would outlive a parent that was killed.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
  std::FILE* out = tilewright::take_stdout();
  const tilewright::Json arch = argc > 1 ? tilewright::Json::parse(argv[1]) : tilewright::Json::Object();
  return tilewright::serve(arch, [out](const tilewright::Json& line) {
    const std::string text = line.dump() + "\n";
    std::fwrite(text.data(), 1, text.size(), out);
    std::fflush(out);
  });
}
