// SPDX-License-Identifier: Apache-2.0
#include "plugins/serial/kernels/variants.hpp"

#include <algorithm>

namespace breakeven::serial {

std::span<const Variant* const> variants() {
  static constexpr const Variant* all[] = {BREAKEVEN_SERIAL_VARIANTS};  // kernels.cmake
  return all;
}

const Variant& best_variant() {
  const auto all = variants();
  return **std::find_if(all.begin(), all.end(), [](const Variant* v) { return v->usable(); });
}

}  // namespace breakeven::serial
