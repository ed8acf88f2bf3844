// SPDX-License-Identifier: Apache-2.0
// Launches the kernel of a product that has been planned: that of its layout.
#pragma once

#include <algorithm>
#include <limits>
#include <string_view>
#include <type_traits>

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

// The kernel of this layout; `product` has one stride of 1 for each operand. It comes after
// `before()`.
template <class Traits, bool a_along_depth, bool b_along_depth, class Before>
std::unique_ptr<Task> launch_of_layout(
    const Product<typename Traits::T, typename Traits::Sum>& product, std::size_t parts,
    const Target& target, const Before& before) {
  using T = typename Traits::T;
  using Sum = typename Traits::Sum;
  using Kernel = KernelOf<Traits, a_along_depth, b_along_depth>;
  constexpr std::string_view routine = by_tensor_cores<Traits> ? "gemm_by_tensor_cores" : "gemm";
  const Kernel kernel(product);
  const std::size_t blocks = std::size_t(kernel.blocks_m) * kernel.blocks_n * product.batch * parts;
  if (blocks > most - Kernel::crews) return nullptr;  // the last team's idle crews count on
  if constexpr (may_cut<Traits>) {
    if (parts > 1) {
      const std::size_t elements = product.m * product.n;
      const Workspace<Sum> sums(elements * parts, target);
      KernelOf<Traits, a_along_depth, b_along_depth, Sum> part(product);
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
            before();
            multiply();
            add(join, elements);
          },
          own(routine, target));
    }
  }
  return make_task(
      [before, multiply = Blockwise(kernel, target)] {
        before();
        multiply();
      },
      own(routine, target));
}

template <class Traits, class Before>
std::unique_ptr<Task> launch_with(const Product<typename Traits::T, typename Traits::Sum>& product,
                                  std::size_t parts, const Target& target, const Before& before) {
  return with_layout(product, [&]<bool a_along, bool b_along>() {
    return launch_of_layout<Traits, a_along, b_along>(product, parts, target, before);
  });
}

// By the tensor cores; `plan` says so.
template <class T, class Sum>
std::unique_ptr<Task> launch_matrix(const Product<T, Sum>& product, const Plan& plan,
                                    const Target& target);

}  // namespace breakeven::kokkos
