// SPDX-License-Identifier: Apache-2.0
// Errors: those that were asked for, those that stick to a device, and each thread's last one.
#pragma once

#include <cuda_runtime_api.h>

namespace fake_cuda {

bool is_skipped(const char* call);

// The error that this call on this device shall answer; counts the call.
cudaError_t injected(const char* call, int device);

// What broke the device for ever, or cudaSuccess.
cudaError_t broken(int device);
void breaks(int device, cudaError_t error);  // does nothing for errors that do not stick

int current_device();
void set_current_device(int device);
cudaError_t& last_error();

// The frame of every function of the runtime: skipped, injected or broken, else what `body`
// answers.
template <class Body>
cudaError_t answer(const char* call, int device, Body body) {
  if (is_skipped(call)) return cudaSuccess;
  cudaError_t error = broken(device);
  if (error == cudaSuccess) {
    error = injected(call, device);
    breaks(device, error);
  }
  if (error == cudaSuccess) error = body();
  if (error != cudaSuccess) last_error() = error;
  return error;
}

}  // namespace fake_cuda
