// SPDX-License-Identifier: Apache-2.0
// Where the rows of a tile are.
#pragma once

#include <cstddef>

namespace breakeven::cpu {

// Rows of a, three to a pointer: then their addresses take few registers. Else the compiler, which
// is not to know how the pointers depend on each other, would keep one and many distances.
template <class T, int rows>
class RowPointers {
 public:
  [[gnu::always_inline]] RowPointers(const T* a, std::size_t stride) : stride_(stride) {
#pragma GCC unroll 32
    for (int i = 0; i < groups; ++i) {
      at_[i] = i == 0 ? a : at_[i - 1] + 3 * stride_;
      asm("" : "+r"(at_[i]));
    }
  }
  [[gnu::always_inline]] const T* at(int row) const {
    return at_[row / 3] + row % 3 * stride_;
  }
  [[gnu::always_inline]] T operator[](int row) const {
    return *at(row);
  }
  [[gnu::always_inline]] void advance(std::size_t step) {
#pragma GCC unroll 32
    for (const T*& at : at_) at += step;
  }

 private:
  static constexpr int groups = (rows + 2) / 3;
  const T* at_[groups];
  std::size_t stride_;
};

}  // namespace breakeven::cpu
