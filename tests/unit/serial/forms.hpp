// SPDX-License-Identifier: Apache-2.0
// The ways to lie that products are tested in, of every variant.
#pragma once

#include <gtest/gtest.h>

#include <iterator>
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

// Every combination of decisions by every family's rules, in turn.
inline Way way_number(std::size_t i) {
  const std::size_t bits = i / std::size(cpu::families);
  const auto is_set = [&](int bit) { return (bits >> bit & 1) != 0; };
  return {.rules = cpu::families[i % std::size(cpu::families)],
          .turns_a = is_set(0),
          .turns_b = is_set(1),
          .turns_c = is_set(2),
          .sums = is_set(3),
          .by_rows = is_set(4),
          .packs = is_set(5),
          .low = is_set(6)};
}
inline constexpr std::size_t ways = std::size(cpu::families) << 7;

inline std::string describe(const GemmShape& shape) {
  return std::to_string(shape.m) + "x" + std::to_string(shape.n) + "x" + std::to_string(shape.k) +
         (shape.transpose_a ? " a transposed" : "") + (shape.transpose_b ? " b transposed" : "");
}

struct Form {
  const Variant* variant;
  bool transpose_a, transpose_b;
};

// Of variants that make these products alike, the last one, which runs on most processors.
inline std::vector<Form> forms() {
  std::vector<Form> all;
  const auto from = variants();
  for (std::size_t i = 0; i < from.size(); ++i) {
    const bool is_last =
        i + 1 == from.size() || from[i]->f32.plan_gemm != from[i + 1]->f32.plan_gemm;
    for (const bool a : {false, true})
      for (const bool b : {false, true})
        if (is_last) all.push_back({from[i], a, b});
  }
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

  // As the rules cut a shape.
  template <class T>
  auto planner() const {
    return [plan = kernels<T>(*GetParam().variant).plan_gemm](const GemmShape& of) {
      return plan(of, Way());
    };
  }

  GemmShape shape(std::size_t m, std::size_t n, std::size_t k) const {
    return {GetParam().transpose_a, GetParam().transpose_b, m, n, k};
  }
};

}  // namespace breakeven::serial
