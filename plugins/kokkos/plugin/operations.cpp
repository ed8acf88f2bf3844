// SPDX-License-Identifier: Apache-2.0
#include "task.hpp"

namespace breakeven::kokkos {

namespace {

struct Handler {
  const Target& target;
  template <class One>
  auto operator()(const One& one) const -> decltype(prepare(one, target)) {
    return prepare(one, target);
  }
};

}  // namespace

std::unique_ptr<Task> prepare_any(const AnyOperation& operation, const Target& target) {
  return dispatch(operation, Handler{target});
}

std::unique_ptr<Task> prepare(const Nothing&, const Target&) {
  return make_task([] {});
}

}  // namespace breakeven::kokkos
