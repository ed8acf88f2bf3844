// SPDX-License-Identifier: Apache-2.0
#include "plugins/serial/kernels/variants.hpp"

#include <algorithm>

#include "plugins/serial/kernels/bf16_product.hpp"

namespace breakeven::serial {

#if defined(__aarch64__)
const Bf16Product* bf16_product_of(const Variant& variant) {
  return &variant == &sve256 || &variant == &neon_bf16 ? &bfmmla : nullptr;
}
#else
const Bf16Product* bf16_product_of(const Variant&) {
  return nullptr;
}
#endif

std::span<const Variant* const> variants() {
  static constexpr const Variant* all[] = {BREAKEVEN_SERIAL_VARIANTS};  // kernels.cmake
  return all;
}

const Variant& best_variant() {
  const auto all = variants();
  return **std::find_if(all.begin(), all.end(), [](const Variant* v) { return v->usable(); });
}

}  // namespace breakeven::serial
