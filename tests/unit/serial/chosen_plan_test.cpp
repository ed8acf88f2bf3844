// SPDX-License-Identifier: Apache-2.0
#include "plugins/serial/chosen_plan.hpp"

#include <gtest/gtest.h>

namespace breakeven::serial {
namespace {

void work_for(double seconds) {
  for (const cpu::Stopwatch watch; watch.seconds() < seconds;) {
  }
}

TEST(Trial, TellsWhichOfTwoWaysIsFaster) {
  const auto slow = [] { work_for(2e-4); };
  const auto fast = [] { work_for(1e-4); };
  EXPECT_TRUE(cpu::is_faster(fast, slow, 2e-4));
  EXPECT_FALSE(cpu::is_faster(slow, fast, 1e-4));
  EXPECT_FALSE(cpu::is_faster(slow, slow, 2e-4));
}

// Plans that take the longer the fewer of two decisions are made otherwise.
int plans = 0;
GemmPlan<float> made_up_plan(const GemmShape& shape, const Way& way) {
  ++plans;
  GemmPlan<float> plan;
  plan.shape = shape;
  plan.packed = way.packs, plan.across = way.turns_c;
  plan.workspace_elements = 100;
  plan.run = [](const GemmPlan<float>& one, std::size_t, float, const float*, const float*, float,
                float* c, float* workspace) {
    work_for(1e-4 * (3 - int(one.packed) - int(one.across)));
    c[0] = workspace[0] = workspace[99] = 2;
  };
  return plan;
}

class ChosenPlan : public testing::Test {
 protected:
  Kernels<float> kernels_{.plan_gemm = &made_up_plan};
  const std::vector<float> a_ = std::vector<float>(6), b_ = std::vector<float>(12);
  std::vector<float> c_ = std::vector<float>(8);

  Product<float> product(std::size_t m, std::size_t n, std::size_t k) {
    return {{false, false, m, n, k}, 1, 1, 0, a_.data(), b_.data(), c_.data()};
  }
};

TEST_F(ChosenPlan, IsTheFastestOneThatWasTried) {
  const GemmPlan<float> plan = chosen_plan(kernels_, product(2, 4, 3));
  EXPECT_TRUE(plan.packed);
  EXPECT_TRUE(plan.across);
  EXPECT_EQ(c_[0], 0) << "a trial has operands of its own";
}

TEST_F(ChosenPlan, StaysTheSameForTheSameProduct) {
  const GemmPlan<float> first = chosen_plan(kernels_, product(2, 4, 2));
  plans = 0;
  EXPECT_EQ(chosen_plan(kernels_, product(2, 4, 2)), first);
  EXPECT_EQ(plans, 1) << "without another trial";
}

TEST_F(ChosenPlan, IsThatOfTheRulesWhereTrialsWouldTakeLong) {
  const Way way = fastest_way(kernels_, product(4000, 4000, 4000));
  EXPECT_FALSE(way.packs || way.turns_c);
  EXPECT_FALSE(fastest_way(kernels_, product(0, 4, 3)).packs) << "nothing to do";
}

TEST_F(ChosenPlan, HasAWorkspaceHalfAPageBehindC) {
  const Product<float> asked = product(2, 4, 3);
  GemmPlan<float> plan = made_up_plan(asked.shape, {});
  static const float* workspace;
  plan.run = [](const GemmPlan<float>&, std::size_t, float, const float*, const float*, float,
                float*, float* given) { workspace = given; };
  PreparedProduct<float>(plan, asked)();
  const auto place = [](const float* at) { return reinterpret_cast<std::uintptr_t>(at) % 4096; };
  EXPECT_EQ(place(workspace), ((place(c_.data() + 8) + 63) / 64 * 64 + 2048) % 4096);
}

}  // namespace
}  // namespace breakeven::serial
