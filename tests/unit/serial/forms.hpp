// SPDX-License-Identifier: Apache-2.0
// The ways to lie that products are tested in, of every variant.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "plugins/serial/kernels/kernels.hpp"

namespace breakeven::serial {

template <class T>
const Kernels<T>& kernels(const Variant& variant) {
  if constexpr (sizeof(T) == 4)
    return variant.f32;
  else
    return variant.f64;
}

inline std::string describe(const GemmShape& shape) {
  return std::to_string(shape.m) + "x" + std::to_string(shape.n) + "x" + std::to_string(shape.k) +
         (shape.transpose_a ? " a transposed" : "") + (shape.transpose_b ? " b transposed" : "");
}

struct Form {
  const Variant* variant;
  bool transpose_a, transpose_b;
};

inline std::vector<Form> forms() {
  std::vector<Form> all;
  for (const Variant* variant : variants())
    for (const bool a : {false, true})
      for (const bool b : {false, true}) all.push_back({variant, a, b});
  return all;
}

inline std::string name_of(const testing::TestParamInfo<Form>& form) {
  return std::string(form.param.variant->name) + (form.param.transpose_a ? "_t" : "_n") +
         (form.param.transpose_b ? "t" : "n");
}

class FormTest : public testing::TestWithParam<Form> {
 protected:
  void SetUp() override {
    if (!GetParam().variant->usable()) GTEST_SKIP() << "not on this processor";
  }

  GemmShape shape(std::size_t m, std::size_t n, std::size_t k) const {
    return {GetParam().transpose_a, GetParam().transpose_b, m, n, k};
  }
};

}  // namespace breakeven::serial
