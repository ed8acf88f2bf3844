// SPDX-License-Identifier: Apache-2.0
// The part of cuBLAS that the plugins use, column-major like the original.
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <vector>

#include <cublas_v2.h>

#include "faults.hpp"
#include "memory.hpp"
#include "plugins/cuda_common/kernels/number.cuh"
#include "settings.hpp"
#include "stream.hpp"

using namespace fake_cuda;
using breakeven::cuda::Computed;
using breakeven::cuda::Number;

struct cublasContext {
  int device = 0;
  cudaStream_t stream = nullptr;
  cublasPointerMode_t pointers = CUBLAS_POINTER_MODE_HOST;
  bool has_workspace = false;
};

namespace {

struct Operand {
  Range range;
  long long stride = 0;
  int leading = 0;
  bool transposed = false;
};

struct Product {
  Operand a, b, c;
  int m = 0, n = 0, k = 0, batch = 1;
  double alpha = 1, beta = 0;
  bool tf32 = false;
};

// Ten bits of mantissa, as the tensor cores read f32.
float rounded_to_tf32(float value) {
  return std::bit_cast<float>((std::bit_cast<std::uint32_t>(value) + 0x1000u) & 0xFFFFE000u);
}

template <class Real>
std::vector<Computed<Real>> column(const Operand& operand, const Real* matrix, int index, int rows,
                                   bool tf32) {
  std::vector<Computed<Real>> values(static_cast<std::size_t>(rows));
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto leading = static_cast<std::size_t>(operand.leading);
    const auto j = static_cast<std::size_t>(index);
    const Real stored = matrix[operand.transposed ? j + i * leading : i + j * leading];
    values[i] = Number<Real>::load(stored);
    if constexpr (std::is_same_v<Real, float>) {
      if (tf32) values[i] = rounded_to_tf32(values[i]);
    }
  }
  return values;
}

template <class Real, class Result>
void multiply(const Product& p) {
  using Sum = Computed<Real>;
  for (int matrix = 0; matrix < p.batch; ++matrix) {
    const auto at = [&]<class Stored>(const Operand& operand, Stored) {
      return reinterpret_cast<Stored*>(operand.range.bytes) + matrix * operand.stride;
    };
    std::vector<std::vector<Sum>> a;
    for (int l = 0; l < p.k; ++l) a.push_back(column<Real>(p.a, at(p.a, Real()), l, p.m, p.tf32));
    for (int j = 0; j < p.n; ++j) {
      const std::vector<Sum> b = column<Real>(p.b, at(p.b, Real()), j, p.k, p.tf32);
      std::vector<Sum> sums(static_cast<std::size_t>(p.m));
      for (std::size_t l = 0; l < b.size(); ++l)
        for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += a[l][i] * b[l];
      Result* const c = at(p.c, Result()) + static_cast<std::ptrdiff_t>(j) * p.c.leading;
      for (std::size_t i = 0; i < sums.size(); ++i) {
        const Sum old = p.beta == 0 ? Sum(0) : Sum(p.beta) * Number<Result>::load(c[i]);
        c[i] = Number<Result>::store(Sum(p.alpha) * sums[i] + old);
      }
    }
  }
}

// Of a and b, of c, and of what is computed.
struct Types {
  cudaDataType from, to;
  cublasComputeType_t computed;
};

// cuBLAS manual, table of cublasGemmEx, as far as real numbers of 16 bits and more go.
bool is_supported(const Types& types) {
  const auto [from, to, computed] = types;
  switch (computed) {
    case CUBLAS_COMPUTE_64F:
      return from == CUDA_R_64F && to == CUDA_R_64F;
    case CUBLAS_COMPUTE_32F_FAST_TF32:
      return from == CUDA_R_32F && to == CUDA_R_32F;
    case CUBLAS_COMPUTE_32F:
      return (from == CUDA_R_16F || from == CUDA_R_16BF || from == CUDA_R_32F) &&
             (to == from || to == CUDA_R_32F);
    default:
      return false;
  }
}

void multiply(const Product& p, const Types& types) {
  const bool is_wide = types.to == CUDA_R_32F;
  switch (types.from) {
    case CUDA_R_64F:
      return multiply<double, double>(p);
    case CUDA_R_16F:
      return is_wide ? multiply<__half, float>(p) : multiply<__half, __half>(p);
    case CUDA_R_16BF:
      return is_wide ? multiply<__nv_bfloat16, float>(p)
                     : multiply<__nv_bfloat16, __nv_bfloat16>(p);
    default:
      return multiply<float, float>(p);
  }
}

std::size_t bytes_of(cudaDataType type) {
  return type == CUDA_R_64F ? 8 : type == CUDA_R_32F ? 4 : 2;
}

cublasStatus_t status_of(cudaError_t error) {
  if (error == cudaSuccess) return CUBLAS_STATUS_SUCCESS;
  return error == cudaErrorMemoryAllocation ? CUBLAS_STATUS_ALLOC_FAILED
                                            : CUBLAS_STATUS_EXECUTION_FAILED;
}

