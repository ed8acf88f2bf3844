// SPDX-License-Identifier: Apache-2.0
// The functions of cuBLAS in use. The library is loaded when it is first asked for and not linked,
// so that a machine without it gets one clear line.
#pragma once

#include <array>
#include <cstddef>

#include <cublas_v2.h>

#include <breakeven/plugin.hpp>

#include "plugins/cuda_common/fact_list.hpp"

namespace breakeven::cublas {

struct Library {
  using Status = cublasStatus_t;
  using Handle = cublasHandle_t;

  Status (*create)(Handle*) = nullptr;
  Status (*destroy)(Handle) = nullptr;
  Status (*set_stream)(Handle, cudaStream_t) = nullptr;
  Status (*set_workspace)(Handle, void*, std::size_t) = nullptr;
  Status (*set_math_mode)(Handle, cublasMath_t) = nullptr;
  Status (*set_pointer_mode)(Handle, cublasPointerMode_t) = nullptr;
  const char* (*status_string)(Status) = nullptr;
  Status (*property)(libraryPropertyType, int*) = nullptr;
  Status (*gemm)(Handle, cublasOperation_t, cublasOperation_t, int m, int n, int k,
                 const void* alpha, const void* a, cudaDataType, int lda, const void* b,
                 cudaDataType, int ldb, const void* beta, void* c, cudaDataType, int ldc,
                 cublasComputeType_t, cublasGemmAlgo_t) = nullptr;
  Status (*gemm_batched)(Handle, cublasOperation_t, cublasOperation_t, int m, int n, int k,
                         const void* alpha, const void* a, cudaDataType, int lda,
                         long long stride_a, const void* b, cudaDataType, int ldb,
                         long long stride_b, const void* beta, void* c, cudaDataType, int ldc,
                         long long stride_c, int batch, cublasComputeType_t,
                         cublasGemmAlgo_t) = nullptr;
  Status (*norm)(Handle, int n, const void* x, cudaDataType, int step, void* result, cudaDataType,
                 cudaDataType execution) = nullptr;
};

// Null, or why cuBLAS cannot be loaded and what to do.
const char* reason_missing();

// The same, or why CUDA itself cannot be used here.
const char* probe();

// What the backends on it spent their time on.
std::array<Stage, 3> stages_of_library();

// Throws std::runtime_error with that reason.
const Library& library();

// Versions of driver, runtime and cuBLAS, and what of the environment changes its arithmetic.
void add_library_facts(cuda::FactList& facts);

// Throws what the contract says for it. The message names the library's `function` and the calling
// thread's GPU.
[[noreturn]] void raise(cublasStatus_t status, const char* function);

inline void check(cublasStatus_t status, const char* function) {
  if (status != CUBLAS_STATUS_SUCCESS) raise(status, function);
}

}  // namespace breakeven::cublas
