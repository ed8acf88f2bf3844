// SPDX-License-Identifier: Apache-2.0
#include "norm.hpp"

#include <algorithm>

#include "range.hpp"
#include "task.hpp"

namespace breakeven::kokkos {
namespace {

template <class T, class One>
std::unique_ptr<Task> prepare_for(const One& one, const Target& target) {
  constexpr bool squares = std::is_same_v<One, Norm>;
  const T* const x = operand<T>(one.x, one.n * one.batch, target);
  using Out = typename Results<T, squares>::Out;
  Out* const out = operand<Out>(one.out, one.batch, target);
  if (x == nullptr || out == nullptr) return nullptr;

  const std::size_t threads = static_cast<std::size_t>(target.space.concurrency());
  const std::size_t teams = on_host ? threads : threads / 256;
  const std::size_t shortest = on_host ? 16 * 1024 : 4 * 1024;
  const std::size_t wanted = one.batch >= teams ? 1 : teams / std::max<std::size_t>(one.batch, 1);
  const std::size_t per_vector = std::clamp<std::size_t>(one.n / shortest, 1, wanted);
  const std::size_t length = (one.n + per_vector - 1) / per_vector;
  const Workspace<double> sums(std::max<std::size_t>(one.batch * per_vector, 1), target);
  const Stretches<T, squares> stretches{x, sums.data(), one.n, per_vector, length};
  const Results<T, squares> results{sums.data(), out, per_vector};
  const auto run = [space = target.space](std::size_t batch, const Stretches<T, squares>& sum,
                                          const Results<T, squares>& result) {
    const auto by_teams = [&](std::size_t league, const auto& work) {
      Kokkos::parallel_for(
          Kokkos::TeamPolicy<Space>(space, static_cast<int>(league), on_host ? 1 : 256), work);
    };
    by_teams(batch * sum.per_vector, sum);
    if (on_host || result.per_vector == 1)
      for_range(space, batch, batch * result.per_vector * sizeof(double), result);
    else
      by_teams(batch, result);
  };
  // Loads the kernels, so that neither a clock nor a sequence sees that.
  run(1, {x, sums.data(), 0, 1, 0},
      {sums.data(), reinterpret_cast<Out*>(sums.data()), std::size_t{per_vector == 1}});
  return make_task([=, batch = one.batch, keep = sums] { run(batch, stretches, results); },
                   own(squares ? "norm" : "sum", target));
}

template <class One>
std::unique_ptr<Task> prepare_any_type(const One& one, const Target& target) {
  if (one.type == Type::f32) return prepare_for<float>(one, target);
  if (one.type == Type::f64) return prepare_for<double>(one, target);
  if constexpr (on_host) {
    if (one.type == Type::f16) return prepare_for<Half>(one, target);
    if (one.type == Type::bf16) return prepare_for<BrainHalf>(one, target);
  }
  return nullptr;
}

}  // namespace

std::unique_ptr<Task> prepare(const Norm& norm, const Target& target) {
  return prepare_any_type(norm, target);
}

std::unique_ptr<Task> prepare(const Sum& sum, const Target& target) {
  return prepare_any_type(sum, target);
}

}  // namespace breakeven::kokkos
