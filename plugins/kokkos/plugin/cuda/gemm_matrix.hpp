// SPDX-License-Identifier: Apache-2.0
// Launches products by tensor cores, after a copy of the operands whose lines begin at no multiples
// of 16 bytes.
#pragma once

#include <memory>

#include "launch.hpp"

namespace breakeven::kokkos {

// The matrices of an operand, all their lines one behind the other, or a copy of them whose lines
// begin at multiples of 16 bytes.
template <class T>
class AlignedLines {
 public:
  AlignedLines(const T* from, std::size_t width, std::size_t lines, const Target& target)
      : spread_{from, nullptr, width, width}, elements_(width * lines), space_(target.space) {
    if (are_aligned(from, width) || elements_ == 0) return;
    spread_.pitch = spread_pitch<T>(width);
    copy_ = std::make_shared<Workspace<T>>(spread_.pitch * lines, target);
    spread_.to = copy_->data();
    SpreadLines<T> nothing = spread_;
    nothing.width = 0;
    Kokkos::parallel_for(Kokkos::RangePolicy<Space, std::size_t>(space_, 0, 1), nothing);  // loads
  }
  const T* data() const { return copy_ ? spread_.to : spread_.from; }
  std::size_t pitch() const { return spread_.pitch; }

  // Copies them, where they have to be.
  void operator()() const {
    if (copy_)
      Kokkos::parallel_for(Kokkos::RangePolicy<Space, std::size_t>(space_, 0, elements_), spread_);
  }

 private:
  SpreadLines<T> spread_;
  std::size_t elements_;
  Space space_;
  std::shared_ptr<Workspace<T>> copy_;
};

template <class T, class Sum>
std::unique_ptr<Task> launch_matrix(const Product<T, Sum>& product, const Plan& plan,
                                    const Target& target) {
  const bool a_along = product.a_column == 1, b_along = product.b_row == 1;
  const std::size_t m = product.m, n = product.n, k = product.k, batch = product.batch;
  const AlignedLines<T> a(product.a, a_along ? k : m, batch * (a_along ? m : k), target);
  const AlignedLines<T> b(product.b, b_along ? k : n, batch * (b_along ? n : k), target);
  Product<T, Sum> aligned = product;
  aligned.a = a.data(), (a_along ? aligned.a_row : aligned.a_column) = a.pitch();
  aligned.b = b.data(), (b_along ? aligned.b_column : aligned.b_row) = b.pitch();
  const auto align = [a, b] { a(), b(); };
  return with_matrix_tiles<T, Sum>(plan, [&]<class Tiles>(Tiles) {
    return launch_with<Tiles>(aligned, plan.parts, target, align);
  });
}

}  // namespace breakeven::kokkos
