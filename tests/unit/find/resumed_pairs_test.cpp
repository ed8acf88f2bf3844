// SPDX-License-Identifier: Apache-2.0
#include "suite/find/resumed_pairs.hpp"

#include <gtest/gtest.h>

#include "reports/reader/row_rules.hpp"
#include "reports/schema/samples.hpp"
#include "reports/statistics/order_statistics.hpp"

namespace breakeven {
namespace {

class CountingPairs final : public PairSource {
 public:
  void enter(std::size_t size) override { entered.push_back(size); }
  Pair block() override { return {1000, 2000}; }
  void leave(Faster) override { ++left; }
  double spent() const override { return 0; }
  std::vector<std::size_t> entered;
  int left = 0;
};

TEST(ResumedPairs, what_is_recorded_is_played_back_without_the_workers) {
  CountingPairs live;
  RecordedVisits recorded;
  recorded[64].push_back({{{1, 2}, {3, 4}}, ""});
  ResumedPairs source(live, std::move(recorded));
  source.enter(64);
  EXPECT_EQ(source.block().to, 2);
  EXPECT_EQ(source.block().from, 3);
  source.leave(Faster::from);
  EXPECT_TRUE(live.entered.empty());
  EXPECT_EQ(live.left, 0);
}

TEST(ResumedPairs, where_the_record_ends_the_workers_go_on) {
  CountingPairs live;
  RecordedVisits recorded;
  recorded[64].push_back({{{1, 2}}, ""});
  ResumedPairs source(live, std::move(recorded));
  source.enter(64);
  source.block();
  EXPECT_EQ(source.block().from, 1000);
  source.leave(Faster::from);
  source.enter(64);
  EXPECT_EQ(live.entered, (std::vector<std::size_t>{64, 64}));
  EXPECT_EQ(live.left, 1);
}

TEST(ResumedPairs, a_size_that_was_refused_stays_refused) {
  CountingPairs live;
  RecordedVisits recorded;
  recorded[64].push_back({{}, "out of memory"});
  ResumedPairs source(live, std::move(recorded));
  EXPECT_THROW(source.enter(64), SizeRefused);
}

std::string line(int round, const std::string& side, const std::string& source, std::size_t n,
                 Status status, const Visits& samples) {
  Row row;
  row.set(Column::round, round);
  row.set(Column::case_name, "matmul");
  row.set(Column::mode, "find");
  row.set(Column::type, "f32");
  row.set(Column::n, n);
  row.set(Column::status, status);
  row.set(Column::reason, status == Status::ok ? "" : "too large");
  std::vector<double> medians;
  for (const auto& visit : samples) medians.push_back(median(visit));
  if (!medians.empty()) row.set(Column::median_ns, median(medians));
  row.set(Column::samples_ns, format_samples(samples));
  row.set(Column::line_up, "0.1");
  row.set(Column::search, source);
  row.set(Column::side, side);
  row.set(Column::name, name_of_key([&](Column c) { return std::string_view(row.text(c)); }));
  return csv_line(row);
}

TEST(RecordedVisits, blocks_of_both_sides_are_paired_and_others_left_alone) {
  const Report report =
      Report::parse(header_line() + line(1, "from", "a|b", 64, Status::ok, {{1, 2, 3}, {5}}) +
                        line(2, "to", "a|b", 64, Status::ok, {{10}, {20}}) +
                        line(3, "to", "a|c", 64, Status::ok, {{10}, {20}}) +
                        line(4, "from", "a|b", 256, Status::out_of_memory, {}),
                    "toy.csv");
  const RecordedVisits visits = recorded_visits(report, "matmul", "f32", "a|b", Column::n);
  ASSERT_EQ(visits.size(), 2u);
  ASSERT_EQ(visits.at(64).size(), 1u);
  const RecordedVisit& visit = visits.at(64).front();
  ASSERT_EQ(visit.blocks.size(), 2u);
  EXPECT_EQ(visit.blocks[0].from, 2);
  EXPECT_EQ(visit.blocks[1].to, 20);
  EXPECT_EQ(visits.at(256).front().refused, "out-of-memory: too large");
}

}  // namespace
}  // namespace breakeven
