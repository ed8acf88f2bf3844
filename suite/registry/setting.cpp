// SPDX-License-Identifier: Apache-2.0
#include "suite/registry/setting.hpp"

#include <fmt/format.h>

#include <stdexcept>

namespace breakeven {

Setting parse_setting(std::string_view text) {
  const auto equals = text.find('=');
  const auto dot = text.substr(0, equals).find('.');
  if (equals == text.npos || dot == text.npos || dot == 0 || dot + 1 == equals) {
    throw std::invalid_argument(
        fmt::format("--option '{}' is not of the form backend.name=value", text));
  }
  return {.backend = std::string(text.substr(0, dot)),
          .name = std::string(text.substr(dot + 1, equals - dot - 1)),
          .value = std::string(text.substr(equals + 1))};
}

}  // namespace breakeven
