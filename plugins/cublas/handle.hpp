// SPDX-License-Identifier: Apache-2.0
// The state of cuBLAS for one stream.
#pragma once

#include <cstddef>
#include <memory>

#include "plugins/cublas/library.hpp"
#include "plugins/cuda_common/buffer.hpp"
#include "plugins/cuda_common/stream.hpp"

namespace breakeven::cublas {

// cuBLAS manual, cublasSetWorkspace: 32 MiB for Hopper and the large Blackwell parts, 12 MiB for
// the small ones, else 4 MiB.
std::size_t recommended_workspace(int capability);

class Handle {
 public:
  Handle(const cuda::Stream& stream, Device& device, std::size_t workspace_bytes);
  ~Handle();
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;

  // Scalars on the host for products, results on the device for norms.
  cublasHandle_t with_host_scalars() { return with(CUBLAS_POINTER_MODE_HOST); }
  cublasHandle_t with_device_results() { return with(CUBLAS_POINTER_MODE_DEVICE); }

 private:
  cublasHandle_t with(cublasPointerMode_t mode) {
    if (mode != mode_) check(library().set_pointer_mode(handle_, mode), "cublasSetPointerMode");
    mode_ = mode;
    return handle_;
  }

  cuda::CudaBuffer workspace_;
  cublasHandle_t handle_ = nullptr;
  cublasPointerMode_t mode_ = CUBLAS_POINTER_MODE_HOST;
};

}  // namespace breakeven::cublas
