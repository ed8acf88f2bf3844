// SPDX-License-Identifier: Apache-2.0
// What one thread of an elementwise kernel does; compiled for the GPU, and for the CPU by the test
// double, so that the indexing is tested without a GPU.
#pragma once

#include <cmath>
#include <cstddef>

#include "plugins/cuda_common/kernels/number.cuh"

namespace breakeven::cuda {

struct MultiplyAddOf {
  template <class Real>
  __host__ __device__ Real operator()(Real a, Real b, Real c) const {
    return fma(a, b, c);
  }
};

struct TanhOf {
  template <class Real>
  __host__ __device__ Real operator()(Real x) const {
    return tanh(x);
  }
};

struct TanhGradientOf {
  template <class Real>
  __host__ __device__ Real operator()(Real h, Real d) const {
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
__host__ __device__ void elementwise(std::size_t thread, std::size_t n, Function function,
                                     Real* out, const Inputs*... inputs) {
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

}  // namespace breakeven::cuda
