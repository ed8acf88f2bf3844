// SPDX-License-Identifier: Apache-2.0
// Chooses the kernel of a product: its blocks by how they fill the processors, and its layout.
#pragma once

#include <algorithm>
#include <limits>
#include <type_traits>

#include "team_gemm.hpp"
#include "tiles.hpp"

namespace breakeven::kokkos {

// Rows, columns and steps of k are counted to the end of the last block and slice, of 256 at most.
inline constexpr std::size_t most = std::numeric_limits<int>::max() - 256;

template <class Kernel>
class Blockwise {
 public:
  Blockwise(const Kernel& kernel, const Target& target) : kernel_(kernel), space_(target.space) {
    // Loads the kernel, so that neither a clock nor a sequence sees that.
    Kernel nothing = kernel;
    nothing.m = nothing.n = nothing.k = 0;
    nothing.a.lines = nothing.b.lines = 0;
    Kokkos::parallel_for(kernel.policy(space_, 1), nothing);
  }
  void operator()() const {
    Kokkos::parallel_for(kernel_.policy(space_, kernel_.teams()), kernel_);
  }

 private:
  Kernel kernel_;
  Space space_;
};

// The kernel of this layout; `product` has one stride of 1 for each operand.
template <class Traits, bool a_along_depth, bool b_along_depth>
std::unique_ptr<Task> launch_of_layout(
    const Product<typename Traits::T, typename Traits::Sum>& product, std::size_t parts,
    const Target& target) {
  using T = typename Traits::T;
  using Sum = typename Traits::Sum;
  using Kernel = TeamGemm<Traits, a_along_depth, b_along_depth>;
  const Kernel kernel(product);
  const std::size_t blocks = std::size_t(kernel.blocks_m) * kernel.blocks_n * product.batch * parts;
  if (blocks > most - Kernel::crews) return nullptr;  // the last team's idle crews count on
  if constexpr (may_cut<Traits>) {
    if (parts > 1) {
      const std::size_t elements = product.m * product.n;
      const Workspace<Sum> sums(elements * parts, target);
      TeamGemm<Traits, a_along_depth, b_along_depth, Sum> part(product);
      part.cut_into(static_cast<int>(parts), sums.data());
      const JoinParts<T, Sum> join{sums.data(),   product.c,   elements, static_cast<int>(parts),
                                   product.alpha, product.beta};
      const auto add = [space = target.space](const JoinParts<T, Sum>& all, std::size_t count) {
        Kokkos::parallel_for(Kokkos::RangePolicy<Space, std::size_t>(space, 0, count), all);
      };
      JoinParts<T, Sum> nothing = join;
      nothing.elements = 0;
      add(nothing, 1);  // loads the kernel
      return make_task(
          [=, multiply = Blockwise(part, target), keep = sums] {
            multiply();
            add(join, elements);
          },
          own("gemm", target));
    }
  }
  return make_task(Blockwise(kernel, target), own("gemm", target));
}

template <class Traits>
std::unique_ptr<Task> launch_with(const Product<typename Traits::T, typename Traits::Sum>& product,
                                  std::size_t parts, const Target& target) {
  if (product.a_column == 1)
    return product.b_row == 1 ? launch_of_layout<Traits, true, true>(product, parts, target)
                              : launch_of_layout<Traits, true, false>(product, parts, target);
  return product.b_row == 1 ? launch_of_layout<Traits, false, true>(product, parts, target)
                            : launch_of_layout<Traits, false, false>(product, parts, target);
}

template <class T, class Sum>
std::unique_ptr<Task> launch(const Product<T, Sum>& product, const Target& target) {
  if (std::max({product.m, product.n, product.k}) > most) return nullptr;
  const cudaDeviceProp& gpu = target.space.cuda_device_prop();
  const Processors processors{static_cast<std::size_t>(gpu.multiProcessorCount),
                              rate_of<Sum>(gpu.major * 10 + gpu.minor)};
  const Plan plan = plan_for<T, Sum>({product.m, product.n, product.k, product.batch}, processors);
  switch (plan.blocks) {
    case Blocks::large:
      if constexpr (has_large<T, Sum>)
        return launch_with<LargeTiles<T, Sum>>(product, plan.parts, target);
      [[fallthrough]];  // never planned
    case Blocks::medium:
      return launch_with<MediumTiles<T, Sum>>(product, plan.parts, target);
    case Blocks::small:
      return launch_with<SmallTiles<T, Sum>>(product, plan.parts, target);
    case Blocks::tiny:
      break;
  }
  return launch_with<TinyTiles<T, Sum>>(product, plan.parts, target);
}

}  // namespace breakeven::kokkos
