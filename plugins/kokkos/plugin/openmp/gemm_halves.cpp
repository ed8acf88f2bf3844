// SPDX-License-Identifier: Apache-2.0
// Products of 16-bit types, summed in f32 and rounded once.
#include "gemm.hpp"

#include <bit>
#include <cstring>

#include "halves.hpp"

#if defined(__AVX512BF16__) && defined(KOKKOS_ARCH_AVX512XEON)
#define PAIRS_OF_BF16  // in registers of Kokkos' vectors
#include <immintrin.h>
#endif

namespace breakeven::kokkos {

extern template std::unique_ptr<Task> launch(const Product<float>&, const Target&);

namespace {

template <class T>
void widen_all(const Space& space, std::size_t n, const T* from, float* to) {
  for_half_blocks(space, n, n * (sizeof(T) + sizeof(float)),
                  [=](std::size_t first, std::size_t count) {
                    cpu::widen<Format<T>>(count, from + first, to + first);
                  });
}

// Operands widened into f32, and a result rounded from there.
template <class T>
std::unique_ptr<Task> launch_wide(const Product<T, float>& product, const Target& target) {
  const std::size_t mk = product.batch * product.m * product.k;
  const std::size_t kn = product.batch * product.k * product.n;
  const std::size_t mn = product.batch * product.m * product.n;
  const Workspace<float> a(mk, target), b(kn, target), c(mn, target);
  const std::shared_ptr<Task> multiply =
      launch(Product<float>{a.data(), b.data(), c.data(), product.m, product.n, product.k,
                            product.batch, product.a_row, product.a_column, product.b_row,
                            product.b_column, product.alpha, product.beta},
             target);
  return make_task(
      [=, space = target.space] {
        widen_all(space, mk, product.a, a.data());
        widen_all(space, kn, product.b, b.data());
        if (product.beta != 0) widen_all(space, mn, product.c, c.data());
        multiply->enqueue();
        for_half_blocks(space, mn, mn * (sizeof(T) + sizeof(float)),
                        [to = product.c, from = c.data()](std::size_t first, std::size_t count) {
                          cpu::narrow<Format<T>>(count, from + first, to + first);
                        });
      },
      multiply->info());
}

// One step of k at a time: b is widened where it is copied, c rounded where it is stored.
template <class Half>
struct WideStep {
  using T = float;
  using C = Half;
  using Vector = HostTraits<float>::Vector;
  static constexpr bool whole_k = true, copies_b = true;
  static constexpr auto flag = Kokkos::Experimental::simd_flag_default;

