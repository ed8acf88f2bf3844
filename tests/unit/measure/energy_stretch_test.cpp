// SPDX-License-Identifier: Apache-2.0
#include "suite/measure/energy_stretch.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/fakes.hpp"

namespace breakeven {
namespace {

// Takes 50 W when it rests and 250 W when it works; its counter moves every 100 ms.
class EnergyStretch : public testing::Test {
 protected:
  fakes::FakeClock clock_;
  double joules_ = 0;
  double every_ns_ = 1e8;

  void pass(std::int64_t ns, double watts) {
    const std::int64_t tick = static_cast<std::int64_t>(every_ns_);
    clock_.time += ns;
    joules_ += watts * static_cast<double>(ns) * 1e-9;
    if (clock_.time / tick != (clock_.time - ns) / tick) shown_ = joules_;
  }
  std::optional<MeteredEnergy> meter(std::int64_t repetition_ns) {
    return meter_energy(
        [&] {
          pass(repetition_ns, 250);
          return 1.0;
        },
        [&] { return std::optional(shown_); }, clock_);
  }
  double shown_ = 0;
};

TEST_F(EnergyStretch, IsOfTheWorkAloneWhateverRestedBefore) {
  for (const std::int64_t ns : {1'000'000, 7'000'000, 130'000'000}) {
    pass(330'000'000, 50);
    const auto metered = meter(ns);
    ASSERT_TRUE(metered);
    EXPECT_NEAR(metered->joules / metered->repetitions, 250e-9 * static_cast<double>(ns),
                0.01 * 250e-9 * static_cast<double>(ns));
  }
}

TEST_F(EnergyStretch, LastsTwoSeconds) {
  EXPECT_GE(meter(1'000'000)->repetitions, 2000);
}

TEST_F(EnergyStretch, WithoutACounterOrWithOneThatStandsThereIsNone) {
  EXPECT_FALSE(meter_energy([] { return 1.0; }, [] { return std::optional<double>(); }, clock_));
  every_ns_ = 1e12;
  EXPECT_FALSE(meter(1'000'000));
}

}  // namespace
}  // namespace breakeven
