// SPDX-License-Identifier: Apache-2.0
// The tensor cores of a warp of fibers. Copies that a thread begins arrive as late as a GPU may let
// them: where it waits for them. Numbers of 16 bits are integers here.
#pragma once

#include <cstddef>

#include "cuda/tensor_cores.hpp"
#include "fiber_team.hpp"

namespace breakeven::kokkos {

template <class T>
struct FiberCores {
  template <class Sum>
  static void multiply_add(Sum (&d)[4], const Part<T>& upper, const Part<T>& lower,
                           const Part<T>& right);
  using Address = std::byte*;
  static Address address_of(std::byte* scratch) { return scratch; }
  static void load(Part<T>& part, Address from) { part = *reinterpret_cast<const Part<T>*>(from); }
  static void load_turned(Part<T>& lower_lines, Part<T>& upper_lines, Address line);
  static void copy(Address to, const T* from, int inside);
  static void end_group();
  template <int left>
  static void wait_for_groups() {
    wait(left);
  }
  static void meet(const FiberTeam& team) { team.team_barrier(); }
  // Of all threads: a block that a fault ended leaves some behind.
  static void forget_copies();

 private:
  static void wait(std::size_t left);
};

template <class T>
struct TensorCoresOf<FiberTeam, T> {
  using type = FiberCores<T>;
};

}  // namespace breakeven::kokkos
