// SPDX-License-Identifier: Apache-2.0
#include "gemm.hpp"

namespace breakeven::kokkos {

template <class T, class Sum>
std::unique_ptr<Task> launch(const Product<T, Sum>& product, const Target& target) {
  const auto threads = static_cast<std::size_t>(target.space.concurrency());
  const Deal deal = Deal::of(product, threads);
  const std::size_t parts = product.batch * deal.row_cuts * deal.column_cuts;
  const Workspace<T> panels(deal.threads * panel_elements<T>, target);
  const auto run = [=](std::size_t thread) {
    const std::size_t end = cut(parts, deal.threads, thread + 1);
    for (std::size_t i = cut(parts, deal.threads, thread); i < end; ++i) {
      run_part(product, deal.part(product, i), panels.data() + thread * panel_elements<T>);
    }
  };
  if (deal.threads == 1) return make_task([=] { run(0); });
  using Policy = Kokkos::RangePolicy<Space, Kokkos::Schedule<Kokkos::Static>, std::size_t>;
  return make_task(
      [=, space = target.space] { Kokkos::parallel_for(Policy(space, 0, deal.threads), run); });
}

template std::unique_ptr<Task> launch(const Product<float>&, const Target&);
template std::unique_ptr<Task> launch(const Product<double>&, const Target&);

}  // namespace breakeven::kokkos
