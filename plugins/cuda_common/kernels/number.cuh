// SPDX-License-Identifier: Apache-2.0
// The stored types and the type each is computed in: itself, f32 for 16 bits.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

namespace breakeven::cuda {

template <class Real>
struct Number {
  using Computed = Real;
  static __host__ __device__ Real load(Real value) { return value; }
  static __host__ __device__ Real store(Real value) { return value; }
};

template <>
struct Number<__half> {
  using Computed = float;
  static __host__ __device__ float load(__half value) { return __half2float(value); }
  static __host__ __device__ __half store(float value) { return __float2half(value); }
};

template <>
struct Number<__nv_bfloat16> {
  using Computed = float;
  static __host__ __device__ float load(__nv_bfloat16 value) { return __bfloat162float(value); }
  static __host__ __device__ __nv_bfloat16 store(float value) { return __float2bfloat16(value); }
};

template <class Real>
using Computed = typename Number<Real>::Computed;

// Elements that one instruction moves: 16 bytes of them, or as many as 16 bytes hold of a wider
// type that goes with them.
template <class Real, class Widest = Real>
struct alignas(16 / sizeof(Widest) * sizeof(Real)) Pack {
  static constexpr int width = 16 / sizeof(Widest);
  Real element[width];
};

}  // namespace breakeven::cuda
