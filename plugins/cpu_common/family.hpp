// SPDX-License-Identifier: Apache-2.0
// Which family of processors this is, as far as shapes are cut otherwise for it; or
// BREAKEVEN_PRETENDED_FAMILY says so, for tests: intel, zen4 or zen5.
#pragma once

namespace breakeven::cpu {

struct Family {
  bool intel = false;
  bool zen4 = false;
  bool operator==(const Family&) const = default;
};
inline constexpr Family families[] = {{.zen4 = true}, {}, {.intel = true}};  // {}: Zen 5
extern const Family family;

[[gnu::always_inline]] inline bool is_intel() {
  return family.intel;
}
// Zen 4 multiplies and stores 64 bytes in two halves: half a vector takes half the time.
[[gnu::always_inline]] inline bool computes_halves() {
  return family.zen4;
}

}  // namespace breakeven::cpu
