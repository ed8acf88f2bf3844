// SPDX-License-Identifier: Apache-2.0
// What nvcc's host code calls for `kernel<<<grid, block, bytes, stream>>>(...)`.
#include "launch.hpp"

#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include <cxxabi.h>

#include "faults.hpp"

using namespace fake_cuda;

struct CUkern_st {
  std::string name;
  const Body* body = nullptr;
};

namespace {

struct Kernels {
  std::mutex mutex;
  std::map<const void*, CUkern_st> by_stub;
};

Kernels& kernels() {
  static Kernels& once = *new Kernels;
  return once;
}

struct Configuration {
  dim3 grid, block;
  std::size_t shared = 0;
  cudaStream_t stream = nullptr;
};

thread_local Configuration configured;

const Body* body_of(std::string_view name) {
  static const Bodies& bodies = *new Bodies(all_bodies());
  const auto found = bodies.find(name);
  return found == bodies.end() ? nullptr : &found->second;
}

std::string readable(const char* mangled) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> text(
      abi::__cxa_demangle(mangled, nullptr, nullptr, &status), std::free);
  std::string name = status == 0 ? text.get() : mangled;
  return name.substr(0, name.find('('));
}

cudaError_t launch(const CUkern_st& kernel, const Launch& launch, cudaStream_t stream) {
  if (!stream || stream->device() != current_device()) return cudaErrorInvalidResourceHandle;
  if (!kernel.body) {
    std::fprintf(stderr, "fake CUDA: no CPU body for the kernel %s\n", kernel.name.c_str());
    return cudaErrorInvalidDeviceFunction;
  }
  if (launch.grid.x == 0 || launch.block.x == 0 || launch.block.x > 1024)
    return cudaErrorInvalidConfiguration;
  Cost cost;
  Launch counted = launch;
  counted.bytes = &cost.bytes;
  Work work = (*kernel.body)(counted);
  if (!work) {
    breaks(stream->device(), cudaErrorIllegalAddress);
    return cudaErrorIllegalAddress;
  }
  stream->run(Sort::kernel, std::move(work), cost);
  return cudaSuccess;
}

}  // namespace

extern "C" {

void** __cudaRegisterFatBinary(void*) {
  static void* handle = nullptr;
  return &handle;
}
void __cudaRegisterFatBinaryEnd(void**) {}
void __cudaUnregisterFatBinary(void**) {}
char __cudaInitModule(void**) {
  return 0;
}

void __cudaRegisterFunction(void**, const char* stub, char*, const char* name, int, uint3*, uint3*,
                            dim3*, dim3*, int*) {
  const std::string text = readable(name);
  const std::lock_guard lock(kernels().mutex);
  kernels().by_stub[stub] = {text, body_of(text)};
}

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, std::size_t shared,
                                     cudaStream_t stream) {
  configured = {grid, block, shared, stream};
  return 0;
}

cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, std::size_t* shared, void* stream) {
  *grid = configured.grid;
  *block = configured.block;
  *shared = configured.shared;
  *static_cast<cudaStream_t*>(stream) = configured.stream;
  return cudaSuccess;
}

cudaError_t __cudaGetKernel(cudaKernel_t* kernel, const void* stub) {
  const std::lock_guard lock(kernels().mutex);
  const auto found = kernels().by_stub.find(stub);
  if (found == kernels().by_stub.end()) return cudaErrorInvalidDeviceFunction;
  *kernel = &found->second;
  return cudaSuccess;
}

cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments,
                               std::size_t, cudaStream_t stream) {
  return answer("cudaLaunchKernel", current_device(), [&] {
    return launch(*kernel, {kernel->name, grid, block, arguments, nullptr}, stream);
  });
}

// What nvcc's host code called before CUDA 13.
cudaError_t cudaLaunchKernel(const void* stub, dim3 grid, dim3 block, void** arguments,
                             std::size_t shared, cudaStream_t stream) {
  cudaKernel_t kernel = nullptr;
  const cudaError_t error = __cudaGetKernel(&kernel, stub);
  return error != cudaSuccess ? error
                              : __cudaLaunchKernel(kernel, grid, block, arguments, shared, stream);
}

}  // extern "C"
