// SPDX-License-Identifier: Apache-2.0
// Chooses the kernel of a product: its blocks by how they fill the processors, and its layout.
#pragma once

#include <algorithm>
#include <limits>
#include <type_traits>

#include "team_gemm.hpp"
#include "tiles.hpp"

namespace breakeven::kokkos {

inline constexpr std::size_t most = std::numeric_limits<int>::max();

template <class Kernel>
std::unique_ptr<Task> launch_kernel(const Kernel& kernel, std::size_t batch, const Target& target) {
  const std::size_t teams = std::size_t(kernel.blocks_m) * kernel.blocks_n * batch;
  if (teams > most) return nullptr;
  // Loads the kernel, so that neither a clock nor a sequence sees that.
  Kernel nothing = kernel;
  nothing.m = nothing.n = nothing.k = 0;
  nothing.a.lines = nothing.b.lines = 0;
  Kokkos::parallel_for(kernel.policy(target.space, 1), nothing);
  return make_task(
      [=, space = target.space] { Kokkos::parallel_for(kernel.policy(space, teams), kernel); },
      own("gemm", target));
}

// The kernel of this layout; `product` has one stride of 1 for each operand.
template <class Traits>
std::unique_ptr<Task> launch_with(const Product<typename Traits::T, typename Traits::Sum>& product,
                                  const Target& target) {
  const auto of_layout = [&](auto a_along_depth, auto b_along_depth) {
    const TeamGemm<Traits, decltype(a_along_depth)::value, decltype(b_along_depth)::value> kernel(
        product);
    return launch_kernel(kernel, product.batch, target);
  };
  constexpr std::true_type yes;
  constexpr std::false_type no;
  if (product.a_column == 1) return product.b_row == 1 ? of_layout(yes, yes) : of_layout(yes, no);
  return product.b_row == 1 ? of_layout(no, yes) : of_layout(no, no);
}

template <class T, class Sum>
std::unique_ptr<Task> launch(const Product<T, Sum>& product, const Target& target) {
  if (std::max({product.m, product.n, product.k}) > most) return nullptr;
  const std::size_t processors = target.space.cuda_device_prop().multiProcessorCount;
  switch (blocks_for<T, Sum>(product.m, product.n, product.batch, processors)) {
    case Blocks::large:
      return launch_with<LargeTiles<T, Sum>>(product, target);
    case Blocks::medium:
      return launch_with<MediumTiles<T, Sum>>(product, target);
    case Blocks::small:
      break;
  }
  return launch_with<SmallTiles<T, Sum>>(product, target);
}

}  // namespace breakeven::kokkos
