// SPDX-License-Identifier: Apache-2.0
#include "plugins/serial/kernels/variants.hpp"

#include <algorithm>
#include <cstdlib>
#include <stdexcept>
#include <string_view>

#include "plugins/serial/kernels/targets.hpp"

namespace breakeven::serial {

std::span<const Variant* const> variants() {
  static constexpr const Variant* all[] = {BREAKEVEN_SERIAL_VARIANTS};  // kernels.cmake
  return all;
}

bool is_intel() {
  static const bool is = [] {
    if (const char* const pretended = std::getenv("BREAKEVEN_PRETENDED_VENDOR"))
      return std::string_view(pretended) == "intel";
#if defined(__x86_64__)
    __builtin_cpu_init();
    return __builtin_cpu_is("intel") != 0;
#else
    return false;
#endif
  }();
  return is;
}

const Variant& best_variant(std::span<const Variant* const> from) {
  const auto found = std::ranges::find_if(from, [](const Variant* v) { return v->usable(); });
  if (found == from.end())
    throw std::runtime_error(
        "its kernels were built for another processor; `./bootstrap build` makes those of all");
  return **found;
}

}  // namespace breakeven::serial
