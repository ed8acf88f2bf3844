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

// c added to a sum that is not yet rounded to its type.
struct AddOf {
  float beta;
  __device__ float operator()(float sum, float c) const { return fma(beta, c, sum); }
};

struct RoundOf {
  __device__ float operator()(float sum) const { return sum; }
};

// Threads that cover n elements: one per pack, and one per element left over.
template <class Widest, bool packed>
__host__ __device__ std::size_t threads_for(std::size_t n) {
  const std::size_t width = packed ? Pack<Widest>::width : 1;
  return n / width > n % width ? n / width : n % width;
}

// As it is computed with. (A call of Number's own would expand two packs at once, which nvcc 12.4
// takes for one element in a lambda.)
template <class Input>
__device__ Computed<Input> loaded(Input input) {
  return Number<Input>::load(input);
}

// `out` may be one of the inputs. Packed: every pointer is a multiple of 16 bytes.
template <class Real, bool packed, class Widest = Real, class Function, class... Inputs>
__device__ void elementwise(std::size_t thread, std::size_t n, Function function, Real* out,
                            const Inputs*... inputs) {
  using Held = Number<Real>;
  if constexpr (packed) {
    constexpr std::size_t width = Pack<Widest>::width;
    if (thread < n / width) {
      const auto whole = [&](const auto... in) {
        Pack<Real, Widest> result;
        for (std::size_t i = 0; i < width; ++i) {
          result.element[i] = Held::store(function(loaded(in.element[i])...));
        }
        reinterpret_cast<Pack<Real, Widest>*>(out)[thread] = result;
      };
      whole(reinterpret_cast<const Pack<Inputs, Widest>*>(inputs)[thread]...);
    }
    if (thread < n % width) {
      const std::size_t i = n - n % width + thread;
      out[i] = Held::store(function(loaded(inputs[i])...));
    }
  } else if (thread < n) {
    out[thread] = Held::store(function(loaded(inputs[thread])...));
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

// Packs as long as the sum's: were they as long as those of c, each of the two instructions that
// load a pack of the sum would take half of each sector.
template <class Real, bool packed>
__global__ void round_sum(std::size_t n, const float* sum, float beta, Real* c) {
  if (beta == 0) {
    elementwise<Real, packed, float>(this_thread(), n, RoundOf{}, c, sum);
  } else {
    elementwise<Real, packed, float>(this_thread(), n, AddOf{beta}, c, sum, c);
  }
}

}  // namespace breakeven::cuda
