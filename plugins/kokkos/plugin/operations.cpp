// SPDX-License-Identifier: Apache-2.0
#include "task.hpp"

namespace breakeven::kokkos {
namespace {

std::unique_ptr<Task> prepare(const Nothing&, const Target&) {
  return make_task([] {});
}

}  // namespace

std::unique_ptr<Task> prepare(const Operation& operation, const Target& target) {
  return std::visit(
      [&](const auto& asked) -> std::unique_ptr<Task> { return prepare(asked, target); },
      operation);
}

}  // namespace breakeven::kokkos
