// SPDX-License-Identifier: Apache-2.0
#include "suite/model/clock.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <string>

namespace breakeven {
namespace {

TEST(Clock, TellsTheDayAndTheTimeInUtc) {
  using namespace std::chrono;
  const auto seconds_of_day = [] {
    const auto now = system_clock::now();
    return floor<seconds>(now - floor<days>(now)).count();
  };
  const auto before = seconds_of_day();
  const std::string text = utc_now("%H%M%S");
  ASSERT_EQ(text.size(), 6);
  const auto told = 3600 * std::stoi(text.substr(0, 2)) + 60 * std::stoi(text.substr(2, 2)) +
                    std::stoi(text.substr(4));
  if (seconds_of_day() < before) GTEST_SKIP() << "midnight";
  EXPECT_LE(before, told);
  EXPECT_LE(told, seconds_of_day());
  EXPECT_EQ(utc_now("%Y-%m-%dT%H:%M:%SZ").size(), std::string("2026-11-22T00:00:00Z").size());
}

TEST(Clock, WritesNothingThatIsTooLong) {
  EXPECT_EQ(utc_now(std::string(63, '-').c_str()), std::string(63, '-'));
  EXPECT_EQ(utc_now(std::string(64, '-').c_str()), "");
}

}  // namespace
}  // namespace breakeven
