// SPDX-License-Identifier: Apache-2.0
#include "plugins/serial/kernels/variants.hpp"

#include <algorithm>
#include <stdexcept>

namespace breakeven::serial {

std::span<const Variant* const> variants() {
  static constexpr const Variant* all[] = {BREAKEVEN_SERIAL_VARIANTS};  // kernels.cmake
  return all;
}

const Variant& best_variant(std::span<const Variant* const> from) {
  const auto found = std::ranges::find_if(from, [](const Variant* v) { return v->usable(); });
  if (found == from.end())
    throw std::runtime_error(
        "its kernels were built for another processor; `./bootstrap build` makes those of all");
  return **found;
}

}  // namespace breakeven::serial
