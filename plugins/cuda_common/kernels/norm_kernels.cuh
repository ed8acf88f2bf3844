// SPDX-License-Identifier: Apache-2.0
// The kernels of norms. nvcc compiles them for GPUs, and a C++ compiler for the test double, which
// runs each block's threads as fibers.
#pragma once

#include <cmath>
#include <cstddef>

#include "plugins/cuda_common/kernels/number.cuh"

namespace breakeven::cuda {

inline constexpr unsigned norm_block = 256, warp = 32;

// The share of `thread` (below norm_block) in the sum of squares of one of `chunks` pieces of a row
// of n elements. Packed: the row begins and ends at multiples of 16 bytes.
template <class Real, bool packed>
__device__ Computed<Real> square_sum_of_thread(unsigned thread, std::size_t n, std::size_t chunks,
                                               std::size_t chunk, const Real* row) {
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

// The sum over the block, in thread 0.
template <class Sum>
__device__ Sum block_sum(Sum value) {
  __shared__ Sum of_warp[norm_block / warp];
  for (int step = warp / 2; step > 0; step /= 2) value += __shfl_down_sync(~0u, value, step);
  if (threadIdx.x % warp == 0) of_warp[threadIdx.x / warp] = value;
  __syncthreads();
  value = threadIdx.x < norm_block / warp ? of_warp[threadIdx.x] : Sum(0);
  for (int step = norm_block / warp / 2; step > 0; step /= 2)
    value += __shfl_down_sync(~0u, value, step);
  return value;
}

// One block per chunk of one vector: the sum of its squares, or its root where the vector is one
// chunk. Packed: x and n are multiples of 16 bytes.
template <class Real, bool packed>
__global__ void square_sums(std::size_t n, std::size_t chunks, const Real* x, Computed<Real>* out) {
  const std::size_t vector = blockIdx.x / chunks, chunk = blockIdx.x % chunks;
  const auto sum =
      block_sum(square_sum_of_thread<Real, packed>(threadIdx.x, n, chunks, chunk, x + vector * n));
  if (threadIdx.x == 0) out[blockIdx.x] = chunks == 1 ? sqrt(sum) : sum;
}

// One block per vector: the root of the sum of its chunks.
template <class Sum>
__global__ void join_chunks(std::size_t chunks, const Sum* sums, Sum* out) {
  Sum sum = 0;
  for (std::size_t i = threadIdx.x; i < chunks; i += norm_block)
    sum += sums[blockIdx.x * chunks + i];
  sum = block_sum(sum);
  if (threadIdx.x == 0) out[blockIdx.x] = sqrt(sum);
}

}  // namespace breakeven::cuda
