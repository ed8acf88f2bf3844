// SPDX-License-Identifier: Apache-2.0
#include "host_gemm.hpp"
#include "task.hpp"

namespace breakeven::kokkos {
namespace {

template <class T>
std::unique_ptr<Task> launch(const Product<T>& product, const Target& target) {
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

template <class T>
std::unique_ptr<Task> prepare_for(const Gemm& gemm, const Target& target) {
  const std::size_t m = gemm.m, n = gemm.n, k = gemm.k;
  const T* const a = operand<T>(gemm.a, gemm.batch * m * k, target);
  const T* const b = operand<T>(gemm.b, gemm.batch * k * n, target);
  T* const c = operand<T>(gemm.c, gemm.batch * m * n, target);
  if (a == nullptr || b == nullptr || c == nullptr) return nullptr;
  if (gemm.batch * m * n == 0) return make_task([] {});
  const bool across_a = gemm.transpose_a == Transpose::yes;
  const bool across_b = gemm.transpose_b == Transpose::yes;
  return launch(
      Product<T>{a, b, c, m, n, k, gemm.batch, across_a ? 1 : k, across_a ? m : 1, across_b ? 1 : n,
                 across_b ? k : 1, static_cast<T>(gemm.alpha), static_cast<T>(gemm.beta)},
      target);
}

}  // namespace

std::unique_ptr<Task> prepare(const Gemm& gemm, const Target& target) {
  if (gemm.math != Math::native) return nullptr;
  if (gemm.type == Type::f32) return prepare_for<float>(gemm, target);
  if (gemm.type == Type::f64) return prepare_for<double>(gemm, target);
  return nullptr;
}

}  // namespace breakeven::kokkos
