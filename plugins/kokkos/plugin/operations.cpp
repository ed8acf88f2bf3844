// SPDX-License-Identifier: Apache-2.0
#include "range.hpp"
#include "task.hpp"

namespace breakeven::kokkos {

namespace {

struct NoBody {
  KOKKOS_FUNCTION void operator()(std::size_t) const {}
};

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

// A kernel of one thread that does nothing, so that a launch costs what it costs; as a small range
// on the host, where nothing is launched, a call.
std::unique_ptr<Task> prepare(const Nothing&, const Target& target) {
  return make_task([space = target.space] { for_range(space, 1, 0, NoBody{}); });
}

}  // namespace breakeven::kokkos
