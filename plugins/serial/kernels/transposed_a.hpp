// SPDX-License-Identifier: Apache-2.0
// Whether an a that is transposed is copied, panel by panel, or read where it lies.
#pragma once

#include <algorithm>

#include "plugins/serial/kernels/caches.hpp"
#include "plugins/serial/kernels/kernels.hpp"

namespace breakeven::serial {

// How many steps at a time an Intel multiplies of a transposed a that it reads where it lies: as
// many as the second cache holds beside b. 0 where it holds all of a, where too few steps fill it,
// and where adding to c so often takes longer than copying a.
template <class Target, class T>
std::size_t steps_of_transposed_a(const GemmShape& shape, const Way& way) {
  const std::size_t step_bytes = shape.m * sizeof(T);
  const std::size_t c_bytes = step_bytes * shape.n;
  // Few steps pass over c often, which a small c bears.
  const std::size_t most_bytes = c_bytes <= (768 << 10) ? 4096 : 3072;
  const bool fits = step_bytes * shape.k < (768 << 10);
  // Steps that push each other out of the first cache do not make up for many passes.
  const bool collides = step_bytes % 2048 == 0 && shape.k > 1024;
  if (!shape.transpose_a || !is_intel<Target>(way) || fits || collides || step_bytes > most_bytes)
    return 0;
  const std::size_t steps = std::min<std::size_t>((512 << 10) / step_bytes, 400);
  return shape.n <= 6 * steps ? steps : 0;
}

// Steps of a transposed a that are a multiple of 1 KB apart push each other out of the first cache,
// and those of a large one are not foreseen: then it is copied, if columns and steps enough make up
// for it; with shorter vectors also those of an a that the second cache does not hold, or that a
// large c reads often. Measured on a Zen 5 and an Emerald Rapids, and with AVX2 on a Zen 4.
template <class Target, class T, int bytes>
bool copies_transposed_a(const GemmShape& shape, const Way& way) {
  const auto& [transpose_a, transpose_b, m, n, k] = shape;
  constexpr std::size_t megabyte = 1 << 20;
  const std::size_t step_bytes = m * sizeof(T), a_bytes = step_bytes * k;
  if (!transpose_a) return false;
  if (steps_of_transposed_a<Target, T>(shape, way) != 0) return false;
  if (is_intel<Target>(way) && a_bytes >= megabyte && n >= 64 && k >= 64) return true;
  if (bytes < 64) {
    const bool is_long = n >= 1000 && n * step_bytes > 12 * megabyte && k >= 16;
    const bool is_large = a_bytes > 2 * megabyte && n >= 128 && k >= 128;
    const bool collides = step_bytes % 1024 == 0 && step_bytes >= 4096;
    return (m > 12 && (is_long || is_large)) ||
           (collides && a_bytes >= 2 * megabyte && n >= 64 && k >= 64 && n * k >= 25000);
  }
  if (step_bytes % 1024 != 0)
    return m > 12 && a_bytes > (n >= 800 ? 6 : 12) * megabyte && n >= 256 && k >= 512;
  if (step_bytes % 4096 == 0 && n >= 1000) return k >= 16;
  const std::size_t least = sizeof(T) == 4 ? megabyte * 3 / 4 : 2 * megabyte;
  const std::size_t least_beside_few_columns = (sizeof(T) == 4 ? 4 : 16) * megabyte;
  return k >= 640 && a_bytes >= (n >= 256 ? least : least_beside_few_columns) && n >= 96;
}

}  // namespace breakeven::serial
