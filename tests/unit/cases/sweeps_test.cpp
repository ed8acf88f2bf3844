// SPDX-License-Identifier: Apache-2.0
#include "suite/cases/sweeps.hpp"
#include "suite/cases/all_cases.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

namespace breakeven {
namespace {

Selection preset(Preset which) {
  Selection selection;
  selection.preset = which;
  selection.devices = 2;
  return selection;
}

TEST(Presets, EveryCaseHasKeysInQuickAndFullAndNoneTwice) {
  for (const Preset which : {Preset::quick, Preset::course, Preset::full}) {
    std::set<std::string> names;
    std::size_t count = 0;
    for (const Case* definition : all_cases()) {
      const std::vector<Key> keys = definition->keys(preset(which));
      EXPECT_FALSE(keys.empty()) << definition->name();
      for (Key key : keys) {
        key.case_name = definition->name();
        key.backend = "any";
        names.insert(name_of(key));
        ++count;
        const auto modes = definition->modes();
        EXPECT_NE(std::find(modes.begin(), modes.end(), key.mode), modes.end()) << name_of(key);
      }
    }
    EXPECT_EQ(names.size(), count);
  }
}

TEST(Presets, CourseAnswersEveryQuestionThatACaseCanAnswer) {
  std::set<std::string> answered;
  for (const Case* definition : all_cases())
    for (const Key& key : definition->keys(preset(Preset::course)))
      answered.emplace(definition->course_question(key));
  for (const char* question :
       {"Q1", "Q1b", "Q2", "Q3", "Q4", "Q5", "Q6", "Q7", "Q8", "Q9", "Q11", "Q12", "Q13"})
    EXPECT_TRUE(answered.contains(question)) << question;
}

TEST(Presets, CourseHasTheShapesOfTheQuestions) {
  const auto has = [](std::string_view name, const auto& wanted) {
    const std::vector<Key> keys = case_named(name)->keys(preset(Preset::course));
    return std::any_of(keys.begin(), keys.end(), wanted);
  };
  EXPECT_TRUE(has("matmul", [](const Key& k) { return k.mode == "resident" && k.n == 5000; }));
  EXPECT_TRUE(has("matmul", [](const Key& k) { return k.mode == "resident" && k.n == 1; }));
  EXPECT_TRUE(has("norm-log", [](const Key& k) { return k.n == 100 && k.count == 1000; }));
  EXPECT_TRUE(has("transfer", [](const Key& k) { return k.bytes == 4; }));
  EXPECT_TRUE(has("transfer", [](const Key& k) { return k.bytes == 1U << 30; }));
  EXPECT_TRUE(has("mlp-jacobian", [](const Key& k) { return k.batch == 1000; }));
  EXPECT_TRUE(has("parameters", [](const Key& k) { return k.m == 3 && k.n == 1 && k.k == 0; }));
  EXPECT_TRUE(has("parameters", [](const Key& k) { return k.n == 400 && k.k == 20; }));
}

TEST(Selection, ListsOfTheUserReplaceThoseOfThePreset) {
  Selection selection = preset(Preset::quick);
  selection.sizes = {{1, 4096, 64}, {7, 7, 7, 30}};
  selection.types = {bf16, f64};
  selection.modes = {"resident"};
  const std::vector<Key> keys = case_named("matmul")->keys(selection);
  ASSERT_EQ(keys.size(), 4U);
  EXPECT_EQ(keys[0].type, Type::bf16);
  EXPECT_EQ(keys[0].m, 1U);
  EXPECT_EQ(keys[0].n, 4096U);
  EXPECT_EQ(keys[0].k, 64U);
  EXPECT_EQ(keys[1].batch, 30U);
  EXPECT_EQ(keys[2].type, Type::f64);
}

TEST(Selection, AModeThatThePresetLacksCanBeAskedFor) {
  Selection selection = preset(Preset::quick);
  selection.modes = {"queued"};
  const std::vector<Key> keys = case_named("mlp-jacobian")->keys(selection);
  ASSERT_EQ(keys.size(), 1U);
  EXPECT_EQ(keys[0].mode, "queued");
  EXPECT_EQ(keys[0].count, 100U);
}

TEST(Selection, ATypeThatACaseDoesNotHaveLeavesItOut) {
  Selection selection = preset(Preset::quick);
  selection.types = {f64};
  EXPECT_TRUE(case_named("transfer")->keys(selection).empty());
}

TEST(Selection, ColdCachesAreForSingleShotsOnly) {
  Selection selection = preset(Preset::quick);
  selection.caches = {"hot", "cold"};
  bool any = false;
  for (const Key& key : case_named("matmul")->keys(selection)) {
    any = any || key.cache == "cold";
    EXPECT_TRUE(key.cache == "hot" || key.count == 0) << name_of(key);
  }
  EXPECT_TRUE(any);
}

TEST(Selection, PowersEndAtTheLast) {
  EXPECT_EQ(powers(4, 64, 4), (std::vector<std::size_t>{4, 16, 64}));
  EXPECT_EQ(powers(4, 63, 4), (std::vector<std::size_t>{4, 16}));
}

}  // namespace
}  // namespace breakeven
