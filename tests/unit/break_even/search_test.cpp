// SPDX-License-Identifier: Apache-2.0
#include "reports/break_even/search.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

namespace breakeven {
namespace {

// No noise: what is tested is what the search does with its time.
class ExactPairs : public PairSource {
 public:
  void enter(std::size_t size) override {
    ++visits[size];
    current = size;
    seconds += entering;
    if (refused.contains(size)) {
      throw SizeRefused(refused[size]);
    }
  }
  Pair block() override {
    const auto n = static_cast<double>(current);
    const double once = block_seconds(n);
    seconds += once;
    return {1e9 * once, 1e9 * once * std::exp(log_ratio(n))};
  }
  double spent() const override { return seconds; }

  std::function<double(double)> log_ratio = [](double n) { return -std::log(n / 300.5); };
  std::function<double(double)> block_seconds = [](double) { return 0.01; };
  std::map<std::size_t, std::string> refused;
  std::map<std::size_t, int> visits;
  std::size_t current = 0;
  double seconds = 0, entering = 0;
};

constexpr Axis axis{16, 4096, 1};

TEST(Search, finds_a_bracket_of_five_percent) {
  ExactPairs source;
  const Finding finding = search(source, axis);
  ASSERT_EQ(finding.kind, Finding::Kind::bracket);
  EXPECT_LE(finding.low(), 300u);
  EXPECT_GE(finding.high(), 301u);
  EXPECT_LE(static_cast<double>(finding.high()) / static_cast<double>(finding.low()), 1.05);
  EXPECT_LE(finding.probes.size(), 16u);
}

TEST(Search, visits_both_ends_of_the_bracket_a_second_time) {
  ExactPairs source;
  const Finding finding = search(source, axis);
  for (const auto& [size, visits] : source.visits) {
    EXPECT_EQ(visits, size == finding.low() || size == finding.high() ? 2 : 1) << size;
  }
}

// Wins once and loses when asked again.
class FicklePairs final : public ExactPairs {
 public:
  Pair block() override {
    Pair pair = ExactPairs::block();
    if (current == fickle && visits[current] > 1) {
      std::swap(pair.from, pair.to);
    }
    return pair;
  }
  std::size_t fickle = 0;
};

TEST(Search, an_end_where_two_visits_disagree_is_no_end) {
  ExactPairs steady;
  FicklePairs source;
  source.fickle = search(steady, axis).low();
  const Finding finding = search(source, axis);
  EXPECT_EQ(finding.kind, Finding::Kind::bracket);
  EXPECT_LT(finding.low(), source.fickle);
  EXPECT_GT(finding.high(), 300u);
  for (const Probe& probe : finding.probes) {
    if (probe.size == source.fickle) {
      EXPECT_EQ(probe.faster, Faster::undecided);
      EXPECT_EQ(probe.reason, "two visits disagree");
    }
  }
}

TEST(Search, a_size_that_is_refused_keeps_its_reason_and_the_others_go_on) {
  ExactPairs source;
  source.refused[4096] = "out of memory";
  const Finding finding = search(source, axis);
  EXPECT_EQ(finding.kind, Finding::Kind::bracket);
  EXPECT_EQ(finding.probes.back().size, 4096u);
  EXPECT_EQ(finding.probes.back().reason, "out of memory");
  EXPECT_EQ(finding.probes.back().faster, Faster::undecided);
}

TEST(Search, gives_up_where_no_size_can_be_measured) {
  ExactPairs source;
  for (std::size_t size = axis.low; size <= axis.high; ++size) {
    source.refused[size] = "no f16 of " + std::to_string(size);
  }
  Finding finding = search(source, axis);
  EXPECT_EQ(finding.kind, Finding::Kind::undecided);
  EXPECT_EQ(source.visits.size(), 4u);

  source.visits.clear();
  source.refused.erase(256);
  finding = search(source, axis);
  EXPECT_EQ(finding.kind, Finding::Kind::none);
  EXPECT_TRUE(source.visits.contains(axis.high));
}

TEST(Search, a_size_that_would_take_the_whole_budget_is_left_out) {
  ExactPairs source;
  source.block_seconds = [](double n) { return std::max(0.01, 1e-9 * n * n * n); };
  SearchSettings settings;
  settings.budget = 100;
  const Finding finding = search(source, axis, settings);
  EXPECT_EQ(finding.kind, Finding::Kind::bracket);
  EXPECT_EQ(source.visits.count(4096), 0u);
  EXPECT_EQ(finding.probes.back().reason, "it takes too long");
  EXPECT_LT(source.seconds, 100);
}

TEST(Search, the_budget_ends_the_growth_at_a_size_that_cannot_be_decided) {
  class Coin final : public ExactPairs {
    Pair block() override {
      seconds += 0.01;
      heads = !heads;
      return heads ? Pair{1, 2} : Pair{2, 1};
    }
    bool heads = false;
  } source;
  SearchSettings settings;
  settings.budget = 10;
  const Finding finding = search(source, axis, settings);
  EXPECT_EQ(finding.kind, Finding::Kind::undecided);
  EXPECT_LT(source.seconds, 10.1);
  EXPECT_EQ(finding.probes.front().reason, "the budget ended");
}

TEST(Search, equal_sides_are_a_tie) {
  ExactPairs source;
  source.log_ratio = [](double) { return 0; };
  EXPECT_EQ(search(source, axis).kind, Finding::Kind::tie);
}

TEST(Search, the_watch_sees_the_bracket_close) {
  ExactPairs source;
  double width = 1e9;
  std::size_t looks = 0, ends = 0;
  search(source, axis, {}, [&](const Finding& so_far, const Probe&, bool over) {
    ends += over;
    ++looks;
    if (so_far.kind == Finding::Kind::bracket) {
      const double now = static_cast<double>(so_far.high()) / static_cast<double>(so_far.low());
      EXPECT_LE(now, width);
      width = now;
    }
  });
  EXPECT_LE(width, 1.05);
  EXPECT_GE(looks, 24u);
  EXPECT_EQ(looks, 2 * ends);
}

}  // namespace
}  // namespace breakeven
