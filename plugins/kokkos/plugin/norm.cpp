// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "range.hpp"
#include "task.hpp"
#if !defined(KOKKOS_ENABLE_CUDA)
#include "openmp/halves.hpp"
#endif

namespace breakeven::kokkos {
namespace {

// Vectors are cut into stretches so that all threads have work even for one long vector. Each
// stretch is summed by a team, in the order of its blocks: the result does not depend on timing.
// Sums of squares, or of the numbers themselves.
template <class T, bool squares>
struct Stretches {
  const T* x;
  double* sums;
  std::size_t n, per_vector, length;

  using Team = Kokkos::TeamPolicy<Space>::member_type;

  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const std::size_t stretch = team.league_rank();
    const std::size_t vector = stretch / per_vector, first = stretch % per_vector * length;
    const std::size_t count = first >= n ? 0 : Kokkos::min(length, n - first);
    const T* const start = x + vector * n + first;
    const std::size_t size = block;
    double sum = 0;
    Kokkos::parallel_reduce(
        Kokkos::TeamThreadRange(team, (count + size - 1) / size),
        [=](std::size_t i, double& total) {
          total += sum_block(start + i * size, Kokkos::min(size, count - i * size));
        },
        sum);
    Kokkos::single(Kokkos::PerTeam(team), [&] { sums[stretch] = sum; });
  }

  // What a thread takes at a time: 16 bytes on a GPU, where its neighbours take the next ones; on a
  // CPU as much as fills its vectors with short sums in the type of the data. The total is a
  // double.
  static constexpr std::size_t block = on_host ? 2048 : 16 / sizeof(T);
  static constexpr std::size_t lanes = on_host ? 256 / sizeof(T) : block;
  struct alignas(on_host ? alignof(T) : 16) Lanes {
    T at[lanes];
  };
  KOKKOS_FUNCTION static double sum_block(const T* values, std::size_t count) {
#if !defined(KOKKOS_ENABLE_CUDA)
    if constexpr (cpu::Half<T>) {
      alignas(64) float wide[block];
      cpu::widen<Format<T>>(count, values, wide);
      return Stretches<float, squares>::sum_block(wide, count);
    } else
#endif
      return sum_of(values, count);
  }
  KOKKOS_FUNCTION static double sum_of(const T* values, std::size_t count) {
    Lanes partial{};
    std::size_t i = 0;
    if (on_host || reinterpret_cast<std::uintptr_t>(values) % alignof(Lanes) == 0) {
      for (; i + lanes <= count; i += lanes) {
        const Lanes read = *reinterpret_cast<const Lanes*>(values + i);
        for (std::size_t lane = 0; lane < lanes; ++lane)
          partial.at[lane] += squares ? read.at[lane] * read.at[lane] : read.at[lane];
      }
    }
    double sum = 0;
    for (; i < count; ++i) {
      const double value = values[i];
      sum += squares ? value * value : value;
    }
    for (std::size_t lane = 0; lane < lanes; ++lane) sum += partial.at[lane];
    return sum;
  }
};

template <class T, bool squares>
struct Results {
  // The type of a norm.
  using Out = std::conditional_t<sizeof(T) == 2, float, T>;
  const double* sums;
  Out* out;
  std::size_t per_vector;

  KOKKOS_FUNCTION void operator()(std::size_t vector) const {
    double sum = 0;
    for (std::size_t i = 0; i < per_vector; ++i) sum += sums[vector * per_vector + i];
    out[vector] = static_cast<Out>(squares ? Kokkos::sqrt(sum) : sum);
  }
};

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
    const auto league = static_cast<int>(batch * sum.per_vector);
    Kokkos::parallel_for(Kokkos::TeamPolicy<Space>(space, league, on_host ? 1 : 256), sum);
    for_range(space, batch, batch * result.per_vector * sizeof(double), result);
  };
  // Loads the kernels, so that neither a clock nor a sequence sees that.
  run(1, {x, sums.data(), 0, 1, 0}, {sums.data(), reinterpret_cast<Out*>(sums.data()), 0});
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
