// SPDX-License-Identifier: Apache-2.0
// One small instance of every operation and type, with operands of its own.
#pragma once

#include <breakeven/plugin.hpp>

#include <string>
#include <vector>

#include "suite/conformance/bench.hpp"
#include "suite/model/type_names.hpp"

namespace breakeven::conformance {

constexpr Type all_types[] = {Type::f32, Type::f64, Type::f16, Type::bf16};

struct Question {
  std::string name;  // `gemm f32`
  AnyOperation operation;
  std::vector<Operand> operands;

  // Prepares it. Throws Broken where anything but null says that it is not supported.
  bool asked(Bench& bench) const;
  // The same, for rules that leave such a fault to the rule `unsupported`.
  bool is_supported(Bench& bench) const;
};

std::vector<Question> one_of_each(Bench& bench);

// After an allocation has failed the device still works.
void use_after_failure(Device& device);

}  // namespace breakeven::conformance
