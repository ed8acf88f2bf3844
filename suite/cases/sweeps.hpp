// SPDX-License-Identifier: Apache-2.0
// From what the user asked for to keys: every list that the user gave replaces that of the preset.
#pragma once

#include <functional>
#include <initializer_list>
#include <span>
#include <string_view>
#include <vector>

#include "suite/model/case.hpp"

namespace breakeven {

// All modes for all types for all shapes.
struct Sweep {
  std::vector<std::string_view> modes;
  std::vector<NumberType> types;
  std::vector<Shape> shapes;
};

inline constexpr NumberType f32{Type::f32, Math::native}, f64{Type::f64, Math::native},
    tf32{Type::f32, Math::tf32}, f16{Type::f16, Math::native}, bf16{Type::bf16, Math::native};

// {n, n, n} each
std::vector<Shape> squares(std::initializer_list<std::size_t> sizes);
// first, first * factor, … up to last
std::vector<std::size_t> powers(std::size_t first, std::size_t last, std::size_t factor);

// The key once for every count that the user gave; as it is where none is given or it has no count.
std::vector<Key> with_counts(const Key& key, const Selection& selection);

// `types` are those that the case has at all. `make` gives the keys of a mode at a size, without
// mode, type and cache. `cold` says whether a key has
// a meaning with cold caches. No key comes twice.
std::vector<Key> keys_of(
    const Case& definition, const Selection& selection, std::span<const NumberType> types,
    std::span<const Sweep> preset,
    const std::function<std::vector<Key>(std::string_view mode, const Shape& shape)>& make,
    const std::function<bool(const Key&)>& cold);

}  // namespace breakeven
