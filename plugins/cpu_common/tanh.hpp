// SPDX-License-Identifier: Apache-2.0
// tanh of a vector, within 2 units in the last place everywhere; the test measures the largest
// error. Below `small` it is x + x³ p(x²), above 1 - 2 / (exp(2x) + 1), with exp(r) = 1 + r + r²
// q(r) around zero. The coefficients of p and q are those of the polynomials that agree with the
// functions at the Chebyshev nodes, computed with 60 digits.
#pragma once

#include <cstdint>

#include "plugins/cpu_common/vector.hpp"

namespace breakeven::cpu {

template <class T>
struct TanhConstants;

template <>
struct TanhConstants<float> {
  using Bits = std::int32_t;
  static constexpr int mantissa_bits = 23;
  static constexpr float small = 0.625f;
  static constexpr float largest = 9.1f;          // beyond it tanh rounds to 1
  static constexpr float to_integer = 0x1.8p23f;  // added and taken away, it rounds
  static constexpr float ln2_high = 0x1.62e4p-1f, ln2_low = 0x1.7f7d1cp-20f;
  static constexpr float p[] = {-0.33333333172140361638f,  0.13333303556915741766f,
                                -0.053959259577204542744f, 0.021768918651028210152f,
                                -0.008343945515839152048f, 0.0022927448161781423431f};
  static constexpr float q[] = {0.5f, 0.16666576989698775683f, 0.041666554617204574203f,
                                0.0083631790527225773704f, 0.0013926183587713494542f};
};

template <>
struct TanhConstants<double> {
  using Bits = std::int64_t;
  static constexpr int mantissa_bits = 52;
  static constexpr double small = 0.625;
  static constexpr double largest = 19.1;
  static constexpr double to_integer = 0x1.8p52;
  static constexpr double ln2_high = 0x1.62e42feep-1, ln2_low = 0x1.a39ef35793c76p-33;
  static constexpr double p[] = {
      -0.33333333333333332938,    0.13333333333333041602,      -0.05396825396789699169,
      0.021869488519008305756,    -0.008863235103240877925,    0.0035921217511549622695,
      -0.0014557754120478055104,  0.0005896606577757043347,    -0.00023759064960555619551,
      0.000092571161295567682707, -0.000031201101425797400033, 6.48516348279311315e-6};
  static constexpr double q[] = {0.5,
                                 0.16666666666666670991,
                                 0.041666666666666669755,
                                 0.0083333333333261351258,
                                 0.0013888888888883748305,
                                 0.00019841269874820625271,
                                 0.000024801587325547741216,
                                 2.755725540020642443e-6,
                                 2.7557273643110295328e-7,
                                 2.5105217004720745164e-8,
                                 2.0914686968086877233e-9};
};

template <class V, class T, std::size_t count>
[[gnu::always_inline]] inline V polynomial(V x, const T (&coefficients)[count]) {
  V sum = broadcast<V>(coefficients[count - 1]);
  for (std::size_t i = count - 1; i-- > 0;) sum = sum * x + broadcast<V>(coefficients[i]);
  return sum;
}

template <class V, class T>
[[gnu::always_inline]] inline V tanh_of(V x) {
  using Constants = TanhConstants<T>;
  using Bits = Vector<typename Constants::Bits, sizeof(V)>;
  const V one = broadcast<V>(T(1));
  const Bits sign_bit = (Bits)broadcast<V>(T(-0.0));
  const Bits sign = (Bits)x & sign_bit;
  const V size = (V)((Bits)x & ~sign_bit);

  const V square = size * size;
  const V near = size + size * (square * polynomial(square, Constants::p));

  // exp(2 size) = 2^n exp(r); not a number stays what it is.
  const V limit = broadcast<V>(Constants::largest);
  const V y = 2 * (size > limit ? limit : size);
  const V shifted =
      y * broadcast<V>(T(1.44269504088896340736)) + broadcast<V>(Constants::to_integer);
  const V n = shifted - broadcast<V>(Constants::to_integer);
  const V r = (y - n * broadcast<V>(Constants::ln2_high)) - n * broadcast<V>(Constants::ln2_low);
  const V exp_r = one + (r + r * r * polynomial(r, Constants::q));
  const V power_of_two = (V)(((Bits)shifted << Constants::mantissa_bits) + (Bits)one);
  const V far = one - 2 / (exp_r * power_of_two + one);

  return (V)((Bits)(size < broadcast<V>(Constants::small) ? near : far) | sign);
}

}  // namespace breakeven::cpu
