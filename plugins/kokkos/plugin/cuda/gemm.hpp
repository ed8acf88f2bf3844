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

template <class Kernel, class T, class Sum>
std::unique_ptr<Task> launch_kernel(const Product<T, Sum>& product, std::size_t parts,
                                    const Target& target) {
  Kernel kernel(product);
  const std::size_t blocks = std::size_t(kernel.blocks_m) * kernel.blocks_n * product.batch * parts;
  if (blocks > most - Kernel::crews) return nullptr;  // the last team's idle crews count on
  if constexpr (std::is_same_v<T, Sum>) {
    if (parts > 1) {
      const std::size_t elements = product.m * product.n;
      const Workspace<T> sums(elements * parts, target);
      const JoinParts<T> join{sums.data(),   product.c,   elements, static_cast<int>(parts),
                              product.alpha, product.beta};
      kernel.cut_into(static_cast<int>(parts), sums.data());
      const auto add = [space = target.space](const JoinParts<T>& all, std::size_t count) {
        Kokkos::parallel_for(Kokkos::RangePolicy<Space, std::size_t>(space, 0, count), all);
      };
      add({sums.data(), sums.data(), 1, 0, T(0), T(0)}, 1);  // loads the kernel
      return make_task(
          [=, multiply = Blockwise<Kernel>(kernel, target), keep = sums] {
            multiply();
            add(join, elements);
          },
          own("gemm", target));
    }
  }
  return make_task(Blockwise<Kernel>(kernel, target), own("gemm", target));
}

// The kernel of this layout; `product` has one stride of 1 for each operand.
template <class Traits>
std::unique_ptr<Task> launch_with(const Product<typename Traits::T, typename Traits::Sum>& product,
                                  std::size_t parts, const Target& target) {
  const auto of_layout = [&](auto a_along_depth, auto b_along_depth) {
    using Kernel = TeamGemm<Traits, decltype(a_along_depth)::value, decltype(b_along_depth)::value>;
    return launch_kernel<Kernel>(product, parts, target);
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
