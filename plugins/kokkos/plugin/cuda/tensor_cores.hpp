// SPDX-License-Identifier: Apache-2.0
// What a warp does together on a GPU from compute capability 8.0 on, and copies that go on while it
// computes: PTX, which the host compiler does not see.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "blocked_product.hpp"

namespace breakeven::kokkos {

// What a lane holds of a line's 32 bytes, of which lane l of the warp has the (l % 4)-th eight: one
// step of k in f64, four of 16-bit numbers, two to a word.
template <class T>
using Part =
    Chunk<std::conditional_t<sizeof(T) == 8, double, std::uint32_t>, sizeof(T) == 8 ? 1 : 2>;

template <class T>
struct TensorCores {
  // d += x y, of 16 lines of a and 8 of b: lane l holds lines l / 4 and l / 4 + 8 of a (`upper`,
  // `lower`), line l / 4 of b, and of d the elements of columns l % 4 * 2 and the next in row l /
  // 4, then in row l / 4 + 8.
  template <class Sum>
  KOKKOS_FUNCTION static void multiply_add([[maybe_unused]] Sum (&d)[4],
                                           [[maybe_unused]] const Part<T>& upper,
                                           [[maybe_unused]] const Part<T>& lower,
                                           [[maybe_unused]] const Part<T>& right) {
#if defined(__CUDA_ARCH__)
    if constexpr (sizeof(T) == 8) {
#if __CUDA_ARCH__ >= 900
      asm("mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5}, {%6}, "
          "{%0, %1, %2, %3};"
          : "+d"(d[0]), "+d"(d[1]), "+d"(d[2]), "+d"(d[3])
          : "d"(upper.at[0]), "d"(lower.at[0]), "d"(right.at[0]));
#else
      asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
          : "+d"(d[0]), "+d"(d[1])
          : "d"(upper.at[0]), "d"(right.at[0]));
      asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
          : "+d"(d[2]), "+d"(d[3])
          : "d"(lower.at[0]), "d"(right.at[0]));
#endif
    } else if constexpr (std::is_same_v<T, Half>) {
      asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
          "{%8, %9}, {%0, %1, %2, %3};"
          : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
          : "r"(upper.at[0]), "r"(lower.at[0]), "r"(upper.at[1]), "r"(lower.at[1]),
            "r"(right.at[0]), "r"(right.at[1]));
    } else {
      asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, "
          "%7}, {%8, %9}, {%0, %1, %2, %3};"
          : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
          : "r"(upper.at[0]), "r"(lower.at[0]), "r"(upper.at[1]), "r"(lower.at[1]),
            "r"(right.at[0]), "r"(right.at[1]));
    }
#endif
  }

  // Of scratch memory.
  using Address = unsigned;
  KOKKOS_FUNCTION static Address address_of([[maybe_unused]] const std::byte* scratch) {
#if defined(__CUDA_ARCH__)
    return static_cast<unsigned>(__cvta_generic_to_shared(scratch));
#else
    return 0;
#endif
  }

  KOKKOS_FUNCTION static void load([[maybe_unused]] Part<T>& part, [[maybe_unused]] Address from) {
#if defined(__CUDA_ARCH__)
    if constexpr (sizeof(T) == 8)
      asm volatile("ld.shared.f64 %0, [%1];" : "=d"(part.at[0]) : "r"(from) : "memory");
    else
      asm volatile("ld.shared.v2.u32 {%0, %1}, [%2];"
                   : "=r"(part.at[0]), "=r"(part.at[1])
                   : "r"(from)
                   : "memory");
#endif
  }

  // Four matrices of 8 lines by 8 steps of k in 16 bits, turned: each lane's `line` is where 16
  // bytes lie, a step of k of 8 lines, eight lanes' to a matrix. The first two make `lower_lines`,
  // the others `upper_lines`.
  KOKKOS_FUNCTION static void load_turned([[maybe_unused]] Part<T>& lower_lines,
                                          [[maybe_unused]] Part<T>& upper_lines,
                                          [[maybe_unused]] Address line) {
#if defined(__CUDA_ARCH__)
    if constexpr (sizeof(T) == 2)
      asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                   : "=r"(lower_lines.at[0]), "=r"(lower_lines.at[1]), "=r"(upper_lines.at[0]),
                     "=r"(upper_lines.at[1])
                   : "r"(line)
                   : "memory");
#endif
  }

  // Begins to copy `inside` bytes to scratch memory, and zeros behind them up to 16.
  KOKKOS_FUNCTION static void copy([[maybe_unused]] Address to, [[maybe_unused]] const T* from,
                                   [[maybe_unused]] int inside) {
#if defined(__CUDA_ARCH__)
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;"
                 :
                 : "r"(to), "l"(from), "r"(inside)
                 : "memory");
#endif
  }
  // Copies that this thread began since the last call are one group.
  KOKKOS_FUNCTION static void end_group() {
#if defined(__CUDA_ARCH__)
    asm volatile("cp.async.commit_group;" : : : "memory");
#endif
  }
  // Waits until all but the last `left` groups of this thread have arrived.
  template <int left>
  KOKKOS_FUNCTION static void wait_for_groups() {
#if defined(__CUDA_ARCH__)
    asm volatile("cp.async.wait_group %0;" : : "n"(left) : "memory");
#endif
  }

  // The team's barrier; Kokkos' own asks what a team is, in the middle of the loop.
  template <class Team>
  KOKKOS_FUNCTION static void meet(const Team&) {
#if defined(__CUDA_ARCH__)
    __syncthreads();
#endif
  }
};

// Those of a team; of others than Kokkos' they are a specialization's.
template <class Team, class T>
struct TensorCoresOf {
  using type = TensorCores<T>;
};

}  // namespace breakeven::kokkos
