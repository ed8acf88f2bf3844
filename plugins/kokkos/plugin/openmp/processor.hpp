// SPDX-License-Identifier: Apache-2.0
// This flavour is compiled for one processor. Whether the machine has what that takes is asked
// before any instruction of it runs: the static initialisers of the plugin wait for the answer too.
#pragma once

#include <array>
#include <span>
#include <string_view>

namespace breakeven::kokkos {

struct Extension {
  std::string_view name;
  bool required = false;  // the compiler may have used it anywhere in this plugin
};

// A constant: reading it runs no code. In the order of `present`.
#if defined(__aarch64__)
inline constexpr std::size_t extension_count = 8;
#else
inline constexpr std::size_t extension_count = 13;
#endif
extern const std::array<Extension, extension_count> extensions;

// What this processor has, in the order of `extensions`.
std::array<bool, extension_count> present_extensions();

// The first required extension that is not present; empty: none.
std::string_view missing_extension(std::span<const Extension> wanted,
                                   std::span<const bool> present);

}  // namespace breakeven::kokkos
