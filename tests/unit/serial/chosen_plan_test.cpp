// SPDX-License-Identifier: Apache-2.0
#include "plugins/serial/chosen_plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <new>
#include <tuple>
#include <utility>
#include <vector>

#include "forms.hpp"
#include "plugins/cpu_common/plan_option.hpp"

namespace breakeven::serial {
namespace {

// Time passes where work is done, and nowhere else.
struct Clock {
  using duration = std::chrono::duration<double>;
  using time_point = std::chrono::time_point<Clock, duration>;
  static inline double seconds = 0;
  static time_point now() { return time_point(duration(seconds)); }
};

cpu::Run work_of(double seconds) {
  return [seconds] { Clock::seconds += seconds; };
}

TEST(Trial, TellsWhichOfTwoIsFaster) {
  EXPECT_TRUE(cpu::is_faster<Clock>(work_of(1e-4), work_of(2e-4), 2e-4));
  EXPECT_FALSE(cpu::is_faster<Clock>(work_of(2e-4), work_of(1e-4), 1e-4));
  EXPECT_FALSE(cpu::is_faster<Clock>(work_of(0.98e-4), work_of(1e-4), 1e-4)) << "by too little";
}

TEST(Trial, IsNotDecidedByOneTurnThatIsHeldUp) {
  const auto held_up_in = [](int run, double seconds) -> cpu::Run {
    return [run, seconds, runs = std::make_shared<int>(0)] {
      Clock::seconds += (*runs)++ == run ? 1 : seconds;
    };
  };
  for (int run = 0; run < 14; ++run) {
    EXPECT_TRUE(cpu::is_faster<Clock>(held_up_in(run, 1e-4), work_of(2e-4), 2e-4)) << run;
    EXPECT_FALSE(cpu::is_faster<Clock>(work_of(1e-4), held_up_in(run, 1e-4), 1e-4)) << run;
  }
}

TEST(Trial, OfTwoWaysTakesTheOtherWhereItIsFaster) {
  const auto is_faster = [](double other, double first) {
    return cpu::other_is_faster<Clock>([=](bool is_other) -> cpu::Run {
      if (is_other && other == 0) throw std::bad_alloc();
      return work_of(is_other ? other : first);
    });
  };
  EXPECT_TRUE(is_faster(1e-4, 2e-4));
  EXPECT_FALSE(is_faster(2e-4, 1e-4));
  EXPECT_FALSE(is_faster(1e-4, 2 * cpu::most_seconds)) << "which takes too long to try";
  EXPECT_FALSE(is_faster(0, 2e-4)) << "memory does not suffice";
}

// As long as `seconds_of(way)`, or nothing where that is 0.
template <class SecondsOf>
Way fastest(const SecondsOf& seconds_of) {
  return cpu::fastest_way<Clock>([&](const Way& way) {
    const double seconds = seconds_of(way);
    return seconds > 0 ? work_of(seconds) : cpu::Run();
  });
}

// Packing takes 1e-4 s less with c near; with c far each way takes so many seconds more.
Way fastest_with_c_far(double of_rules, double of_packed) {
  bool far = false;
  const auto prepare = [&far, of_rules, of_packed](const Way& way) -> cpu::Run {
    if (!(way == Way() || way == with(Way(), &Way::packs))) return {};
    return [&far, near = way.packs ? 1e-4 : 2e-4, more = way.packs ? of_packed : of_rules] {
      Clock::seconds += near + (std::exchange(far, false) ? more : 0);
    };
  };
  return cpu::fastest_way<Clock>(prepare, [&far] { far = true; });
}

TEST(FastestWay, IsNotOneThatIsSlowWithCInMemory) {
  EXPECT_FALSE(fastest_with_c_far(1e-4, 4e-4).packs)
      << "2e-4 s more, which 1e-4 s do not make up for";
  EXPECT_TRUE(fastest_with_c_far(1e-4, 2.5e-4).packs) << "0.5e-4 s more";
  EXPECT_TRUE(fastest_with_c_far(1e-4, 1e-4).packs);
}

TEST(FastestWay, MayBeOneThatIsFasterOnlyWithCInMemory) {
  const auto is_faster = [](double other_far) {
    bool far = false;
    const auto run_of = [&far](double seconds_far) -> cpu::Run {
      return
          [&far, seconds_far] { Clock::seconds += std::exchange(far, false) ? seconds_far : 1e-4; };
    };
    return cpu::is_faster<Clock>(run_of(other_far), run_of(2e-4), 1e-4, [&far] { far = true; });
  };
  EXPECT_TRUE(is_faster(1.5e-4));
  EXPECT_FALSE(is_faster(1.95e-4)) << "by too little";
}

// Trials put c into memory where it may be there or in the third cache.
TEST(FastestWay, IsTriedWithCInMemoryWhereCachesHoldItNowAndThen) {
  const auto may_be_far = [](const cpu::Extents& extents) {
    return bool(cpu::to_put_far(static_cast<const float*>(nullptr), extents));
  };
  EXPECT_TRUE(may_be_far({1400, 1400, 8}));
  EXPECT_TRUE(may_be_far({100, 100, 16, 200})) << "a batch";
  EXPECT_FALSE(may_be_far({1000, 1000, 8})) << "it stays near";
  EXPECT_FALSE(may_be_far({4000, 4000, 8})) << "it is there anyway";
  EXPECT_FALSE(may_be_far({1400, 1400, 200})) << "it takes a small part of the time";
}

TEST(FastestWay, WhatIsPutFarStaysAsItWas) {
  std::vector<float> c(1400 * 1000, 2.5F);
  cpu::to_put_far(c.data(), {1400, 1000, 8})();
  EXPECT_EQ(std::count(c.begin(), c.end(), 2.5F), std::ptrdiff_t(c.size()));
}

TEST(FastestWay, IsFoundOneDecisionAfterTheOther) {
  const Way both = fastest([](const Way& way) { return 1e-4 * (3 - way.packs - way.sums); });
  EXPECT_TRUE(both.packs && both.sums);
  EXPECT_FALSE(both.turns_b || both.turns_c || both.by_rows || both.low);
  const Way none = fastest([](const Way& way) { return 1e-4 * (1 + way.packs + way.low); });
  EXPECT_FALSE(none.packs || none.low);
  EXPECT_EQ(none.rules, cpu::family);
}

TEST(FastestWay, TriesAgainWhatLaterDecisionsMakeFaster) {
  const Way way =
      fastest([](const Way& of) { return of.low ? 2e-4 - 1e-4 * of.sums : 3e-4 + 1e-4 * of.sums; });
  EXPECT_TRUE(way.sums && way.low);
}

TEST(FastestWay, TurnsNoMoreThanOneOperandRound) {
  const auto turned = [](const Way& way) {
    return 1e-4 * (7 - way.turns_a - 2 * way.turns_b - 3 * way.turns_c);
  };
  EXPECT_TRUE(fastest(turned).turns_c);
  EXPECT_FALSE(fastest(turned).turns_a || fastest(turned).turns_b);
}

TEST(FastestWay, SumsColumnsThatLieAlongKThoughTurningThemWasFaster) {
  const Way way = fastest([](const Way& of) { return 1e-4 * (of.turns_b ? 3 : of.sums ? 2 : 4); });
  EXPECT_TRUE(way.sums && !way.turns_b);
}

TEST(FastestWay, MayBeWorthItOnlyWhereNothingIsTurned) {
  const Way way = fastest([](const Way& of) { return 1e-4 * (of.turns_c ? 3 : of.sums ? 2 : 4); });
  EXPECT_TRUE(way.sums && !way.turns_c);
}

TEST(FastestWay, MayBeWorthItOnlyWhereAnOperandIsTurnedToo) {
  const Way way = fastest([](const Way& of) {
    return 1e-4 * (of.turns_c && of.by_rows ? 1 : 2 + of.turns_a + of.turns_c + of.by_rows);
  });
  EXPECT_TRUE(way.turns_c && way.by_rows && !way.turns_a);
}

TEST(FastestWay, MayBeThatOfAnotherFamily) {
  for (const cpu::Family& rules : cpu::families)
    EXPECT_EQ(fastest([&](const Way& way) { return way.rules == rules ? 1e-4 : 2e-4; }).rules,
              rules);
}

TEST(FastestWay, IsNotSoughtForLong) {
  int tried = 0;
  const auto counted = [&](double seconds) {
    return [&, seconds](const Way& way) { return ++tried, seconds * (way.packs ? 0.5 : 1); };
  };
  EXPECT_FALSE(fastest(counted(2 * cpu::most_seconds)).packs);
  EXPECT_EQ(tried, 1);
  const double before = Clock::seconds;
  fastest(counted(0.9 * cpu::most_seconds));
  EXPECT_LT(Clock::seconds - before, 3 * cpu::most_seconds_of_all);
  EXPECT_FALSE(cpu::may_be_tried({4000, 4000, 4000}, 1));
  EXPECT_TRUE(cpu::may_be_tried({1000, 1000, 1000}, 1));
  EXPECT_FALSE(cpu::may_be_tried({0, 1000, 1000}, 1)) << "nothing to do";
}

TEST(PartToTry, IsAllOfAProductThatIsNotLarge) {
  const auto [m, n, k, batch] = cpu::part_to_try({1000, 2000, 3000, 1}, sizeof(float));
  EXPECT_EQ(std::tie(m, n, k, batch), std::make_tuple(1000u, 2000u, 3000u, 1u));
}

TEST(PartToTry, HasFewerRowsOrColumnsThatLieInTheirPagesAsThoseOfTheWholeDo) {
  for (const auto& [m, n, k] : {std::array<std::size_t, 3>{1000001, 2, 65},
                                {2, 1000001, 65},
                                {5000, 20, 20000},
                                {30000, 40000, 7},
                                {12, 11, 5000001}}) {
    const cpu::Extents part = cpu::part_to_try({m, n, k, 1}, sizeof(double));
    EXPECT_LE(part.elements() * sizeof(double), cpu::most_bytes) << m << 'x' << n << 'x' << k;
    EXPECT_GT(part.elements() * sizeof(double), cpu::most_bytes / 2) << m << 'x' << n << 'x' << k;
    EXPECT_EQ(part.k, m >= 64 || n >= 64 ? k : part.k) << "an operand comes from the same cache";
    constexpr std::size_t page = cpu::page_bytes / sizeof(double);
    for (const auto& [of_part, of_whole] : {std::pair{part.m, m}, {part.n, n}, {part.k, k}})
      EXPECT_EQ(of_part % page, (of_whole >= 10000 ? of_whole : of_part) % page);
  }
}

TEST(PartToTry, IsFewerProductsOfABatch) {
  const auto [m, n, k, batch] = cpu::part_to_try({100, 100, 100, 5000}, sizeof(float));
  EXPECT_EQ(std::tie(m, n, k), std::make_tuple(100u, 100u, 100u));
  EXPECT_LE(batch * 30000 * sizeof(float), cpu::most_bytes);
  EXPECT_GE(batch, 200u);
}

TEST(FastestWay, IsTheOneUntilThenWhereMemoryDoesNotSuffice) {
  const Way way = cpu::fastest_way<Clock>([](const Way& of) -> cpu::Run {
    if (of.packs) throw std::bad_alloc();
    return work_of(of.sums ? 1e-4 : 2e-4);
  });
  EXPECT_TRUE(way.sums);
}

TEST(Known, AreThoseOfTheRulesWhereMemoryDoesNotSuffice) {
  cpu::Known<int> known;
  const Way way = known.of(1, []() -> Way { throw std::bad_alloc(); });
  EXPECT_FALSE(way.turns_b || way.packs);
  EXPECT_TRUE(known.of(2, [] { return Way{.packs = true}; }).packs);
}

TEST(Known, IsNothingOfWhatFailed) {
  cpu::Known<int> known;
  EXPECT_THROW(known.of(1, []() -> Way { throw std::runtime_error("failed"); }),
               std::runtime_error);
  EXPECT_TRUE(known.of(1, [] { return Way{.packs = true}; }).packs);
}

TEST(Plan, IsNamedAsItsOptionAsksForIt) {
  for (std::size_t i = 0; i < ways; ++i) {
    const Way way = way_number(i);
    if (way.turns_a + way.turns_b + way.turns_c > 1)
      EXPECT_THROW(cpu::way_of(cpu::plan_of(way)), std::runtime_error) << i;
    else
      EXPECT_EQ(cpu::way_of(cpu::plan_of(way)), way) << i;
  }
  EXPECT_EQ(cpu::gemm_routine(Way()), "gemm");
  EXPECT_EQ(cpu::gemm_routine({.packs = true, .low = true}), "gemm plan=rules+packs+low");
  EXPECT_EQ(cpu::gemm_routine({.sums = true}, "gemm widened"), "gemm widened plan=rules+sums");
}

// What is packed takes an eighth of the time.
int plans = 0;
std::size_t most_rows = 0;  // of a product that was made
GemmPlan<float> made_up_plan(const GemmShape& shape, const Way& way) {
  ++plans;
  GemmPlan<float> plan;
  plan.shape = shape;
  plan.packed = way.packs;
  plan.workspace_elements = 100;
  plan.run = [](const GemmPlan<float>& one, std::size_t, float, const float*, const float*, float,
                float* c, float* workspace) {
    const auto start = std::chrono::steady_clock::now();
    while (cpu::seconds_since<std::chrono::steady_clock>(start) < (one.packed ? 5e-5 : 4e-4)) {
    }
    most_rows = std::max(most_rows, one.shape.m);
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
  GemmPlan<float> chosen(const Product<float>& of) const {
    return kernels_.plan_gemm(of.shape, PlanOf().way_of(kernels_, of));
  }
};

TEST_F(ChosenPlan, IsTheFastestOneThatWasTried) {
  const GemmPlan<float> plan = chosen(product(2, 4, 3));
  EXPECT_TRUE(plan.packed);
  EXPECT_EQ(c_[0], 0) << "a trial has operands of its own";
}

TEST_F(ChosenPlan, OfALargeProductIsFoundOnAPart) {
  const GemmPlan<float> plan = chosen(product(5000000, 4, 3));
  EXPECT_TRUE(plan.packed);
  EXPECT_EQ(plan.shape.m, 5000000u);
  EXPECT_LE(most_rows, cpu::most_bytes / 7 / sizeof(float)) << "were tried";
}

TEST_F(ChosenPlan, StaysTheSameForTheSameProduct) {
  const GemmPlan<float> first = chosen(product(2, 4, 2));
  plans = 0;
  EXPECT_EQ(chosen(product(2, 4, 2)), first);
  EXPECT_EQ(plans, 1) << "without another trial";
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