  static constexpr std::size_t steps(std::size_t k) { return k; }
  static void copy_b(const Product<Half, float>& product, std::size_t p, std::size_t j,
                     std::size_t n, float* to) {
    const Half* const from = product.b + p * product.b_row + j * product.b_column;
    if (product.b_column == 1) {
      prefetch_b(product, p, j, n);
      cpu::widen<Format<Half>>(n, from, to);
    } else {
      for (std::size_t i = 0; i < n; ++i)
        cpu::widen<Format<Half>>(1, from + i * product.b_column, to + i);
    }
  }
  static Vector add(const Vector& sum, const Vector& left, const Vector& right) {
    return Kokkos::fma(left, right, sum);
  }
  static Vector load(const Half* c, std::size_t count) {
    float wide[Vector::size()] = {};
    cpu::widen<Format<Half>>(count, c, wide);
    return Vector(wide, flag);
  }
  static void store(Half* c, std::size_t count, const Vector& sum) {
    float wide[Vector::size()];
    Kokkos::Experimental::simd_unchecked_store(sum, wide, flag);
    cpu::narrow<Format<Half>>(count, wide, c);
  }
};

// b with all steps of k has to leave room in the second-level cache, and of a small product the
// matrices are widened at once in less time.
template <class Product>
bool is_widened_in_passing(const Product& product) {
  using Traits = HostTraits<float>;
  return product.k <=
             Traits::panel_depth * Traits::panel_columns / Panel<WideStep<cpu::F16>>::width &&
         product.m * product.n * product.k >= 48 * 48 * 48;
}

template <class T>
std::unique_ptr<Task> launch_halves(const Product<T, float>& product, const Target& target) {
  if (!is_widened_in_passing(product)) return launch_wide(product, target);
  const std::size_t of_a = product.m * product.k, all = product.batch * of_a;
  const Workspace<float> a(all, target);
  const std::shared_ptr<Task> multiply =
      launch_steps<WideStep<T>>({product, a.data(), product.a_row, product.a_column, of_a}, target);
  return make_task(
      [=, space = target.space] {
        widen_all(space, all, product.a, a.data());
        multiply->enqueue();
      },
      multiply->info());
}

#if defined(PAIRS_OF_BF16)
constexpr __mmask16 all = 0xffff;  // without a mask GCC 12 warns of its own header

float pair(BrainHalf first, BrainHalf second) {
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
    const std::size_t row = product.b_row, column = product.b_column;
    const BrainHalf* const first = product.b + 2 * p * row + j * column;
    const bool both = 2 * p + 1 < product.k;
    if (column != 1) {
      for (std::size_t i = 0; i < n; ++i)
        to[i] = pair(first[i * column], both ? first[i * column + row] : BrainHalf{});
    } else if (both) {
      prefetch_b(product, 2 * p, j, n);
      prefetch_b(product, 2 * p + 1, j, n);
      for (std::size_t i = 0; i < n; ++i) to[i] = pair(first[i], first[i + row]);
    } else {
      for (std::size_t i = 0; i < n; ++i) to[i] = pair(first[i], {});
    }
  }
  static Vector add(const Vector& sum, const Vector& left, const Vector& right) {
    const auto pairs = [](const Vector& of) { return __m512bh(static_cast<__m512>(of)); };
    return Vector(_mm512_dpbf16_ps(static_cast<__m512>(sum), pairs(left), pairs(right)));
  }
  static Vector load(const BrainHalf* c, std::size_t count) {
    const __m512i wide =
        _mm512_maskz_cvtepu16_epi32(all, _mm256_maskz_loadu_epi16(first(count), c));
    return Vector(__m512(_mm512_maskz_slli_epi32(all, wide, 16)));
  }
  static void store(BrainHalf* c, std::size_t count, const Vector& sum) {
    const __m256bh rounded = _mm512_maskz_cvtneps_pbh(all, static_cast<__m512>(sum));
    _mm256_mask_storeu_epi16(c, first(count), __m256i(rounded));
  }

 private:
  static __mmask16 first(std::size_t count) { return __mmask16(0xffff >> (16 - count)); }
};

// `lines` of k elements that follow one another become lines of pairs.
void pair_along(const Space& space, std::size_t lines, std::size_t k, const BrainHalf* from,
                float* to) {
  for_range(space, lines, lines * k * 2 * sizeof *from, [=](std::size_t line) {
    auto* const pairs = reinterpret_cast<std::byte*>(to + line * ((k + 1) / 2));
    std::memcpy(pairs, from + line * k, k * sizeof *from);
    if (k % 2 != 0) std::memset(pairs + k * sizeof *from, 0, sizeof *from);
  });
}

// Of each of `matrices` k lines of `columns` elements become half as many, of pairs.
void pair_across(const Space& space, std::size_t matrices, std::size_t k, std::size_t columns,
                 const BrainHalf* from, float* to) {
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

std::unique_ptr<Task> launch_pairs(const Product<BrainHalf, float>& product, const Target& target) {
  const auto& [a, b, c, m, n, k, batch, a_row, a_column, b_row, b_column, alpha, beta] = product;
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
#endif

}  // namespace

template <>
std::unique_ptr<Task> launch(const Product<Half, float>& product, const Target& target) {
  return launch_halves(product, target);
}
template <>
std::unique_ptr<Task> launch(const Product<BrainHalf, float>& product, const Target& target) {
#if defined(PAIRS_OF_BF16)
  return launch_pairs(product, target);
#else
  return launch_halves(product, target);
#endif
}

}  // namespace breakeven::kokkos
