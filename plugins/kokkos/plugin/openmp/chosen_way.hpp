// SPDX-License-Identifier: Apache-2.0
// The fastest way found to make a product (turned.hpp makes it in each): that of the rules, unless
// another one is faster where both are tried.
#pragma once

#include <algorithm>
#include <array>
#include <memory>

#include "plugins/cpu_common/plan_option.hpp"
#include "plugins/cpu_common/trial.hpp"
#include "turned.hpp"

namespace breakeven::kokkos {

// So much of a product as is tried of it.
template <class T>
Product<T> part_to_try(Product<T> product) {
  auto& [a, b, c, m, n, k, batch, a_row, a_column, b_row, b_column, alpha, beta, way] = product;
  const cpu::Extents part = cpu::part_to_try({m, n, k, batch}, sizeof(T));
  m = part.m, n = part.n, k = part.k, batch = part.batch;
  (a_column == 1 ? a_row : a_column) = a_column == 1 ? k : m;
  (b_column == 1 ? b_row : b_column) = b_column == 1 ? n : k;
  return product;
}

// Operands of ones, for trials, that begin in their pages where those of `product` do. What is
// added to c stays in range, however often that is done.
template <class T>
class StandIns {
 public:
  StandIns(const Product<T>& product, const Target& target)
      : target_(target),
        a_(product.batch * product.m * product.k + spare, target),
        b_(product.batch * product.k * product.n + spare, target),
        c_(product.batch * product.m * product.n + spare, target),
        product_(product) {
    product_.a = ones(a_, product.a, product.batch * product.m * product.k);
    product_.b = ones(b_, product.b, product.batch * product.k * product.n);
    product_.c = ones(c_, product.c, product.batch * product.m * product.n);
    if (product_.beta != 0) product_.beta = 1;
  }
  const Product<T>& product() const { return product_; }

 private:
  static constexpr std::size_t spare = cpu::page_bytes / sizeof(T);
  T* ones(const Workspace<T>& memory, const T* like, std::size_t elements) const {
    T* const data = reinterpret_cast<T*>(cpu::placed_like(like, memory.data()));
    Kokkos::parallel_for(Kokkos::RangePolicy<Space>(target_.space, 0, elements),
                         [=](std::size_t i) { data[i] = T(1); });
    return data;
  }
  const Target& target_;
  Workspace<T> a_, b_, c_;
  Product<T> product_;
};

// Whether it may matter to a product that it is made in this way: launch_as_decided and what it
// calls ask for a decision only where these conditions hold.
template <class T>
bool may_differ(const Product<T>& product, const Way& way) {
  const bool is_matrix = product.m > 1 && product.n > 1 && product.k > 1;
  const bool a_lies = product.a_column == 1, b_lies = product.b_column == 1;
  if (way.turns_a && (a_lies || !is_matrix)) return false;
  if (way.turns_b && (b_lies || !is_matrix)) return false;
  if (way.turns_c && ((a_lies && b_lies) || !is_matrix)) return false;
  const bool few_steps = vector_bytes >= 32 && product.k <= cpu::most_steps_of_rows;
  const bool few = NarrowRows<T>::may_be(product.m, product.n, product.k) ||
                   NarrowRows<T>::may_be(product.n, product.m, product.k);
  if (way.by_rows && !few_steps && !few) return false;
  if (way.sums && std::min(product.m, product.n) > HostTraits<T>::most_along) return false;
  return way.rules == cpu::family || vector_bytes == 64;
}

template <class T>
Way fastest_way(const Product<T>& product, const Target& target) {
  const Product<T> part = part_to_try(product);
  const auto threads = static_cast<std::size_t>(target.space.concurrency());
  const cpu::Extents extents{part.m, part.n, part.k, part.batch};
  if (!cpu::may_be_tried(extents, threads)) return {};
  const StandIns<T> operands(part, target);
  const auto prepare = [&](const Way& other) -> cpu::Run {
    Product<T> one = operands.product();
    one.way = other;
    if (!may_differ(one, other)) return {};
    return [task = std::shared_ptr<Task>(launch_as_decided(one, target))] { task->enqueue(); };
  };
  return cpu::fastest_way(prepare, cpu::to_put_far(operands.product().c, extents));
}

// Found once for products of one shape, with the operands of the first one.
template <class T>
Way known_way(const Product<T>& product, const Target& target) {
  static cpu::Known<std::array<std::size_t, 7>> known;
  return known.of({product.m, product.n, product.k, product.batch, product.a_column,
                   product.b_column, std::size_t(product.beta == 0)},
                  [&] { return fastest_way(product, target); });
}

template <class T, class Sum>
std::unique_ptr<Task> launch(const Product<T, Sum>& asked, const Target& target) {
  Product<T, Sum> product = asked;
  // One step of a or of b lies the same way either way.
  if (product.k == 1)
    product.a_row = product.a_column = product.b_column = 1, product.b_row = product.n;
  product.way = target.way ? *target.way : known_way(product, target);
  Target told = target;
  told.gemm = cpu::gemm_routine(product.way);
  return launch_as_decided(product, told);
}

}  // namespace breakeven::kokkos
