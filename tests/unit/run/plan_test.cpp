// SPDX-License-Identifier: Apache-2.0
#include "suite/run/plan.hpp"

#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "suite/run/text.hpp"

namespace breakeven {
namespace {

using testing::ElementsAre;

Plugin plugin(const std::string& name) {
  Plugin plugin;
  plugin.name = name;
  plugin.version = "1";
  plugin.devices.emplace_back().name = name + ":0";
  return plugin;
}

// Of three backends, of which one is a variant.
Plan plan_of(const RunOptions& options) {
  return make_plan(options, Registry({plugin("serial"), plugin("blas"), plugin("blas@mkl")}));
}

std::string refusal_of(const RunOptions& options) {
  try {
    plan_of(options);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

TEST(Plan, AnOptionOfABackendThatIsNotNamedIsRefused) {
  RunOptions options;
  options.cases = {"matmul"};
  const auto with = [&](std::vector<std::string> backends, const std::string& backend) {
    options.backends = std::move(backends);
    options.settings = {{backend, "library", "/x"}};
    return refusal_of(options);
  };
  EXPECT_EQ(with({"blas"}, "blas@mkl"),
            "--option blas@mkl.library: blas@mkl is not among --backend; add it");
  EXPECT_EQ(with({"serial"}, "blas"), "--option blas.library: blas is not among --backend; add it");
  EXPECT_EQ(with({"blas", "blas@mkl"}, "blas@mkl"), "");
  EXPECT_EQ(with({"blas@mkl"}, "blas"), "");  // holds for its variants
  EXPECT_EQ(with({}, "blas@mkl"), "");
}

TEST(Plan, ANamedCaseThatLacksTheTypesIsANoteAndAnErrorWhereNothingElseIsLeft) {
  RunOptions options;
  options.backends = {"serial"};
  options.selection.types = parse_types("bf16");
  options.cases = {"norm-log", "elementwise"};
  EXPECT_THAT(plan_of(options).notes, ElementsAre("norm-log has no bf16; it has f32, f64"));
  options.cases = {"norm-log"};
  EXPECT_EQ(refusal_of(options), "norm-log has no bf16; it has f32, f64");
  options.selection.types = parse_types("bf16,f32");
  EXPECT_THAT(plan_of(options).notes, ElementsAre());
  options.cases = {};
  EXPECT_THAT(plan_of(options).notes, ElementsAre());
}

TEST(Plan, ANamedCaseThatLacksTheModesIsANoteToo) {
  RunOptions options;
  options.backends = {"serial"};
  options.selection.modes = {"resident"};
  options.cases = {"norm-log", "matmul"};
  EXPECT_THAT(
      plan_of(options).notes,
      ElementsAre("norm-log has no mode resident; it has log-each, log-once, batched, sequence"));
  options.cases = {};
  EXPECT_THAT(plan_of(options).notes, ElementsAre());
}

TEST(Plan, WhereNoCaseIsLeftOnlyWhatWasGivenIsSaidToBeLeftOut) {
  RunOptions options;
  options.backends = {"serial"};
  options.cases = {"norm-log", "elementwise"};
  options.filter = "moon";
  EXPECT_EQ(refusal_of(options),
            "no case is left; `breakeven run --dry-run` without --filter shows all names");
  options.selection.types = parse_types("bf16");
  EXPECT_EQ(refusal_of(options),
            "norm-log has no bf16; it has f32, f64; no case is left; `breakeven run --dry-run` "
            "without --filter and --type shows all names");
}

TEST(Plan, AdviceOfABackendThatIsMeasuredIsToldOnce) {
  Plugin advised = plugin("blas"), other = plugin("serial");
  advised.advice = "set X, because Y";
  other.advice = "nobody asks";
  RunOptions options;
  options.backends = {"blas"};
  options.cases = {"matmul", "elementwise"};
  EXPECT_THAT(make_plan(options, Registry({advised, other})).notes,
              ElementsAre("blas: set X, because Y"));
}

}  // namespace
}  // namespace breakeven
