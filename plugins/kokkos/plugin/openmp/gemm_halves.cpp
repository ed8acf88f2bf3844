// SPDX-License-Identifier: Apache-2.0
// Products of 16-bit types are those of f32 with operands prepared in f32's place, and a result
// that is rounded once: passes over n^2 elements, beside the n^3 of the product.
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

// The same product of operands in f32's place, `k` of them to a line, and the room for them.
template <class T>
struct Wide {
  Product<T, float> narrow;
  std::size_t k;
  Workspace<float> a, b, c;

  Wide(const Product<T, float>& product, std::size_t depth, const Target& target)
      : narrow(product),
        k(depth),
        a(product.batch * product.m * depth, target),
        b(product.batch * depth * product.n, target),
        c(product.batch * product.m * product.n, target) {}

  Product<float> product() const {
    return {a.data(),
            b.data(),
            c.data(),
            narrow.m,
            narrow.n,
            k,
            narrow.batch,
            narrow.a_column == 1 ? k : narrow.a_row,
            narrow.a_column,
            narrow.b_row,
            narrow.b_row == 1 ? k : narrow.b_column,
            narrow.alpha,
            narrow.beta};
  }

  // prepare(space) fills a and b.
  template <class Prepare>
  std::unique_ptr<Task> around(std::shared_ptr<Task> multiply, const Target& target,
                               Prepare prepare) const {
    const TaskInfo info = multiply->info();
    return make_task(
        [=, all = *this, space = target.space] {
          const std::size_t count = all.narrow.batch * all.narrow.m * all.narrow.n;
          prepare(space);
          if (all.narrow.beta != 0) widen_all(space, count, all.narrow.c, all.c.data());
          multiply->enqueue();
          for_half_blocks(
              space, count, count * (sizeof(T) + sizeof(float)),
              [to = all.narrow.c, from = all.c.data()](std::size_t first, std::size_t part) {
                cpu::narrow<Format<T>>(part, from + first, to + first);
              });
        },
        info);
  }
};

template <class T>
std::unique_ptr<Task> launch_wide(const Product<T, float>& product, const Target& target) {
  const Wide<T> wide(product, product.k, target);
  return wide.around(launch(wide.product(), target), target, [=](const Space& space) {
    widen_all(space, product.batch * product.m * product.k, product.a, wide.a.data());
    widen_all(space, product.batch * product.k * product.n, product.b, wide.b.data());
  });
}

#if defined(PAIRS_OF_BF16)
// Two steps of k at once: an element in f32's place is a pair of bf16, the lower half the first.
struct PairOfSteps {
  template <class Vector>
  static Vector to(const Vector& sum, const Vector& left, const Vector& right) {
    const auto pairs = [](const Vector& of) { return __m512bh(static_cast<__m512>(of)); };
    return Vector(_mm512_dpbf16_ps(static_cast<__m512>(sum), pairs(left), pairs(right)));
  }
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
      for (std::size_t j = 0; j < columns; ++j)
        line[j] = std::bit_cast<float>(std::uint32_t(first[j].bits) |
                                       std::uint32_t(first[columns + j].bits) << 16);
    } else {
      for (std::size_t j = 0; j < columns; ++j)
        line[j] = std::bit_cast<float>(std::uint32_t(first[j].bits));
    }
  });
}

std::unique_ptr<Task> launch_pairs(const Product<BrainHalf, float>& product, const Target& target) {
  const Wide<BrainHalf> wide(product, (product.k + 1) / 2, target);
  return wide.around(launch_with<PairOfSteps>(wide.product(), target), target,
                     [=](const Space& space) {
                       const std::size_t batch = product.batch;
                       if (product.a_column == 1)
                         pair_along(space, batch * product.m, product.k, product.a, wide.a.data());
                       else
                         pair_across(space, batch, product.k, product.m, product.a, wide.a.data());
                       if (product.b_row == 1)
                         pair_along(space, batch * product.n, product.k, product.b, wide.b.data());
                       else
                         pair_across(space, batch, product.k, product.n, product.b, wide.b.data());
                     });
}
#endif

}  // namespace

template <>
std::unique_ptr<Task> launch(const Product<Half, float>& product, const Target& target) {
  return launch_wide(product, target);
}
template <>
std::unique_ptr<Task> launch(const Product<BrainHalf, float>& product, const Target& target) {
#if defined(PAIRS_OF_BF16)
  return launch_pairs(product, target);
#else
  return launch_wide(product, target);
#endif
}

}  // namespace breakeven::kokkos
