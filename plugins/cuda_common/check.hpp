// SPDX-License-Identifier: Apache-2.0
// Turns the status of a CUDA runtime call into the contract's outcomes.
#pragma once

#include <stdexcept>

#include <cuda_runtime_api.h>

namespace breakeven::cuda {

// True where the CUDA context is unusable from now on and the process has to end.
bool is_sticky(cudaError_t status) noexcept;

// A call that a graph cannot hold was made while one was recorded.
class NotRecordable : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};
bool is_of_recording(cudaError_t status) noexcept;

// `cudaMemcpyAsync on GPU 1: invalid argument (cudaErrorInvalidValue)`: std::bad_alloc,
// DeviceLost, NotRecordable or std::runtime_error, and the runtime's last error is cleared.
[[noreturn]] void raise(cudaError_t status, const char* call);
[[noreturn]] void raise(cudaError_t status, const char* call, int ordinal);  // -1: unknown

inline void check(cudaError_t status, const char* call) {
  if (status != cudaSuccess) raise(status, call);
}

// Makes `ordinal` the calling thread's device.
void use(int ordinal);

}  // namespace breakeven::cuda

#define CUDA_TRY(call) ::breakeven::cuda::check((call), #call)
