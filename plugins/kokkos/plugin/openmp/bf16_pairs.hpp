// SPDX-License-Identifier: Apache-2.0
// Products of bf16 by AVX512_BF16, two steps of k at once, in registers of Kokkos' vectors.
#pragma once

#include <immintrin.h>

#include <bit>
#include <cstring>

#include "gemm.hpp"
#include "halves.hpp"

namespace breakeven::kokkos {

inline constexpr __mmask16 all = 0xffff;  // without a mask GCC 12 warns of its own header

inline float pair(BrainHalf first, BrainHalf second) {
  return std::bit_cast<float>(std::uint32_t(first.bits) | std::uint32_t(second.bits) << 16);
}

// Two steps of k at once: an element in f32's place is a pair of bf16, the lower half the first,
// and zero the second of an odd k.
struct PairOfSteps {
  using T = float;
  using C = BrainHalf;
  using Vector = HostTraits<float>::Vector;
  static constexpr bool whole_k = true, copies_b = true;

  static constexpr std::size_t steps(std::size_t k) { return (k + 1) / 2; }
  static void copy_b(const Product<BrainHalf, float>& product, std::size_t p, std::size_t j,
                     std::size_t n, float* to) {
    const BrainHalf* const row = product.b + 2 * p * product.b_row + j;
    const bool has_next = 2 * p + 1 < product.k;
    prefetch_b(product, 2 * p, j, n);
    if (has_next) prefetch_b(product, 2 * p + 1, j, n);
    const auto copy = [&](std::size_t i, __mmask16 mask) __attribute__((always_inline)) {
      const __m512i next = widened(row + product.b_row + i, has_next ? mask : __mmask16(0));
      _mm512_storeu_si512(
          to + i, _mm512_or_epi32(widened(row + i, mask), _mm512_maskz_slli_epi32(all, next, 16)));
    };
    std::size_t i = 0;
    for (; i + Vector::size() <= n; i += Vector::size()) copy(i, all);
    if (i < n) copy(i, first(n - i));
  }
  static const float* read_b(const Product<BrainHalf, float>& product, std::size_t j, std::size_t p,
                             std::size_t n, float* to) {
    const BrainHalf* const first = product.b + 2 * p + j * product.b_column;
    const std::size_t count = std::min(2 * n, product.k - 2 * p);
    std::memcpy(static_cast<void*>(to), first, count * sizeof *first);
    if (count % 2 != 0) to[n - 1] = pair(first[count - 1], {});
    return to;
  }
  // As integers: with a Zen 4 to spread a number in f32 takes time from the multipliers.
  static Vector everywhere(float left) {
    return Vector(__m512(_mm512_set1_epi32(std::bit_cast<int>(left))));
  }
  static Vector add(const Vector& sum, const Vector& left, const Vector& right) {
    const auto pairs = [](const Vector& of) { return __m512bh(static_cast<__m512>(of)); };
    return Vector(_mm512_dpbf16_ps(static_cast<__m512>(sum), pairs(left), pairs(right)));
  }
  static Vector load(const BrainHalf* c, std::size_t count) {
    return Vector(__m512(_mm512_maskz_slli_epi32(all, widened(c, first(count)), 16)));
  }
  static void store(BrainHalf* c, std::size_t count, const Vector& sum) {
    const __m256bh rounded = _mm512_maskz_cvtneps_pbh(all, static_cast<__m512>(sum));
    _mm256_mask_storeu_epi16(c, first(count), __m256i(rounded));
  }

 private:
  static __mmask16 first(std::size_t count) { return __mmask16(0xffff >> (16 - count)); }
  static __m512i widened(const BrainHalf* from, __mmask16 there) {
    return _mm512_maskz_cvtepu16_epi32(all, _mm256_maskz_loadu_epi16(there, from));
  }
};

// `lines` of k elements that follow one another become lines of pairs.
inline void pair_along(const Space& space, std::size_t lines, std::size_t k, const BrainHalf* from,
                       float* to) {
  for_range(space, lines, lines * k * 2 * sizeof *from, [=](std::size_t line) {
    auto* const pairs = reinterpret_cast<std::byte*>(to + line * ((k + 1) / 2));
    std::memcpy(pairs, from + line * k, k * sizeof *from);
    if (k % 2 != 0) std::memset(pairs + k * sizeof *from, 0, sizeof *from);
  });
}

// Of each of `matrices` k lines of `columns` elements become half as many, of pairs.
inline void pair_across(const Space& space, std::size_t matrices, std::size_t k,
                        std::size_t columns, const BrainHalf* from, float* to) {
  const std::size_t pairs = (k + 1) / 2;
  for_range(space, matrices * pairs, matrices * k * columns * 2 * sizeof *from, [=](std::size_t i) {
    const std::size_t step = i % pairs * 2;
    const BrainHalf* const first = from + (i / pairs * k + step) * columns;
    float* const line = to + i * columns;
    if (step + 1 < k) {
      for (std::size_t j = 0; j < columns; ++j) line[j] = pair(first[j], first[columns + j]);
    } else {
      for (std::size_t j = 0; j < columns; ++j) line[j] = pair(first[j], {});
    }
  });
}

inline std::unique_ptr<Task> launch_pairs(const Product<BrainHalf, float>& product,
                                          const Target& target) {
  const auto& [a, b, c, m, n, k, batch, a_row, a_column, b_row, b_column, alpha, beta, way] =
      product;
  const std::size_t pairs = PairOfSteps::steps(k);
  const bool along = a_column == 1;
  // Pairs that lie together where pairs may lie need no copy.
  if (along && k % 2 == 0 && reinterpret_cast<std::uintptr_t>(a) % alignof(float) == 0) {
    const auto* const in_place = reinterpret_cast<const float*>(a);
    return launch_steps<PairOfSteps>({product, in_place, pairs, 1, m * pairs}, target);
  }
  const Workspace<float> copy(batch * m * pairs, target);
  const std::shared_ptr<Task> multiply = launch_steps<PairOfSteps>(
      {product, copy.data(), along ? pairs : 1, along ? 1 : m, m * pairs}, target);
  return make_task(
      [=, space = target.space] {
        if (along)
          pair_along(space, product.batch * product.m, product.k, product.a, copy.data());
        else
          pair_across(space, product.batch, product.k, product.m, product.a, copy.data());
        multiply->enqueue();
      },
      multiply->info());
}

}  // namespace breakeven::kokkos
