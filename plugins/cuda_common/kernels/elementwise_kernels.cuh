// SPDX-License-Identifier: Apache-2.0
// The elementwise kernels. nvcc compiles them for GPUs, and a C++ compiler for the test double,
// which runs them thread by thread: a program includes this once.
#pragma once

#include <cmath>
#include <cstddef>

#include "plugins/cuda_common/kernels/number.cuh"

namespace breakeven::cuda {

struct MultiplyAddOf {
  template <class Real>
  __device__ Real operator()(Real a, Real b, Real c) const {
    return fma(a, b, c);
  }
};

struct TanhOf {
  template <class Real>
  __device__ Real operator()(Real x) const {
    return tanh(x);
  }
};

struct TanhGradientOf {
  template <class Real>
  __device__ Real operator()(Real h, Real d) const {
    return d * fma(-h, h, Real(1));
  }
};

// Threads that cover n elements: one per pack, and one per element left over.
template <class Real, bool packed>
__host__ __device__ std::size_t threads_for(std::size_t n) {
  const std::size_t width = packed ? Pack<Real>::width : 1;
  return n / width > n % width ? n / width : n % width;
}

// `out` may be one of the inputs. Packed: every pointer is a multiple of 16 bytes.
template <class Real, bool packed, class Function, class... Inputs>
__device__ void elementwise(std::size_t thread, std::size_t n, Function function, Real* out,
                            const Inputs*... inputs) {
  using Held = Number<Real>;
  if constexpr (packed) {
    constexpr std::size_t width = Pack<Real>::width;
    if (thread < n / width) {
      const auto whole = [&](const auto... in) {
        Pack<Real> result;
        for (std::size_t i = 0; i < width; ++i) {
          result.element[i] = Held::store(function(Held::load(in.element[i])...));
        }
        reinterpret_cast<Pack<Real>*>(out)[thread] = result;
      };
      whole(reinterpret_cast<const Pack<Real>*>(inputs)[thread]...);
    }
    if (thread < n % width) {
      const std::size_t i = n - n % width + thread;
      out[i] = Held::store(function(Held::load(inputs[i])...));
    }
  } else if (thread < n) {
    out[thread] = Held::store(function(Held::load(inputs[thread])...));
  }
}

__device__ inline std::size_t this_thread() {
  return static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
}

__global__ void nothing() {}

template <class Real, bool packed>
__global__ void multiply_add(std::size_t n, const Real* a, const Real* b, const Real* c,
                             Real* out) {
  elementwise<Real, packed>(this_thread(), n, MultiplyAddOf{}, out, a, b, c);
}

template <class Real, bool packed>
__global__ void hyperbolic_tangent(std::size_t n, const Real* x, Real* out) {
  elementwise<Real, packed>(this_thread(), n, TanhOf{}, out, x);
}

template <class Real, bool packed>
__global__ void tanh_gradient(std::size_t n, const Real* h, const Real* d, Real* out) {
  elementwise<Real, packed>(this_thread(), n, TanhGradientOf{}, out, h, d);
}

}  // namespace breakeven::cuda
