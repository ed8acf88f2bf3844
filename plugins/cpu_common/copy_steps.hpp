// SPDX-License-Identifier: Apache-2.0
// A matrix that lies step by step, cut into panels of rows.
#pragma once

#include <algorithm>
#include <cstddef>

namespace breakeven::cpu {

// Row i of step p lies at from[p stride + i]. Copied to one panel behind the other, each step by
// step; panel number j has `rows_of(j)` rows, mostly `most` or one less. Several panels are copied
// at a time, which share cache lines.
template <std::size_t most, class T, class RowsOf>
[[gnu::always_inline]] inline void copy_steps(std::size_t panels, std::size_t steps, const T* from,
                                              std::size_t stride, const RowsOf& rows_of, T* to) {
  constexpr std::size_t line = 64 / sizeof(T), at_once = 4 * line, steps_ahead = 8;
  for (std::size_t first = 0, end = 0; first < panels; first = end) {
    std::size_t width = 0;
    while (end < panels && width < at_once) width += rows_of(end++);
    for (std::size_t p = 0; p < steps; ++p) {
      const T* at = from + p * stride;
      for (std::size_t i = 0; i < width; i += line)
        __builtin_prefetch(at + steps_ahead * stride + i);
      T* panel = to;
      for (std::size_t j = first; j < end; ++j) {
        const std::size_t rows = rows_of(j);
        T* const place = panel + p * rows;
        if (rows == most)  // a length that is known when this is compiled
          std::copy_n(at, most, place);
        else if (rows == most - 1)
          std::copy_n(at, most - 1, place);
        else
          std::copy_n(at, rows, place);
        at += rows, panel += rows * steps;
      }
    }
    from += width, to += width * steps;
  }
}

}  // namespace breakeven::cpu
