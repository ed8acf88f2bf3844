// SPDX-License-Identifier: Apache-2.0
// Products of 16-bit types are those of f32 between widening both operands and rounding the result
// once: passes over n^2 elements, beside the n^3 of the product.
#include "../product.hpp"
#include "halves.hpp"

namespace breakeven::kokkos {
namespace {

template <class T>
void widen_all(const Space& space, std::size_t n, const T* from, float* to) {
  for_half_blocks(space, n, n * (sizeof(T) + sizeof(float)),
                  [=](std::size_t first, std::size_t count) {
                    cpu::widen<Format<T>>(count, from + first, to + first);
                  });
}

template <class T>
std::unique_ptr<Task> launch_wide(const Product<T, float>& product, const Target& target) {
  const std::size_t a = product.batch * product.m * product.k,
                    b = product.batch * product.k * product.n,
                    c = product.batch * product.m * product.n;
  const Workspace<float> wide_a(a, target), wide_b(b, target), wide_c(c, target);
  std::shared_ptr<Task> multiply =
      launch(Product<float>{wide_a.data(), wide_b.data(), wide_c.data(), product.m, product.n,
                            product.k, product.batch, product.a_row, product.a_column,
                            product.b_row, product.b_column, product.alpha, product.beta},
             target);
  const TaskInfo info = multiply->info();
  return make_task(
      [=, space = target.space] {
        widen_all(space, a, product.a, wide_a.data());
        widen_all(space, b, product.b, wide_b.data());
        if (product.beta != 0) widen_all(space, c, product.c, wide_c.data());
        multiply->enqueue();
        for_half_blocks(
            space, c, c * (sizeof(T) + sizeof(float)),
            [to = product.c, from = wide_c.data()](std::size_t first, std::size_t count) {
              cpu::narrow<Format<T>>(count, from + first, to + first);
            });
      },
      info);
}

}  // namespace

template <>
std::unique_ptr<Task> launch(const Product<Half, float>& product, const Target& target) {
  return launch_wide(product, target);
}
template <>
std::unique_ptr<Task> launch(const Product<BrainHalf, float>& product, const Target& target) {
  return launch_wide(product, target);
}

}  // namespace breakeven::kokkos
