// SPDX-License-Identifier: Apache-2.0
#include "reports/answers/answers.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <vector>

#include "reports/reader/row_rules.hpp"
#include "reports/schema/samples.hpp"

namespace breakeven {
namespace {

// Rows as the suite writes them; what a test does not set is `NA`.
class Rows {
 public:
  struct Size {
    Column column;
    std::size_t value;
  };

  Row make(const std::string& case_name, const std::string& mode, const std::string& device,
           const std::vector<Size>& sizes, double median_ns) {
    Row row;
    row.set(Column::run_id, "r");
    row.set(Column::round, 1);
    row.set(Column::machine, "toy");
    row.set(Column::status, Status::ok);
    row.set(Column::case_name, case_name);
    row.set(Column::mode, mode);
    row.set(Column::backend, device.substr(0, device.find(':')));
    row.set(Column::device, device);
    row.set(Column::type, "f32");
    for (const auto& [column, value] : sizes) {
      row.set(column, value);
    }
    row.set(Column::median_ns, median_ns);
    row.set(Column::median_low_ns, 0.99 * median_ns);
    row.set(Column::median_high_ns, 1.01 * median_ns);
    return row;
  }
  std::size_t add(Row row) {
    row.set(Column::name,
            name_of_key([&](Column column) { return std::string_view(row.text(column)); }));
    text_ += csv_line(row);
    return count_++;
  }
  std::size_t add(const std::string& case_name, const std::string& mode, const std::string& device,
                  const std::vector<Size>& sizes, double median_ns) {
    return add(make(case_name, mode, device, sizes, median_ns));
  }
  std::vector<Answer> all() const {
    report_ = Report::parse(text_, "toy.csv");
    return answers(*report_);
  }
  Answer answer(std::string_view id) const {
    for (Answer& one : all()) {
      if (one.id == id) {
        return std::move(one);
      }
    }
    throw std::logic_error("no such question");
  }

