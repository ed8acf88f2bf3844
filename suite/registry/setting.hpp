// SPDX-License-Identifier: Apache-2.0
// What the user sets on a backend, `--option blas.core=SKYLAKEX`, or on a variant of it,
// `--option blas@skx.core=SKYLAKEX`: the same plugin once more, with these settings on top, under a
// name of its own, so that one run compares both.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace breakeven {

struct Setting {
  std::string backend, name, value;
  bool operator==(const Setting&) const = default;
};

// A backend once more, by another plugin file or as another build of the program runs it,
// `--plugin serial@old=FILE` and `--program serial@old=FILE`: one run compares both.
struct OtherBuild {
  std::string variant;            // `serial@old`
  std::filesystem::path plugin;   // empty: the program's own
  std::filesystem::path program;  // empty: this one
};

// `serial@old=FILE` as its two parts; none: it is a file. Throws std::invalid_argument with the
// line for the user.
std::optional<std::pair<std::string, std::filesystem::path>> parse_other_build(
    std::string_view option, std::string_view text);

// Reads `backend.name=value`. Throws std::invalid_argument with the line for the user.
Setting parse_setting(std::string_view text);

// `blas` of `blas@skx` and of `blas`.
std::string_view without_variant(std::string_view backend);

// What holds for a backend or a variant, by the name that its plugin knows: first what is set on
// the backend, then what is set on the variant.
std::vector<Setting> settings_of(std::string_view backend, std::span<const Setting> all);

// What is set on a backend that is not measured would be set for nothing, and nobody would know.
// Throws UsageError, a line that ends with `what`: `is not among --backend`.
void require_used(std::span<const Setting> all, std::span<const std::string> measured,
                  std::string_view what);

}  // namespace breakeven
