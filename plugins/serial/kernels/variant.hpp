// SPDX-License-Identifier: Apache-2.0
// Everything of one family of processors, from one `Target` (gemm.hpp says what that has) and the
// same with stores around the caches (elementwise.hpp), and how it converts f16 (halves.hpp).
#pragma once

#include "plugins/serial/kernels/halves.hpp"
#include "plugins/serial/kernels/turned_plan.hpp"

namespace breakeven::serial {

template <class Target, class Streaming, class T>
constexpr Kernels<T> kernels_of() {
  using Elements = Elementwise<Streaming, T>;
  return {&plan_gemm<Target, T>, &NormOf<Target, T>::run,  &Elements::multiply_add,
          &Elements::tanh,       &Elements::tanh_gradient, &SumOf<Target, T>::run};
}

template <class Target, class Streaming, class T, class Format>
constexpr Kernels<T> half_kernels_of() {
  using All = Halves<Streaming, T, Format>;
  using Widened = cpu::Widened<T, Format>;
  return {&All::widen,
          &All::narrow,
          &cpu::Row<Target, float, Target::bytes, 8, Widened>::product,
          &widen_along<Target, Widened>,
          Target::bytes == 64 ? 128u : 16u,
          &All::norm,
          &All::multiply_add,
          &All::tanh,
          &All::tanh_gradient,
          &All::sum};
}

template <class Target, class Streaming, class F16Conversion = F16Format<Target::bytes>,
          class Bf16Conversion = Bf16Format<Target::bytes>>
constexpr Variant variant_of(std::string_view name, bool (*usable)(),
                             const Bf16Product* bf16_product = nullptr) {
  return {name,
          usable,
          kernels_of<Target, Streaming, float>(),
          kernels_of<Target, Streaming, double>(),
          half_kernels_of<Target, Streaming, F16, F16Conversion>(),
          half_kernels_of<Target, Streaming, Bf16, Bf16Conversion>(),
          bf16_product};
}

}  // namespace breakeven::serial
