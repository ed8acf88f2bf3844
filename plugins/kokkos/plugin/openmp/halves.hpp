// SPDX-License-Identifier: Apache-2.0
// 16-bit types on the cores of a CPU: widened into the first cache, a block at a time.
#pragma once

#include <algorithm>
#include <type_traits>

#include "../range.hpp"
#include "plugins/cpu_common/halves.hpp"
#if defined(__AVX2__) && defined(__F16C__)
#define HALVES_BY_INSTRUCTIONS
#include "plugins/cpu_common/x86_halves.hpp"
#endif
#include "tanh.hpp"

namespace breakeven::kokkos {

inline constexpr std::size_t half_block = 1024;  // elements: 4 KiB when they are wide

#if defined(HALVES_BY_INSTRUCTIONS)
using OfF16 = cpu::F16Instructions<vector_bytes>;
using OfBf16 = cpu::Bf16Instructions<vector_bytes>;
#else
using OfF16 = cpu::F16Format<vector_bytes>;
using OfBf16 = cpu::Bf16Format<vector_bytes>;
#endif
template <cpu::Half T>
using Format = std::conditional_t<std::is_same_v<T, cpu::F16>, OfF16, OfBf16>;

// work(first, count) for the blocks of n elements; all of it touches `bytes` of memory.
template <class Work>
void for_half_blocks(const Space& space, std::size_t n, std::size_t bytes, const Work& work) {
  for_range(space, (n + half_block - 1) / half_block, bytes, [=](std::size_t block) {
    const std::size_t first = block * half_block;
    work(first, std::min(half_block, n - first));
  });
}

}  // namespace breakeven::kokkos
