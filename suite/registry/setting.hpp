// SPDX-License-Identifier: Apache-2.0
// What the user sets on a backend: `--option blas.core=SKYLAKEX`.
#pragma once

#include <string>
#include <string_view>

namespace breakeven {

struct Setting {
  std::string backend, name, value;
  bool operator==(const Setting&) const = default;
};

// Reads `backend.name=value`. Throws std::invalid_argument with the line for the user.
Setting parse_setting(std::string_view text);

}  // namespace breakeven
