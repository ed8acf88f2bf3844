// SPDX-License-Identifier: Apache-2.0
#include "suite/find/searched_case.hpp"

#include <gtest/gtest.h>

#include "suite/run/text.hpp"

namespace breakeven {
namespace {

PluginDevice device(const std::string& name) {
  PluginDevice named;
  named.name = name;
  return named;
}

Registry two_backends() {
  std::vector<Plugin> plugins(3);
  plugins[0].name = "one";
  plugins[0].devices = {device("one:0")};
  plugins[1].name = "two";
  plugins[1].devices = {device("two:0"), device("two:1")};
  plugins[2].name = "broken";
  plugins[2].reason = "no such library";
  return Registry(std::move(plugins));
}

SearchedCaseOptions products(const std::string& from, const std::string& to) {
  SearchedCaseOptions options;
  options.case_name = "matmul";
  options.from.device = from;
  options.to.device = to;
  return options;
}

std::string refusal(const SearchedCaseOptions& options) {
  try {
    make_searched_case(options, two_backends());
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(SearchedCase, square_products_grow_in_all_three_sizes) {
  const Registry registry = two_backends();
  SearchedCaseOptions options = products("one", "two:1");
  options.range = {{8, 1000}};
  const SearchedCase searched = make_searched_case(options, registry);
  EXPECT_EQ(searched.axis, "n");
  EXPECT_EQ(searched.sizes.low, 8u);
  EXPECT_EQ(searched.sizes.high, 1000u);
  const Key key = searched.key_at(searched.to, 77);
  EXPECT_EQ(key.m, 77u);
  EXPECT_EQ(key.n, 77u);
  EXPECT_EQ(key.k, 77u);
  EXPECT_EQ(key.backend, "two");
  EXPECT_EQ(key.device, 1u);
  EXPECT_EQ(key.mode, "resident");
  EXPECT_EQ(searched.title(), "matmul f32 resident, one:0 against two:1, n from 8 to 1000");
}

TEST(SearchedCase, modes_of_one_device_are_named_by_the_mode) {
  SearchedCaseOptions options = products("one", "");
  options.from.mode = "resident";
  options.to.mode = "offload-always";
  const Registry registry = two_backends();
  const SearchedCase searched = make_searched_case(options, registry);
  EXPECT_EQ(searched.name(searched.from), "resident");
  EXPECT_EQ(searched.name(searched.to), "offload-always");
}

TEST(SearchedCase, a_transfer_grows_in_whole_elements) {
  SearchedCaseOptions options = products("one", "");
  options.case_name = "transfer";
  options.direction = "h2d";
  options.from.memory = "pinned";
  options.to.memory = "pageable";
  options.range = {{5, 1022}};
  const Registry registry = two_backends();
  const SearchedCase searched = make_searched_case(options, registry);
  EXPECT_EQ(searched.axis, "bytes");
  EXPECT_EQ(searched.sizes.low, 8u);
  EXPECT_EQ(searched.sizes.high, 1020u);
  EXPECT_EQ(searched.sizes.step, 4u);
  EXPECT_EQ(searched.key_at(searched.from, 64).direction, "h2d");
  EXPECT_EQ(searched.name(searched.from), "pinned");
}

TEST(SearchedCase, an_axis_can_be_named_and_the_rest_is_fixed) {
  SearchedCaseOptions options = products("one", "two");
  options.case_name = "norm-log";
  options.axis = "count";
  options.fixed = Shape{.m = 100, .n = 100, .k = 100};
  options.range = {{1, 1000}};
  const Registry registry = two_backends();
  const SearchedCase searched = make_searched_case(options, registry);
  const Key key = searched.key_at(searched.from, 7);
  EXPECT_EQ(key.count, 7u);
  EXPECT_EQ(key.n, 100u);
}

TEST(SearchedCase, what_makes_no_search_is_refused_with_what_there_is) {
  EXPECT_TRUE(contains(refusal(products("", "one")), "--from needs a backend"));
  EXPECT_TRUE(contains(refusal(products("one", "")), "both sides are the same"));
  EXPECT_TRUE(contains(refusal(products("three", "one")), "unknown backend 'three'"));
  EXPECT_TRUE(
      contains(refusal(products("one", "two:7")), "unknown device 'two:7' (did you mean two:0?)"));
  EXPECT_TRUE(contains(refusal(products("one", "broken")), "no such library"));
  SearchedCaseOptions options = products("one", "two");
  options.range = {{64, 64}};
  EXPECT_TRUE(contains(refusal(options), "holds no two sizes"));
  options = products("one", "two");
  options.axis = "bytes";
  EXPECT_TRUE(contains(refusal(options), "unknown axis 'bytes'"));
  options = products("one", "two");
  options.case_name = "first-use";
  EXPECT_TRUE(contains(refusal(options), "case 'first-use' cannot be searched: "));
}

}  // namespace
}  // namespace breakeven
