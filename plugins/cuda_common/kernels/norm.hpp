// SPDX-License-Identifier: Apache-2.0
// Euclidean norms of a batch of vectors, left on the device.
#pragma once

#include <cstddef>

#include <cuda_runtime_api.h>

#include <breakeven/plugin.hpp>

namespace breakeven::cuda {

// Sums in f64 for f64, else in f32, by a tree in each of `chunks` pieces of a vector.
class NormPlan {
 public:
  // `processors`: of the device, so that all of them have work where the batch is small.
  NormPlan(Type type, std::size_t n, std::size_t batch, int processors);

  // For the sums of the pieces; none needed: 0.
  std::size_t workspace_bytes() const noexcept;
  void launch(const void* x, void* out, void* workspace, cudaStream_t stream) const;

 private:
  Type type_;
  std::size_t n_, batch_, chunks_;
};

}  // namespace breakeven::cuda
