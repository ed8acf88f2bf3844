// SPDX-License-Identifier: Apache-2.0
// Sums over vectors: what a team does.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "space.hpp"
#if !defined(KOKKOS_ENABLE_CUDA)
#include "openmp/halves.hpp"
#endif

namespace breakeven::kokkos {

using Team = Kokkos::TeamPolicy<Space>::member_type;

// Vectors are cut into stretches so that all threads have work even for one long vector. Each
// stretch is summed by a team, in the order of its blocks: the result does not depend on timing.
// Sums of squares, or of the numbers themselves.
template <class T, bool squares, bool host = on_host>
struct Stretches {
  const T* x;
  double* sums;
  std::size_t n, per_vector, length;

  KOKKOS_FUNCTION void operator()(const Team& team) const { sum_stretch(team); }

  // Teams of Kokkos, and others that have their functions.
  template <class AnyTeam>
  KOKKOS_FUNCTION void sum_stretch(const AnyTeam& team) const {
    const std::size_t stretch = team.league_rank();
    const std::size_t vector = stretch / per_vector, first = stretch % per_vector * length;
    const std::size_t count = first >= n ? 0 : Kokkos::min(length, n - first);
    const T* const start = x + vector * n + first;
    const std::size_t all = team.team_size() * block;
    double sum = 0;
    for (std::size_t i = team.team_rank() * block; i < count; i += all)
      sum += sum_block(start + i, count - i < block ? count - i : block);
    team.team_reduce(Kokkos::Sum<double>(sum));
    if (team.team_rank() == 0) sums[stretch] = sum;
  }

  // What a thread takes at a time: 16 bytes on a GPU, where its neighbours take the next ones; on a
  // CPU as much as fills its vectors with short sums in the type of the data. The total is a
  // double.
  static constexpr std::size_t block = host ? 2048 : 16 / sizeof(T);
  static constexpr std::size_t lanes = host ? 256 / sizeof(T) : block;
  struct alignas(host ? alignof(T) : 16) Lanes {
    T at[lanes];
  };
  KOKKOS_FUNCTION static double sum_block(const T* values, std::size_t count) {
#if !defined(KOKKOS_ENABLE_CUDA)
    if constexpr (cpu::Half<T>) {
      alignas(64) float wide[block];
      cpu::widen<Format<T>>(count, values, wide);
      return Stretches<float, squares, host>::sum_block(wide, count);
    } else
#endif
      return sum_of(values, count);
  }
  KOKKOS_FUNCTION static double sum_of(const T* values, std::size_t count) {
    Lanes partial{};
    std::size_t i = 0;
    if (host || reinterpret_cast<std::uintptr_t>(values) % alignof(Lanes) == 0) {
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

  // Of a vector that is one stretch, or on a CPU, a thread makes the result, else a team.
  KOKKOS_FUNCTION void operator()(std::size_t vector) const {
    double sum = 0;
    for (std::size_t i = 0; i < per_vector; ++i) sum += sums[vector * per_vector + i];
    keep(vector, sum);
  }
  KOKKOS_FUNCTION void operator()(const Team& team) const { join(team); }

  template <class AnyTeam>
  KOKKOS_FUNCTION void join(const AnyTeam& team) const {
    const std::size_t vector = team.league_rank(), threads = team.team_size();
    double sum = 0;
    for (std::size_t i = team.team_rank(); i < per_vector; i += threads)
      sum += sums[vector * per_vector + i];
    team.team_reduce(Kokkos::Sum<double>(sum));
    if (team.team_rank() == 0) keep(vector, sum);
  }

 private:
  KOKKOS_FUNCTION void keep(std::size_t vector, double sum) const {
    out[vector] = static_cast<Out>(squares ? Kokkos::sqrt(sum) : sum);
  }
};

}  // namespace breakeven::kokkos
