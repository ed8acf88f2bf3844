// SPDX-License-Identifier: Apache-2.0
#include "faults.hpp"

#include <algorithm>
#include <atomic>
#include <memory>
#include <vector>

#include "settings.hpp"

namespace fake_cuda {

namespace {

thread_local int device_of_thread = 0;
thread_local cudaError_t error_of_thread = cudaSuccess;

// Relaxed atomics: counting must not order the threads that it counts.
struct Counters {
  std::vector<std::atomic<int>> faults = std::vector<std::atomic<int>>(settings().faults.size());
  std::vector<std::atomic<int>> broken =
      std::vector<std::atomic<int>>(static_cast<std::size_t>(settings().devices));
};

Counters& counters() {
  static Counters& once = *new Counters;
  return once;
}

bool sticks(cudaError_t error) {
  return error == cudaErrorIllegalAddress || error == cudaErrorLaunchFailure ||
         error == cudaErrorLaunchTimeout || error == cudaErrorAssert ||
         error == cudaErrorMisalignedAddress || error == cudaErrorECCUncorrectable;
}

}  // namespace

bool is_skipped(const char* call) {
  const auto& skipped = settings().skipped;
  return std::find(skipped.begin(), skipped.end(), call) != skipped.end();
}

cudaError_t injected(const char* call, int device) {
  const auto& faults = settings().faults;
  for (std::size_t i = 0; i < faults.size(); ++i) {
    if (faults[i].call != call || (faults[i].device >= 0 && faults[i].device != device)) continue;
    if (counters().faults[i].fetch_add(1, std::memory_order_relaxed) + 1 == faults[i].count)
      return static_cast<cudaError_t>(faults[i].error);
  }
  return cudaSuccess;
}

cudaError_t broken(int device) {
  if (device < 0 || device >= settings().devices) return cudaSuccess;
  const auto& state = counters().broken[static_cast<std::size_t>(device)];
  return static_cast<cudaError_t>(state.load(std::memory_order_relaxed));
}

void breaks(int device, cudaError_t error) {
  if (!sticks(error) || device < 0) return;
  counters().broken[static_cast<std::size_t>(device)].store(error, std::memory_order_relaxed);
}

int current_device() {
  return device_of_thread;
}
void set_current_device(int device) {
  device_of_thread = device;
}
cudaError_t& last_error() {
  return error_of_thread;
}

}  // namespace fake_cuda
