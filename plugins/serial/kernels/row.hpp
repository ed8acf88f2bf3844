// SPDX-License-Identifier: Apache-2.0
// Products with one row, of a wide b that is larger than the first caches.
#pragma once

#include <utility>

#include "plugins/cpu_common/row.hpp"
#include "plugins/serial/kernels/kernels.hpp"

namespace breakeven::serial {

// So many rows of b at once.
template <class Target, class T, int bytes, int at_once>
void run_row(const GemmPlan<T>& plan, std::size_t batch, T alpha, const T* a, const T* b, T beta,
             T* c, T*) {
  const std::size_t n = plan.shape.n, k = plan.shape.k;
  if (plan.swapped) std::swap(a, b);
  for (; batch > 0; --batch, a += k, b += k * n, c += n)
    cpu::Row<Target, T, bytes, at_once>::product(n, k, alpha, a, b, beta, c);
}

}  // namespace breakeven::serial