// As the original, which brings a runtime of its own: its errors are not the caller's last one.
template <class Body>
cudaError_t answer_apart(const char* call, int device, Body body) {
  const cudaError_t before = last_error();
  const cudaError_t error = answer(call, device, body);
  last_error() = before;
  return error;
}

// The frame of every function that works on the device. A handle without a workspace would allocate
// one.
template <class Body>
cublasStatus_t answer_blas(const char* call, cublasHandle_t handle, Body body) {
  if (!handle) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (!handle->stream || !handle->has_workspace || handle->device != current_device())
    return CUBLAS_STATUS_EXECUTION_FAILED;
  cublasStatus_t status = CUBLAS_STATUS_SUCCESS;
  const cudaError_t error = answer_apart(call, handle->device, [&] {
    status = body();
    return cudaSuccess;
  });
  return error == cudaSuccess ? status : status_of(error);
}

// The memory of `batch` column-major matrices of rows × columns as stored.
Operand operand_of(const void* address, int rows, int columns, int leading, long long stride,
                   int batch, cudaDataType type) {
  const auto last = static_cast<std::size_t>(stride) * static_cast<std::size_t>(batch - 1);
  const auto elements =
      rows == 0 || columns == 0
          ? 0
          : last + static_cast<std::size_t>(leading) * static_cast<std::size_t>(columns - 1) +
                static_cast<std::size_t>(rows);
  return {range_of(address, elements * bytes_of(type)), stride, leading, false};
}

// What is larger takes its time and is not done.
constexpr double most_multiplied = 3e7;

Cost cost_of(const Product& p, const Types& types) {
  const auto bytes = [&](int rows, int columns, cudaDataType type) {
    return 1.0 * rows * columns * p.batch * static_cast<double>(bytes_of(type));
  };
  Cost cost;
  cost.flops = 2.0 * p.m * p.n * p.k * p.batch;
  cost.bytes = bytes(p.m, p.k, types.from) + bytes(p.k, p.n, types.from) +
               bytes(p.m, p.n, types.to) * (p.beta == 0 ? 1 : 2);
  cost.unit = types.from == CUDA_R_64F                         ? Cost::Unit::f64
              : types.from != CUDA_R_32F                       ? Cost::Unit::f16
              : types.computed == CUBLAS_COMPUTE_32F_FAST_TF32 ? Cost::Unit::tf32
                                                               : Cost::Unit::f32;
  return cost;
}

// 0 for a product that adds to what is there.
std::size_t identity_of(const Product& p, const Types& types) {
  if (p.beta != 0) return 0;
  std::size_t identity = static_cast<std::size_t>(types.from) + 1;
  const auto add = [&](auto value) {
    identity = identity * 1'000'003 ^ std::hash<decltype(value)>()(value);
  };
  for (const Operand* operand : {&p.a, &p.b, &p.c}) {
    add(operand->range.bytes);
    add(operand->stride);
    add(operand->leading);
    add(operand->transposed);
  }
  for (const int size : {p.m, p.n, p.k, p.batch}) add(size);
  add(p.alpha);
  add(p.tf32);
  add(static_cast<int>(types.to));
  return identity | 1;
}

double scalar(const void* value, cublasComputeType_t type) {
  return type == CUBLAS_COMPUTE_64F ? *static_cast<const double*>(value)
                                    : static_cast<double>(*static_cast<const float*>(value));
}

}  // namespace

