// SPDX-License-Identifier: Apache-2.0
#include "tests/gpu/contract.hpp"

#include <cstring>
#include <filesystem>
#include <stdexcept>

#include <dlfcn.h>

#include "tests/gpu/numbers.hpp"

namespace breakeven::gpu {

std::unique_ptr<Backend> load(const std::string& plugin) {
  const std::string file = std::filesystem::absolute(plugin).string();
  void* const library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) throw std::runtime_error(dlerror());
  const auto* manifest = static_cast<const Manifest*>(dlsym(library, "breakeven_plugin"));
  if (!manifest || manifest->api != api_number)
    throw std::runtime_error(file + " is no plugin of this API");
  if (const char* reason = manifest->probe()) throw std::runtime_error(reason);
  return manifest->create({});
}

Slice Bench::memory(std::size_t bytes, Memory memory) {
  buffers_.push_back(device_.allocate(bytes, memory));
  if (!buffers_.back()) throw std::runtime_error("no such memory");
  return {buffers_.back().get(), 0, bytes};
}

Slice Bench::reals(Type type, std::size_t count, unsigned seed) {
  const std::vector<std::byte> bytes = random_reals(type, count, seed);
  const Slice to = memory(bytes.size());
  const auto staging = device_.allocate(bytes.size(), Memory::pageable);
  std::memcpy(staging->data(), bytes.data(), bytes.size());
  queue_->prepare(Copy{to, {staging.get(), 0, bytes.size()}})->enqueue();
  queue_->synchronize();
  return to;
}

Task& Bench::prepare(const Operation& operation) {
  tasks_.push_back(queue_->prepare(operation));
  if (!tasks_.back()) throw std::runtime_error("not supported");
  return *tasks_.back();
}

Task& Bench::product(Type type, Math math, std::size_t n, std::size_t batch) {
  Gemm gemm{.type = type, .math = math, .m = n, .n = n, .k = n, .batch = batch};
  gemm.a = reals(type, batch * n * n, 1);
  gemm.b = reals(type, batch * n * n, 2);
  gemm.c = reals(type, batch * n * n, 3);
  return prepare(gemm);
}

Block run(Bench& bench, Task& task) {
  return [&](std::size_t count) {
    const Seconds start = now();
    for (std::size_t i = 0; i < count; ++i) task.enqueue();
    bench.queue().synchronize();
    return now() - start;
  };
}

Block enqueue(Bench& bench, Task& task) {
  return [&](std::size_t count) {
    const Seconds start = now();
    for (std::size_t i = 0; i < count; ++i) task.enqueue();
    const Seconds taken = now() - start;
    bench.queue().synchronize();
    return taken;
  };
}

}  // namespace breakeven::gpu
