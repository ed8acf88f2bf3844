// SPDX-License-Identifier: Apache-2.0
#include "reports/break_even/finding_formats.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace breakeven {
namespace {

StoredSweep sweep_of(std::vector<Faster> winners) {
  StoredSweep sweep;
  sweep.names = {"serial:0", "blas:0", "n"};
  sweep.machine = "toy";
  sweep.case_name = "mlp-jacobian";
  sweep.type = "f32";
  sweep.mode = sweep.to_mode = "resident";
  std::vector<Probe> probes;
  std::size_t size = 8;
  for (const Faster winner : winners) {
    const double log_ratio = winner == Faster::from ? 0.5 : winner == Faster::to ? -0.5 : 0;
    probes.push_back({.size = size,
                      .faster = winner,
                      .log_ratio = log_ratio,
                      .low = log_ratio - 0.1,
                      .high = log_ratio + 0.1,
                      .from_ns = 100,
                      .to_ns = 100 * std::exp(log_ratio)});
    size *= 2;
  }
  sweep.finding = finding_of(std::move(probes));
  return sweep;
}

std::string settings_of(FindingFormat format, const StoredSweep& sweep,
                        const std::string& name = "") {
  return findings_text(format, std::array{sweep}, name);
}

using enum Faster;

TEST(FindingFormats, what_pays_off_is_the_upper_end_of_the_last_change_to_the_second_side) {
  EXPECT_EQ(pays_off_from(sweep_of({from, from, to, to}).finding), 32u);
  EXPECT_EQ(pays_off_from(sweep_of({from, undecided, to}).finding), 32u);
  EXPECT_EQ(pays_off_from(sweep_of({from, to, from, to}).finding), 64u) << "a band: its end";
  EXPECT_EQ(pays_off_from(sweep_of({undecided, to, to}).finding), 16u) << "nothing is known below";
  EXPECT_EQ(pays_off_from(sweep_of({to, from}).finding), std::nullopt);
  EXPECT_EQ(pays_off_from(sweep_of({from, to, from}).finding), std::nullopt);
  EXPECT_EQ(pays_off_from(sweep_of({from, from}).finding), std::nullopt);
  EXPECT_EQ(pays_off_from(sweep_of({undecided, undecided}).finding), std::nullopt);
  EXPECT_EQ(pays_off_from(sweep_of({Faster::neither}).finding), std::nullopt);
  EXPECT_EQ(pays_off_from({}), std::nullopt);
}

TEST(FindingFormats, environment_variables_are_the_bracket) {
  const auto text = settings_of(FindingFormat::env, sweep_of({from, from, to}));
  EXPECT_TRUE(
      text.ends_with("\nBREAKEVEN_MLP_JACOBIAN_F32_N=32\n"
                     "BREAKEVEN_MLP_JACOBIAN_F32_N_LOW=16\n"))
      << text;
  EXPECT_TRUE(
      text.starts_with("# mlp-jacobian f32 resident: serial:0 against blas:0 on toy, by "
                       "breakeven find\n# blas:0 is faster from n = 32 on"))
      << text;
  EXPECT_TRUE(settings_of(FindingFormat::env, sweep_of({from, to}), "GGML_OP_OFFLOAD_MIN_BATCH")
                  .ends_with("\nGGML_OP_OFFLOAD_MIN_BATCH=16\nGGML_OP_OFFLOAD_MIN_BATCH_LOW=8\n"));
}

TEST(FindingFormats, a_header_leaves_what_is_defined) {
  const auto text = settings_of(FindingFormat::header, sweep_of({from, to}), "MIN_N");
  EXPECT_TRUE(text.ends_with("\n#ifndef MIN_N\n#define MIN_N 16\n#define MIN_N_LOW 8\n#endif\n"))
      << text;
}

TEST(FindingFormats, without_a_size_nothing_is_set_and_the_reason_is_told) {
  const auto text = settings_of(FindingFormat::env, sweep_of({to, from}), "MIN_N");
  EXPECT_EQ(text.find("MIN_N="), text.npos);
  EXPECT_TRUE(
      text.ends_with("# MIN_N is left out: there is no size from which on blas:0 is known "
                     "to be faster.\n"))
      << text;
  const auto json = nlohmann::json::parse(settings_of(FindingFormat::json, sweep_of({to, from})));
  EXPECT_TRUE(json["settings"]["BREAKEVEN_MLP_JACOBIAN_F32_N"].is_null());
}

TEST(FindingFormats, where_the_second_side_always_wins_there_is_no_lower_end) {
  const auto text = settings_of(FindingFormat::env, sweep_of({to, to}), "MIN_N");
  EXPECT_TRUE(text.ends_with("\nMIN_N=8\n")) << text;
}

TEST(FindingFormats, json_tells_all_findings) {
  const std::array both{sweep_of({from, to}), sweep_of({to, to})};
  const auto json = nlohmann::json::parse(findings_text(FindingFormat::json, both, ""));
  EXPECT_EQ(json["version"], 1);
  EXPECT_TRUE(json["settings"].empty()) << "one name for two findings";
  ASSERT_EQ(json["findings"].size(), 2u);
  const auto& first = json["findings"][0];
  EXPECT_EQ(first["kind"], "bracket");
  EXPECT_EQ(first["low"], 8);
  EXPECT_EQ(first["high"], 16);
  EXPECT_EQ(first["pays_off_from"], 16);
  EXPECT_EQ(first["machine"], "toy");
  EXPECT_EQ(first["sizes"][1]["faster"], "to");
  EXPECT_NEAR(first["sizes"][1]["ratio"], std::exp(-0.5), 1e-12);
  EXPECT_EQ(json["findings"][1]["kind"], "none");
  EXPECT_EQ(json["findings"][1]["pays_off_from"], 8);
}

TEST(FindingFormats, names_of_others_end_no_comment) {
  auto sweep = sweep_of({from, to});
  sweep.machine = "toy\n#define EVIL 1";
  sweep.names.to = "a\\";
  for (const auto format : {FindingFormat::env, FindingFormat::header}) {
    const auto text = settings_of(format, sweep, "N");
    EXPECT_EQ(text.find("\n#define EVIL"), text.npos) << text;
    EXPECT_EQ(text.find("\\\n"), text.npos) << text;
  }
}

TEST(FindingFormats, what_is_no_variable_or_stands_for_several_is_refused) {
  for (const auto* bad : {"", "1N", "A-B", "A B", "A=1", "Ä"}) {
    EXPECT_THROW(require_setting_name(bad), std::invalid_argument) << bad;
  }
  EXPECT_NO_THROW(require_setting_name("_n2"));
  const std::array both{sweep_of({from, to}), sweep_of({to, to})};
  EXPECT_THROW(findings_text(FindingFormat::env, both, ""), std::invalid_argument);
  EXPECT_THROW(findings_text(FindingFormat::header, both, "N"), std::invalid_argument);
  EXPECT_THROW(findings_text(FindingFormat::json, both, "N"), std::invalid_argument);
}

}  // namespace
}  // namespace breakeven
