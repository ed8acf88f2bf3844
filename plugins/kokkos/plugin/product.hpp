// SPDX-License-Identifier: Apache-2.0
// A product as its kernels see it: transposes are strides by now.
#pragma once

#include <cstddef>

#include "space.hpp"
#include "task.hpp"

namespace breakeven::kokkos {

// c = alpha a b + beta c for `batch` matrices that follow one another, a being m×k, b k×n and c
// m×n, all in elements of T. c is row-major and packed.
template <class Stored, class Summed = Stored>
struct Product {
  using T = Stored;
  using Sum = Summed;

  const T *a, *b;
  T* c;
  std::size_t m, n, k, batch;
  std::size_t a_row, a_column, b_row, b_column;  // strides
  Sum alpha, beta;
  Way way = {};  // that it is made in

  // One matrix of the batch.
  KOKKOS_FUNCTION Product matrix(std::size_t i) const {
    Product one = *this;
    one.a += i * m * k, one.b += i * k * n, one.c += i * m * n, one.batch = 1;
    return one;
  }
};

// Work `total` cut into `pieces` that differ by one at most; where piece i starts.
KOKKOS_INLINE_FUNCTION std::size_t cut(std::size_t total, std::size_t pieces, std::size_t i) {
  return total / pieces * i + (i < total % pieces ? i : total % pieces);
}

// Of each flavour.
template <class T, class Sum>
std::unique_ptr<Task> launch(const Product<T, Sum>& product, const Target& target);

}  // namespace breakeven::kokkos
