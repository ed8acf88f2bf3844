// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string>

#include <breakeven/plugin.hpp>

namespace breakeven {

inline constexpr std::array types{Type::f32, Type::f64, Type::f16, Type::bf16};

inline std::string name_of_type(Type type) {
  constexpr std::array names{"f32", "f64", "f16", "bf16"};
  return names.at(static_cast<std::size_t>(type));
}

}  // namespace breakeven
