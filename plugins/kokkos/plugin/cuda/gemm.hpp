// SPDX-License-Identifier: Apache-2.0
// Chooses how a product is made: its blocks by how they fill the processors.
#pragma once

#include <algorithm>

#include "launch.hpp"

namespace breakeven::kokkos {

template <class T, class Sum>
std::unique_ptr<Task> launch(const Product<T, Sum>& as_called, const Target& target) {
  const Product<T, Sum> product = with_whole_lines(as_called);
  if (std::max({product.m, product.n, product.k}) > most) return nullptr;
  const cudaDeviceProp& gpu = target.space.cuda_device_prop();
  const int capability = gpu.major * 10 + gpu.minor;
  Processors processors{static_cast<std::size_t>(gpu.multiProcessorCount),
                        rate_of<Sum>(capability)};
  // Whether this build has instructions for tensor cores.
  constexpr bool matrix = has_matrix<T, Sum> && BUILT_FOR >= 80;
  if (matrix && is_worth_aligning(product)) processors.matrix_rate = matrix_rate_of<T>(capability);
  const Plan plan = plan_for<T, Sum>({product.m, product.n, product.k, product.batch}, processors);
  if constexpr (matrix)
    if (plan.tensor_cores) return launch_matrix(product, plan, target);
  return with_scalar_tiles<T, Sum>(plan, [&]<class Tiles>(Tiles) {
    return launch_with<Tiles>(product, plan.parts, target, [] {});
  });
}

}  // namespace breakeven::kokkos
