// SPDX-License-Identifier: Apache-2.0
#include "plugins/cuda_common/availability.hpp"

#include <string>

#include <cuda_runtime_api.h>

#include "plugins/cuda_common/stopwatch.hpp"

namespace breakeven::cuda {
namespace {

std::string cuda_version(int number) {
  return std::to_string(number / 1000) + "." + std::to_string(number % 1000 / 10);
}

std::string find_reason() {
  int driver = 0, count = 0;
  cudaDriverGetVersion(&driver);
  const cudaError_t status = cudaGetDeviceCount(&count);
  cudaGetLastError();
  if (status == cudaErrorStubLibrary || (status == cudaErrorInsufficientDriver && driver == 0)) {
    return "no NVIDIA driver";
  }
  if (status == cudaErrorInsufficientDriver) {
    return "the NVIDIA driver knows CUDA up to " + cuda_version(driver) +
           ", this plugin is built with " + cuda_version(CUDART_VERSION) + ": update the driver";
  }
  if (status == cudaErrorNoDevice || (status == cudaSuccess && count == 0)) {
    return "no NVIDIA GPU is visible";
  }
  if (status == cudaErrorSystemNotReady) {
    return "the links between the GPUs are not up: start nvidia-fabricmanager";
  }
  if (status == cudaErrorSystemDriverMismatch) {
    return "the NVIDIA driver's libraries are not those of its kernel module: reboot";
  }
  if (status != cudaSuccess) {
    return std::string("cudaGetDeviceCount: ") + cudaGetErrorString(status) + " (" +
           cudaGetErrorName(status) + ")";
  }
  return {};
}

struct Found {
  Stopwatch watch;  // first
  std::string reason = find_reason();
  double seconds = watch.seconds();
};

const Found& found() {
  static const Found once;
  return once;
}

}  // namespace

const char* reason_unusable() {
  return found().reason.empty() ? nullptr : found().reason.c_str();
}

double driver_seconds() {
  return found().seconds;
}

}  // namespace breakeven::cuda
