// SPDX-License-Identifier: Apache-2.0
// What one thread adds up of a norm; compiled for the GPU, and for the CPU by the test double, so
// that the indexing is tested without a GPU.
#pragma once

#include <cmath>
#include <cstddef>

#include "plugins/cuda_common/kernels/number.cuh"

namespace breakeven::cuda {

inline constexpr unsigned norm_block = 256;

// The share of `thread` (below norm_block) in the sum of squares of one of `chunks` pieces of a row
// of n elements. Packed: the row begins and ends at multiples of 16 bytes.
template <class Real, bool packed>
__host__ __device__ Computed<Real> square_sum_of_thread(unsigned thread, std::size_t n,
                                                        std::size_t chunks, std::size_t chunk,
                                                        const Real* row) {
  constexpr std::size_t width = packed ? Pack<Real>::width : 1;
  const std::size_t steps = n / width, length = (steps + chunks - 1) / chunks;
  const std::size_t begin = chunk * length;
  const std::size_t end = begin + length < steps ? begin + length : steps;
  Computed<Real> sum = 0;
  for (std::size_t i = begin + thread; i < end; i += norm_block) {
    if constexpr (packed) {
      const Pack<Real> pack = reinterpret_cast<const Pack<Real>*>(row)[i];
      for (const Real element : pack.element) {
        const auto value = Number<Real>::load(element);
        sum = fma(value, value, sum);
      }
    } else {
      const auto value = Number<Real>::load(row[i]);
      sum = fma(value, value, sum);
    }
  }
  return sum;
}

}  // namespace breakeven::cuda
