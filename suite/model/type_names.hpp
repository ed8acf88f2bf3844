// SPDX-License-Identifier: Apache-2.0
// What the contract's enumerations are called, in names, options and reports.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include <breakeven/plugin.hpp>

namespace breakeven {

// In the order of the enumerations.
inline constexpr std::array<std::string_view, 4> stored_names{"f32", "f64", "f16", "bf16"};
inline constexpr std::array<std::string_view, 2> math_names{"native", "tf32"};

inline constexpr std::array<std::string_view, 4> kind_names{"cpu", "gpu", "accelerator", "node"};
inline constexpr std::array<std::string_view, 4> author_names{"", "library", "plugin",
                                                              "library+plugin"};

constexpr std::string_view stored_name(Type type) {
  return stored_names.at(static_cast<std::size_t>(type));
}

constexpr std::string_view math_name(Math math) {
  return math_names.at(static_cast<std::size_t>(math));
}

constexpr std::string_view kind_name(Kind kind) {
  return kind_names.at(static_cast<std::size_t>(kind));
}

constexpr std::string_view author_name(Author author) {
  return author_names.at(static_cast<std::size_t>(author));
}

// Both in one: `f32`, `f64`, `tf32`, `f16`, `bf16`
constexpr std::string_view type_name(Type type, Math math = Math::native) {
  return math == Math::tf32 ? math_name(math) : stored_name(type);
}

}  // namespace breakeven
