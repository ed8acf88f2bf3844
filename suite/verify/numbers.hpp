// SPDX-License-Identifier: Apache-2.0
// The stored number types, seen as float64.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <breakeven/plugin.hpp>

namespace breakeven {

// 2^-p for p significant bits: the largest relative error of rounding to nearest.
double unit_roundoff(Type type);

double f16_to_f64(std::uint16_t bits);
double bf16_to_f64(std::uint16_t bits);

// Round to nearest, ties to even; overflow to infinity; NaN stays NaN.
std::uint16_t f64_to_f16(double value);
std::uint16_t f64_to_bf16(double value);

double element(Type type, std::span<const std::byte> data, std::size_t index);
void set_element(Type type, std::span<std::byte> data, std::size_t index, double value);

// `from` holds as many elements of `type` as `to`.
void widen(Type type, std::span<const std::byte> from, std::span<double> to);
// Rounds to nearest.
void narrow(Type type, std::span<const double> from, std::span<std::byte> to);

// The nearest value that `type` can hold.
double rounded_to(Type type, double value);

// Every element of every type becomes NaN.
void poison(std::span<std::byte> data);
// In eight bytes from a multiple of eight on, or the fewer that are left: no result is that.
bool holds_poison(std::span<const std::byte> data);

}  // namespace breakeven
