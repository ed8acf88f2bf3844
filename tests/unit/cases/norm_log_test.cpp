// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "suite/cases/all_cases.hpp"
#include "suite/model/case.hpp"
#include "tests/unit/cases/deferred_backend.hpp"

namespace breakeven {
namespace {

// 2509.7 ± 20.4 for U[0,1) and n = 100, from the moments of the distribution: what the device
// computed, not what the case compares it with.
TEST(NormLog, NormsOfProductsOfAHundredAreWhatTheoryExpects) {
  DeferredBackend backend;
  std::vector<double> norms;
  backend.behaviour.afterwards = [&](const AnyOperation& operation) {
    if (const auto* norm = operation.as<Norm>())
      norms.push_back(element(Type::f32, bytes_at(norm->out), 0));
  };
  Session session{backend, 7};
  Key key;
  key.case_name = "norm-log";
  key.mode = "log-once";
  key.m = key.n = key.k = 100;
  key.count = 16;
  for (const Case* definition : all_cases()) {
    if (definition->name() != "norm-log") continue;
    EXPECT_TRUE(definition->prepare(key, session)->verify().passed);
  }

  ASSERT_EQ(norms.size(), key.count);
  double mean = 0, squares = 0;
  for (const double norm : norms) mean += norm / 16;
  for (const double norm : norms) squares += std::pow(norm - mean, 2) / 15;
  EXPECT_NEAR(mean, 2509.7, 4 * 20.4 / 4);  // four deviations of a mean of sixteen
  EXPECT_GT(std::sqrt(squares), 20.4 / 2);
  EXPECT_LT(std::sqrt(squares), 20.4 * 2);
}

}  // namespace
}  // namespace breakeven
