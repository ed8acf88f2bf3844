// SPDX-License-Identifier: Apache-2.0
// Is c the product of a and b? Held against sums in double.
#pragma once

#include <breakeven/plugin.hpp>
#include <span>

namespace breakeven {

// Elements of the first, the last and other rows within 8 times what random rounding errors give,
// all rows of small products; and Freivalds' check of everything, within 8 times the same. Throws
// std::runtime_error that names an element which is wrong.
void check_product(const Gemm& gemm, std::span<const std::byte> a, std::span<const std::byte> b,
                   std::span<const std::byte> c);

}  // namespace breakeven
