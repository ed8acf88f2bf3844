// SPDX-License-Identifier: Apache-2.0
// The operations on vectors: how each is asked for, and what is right. The modes of the case
// `elementwise`, the rules of `check` and the reasons of rows are made from this list, so that an
// operation is one entry of it.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include <breakeven/plugin.hpp>

#include "suite/model/verification.hpp"

namespace breakeven {

struct VectorOperation {
  using Operands = std::span<const std::vector<std::byte>>;

  std::string_view name;         // `tanh-gradient`: the mode and the rule
  std::string_view description;  // `the gradient of tanh`
  std::string_view meaning;      // in the words of plugin.hpp
  std::size_t inputs = 1;        // of n elements each
  double flops = 0;              // of an element
  bool reduces = false;  // a batch of n elements becomes one number each, of norm_type(type)

  // `batch` is 1 where it does not reduce.
  AnyOperation (*make)(Type type, std::size_t n, std::size_t batch, std::span<const Slice> inputs,
                       const Slice& out) = nullptr;
  std::function<Verification(Type, std::size_t n, Operands inputs, std::span<const std::byte> out)>
      check = {};
  // Of an operation of this sort; none: it is another one.
  std::optional<Type> (*type_of)(const AnyOperation& operation) = nullptr;

  Type type_of_result(Type type) const;
};

std::span<const VectorOperation> vector_operations();

}  // namespace breakeven
