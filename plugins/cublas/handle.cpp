// SPDX-License-Identifier: Apache-2.0
#include "plugins/cublas/handle.hpp"

#include <new>

#include "plugins/cuda_common/check.hpp"

namespace breakeven::cublas {

namespace {

// What a handle takes of the device for itself, with a margin.
constexpr std::size_t handle_bytes = std::size_t{64} << 20;

cublasHandle_t create(const Library& cublas) {
  cublasHandle_t handle = nullptr;
  const cublasStatus_t status = cublas.create(&handle);
  std::size_t free_bytes = 0, total_bytes = 0;
  // It calls the library not initialized, too, where memory ran out.
  if (status == CUBLAS_STATUS_NOT_INITIALIZED &&
      cudaMemGetInfo(&free_bytes, &total_bytes) == cudaSuccess && free_bytes < handle_bytes)
    throw std::bad_alloc();
  check(status, "cublasCreate");
  return handle;
}

}  // namespace

std::size_t recommended_workspace(int capability) {
  constexpr std::size_t mebibyte = std::size_t{1} << 20;
  if (capability >= 120) return 12 * mebibyte;
  return (capability >= 90 ? 32 : 4) * mebibyte;
}

Handle::Handle(const cuda::Stream& stream, Device& device, std::size_t workspace_bytes)
    : workspace_(workspace_bytes, Memory::device, device, stream.ordinal()) {
  cuda::use(stream.ordinal());
  const Library& cublas = library();
  handle_ = create(cublas);
  try {
    // The stream first: setting it takes the workspace back.
    check(cublas.set_stream(handle_, stream.get()), "cublasSetStream");
    check(cublas.set_workspace(handle_, workspace_.address(), workspace_.bytes()),
          "cublasSetWorkspace");
    // Sums of 16-bit products stay in f32 also where k is split.
    check(cublas.set_math_mode(handle_, CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION),
          "cublasSetMathMode");
  } catch (...) {
    cublas.destroy(handle_);
    throw;
  }
}

Handle::~Handle() {
  cudaSetDevice(workspace_.ordinal());  // the one it was made on, as the library's manual asks for
  library().destroy(handle_);
}

}  // namespace breakeven::cublas