extern "C" {

cublasStatus_t cublasCreate_v2(cublasHandle_t* handle) {
  constexpr std::size_t own_bytes = 8 << 20;
  if (used_bytes(current_device()) + own_bytes > settings().memory_bytes)
    return CUBLAS_STATUS_NOT_INITIALIZED;  // as the original says it
  return status_of(answer_apart("cublasCreate", current_device(), [&] {
    *handle = new cublasContext{current_device()};
    return cudaSuccess;
  }));
}

cublasStatus_t cublasDestroy_v2(cublasHandle_t handle) {
  if (handle->device != current_device() && broken(handle->device) == cudaSuccess) {
    std::fprintf(stderr, "fake cuBLAS: a handle of GPU %d is destroyed while GPU %d is current\n",
                 handle->device, current_device());
    std::abort();
  }
  delete handle;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasGetProperty(libraryPropertyType type, int* value) {
  *value = type == MAJOR_VERSION   ? CUBLAS_VER_MAJOR
           : type == MINOR_VERSION ? CUBLAS_VER_MINOR
                                   : CUBLAS_VER_PATCH;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasSetStream_v2(cublasHandle_t handle, cudaStream_t stream) {
  handle->stream = stream;
  handle->has_workspace = false;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasSetWorkspace_v2(cublasHandle_t handle, void* workspace, std::size_t bytes) {
  const Range range = range_of(workspace, bytes);
  const bool aligned = reinterpret_cast<std::uintptr_t>(workspace) % 256 == 0;
  if (range.where != Where::device || !range.inside || !aligned) return CUBLAS_STATUS_INVALID_VALUE;
  handle->has_workspace = true;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasSetMathMode(cublasHandle_t, cublasMath_t) {
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasSetPointerMode_v2(cublasHandle_t handle, cublasPointerMode_t mode) {
  handle->pointers = mode;
  return CUBLAS_STATUS_SUCCESS;
}

const char* cublasGetStatusString(cublasStatus_t status) {
  return status == CUBLAS_STATUS_INVALID_VALUE ? "an invalid value"
                                               : "a failure of the fake cuBLAS";
}

cublasStatus_t cublasGemmStridedBatchedEx(cublasHandle_t handle, cublasOperation_t transpose_a,
                                          cublasOperation_t transpose_b, int m, int n, int k,
                                          const void* alpha, const void* a, cudaDataType a_type,
                                          int lda, long long stride_a, const void* b,
                                          cudaDataType b_type, int ldb, long long stride_b,
                                          const void* beta, void* c, cudaDataType c_type, int ldc,
                                          long long stride_c, int batch,
                                          cublasComputeType_t compute, cublasGemmAlgo_t) {
  return answer_blas("cublasGemmEx", handle, [&] {
    const bool ta = transpose_a == CUBLAS_OP_T, tb = transpose_b == CUBLAS_OP_T;
    const int a_rows = ta ? k : m, b_rows = tb ? n : k;
    if (m < 0 || n < 0 || k < 0 || batch < 0 || lda < std::max(1, a_rows) ||
        ldb < std::max(1, b_rows) || ldc < std::max(1, m) ||
        handle->pointers != CUBLAS_POINTER_MODE_HOST)
      return CUBLAS_STATUS_INVALID_VALUE;
    const Types types{a_type, c_type, compute};
    if (a_type != b_type || !is_supported(types)) return CUBLAS_STATUS_NOT_SUPPORTED;
    Product p{operand_of(a, a_rows, ta ? m : k, lda, stride_a, batch, a_type),
              operand_of(b, b_rows, tb ? k : n, ldb, stride_b, batch, b_type),
              operand_of(c, m, n, ldc, stride_c, batch, c_type)};
    p.a.transposed = ta;
    p.b.transposed = tb;
    for (const Operand* operand : {&p.a, &p.b, &p.c}) {
      const Range& range = operand->range;
      if (!range.inside || range.where != Where::device || range.device != handle->device)
        return CUBLAS_STATUS_INVALID_VALUE;
    }
    p.m = m;
    p.n = n;
    p.k = k;
    p.batch = batch;
    p.alpha = scalar(alpha, compute);
    p.beta = scalar(beta, compute);
    p.tf32 = compute == CUBLAS_COMPUTE_32F_FAST_TF32;
    if (!p.a.range.is_filled || !p.b.range.is_filled || !p.c.range.is_filled ||
        (has_time() && 1.0 * m * n * k * batch > most_multiplied)) {
      handle->stream->run(
          Sort::kernel, [] {}, cost_of(p, types));
      return CUBLAS_STATUS_SUCCESS;
    }
    handle->stream->run(
        Sort::kernel, [p, types] { multiply(p, types); }, cost_of(p, types), identity_of(p, types));
    return CUBLAS_STATUS_SUCCESS;
  });
}

cublasStatus_t cublasGemmEx(cublasHandle_t handle, cublasOperation_t transpose_a,
                            cublasOperation_t transpose_b, int m, int n, int k, const void* alpha,
                            const void* a, cudaDataType a_type, int lda, const void* b,
                            cudaDataType b_type, int ldb, const void* beta, void* c,
                            cudaDataType c_type, int ldc, cublasComputeType_t compute,
                            cublasGemmAlgo_t algorithm) {
  return cublasGemmStridedBatchedEx(handle, transpose_a, transpose_b, m, n, k, alpha, a, a_type,
                                    lda, 0, b, b_type, ldb, 0, beta, c, c_type, ldc, 0, 1, compute,
                                    algorithm);
}

cublasStatus_t cublasNrm2Ex(cublasHandle_t handle, int n, const void* x, cudaDataType type,
                            int step, void* result, cudaDataType, cudaDataType) {
  return answer_blas("cublasNrm2Ex", handle, [&] {
    const auto count = static_cast<std::size_t>(n);
    const Range from = range_of(x, count * bytes_of(type)), to = range_of(result, bytes_of(type));
    if (step != 1 || handle->pointers != CUBLAS_POINTER_MODE_DEVICE || !from.inside || !to.inside ||
        from.device != handle->device || to.device != handle->device)
      return CUBLAS_STATUS_INVALID_VALUE;
    handle->stream->run(Sort::kernel,
                        [from, to, count, type] {
                          const auto norm = [&]<class Real>(Real) {
                            double sum = 0;
                            const auto* const values = reinterpret_cast<const Real*>(from.bytes);
                            for (std::size_t i = 0; i < count; ++i)
                              sum +=
                                  static_cast<double>(values[i]) * static_cast<double>(values[i]);
                            *reinterpret_cast<Real*>(to.bytes) = static_cast<Real>(std::sqrt(sum));
                          };
                          if (type == CUDA_R_64F)
                            norm(double{});
                          else
                            norm(float{});
                        },
                        {Cost::Unit::none, 0, static_cast<double>(count * bytes_of(type))});
    return CUBLAS_STATUS_SUCCESS;
  });
}

}  // extern "C"
