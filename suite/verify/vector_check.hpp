// SPDX-License-Identifier: Apache-2.0
// Checks of norms, elementwise operations and copies against float64. Spans are host copies with
// the elements of `type`, as many as the output has.
#pragma once

#include <cstddef>
#include <span>

#include <breakeven/plugin.hpp>

#include "suite/model/verification.hpp"

namespace breakeven {

// f32 for 16-bit types.
Type norm_type(Type type);

// out[i] within min(gamma_{n+2} / 2, 8 sqrt(n) u) + 2 u of the norm of the i-th n elements of x.
Verification check_norm(Type type, std::size_t n, std::span<const std::byte> x,
                        std::span<const std::byte> out);

// |error| <= 1.01 u (|a b| + |a b + c|): fused or not.
Verification check_multiply_add(Type type, std::span<const std::byte> a,
                                std::span<const std::byte> b, std::span<const std::byte> c,
                                std::span<const std::byte> out);

// Within 8 u: 4 units in the last place.
Verification check_tanh(Type type, std::span<const std::byte> x, std::span<const std::byte> out);

// |error| <= 1.01 u |d| (h^2 + 3 |1 - h^2|)
Verification check_tanh_gradient(Type type, std::span<const std::byte> h,
                                 std::span<const std::byte> d, std::span<const std::byte> out);

// Every byte; of a copy in pieces, these begin at byte `first`.
Verification check_copy(std::span<const std::byte> from, std::span<const std::byte> to,
                        std::size_t first = 0);

}  // namespace breakeven
