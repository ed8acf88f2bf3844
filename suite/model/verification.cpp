// SPDX-License-Identifier: Apache-2.0
#include "suite/model/verification.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace breakeven {

namespace {

bool names(const std::string& methods, const std::string& method) {
  return ("+" + methods + "+").find("+" + method + "+") != std::string::npos;
}

}  // namespace

Verification both(Verification first, const Verification& second) {
  if (!names(first.method, second.method)) first.method += "+" + second.method;
  first.error = std::max(first.error, second.error);
  if (first.passed && !second.passed) first.message = second.message;
  first.passed = first.passed && second.passed;
  return first;
}

Findings::Findings(std::string method) {
  found_.method = std::move(method);
  found_.passed = true;
}

bool Findings::note(double size, double bound) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const bool within = size <= bound && size < infinity;
  const double share = size == 0 ? 0 : size / bound;
  found_.error = std::max(found_.error, share >= 0 ? share : infinity);
  return !within && std::exchange(found_.passed, false);
}

}  // namespace breakeven
