// SPDX-License-Identifier: Apache-2.0
// Everything of one family of processors, from one `Target` (gemm.hpp says what that has) and the
// same with stores around the caches (elementwise.hpp).
#pragma once

#include "plugins/serial/kernels/elementwise.hpp"
#include "plugins/serial/kernels/norm.hpp"
#include "plugins/serial/kernels/plan.hpp"

namespace breakeven::serial {

template <class Target, class Streaming, class T>
constexpr Kernels<T> kernels_of() {
  using Elements = Elementwise<Streaming, T>;
  return {&plan_gemm<Target, T>, &NormOf<Target, T>::run, &Elements::multiply_add, &Elements::tanh,
          &Elements::tanh_gradient};
}

template <class Target, class Streaming>
constexpr Variant variant_of(std::string_view name, bool (*usable)()) {
  return {name, usable, kernels_of<Target, Streaming, float>(),
          kernels_of<Target, Streaming, double>()};
}

}  // namespace breakeven::serial
