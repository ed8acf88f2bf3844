// SPDX-License-Identifier: Apache-2.0
// What the user sets on a backend, `--option blas.core=SKYLAKEX`, or on a variant of it,
// `--option blas@skx.core=SKYLAKEX`: the same plugin once more, with these settings on top, under a
// name of its own, so that one run compares both.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace breakeven {

struct Setting {
  std::string backend, name, value;
  bool operator==(const Setting&) const = default;
};

// Reads `backend.name=value`. Throws std::invalid_argument with the line for the user.
Setting parse_setting(std::string_view text);

// `blas` of `blas@skx` and of `blas`.
std::string_view without_variant(std::string_view backend);

// What holds for a backend or a variant, by the name that its plugin knows: first what is set on
// the backend, then what is set on the variant.
std::vector<Setting> settings_of(std::string_view backend, std::span<const Setting> all);

}  // namespace breakeven
