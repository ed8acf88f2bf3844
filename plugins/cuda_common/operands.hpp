// SPDX-License-Identifier: Apache-2.0
// The contract's demands on the operands of an operation.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string_view>

#include <breakeven/plugin.hpp>

namespace breakeven::cuda {

struct Operand {
  std::string_view name;
  Slice slice;
  std::optional<std::size_t> bytes;  // needed; none: the count overflows
};

// a b c d as a number of bytes; none where that overflows.
std::optional<std::size_t> product(std::initializer_list<std::size_t> factors);

// Throws std::invalid_argument for a slice that is too short or leaves its buffer. `name` is that
// of the operand in the message.
void expect_inside(const Operand& operand);

// True where a queue of `ordinal` can compute on the operands. Throws std::invalid_argument for an
// operand of another device (names both); false for host memory.
bool computable(int ordinal, std::initializer_list<Operand> operands);

}  // namespace breakeven::cuda
