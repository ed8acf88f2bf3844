// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>

#include "range.hpp"
#include "task.hpp"

namespace breakeven::kokkos {
namespace {

// Vectors are cut into stretches so that all threads have work even for one long vector. Each
// stretch is summed by a team, in the order of its blocks: the result does not depend on timing.
template <class T>
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
    Lanes partial{};
    std::size_t i = 0;
    if (on_host || reinterpret_cast<std::uintptr_t>(values) % alignof(Lanes) == 0) {
      for (; i + lanes <= count; i += lanes) {
        const Lanes read = *reinterpret_cast<const Lanes*>(values + i);
        for (std::size_t lane = 0; lane < lanes; ++lane)
          partial.at[lane] += read.at[lane] * read.at[lane];
      }
    }
    double sum = 0;
    for (; i < count; ++i) sum += static_cast<double>(values[i]) * values[i];
    for (std::size_t lane = 0; lane < lanes; ++lane) sum += partial.at[lane];
    return sum;
  }
};

template <class T>
struct Roots {
  const double* sums;
  T* out;
  std::size_t per_vector;

  KOKKOS_FUNCTION void operator()(std::size_t vector) const {
    double sum = 0;
    for (std::size_t i = 0; i < per_vector; ++i) sum += sums[vector * per_vector + i];
    out[vector] = static_cast<T>(Kokkos::sqrt(sum));
  }
};

template <class T>
std::unique_ptr<Task> prepare_for(const Norm& norm, const Target& target) {
  const T* const x = operand<T>(norm.x, norm.n * norm.batch, target);
  T* const out = operand<T>(norm.out, norm.batch, target);
  if (x == nullptr || out == nullptr) return nullptr;

  const std::size_t threads = static_cast<std::size_t>(target.space.concurrency());
  const std::size_t teams = on_host ? threads : threads / 256;
  const std::size_t shortest = on_host ? 16 * 1024 : 4 * 1024;
  const std::size_t wanted = norm.batch >= teams ? 1 : teams / std::max<std::size_t>(norm.batch, 1);
  const std::size_t per_vector = std::clamp<std::size_t>(norm.n / shortest, 1, wanted);
  const std::size_t length = (norm.n + per_vector - 1) / per_vector;
  const Workspace<double> sums(std::max<std::size_t>(norm.batch * per_vector, 1), target);
  const Stretches<T> stretches{x, sums.data(), norm.n, per_vector, length};
  const Roots<T> roots{sums.data(), out, per_vector};
  const auto run = [space = target.space](std::size_t batch, const Stretches<T>& sum,
                                          const Roots<T>& root) {
    const auto league = static_cast<int>(batch * sum.per_vector);
    Kokkos::parallel_for(Kokkos::TeamPolicy<Space>(space, league, on_host ? 1 : 256), sum);
    for_range(space, batch, batch * root.per_vector * sizeof(double), root);
  };
  // Loads the kernels, so that neither a clock nor a sequence sees that.
  run(1, {x, sums.data(), 0, 1, 0}, {sums.data(), reinterpret_cast<T*>(sums.data()), 0});
  return make_task([=, batch = norm.batch, keep = sums] { run(batch, stretches, roots); },
                   own("norm", target));
}

}  // namespace

std::unique_ptr<Task> prepare(const Norm& norm, const Target& target) {
  if (norm.type == Type::f32) return prepare_for<float>(norm, target);
  if (norm.type == Type::f64) return prepare_for<double>(norm, target);
  return nullptr;
}

}  // namespace breakeven::kokkos
