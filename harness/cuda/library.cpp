#include "library.hpp"

#include <dlfcn.h>

#include "launcher.hpp"

namespace tilewright::cuda {

Library::Library(const std::string& path, const std::string& symbol)
    : handle_(dlopen(path.c_str(), RTLD_LAZY | RTLD_LOCAL)) {
  if (!handle_) throw Error(cudaErrorSharedObjectInitFailed, "load " + path + ": " + dlerror());
  prepare_ = reinterpret_cast<Prepare>(dlsym(handle_, (symbol + "_prepare").c_str()));
  launch_ = reinterpret_cast<Launch>(dlsym(handle_, (symbol + "_cuda").c_str()));
  imported_ = reinterpret_cast<Imported>(dlsym(handle_, (symbol + "_imported").c_str()));
  if (prepare_ && launch_) return;
  const auto load = reinterpret_cast<Load>(dlsym(handle_, (symbol + "_load").c_str()));
  if (imported_ && load) {
    check(static_cast<cudaError_t>(load()), "load the imported kernel");
    return;
  }
  dlclose(handle_);
  throw Error(cudaErrorSymbolNotFound, "find " + symbol + "_cuda in " + path);
}

Library::~Library() { dlclose(handle_); }

void Library::enqueue(const BoundLaunch& launch, const void* call, cudaStream_t stream) const {
  if (imported_) return enqueue_imported(launch, call, stream);
  prepare_(call, stream);
  CUtensorMap maps[kMostMaps];
  void* pointers[kMostMaps];
  for (std::size_t i = 0; i < launch.maps.size(); ++i) {
    maps[i] = encode(launch.maps[i].map, launch.maps[i].address(call));
    pointers[i] = &maps[i];
  }
  const int code = launch_(call, pointers, launch.grid.data(), launch.block.data(), launch.cluster.data(),
                           launch.shared_bytes, stream);
  check(static_cast<cudaError_t>(code), "launch the kernel");
}

void Library::enqueue_imported(const BoundLaunch& launch, const void* call, cudaStream_t stream) const {
  if (!launch.maps.empty())
    throw Error(cudaErrorInvalidValue, "give an imported kernel tensor maps, which it cannot take");
  struct NoMap {};
  const PreparedParameters<NoMap> prepared(launch, [](const TiledMap&) { return NoMap{}; });
  KernelParameters<NoMap> parameters;
  parameters.fill(prepared, call, [](NoMap&, void*) { return true; });
  check(static_cast<cudaError_t>(imported_(parameters.arguments, stream)), "launch the imported kernel");
}

}  // namespace tilewright::cuda
