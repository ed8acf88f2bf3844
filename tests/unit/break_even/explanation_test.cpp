// SPDX-License-Identifier: Apache-2.0
#include "reports/break_even/explanation.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace breakeven {
namespace {

using testing::Test;

const Names names{"serial:0", "toy:0", "n"};

struct Machine {
  double overhead_ns, bytes_per_ns, flops_per_ns;
  Observation operator()(std::size_t size) const {
    const auto n = static_cast<double>(size);
    const double bytes = 12 * n * n, flops = 2 * n * n * n;
    return {size, overhead_ns + bytes / bytes_per_ns + flops / flops_per_ns, bytes, flops};
  }
};

struct Sweep {
  std::vector<Observation> from, to;
  Finding finding;
};

Sweep sweep(const Machine& from, const Machine& to) {
  Sweep result;
  std::vector<Probe> probes;
  for (const std::size_t n : {16, 32, 64, 80, 96, 110, 128, 200, 256, 512, 1024}) {
    result.from.push_back(from(n));
    result.to.push_back(to(n));
    Probe probe{.size = n};
    probe.from_ns = result.from.back().nanoseconds;
    probe.to_ns = result.to.back().nanoseconds;
    probe.log_ratio = std::log(probe.to_ns / probe.from_ns);
    probe.faster = probe.log_ratio > 0 ? Faster::from : Faster::to;
    probes.push_back(probe);
  }
  result.finding = finding_of(std::move(probes));
  return result;
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(Explain, launch_against_rate) {
  const Sweep s = sweep({20, 200, 250}, {4000, 200, 500});
  ASSERT_EQ(s.finding.kind, Finding::Kind::bracket);
  const std::string text = explain(s.finding, names, s.from, s.to);
  EXPECT_EQ(text,
            "below n = 110 toy:0 loses more by the 4.00 µs it takes to start (serial:0: 20.0 ns) "
            "than it gains by computing at 2 times the rate");
}

TEST(Explain, the_side_that_wins_above_may_be_the_first) {
  const Sweep s = sweep({4000, 200, 500}, {20, 200, 250});
  EXPECT_TRUE(contains(explain(s.finding, names, s.from, s.to), "serial:0 loses more by"));
}

TEST(Explain, moving_data_is_named_where_it_is_what_costs) {
  const Sweep s = sweep({20, 1e6, 100}, {20, 20, 1000});
  ASSERT_EQ(s.finding.kind, Finding::Kind::bracket);
  const std::string text = explain(s.finding, names, s.from, s.to);
  EXPECT_TRUE(contains(text, "it takes to move")) << text;
}

TEST(Explain, a_step_near_the_crossing_is_no_explanation) {
  Sweep s = sweep({20, 200, 250}, {4000, 200, 500});
  for (Observation& one : s.to) {
    if (one.size == 96 || one.size == 110) {
      one.nanoseconds *= 1.5;
    }
  }
  const std::string text = explain(s.finding, names, s.from, s.to);
  EXPECT_TRUE(contains(text, "do not explain it")) << text;
  EXPECT_TRUE(contains(text, "toy:0")) << text;
}

// A backend that takes a second thread from n = 110 on.
TEST(Explain, a_side_that_gets_faster_with_more_work_is_the_reason) {
  Sweep s = sweep({20, 200, 250}, {300, 200, 250});
  const Machine two_threads{3000, 200, 500};
  for (Observation& one : s.to) {
    if (one.size >= 110) {
      one = two_threads(one.size);
    }
  }
  for (Probe& probe : s.finding.probes) {
    probe.faster = probe.size < 110 ? Faster::from : Faster::to;
  }
  s.finding = finding_of(s.finding.probes);
  ASSERT_EQ(s.finding.low(), 96u);
  ASSERT_EQ(s.finding.high(), 110u);
  s.to[4].nanoseconds = 12e3;  // at n = 96: more than serial takes at 110
  const std::string text = explain(s.finding, names, s.from, s.to);
  EXPECT_EQ(text,
            "toy:0 changes its way there: its time falls from 12.0 µs to 9.05 µs between n = 96 "
            "and 110, though there is more work (another kernel or more threads do that); serial:0 "
            "takes 11.4 µs; from there on toy:0 gains more by computing at 2 times the rate than "
            "it loses by the 3.00 µs it takes to start (serial:0: 20.0 ns)");

  // Not what decided: it would have won without.
  s.to[4].nanoseconds = 11e3;
  EXPECT_FALSE(contains(explain(s.finding, names, s.from, s.to), "changes its way"));
}

TEST(Explain, a_side_that_slows_down_more_than_its_work_grows_is_the_reason) {
  Sweep s = sweep({20, 200, 250}, {8000, 200, 240});
  for (Observation& one : s.from) {
    one.nanoseconds *= one.size >= 512 ? 2 : 1;
  }
  for (Probe& probe : s.finding.probes) {
    probe.faster = probe.size < 512 ? Faster::from : Faster::to;
  }
  s.finding = finding_of(s.finding.probes);
  const std::string text = explain(s.finding, names, s.from, s.to);
  EXPECT_TRUE(contains(text, "serial:0 changes its way there: its time rises from ")) << text;
  EXPECT_TRUE(contains(text, "between n = 256 and 512, more than the work")) << text;
}

TEST(Explain, too_few_sizes_are_said_to_be_too_few) {
  Sweep s = sweep({20, 200, 250}, {4000, 200, 500});
  s.to.resize(4);
  EXPECT_TRUE(contains(explain(s.finding, names, s.from, s.to), "too few sizes"));
}

TEST(Explain, no_crossing_needs_no_reason) {
  const Sweep s = sweep({20, 200, 250}, {4000, 200, 200});
  EXPECT_EQ(explain(s.finding, names, s.from, s.to), "");
}

TEST(DescribeFinding, a_bracket_names_both_confirmed_sizes) {
  const Sweep s = sweep({20, 200, 250}, {4000, 200, 500});
  const auto lines = describe(s.finding, names);
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[1], "Unpaired: the sides were measured apart in time.");
  EXPECT_TRUE(contains(lines[0], "toy:0 is faster from n = 110 on; up to n = 96 serial:0 is"))
      << lines[0];
}

TEST(DescribeFinding, no_crossing_tells_its_direction) {
  const Sweep s = sweep({20, 200, 250}, {4000, 200, 200});
  const auto lines = describe(s.finding, names);
  EXPECT_TRUE(
      contains(lines[0],
               "No crossing between n = 16 and n = 1024: serial:0 is faster than toy:0; its "
               "lead shrinks with size"))
      << lines[0];
}

TEST(DescribeFinding, one_decided_size_is_not_taken_for_a_range) {
  const Finding finding = finding_of({{.size = 64, .faster = Faster::from, .from_ns = 1},
                                      {.size = 256, .from_ns = 1, .reason = "the budget ended"}});
  EXPECT_EQ(describe(finding, names)[0],
            "serial:0 is faster than toy:0 at n = 64, the only size that is decided.");
}

TEST(DescribeFinding, sizes_without_a_winner_are_listed_with_their_reason) {
  const Finding finding =
      finding_of({{.size = 8, .faster = Faster::from, .from_ns = 1},
                  {.size = 32, .faster = Faster::neither, .from_ns = 1},
                  {.size = 128, .faster = Faster::to, .from_ns = 1},
                  {.size = 512, .faster = Faster::undecided, .reason = "out of memory"}});
  const auto lines = describe(finding, names);
  ASSERT_EQ(lines.size(), 4u);
  EXPECT_EQ(lines[1], "A tie, within 1 %: n = 32.");
  EXPECT_EQ(lines[2], "Not decided: n = 512 (out of memory).");
}

TEST(DescribeFinding, says_what_was_measured_side_by_side) {
  std::vector<Probe> probes{{.size = 8, .faster = Faster::from, .from_ns = 1, .is_paired = true},
                            {.size = 128, .faster = Faster::to, .from_ns = 1, .is_paired = true},
                            {.size = 512, .faster = Faster::undecided, .reason = "out of memory"}};
  EXPECT_EQ(describe(finding_of(probes), names).back(),
            "Paired: both sides were measured in turns of milliseconds.");
  probes[1].is_paired = false;
  EXPECT_EQ(
      describe(finding_of(probes), names).back(),
      "Paired (measured in turns of milliseconds) at 1 of 2 sizes; apart in time at the rest.");
}

TEST(DescribeFinding, a_band_names_its_edges_and_changes) {
  const Finding finding = finding_of({{.size = 8, .faster = Faster::from},
                                      {.size = 32, .faster = Faster::to},
                                      {.size = 64, .faster = Faster::from},
                                      {.size = 128, .faster = Faster::to}});
  EXPECT_EQ(describe(finding, names)[0],
            "The winner changes 3 times between n = 8 and n = 128: below that band serial:0 is "
            "faster, above it toy:0.");
}

TEST(DescribeModel, says_what_it_found_and_where_it_does_not_fit) {
  Sweep s = sweep({20, 200, 250}, {4000, 200, 500});
  EXPECT_TRUE(contains(describe(*fit_time_model(s.to), "toy:0", "n"), "toy:0: 4.00 µs to start"));
  s.to.back().nanoseconds *= 2;
  EXPECT_TRUE(contains(describe(*fit_time_model(s.to), "toy:0", "n"),
                       "does not fit at n = 1024 (2 times that)"))
      << describe(*fit_time_model(s.to), "toy:0", "n");
}

}  // namespace
}  // namespace breakeven
