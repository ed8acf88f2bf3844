// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>

#include "team_gemm.hpp"
#include "tiles.hpp"

namespace breakeven::kokkos {
namespace {

constexpr std::size_t most = std::numeric_limits<int>::max();

template <class Traits>
std::unique_ptr<Task> launch_with(const TeamGemm<Traits>& kernel, std::size_t batch,
                                  const Target& target) {
  const std::size_t teams = std::size_t(kernel.blocks_m) * kernel.blocks_n * batch;
  if (teams > most) return nullptr;
  // Loads the kernel, so that neither a clock nor a sequence sees that.
  TeamGemm<Traits> nothing = kernel;
  nothing.m = nothing.n = nothing.k = 0;
  nothing.a.lines = nothing.b.lines = 0;
  Kokkos::parallel_for(kernel.policy(target.space, 1), nothing);
  return make_task(
      [=, space = target.space] { Kokkos::parallel_for(kernel.policy(space, teams), kernel); },
      own("gemm", target));
}

}  // namespace

template <class T, class Sum>
std::unique_ptr<Task> launch(const Product<T, Sum>& product, const Target& target) {
  if (std::max({product.m, product.n, product.k}) > most) return nullptr;
  const TeamGemm<LargeTiles<T, Sum>> large(product);
  // Large tiles read less, but must be enough of them for all processors.
  const std::size_t processors = target.space.cuda_device_prop().multiProcessorCount;
  const std::size_t teams = std::size_t(large.blocks_m) * large.blocks_n * product.batch;
  if (2 * teams >= 3 * processors) {
    return launch_with(large, product.batch, target);
  }
  return launch_with(TeamGemm<SmallTiles<T, Sum>>(product), product.batch, target);
}

template std::unique_ptr<Task> launch(const Product<float>&, const Target&);
template std::unique_ptr<Task> launch(const Product<double>&, const Target&);
template std::unique_ptr<Task> launch(const Product<Half, float>&, const Target&);
template std::unique_ptr<Task> launch(const Product<BrainHalf, float>&, const Target&);

}  // namespace breakeven::kokkos
