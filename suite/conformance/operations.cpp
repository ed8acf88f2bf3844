// SPDX-License-Identifier: Apache-2.0
#include "suite/conformance/operations.hpp"

#include <fmt/format.h>

#include <functional>

#include "suite/conformance/rule.hpp"
#include "suite/verify/vector_operations.hpp"

namespace breakeven::conformance {
namespace {

constexpr std::size_t side_length = 8;  // elements

using Make = std::function<AnyOperation(std::span<const Slice>)>;

Question question(Bench& bench, std::string name, std::size_t bytes, std::size_t count,
                  const Make& make) {
  Question made{.name = std::move(name), .operation = Nothing{}, .operands = {}};
  std::vector<Slice> slices;
  for (std::size_t i = 0; i < count; ++i) {
    made.operands.push_back(bench.operand(Bytes(bytes), 0, bytes));
    slices.push_back(made.operands.back().slice);
  }
  made.operation = make(slices);
  return made;
}

}  // namespace

bool Question::asked(Bench& bench) const {
  try {
    return bench.queue().prepare_any(operation) != nullptr;
  } catch (const std::exception& error) {
    throw Broken(fmt::format("prepare of {} threw instead of giving null: {}", name, error.what()));
  }
}

bool Question::is_supported(Bench& bench) const {
  try {
    return asked(bench);
  } catch (const Broken&) {
    return false;
  }
}

std::vector<Question> one_of_each(Bench& bench) {
  std::vector<Question> questions;
  questions.push_back({.name = "nothing", .operation = Nothing{}, .operands = {}});
  questions.push_back(question(bench, "copy", 64, 2, [](auto slices) -> AnyOperation {
    return Copy{.to = slices[0], .from = slices[1]};
  }));
  for (const Type type : all_types) {
    const std::size_t bytes = side_length * side_length * bytes_of(type);
    const auto add = [&](std::string name, std::size_t count, const Make& make) {
      questions.push_back(question(bench, std::move(name), bytes, count, make));
    };
    const std::string text = fmt::format(" {}", type_name(type));
    for (const Math math : {Math::native, Math::tf32}) {
      if (math == Math::tf32 && type != Type::f32) continue;
      add(fmt::format("gemm {}", type_name(type, math)), 3, [=](auto s) -> AnyOperation {
        return Gemm{.type = type,
                    .math = math,
                    .m = side_length,
                    .n = side_length,
                    .k = side_length,
                    .a = s[0],
                    .b = s[1],
                    .c = s[2]};
      });
    }
    for (const VectorOperation& one : vector_operations())
      add(std::string(one.name) + text, one.inputs + 1, [=, &one](auto s) {
        return one.make(type, side_length, 1, s.first(one.inputs), s.back());
      });
  }
  return questions;
}

void use_after_failure(Device& device) {
  Bench bench(device);
  const Bytes contents(256, std::byte{7});
  if (bench.read(bench.operand(contents)) != contents)
    throw Broken("memory does not hold what was written after an allocation had failed");
}

}  // namespace breakeven::conformance