 private:
  std::string text_ = header_line();
  std::size_t count_ = 0;
  mutable std::optional<Report> report_;
};

std::vector<Rows::Size> square(std::size_t n) {
  return {{Column::m, n}, {Column::n, n}, {Column::k, n}};
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// The rows that the part with this text stands on.
std::vector<std::size_t> rows_of(const Answer& answer, const std::string& text) {
  for (const AnswerPart& part : answer.parts) {
    if (part.text == text) {
      return part.rows;
    }
  }
  ADD_FAILURE() << "no part '" << text << "' in: " << answer.text();
  return {};
}

TEST(Answers, an_empty_report_answers_nothing_and_says_what_to_run) {
  const Report report = Report::parse(header_line(), "toy.csv");
  const std::vector<Answer> all = answers(report);
  ASSERT_EQ(all.size(), 14u);
  for (const Answer& one : all) {
    EXPECT_FALSE(one.is_answered) << one.id;
    EXPECT_TRUE(one.text().starts_with("Cannot be answered here, because ")) << one.text();
  }
  EXPECT_TRUE(contains(all[0].text(), "`breakeven run --case matmul --mode resident`"));
}

TEST(Answers, what_could_not_be_measured_is_the_reason) {
  Rows rows;
  Row row = rows.make("parallel", "throughput", "serial:0", {{Column::devices, 2}}, 1);
  row.set(Column::status, Status::unsupported);
  row.set(Column::reason, "one device");
  row.set(Column::median_ns, "");
  const std::size_t index = rows.add(row);
  const Answer answer = rows.answer("Q4");
  EXPECT_FALSE(answer.is_answered);
  EXPECT_EQ(answer.text(), "Cannot be answered here, because serial:0: unsupported (one device).");
  EXPECT_EQ(rows_of(answer, "serial:0: unsupported (one device)"), std::vector{index});
}

TEST(Answers, operands_of_two_devices_are_refused_only_where_there_are_two) {
  Rows rows;
  const auto add = [&](const std::string& device, const std::string& reason) {
    Row row = rows.make("two-devices", "refused", device, {{Column::devices, 2}}, 1);
    row.set(Column::status, Status::unsupported);
    row.set(Column::reason, reason);
    row.set(Column::question, "Q11");
    row.set(Column::median_ns, "");
    rows.add(row);
  };
  add("serial:0", "one device");
  EXPECT_FALSE(rows.answer("Q11").is_answered);
  add("gpu:0", "operands lie on A and B");
  add("gpu:1", "operands lie on B and A");
  EXPECT_EQ(rows.answer("Q11").text(), "It is refused: operands lie on A and B.");
}

TEST(Answers, a_large_product_names_both_clocks_and_the_slowest) {
  Rows rows;
  Row slow = rows.make("matmul", "resident", "serial:0", square(5000), 1e9);
  slow.set(Column::flops_per_s, 250e9);
  slow.set(Column::enqueue_median_ns, 0.99e9);
  Row fast = rows.make("matmul", "resident", "gpu:0", square(5000), 5e6);
  fast.set(Column::enqueue_median_ns, 8e3);
  rows.add(slow);
  rows.add(fast);
  rows.add("matmul", "offload-always", "gpu:0", square(5000), 3e7);
  const Answer answer = rows.answer("Q1");
  EXPECT_EQ(answer.text(),
            "A product of 5000×5000 (f32) takes serial:0: 1.00 s (250 GFLOP/s); gpu:0: 5.00 ms, "
            "handed over after 8.00 µs, with the copies in and out 30.0 ms. serial:0 takes 200 "
            "times as long as gpu:0 (unpaired).");
  EXPECT_EQ(rows_of(answer, "200 times"), (std::vector<std::size_t>{0, 1}));
  EXPECT_EQ(rows_of(answer, "30.0 ms"), std::vector<std::size_t>{2});
}

TEST(Answers, what_is_said_of_several_rounds_is_their_median) {
  Rows rows;
  const double shares[] = {1.5, 0.9, 0.8};
  for (std::size_t round = 1; round <= 3; ++round) {
    Row row = rows.make("elementwise", "multiply-add", "serial:0", {{Column::n, 1000}}, 1e3);
    row.set(Column::round, round);
    row.set(Column::cache, "hot");
    row.set(Column::bytes_per_s, 10e9 * static_cast<double>(round));
    row.set(Column::ceiling_share, shares[round - 1]);
    rows.add(row);
    Row copy = rows.make("transfer", "same-place", "serial:0", {{Column::bytes, 1 << 20}},
                         round == 1 ? 9000 : 1000);
    copy.set(Column::round, round);
    copy.set(Column::cache, "hot");
    rows.add(copy);
  }
  const std::string text = rows.answer("Q7").text();
  EXPECT_TRUE(contains(text, "20.0 GB/s")) << text;
  EXPECT_TRUE(contains(text, "90 % of the measured ceiling")) << text;
  EXPECT_TRUE(contains(rows.answer("Q9").text(), "serial:0: 1.00 µs for 1 MiB"));
}

TEST(Answers, each_of_several_devices_has_a_line) {
  Rows rows;
  rows.add("matmul", "resident", "serial:0", square(1024), 2e6);
  const auto lines = [&] {
    std::size_t count = 0;
    for (const AnswerPart& part : rows.answer("Q1").parts) count += part.begins_line ? 1 : 0;
    return count;
  };
  EXPECT_EQ(lines(), 0);  // one device needs none
  rows.add("matmul", "resident", "blas:0", square(1024), 1e6);
  EXPECT_EQ(lines(), 2);
  EXPECT_TRUE(contains(rows.answer("Q1").text(), "(f32) takes serial:0: 2.00 ms"))
      << rows.answer("Q1").text();
}

TEST(Answers, small_products_are_no_large_product) {
  Rows rows;
  rows.add("matmul", "resident", "serial:0", square(100), 1e4);
  EXPECT_FALSE(rows.answer("Q1").is_answered);
}

TEST(Answers, intervals_that_touch_are_no_difference) {
  Rows rows;
  rows.add("matmul", "resident", "a:0", square(1000), 1000);
  rows.add("matmul", "resident", "b:0", square(1000), 1015);
  EXPECT_FALSE(contains(rows.answer("Q1").text(), "times as long"));
}

TEST(Answers, the_break_even_stands_on_the_rows_at_its_ends) {
  Rows rows;
  for (const std::size_t n : {16, 64, 256, 1024}) {
    rows.add("matmul", "resident", "a:0", square(n), 10.0 * static_cast<double>(n));
    rows.add("matmul", "resident", "b:0", square(n), 1000 + 5.0 * static_cast<double>(n));
  }
  const Answer answer = rows.answer("Q1b");
  EXPECT_EQ(answer.text(), "b:0 is faster from n = 256 on; up to n = 64 a:0 is.");
  EXPECT_EQ(answer.parts.back().rows, (std::vector<std::size_t>{2, 3, 4, 5}));
}

TEST(Answers, parameters_one_by_one_against_one_transfer) {
  Rows rows;
  rows.add("parameters", "read-each", "gpu:0", {{Column::n, 400}, {Column::count, 6}}, 60e3);
  rows.add("parameters", "read-flat", "gpu:0", {{Column::n, 400}, {Column::count, 6}}, 12e3);
  const Answer answer = rows.answer("Q2");
  EXPECT_EQ(answer.text(),
            "Reading 6 tensors one by one, or all in one transfer, takes gpu:0: 60.0 µs or 12.0 µs "
            "(5 times as long, unpaired).");
}

TEST(Answers, a_log_is_told_per_step) {
  Rows rows;
  rows.add("norm-log", "log-each", "gpu:0", {{Column::n, 100}, {Column::count, 1000}}, 30e6);
  rows.add("norm-log", "log-once", "gpu:0", {{Column::n, 100}, {Column::count, 1000}}, 10e6);
  const Answer answer = rows.answer("Q3");
  EXPECT_TRUE(
      contains(answer.text(), "gpu:0: 30.0 µs or 10.0 µs (3 times as long, unpaired) a step."))
      << answer.text();
}

TEST(Answers, two_devices_tell_their_cause) {
  const auto answer = [](const std::string& cause) {
    Rows rows;
    Row row = rows.make("parallel", "throughput", "serial:0",
                        {{Column::devices, 2}, {Column::n, 1024}}, 1e6);
    row.set(Column::details,
            format_pairs(Pairs{{"speed_up", "1.900"}, {"efficiency", "0.950"}, {"cause", cause}}));
    rows.add(row);
    return rows.answer("Q4").text();
  };
  const std::string told =
      "2 devices from serial:0 on give, at n = 1024, 1.90 times the throughput of the best one "
      "alone (efficiency 95 %";
  EXPECT_EQ(answer("none"), told + ").");
  EXPECT_EQ(answer("interference:1.31"),
            told + "; together each takes 1.31 times as long as alone).");
  EXPECT_EQ(answer("shared-link:1.88"),
            told + "; their copies at once take 1.88 times as long as the slowest alone).");
  EXPECT_EQ(answer("copies:0.43"), told + "; copies take 43 % of the time of the slowest part).");
  EXPECT_EQ(answer("feeding-thread:1.00"),
            told + "; the thread that hands the work over is busy for 100 % of the time).");
  EXPECT_EQ(answer("split:1.12"),
            told + "; the slowest part takes 1.12 times as long as an equal share).");
  EXPECT_EQ(answer("of a newer version"), told + "; of a newer version).");
}

TEST(Answers, many_small_products_by_feeding_threads) {
  Rows rows;
  for (const std::size_t feeders : {1, 2}) {
    Row row = rows.make("parallel", "many-small", "gpu:0",
                        {{Column::devices, 2}, {Column::feeders, feeders}}, 1e6);
    row.set(Column::details, format_pairs(Pairs{{"speed_up", feeders == 1 ? "1.28" : "1.93"}}));
    rows.add(row);
  }
  const std::string text = rows.answer("Q5").text();
  EXPECT_TRUE(contains(text, "fed by one thread, give 1.28 times")) << text;
  EXPECT_TRUE(contains(text, "fed by 2 threads, give 1.93 times")) << text;
}

TEST(Answers, many_small_products_are_told_on_the_most_devices) {
  Rows rows;
  for (const std::size_t devices : {2, 3})
    for (const std::size_t feeders : {std::size_t{1}, devices}) {
      Row row = rows.make("parallel", "many-small", "gpu:0",
                          {{Column::devices, devices}, {Column::feeders, feeders}}, 1e6);
      row.set(Column::details, format_pairs(Pairs{{"speed_up", "1.5"}}));
      rows.add(row);
    }
  const std::string text = rows.answer("Q5").text();
  EXPECT_TRUE(contains(text, "3 devices from gpu:0 on, fed by one thread, give")) << text;
  EXPECT_TRUE(contains(text, "3 devices from gpu:0 on, fed by 3 threads, give")) << text;
  EXPECT_FALSE(contains(text, "2 devices")) << text;
}

TEST(Answers, logical_devices_on_one_gpu_answer_nothing) {
  Rows rows;
  Row row =
      rows.make("parallel", "throughput", "gpu:0", {{Column::devices, 2}, {Column::n, 64}}, 1e6);
  row.set(Column::details, format_pairs(Pairs{{"speed_up", "1.9"}}));
  row.set(Column::device_facts, format_pairs(Pairs{{"logical", "no"}}));
  rows.add(row);
  EXPECT_TRUE(contains(rows.answer("Q4").text(), "1.90 times"));
  Rows marked;
  row.set(Column::device_facts, format_pairs(Pairs{{"gpus", "0,0"}, {"logical", "yes"}}));
  marked.add(row);
  EXPECT_FALSE(contains(marked.answer("Q4").text(), "1.90 times"));
}

TEST(Answers, an_overlap_that_had_nothing_to_win_says_so) {
  Rows rows;
  Row row = rows.make("overlap", "overlapped", "gpu:0", {{Column::n, 256}}, 1e6);
  row.set(Column::memory, "pinned");
  row.set(
      Column::details,
      format_pairs(Pairs{{"in_order_ns", "1000"}, {"overlapped_ns", "900"}, {"overlap", "NA"}}));
  rows.add(row);
  EXPECT_TRUE(contains(rows.answer("Q6").text(), "where nothing could be hidden"));
}

TEST(Answers, an_overlap_below_the_noise_gets_no_figure) {
  Rows rows;
  Row row = rows.make("overlap", "overlapped", "gpu:0", {{Column::n, 256}}, 1e6);
  row.set(Column::memory, "pinned");
  row.set(Column::details, format_pairs(Pairs{{"in_order_ns", "1000"},
                                              {"overlapped_ns", "990"},
                                              {"overlap", "NA"},
                                              {"overlap_unknown", "noise"}}));
  rows.add(row);
  EXPECT_EQ(rows.answer("Q6").text(),
            "Products and copies of their results, in order or overlapped, take gpu:0 pinned n = "
            "256: 1.00 µs or 990 ns, a difference that the noise hides.");
}

TEST(Answers, a_copy_is_latency_and_bandwidth) {
  Rows rows;
  for (const std::size_t bytes : {std::size_t{4}, std::size_t{1} << 30}) {
    Row row = rows.make("transfer", "single", "gpu:0", {{Column::bytes, bytes}},
                        bytes == 4 ? 2800 : 19.6e6);
    row.set(Column::direction, "h2d");
    row.set(Column::memory, "pinned");
    rows.add(row);
  }
  EXPECT_EQ(rows.answer("Q8").text(),
            "gpu:0 h2d pinned: 4 B take 2.80 µs, 1 GiB move at 54.8 GB/s.");
}

TEST(Answers, copies_of_enough_sizes_have_a_latency_and_a_bandwidth_with_intervals) {
  Rows rows;
  std::vector<std::size_t> all;
  for (const std::size_t bytes : {4, 1024, 65536, 1 << 20, 1 << 24}) {
    const double scatter = bytes == 1024 ? 1.01 : 1;
    Row row = rows.make("transfer", "single", "gpu:0", {{Column::bytes, bytes}},
                        (5000 + static_cast<double>(bytes) / 10) * scatter);
    row.set(Column::direction, "h2d");
    row.set(Column::memory, "pinned");
    all.push_back(rows.add(row));
  }
  const Answer answer = rows.answer("Q8");
  EXPECT_TRUE(contains(answer.text(), "(fitted: 5.0")) << answer.text();
  const auto part = std::find_if(answer.parts.begin(), answer.parts.end(),
                                 [](const auto& one) { return one.text.starts_with("fitted: "); });
  ASSERT_NE(part, answer.parts.end());
  EXPECT_EQ(part->rows, all);
  EXPECT_TRUE(contains(part->text, " µs to start (±")) << part->text;
  EXPECT_TRUE(contains(part->text, " GB/s (±")) << part->text;
  EXPECT_TRUE(contains(part->text, "at all 5 sizes")) << part->text;
}

TEST(Answers, the_device_that_was_used_is_named_beside_the_one_asked_for) {
  Rows rows;
  Row row = rows.make("matmul", "resident", "serial:0", square(100), 1e4);
  row.set(Column::device_requested, "try-gpu");
  rows.add(row);
  EXPECT_EQ(rows.answer("Q10").text(), "try-gpu was asked for and serial:0 was used.");
}

TEST(Answers, a_jacobian_multiplies_its_pass) {
  Rows rows;
  Row row = rows.make("mlp-jacobian", "per-pass", "gpu:0", {{Column::batch, 100}}, 25e3);
  row.set(Column::details,
          format_pairs(Pairs{{"passes_one_by_one", "40000"}, {"launch_share", "0.700"}}));
  rows.add(row);
  rows.add("mlp-jacobian", "batched", "gpu:0", {{Column::batch, 100}}, 1e6);
  EXPECT_EQ(
      rows.answer("Q12").text(),
      "At batch 100 gpu:0: a backward pass takes 25.0 µs, 40000 of them one by one 1.00 s, of "
      "which asking is 70 %, one batched pass for all 1.00 ms.");
}

TEST(Answers, searches_and_other_machines_stand_for_no_case) {
  Rows rows;
  rows.add("matmul", "resident", "a:0", square(100), 1);
  rows.add("matmul", "find", "a:0", square(1000), 1);
  Row elsewhere = rows.make("matmul", "resident", "a:0", square(2000), 1);
  elsewhere.set(Column::machine, "other");
  rows.add(elsewhere);
  EXPECT_FALSE(rows.answer("Q1").is_answered);
}

TEST(Answers, are_of_each_machine_by_itself) {
  Rows rows;
  for (const char* const machine : {"other", "toy"}) {
    Row row = rows.make("matmul", "resident", "a:0", square(1000), machine[0] == 't' ? 1e6 : 9e6);
    row.set(Column::machine, machine);
    row.set(Column::run_id, machine);
    row.set(Column::device_requested, "try-gpu");
    rows.add(row);
  }
  std::vector<std::string> told;
  for (const Answer& answer : rows.all()) {
    if (answer.id == "Q1" || answer.id == "Q10") {
      told.push_back(answer.machine + ": " + answer.text());
    }
  }
  EXPECT_EQ(told,
            (std::vector<std::string>{"other: A product of 1000×1000 (f32) takes a:0: 9.00 ms.",
                                      "other: try-gpu was asked for and a:0 was used.",
                                      "toy: A product of 1000×1000 (f32) takes a:0: 1.00 ms.",
                                      "toy: try-gpu was asked for and a:0 was used."}));
}

TEST(Answers, rounds_of_one_case_are_one_number) {
  Rows rows;
  for (const int round : {1, 2, 3}) {
    Row row = rows.make("matmul", "resident", "a:0", square(1000), 1e6);
    row.set(Column::round, round);
    rows.add(row);
  }
  const Answer answer = rows.answer("Q1");
  EXPECT_EQ(rows_of(answer, "1.00 ms"), (std::vector<std::size_t>{0, 1, 2}));
}

}  // namespace
}  // namespace breakeven
