// SPDX-License-Identifier: Apache-2.0
#include "suite/model/verification.hpp"

#include <algorithm>
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

}  // namespace breakeven
