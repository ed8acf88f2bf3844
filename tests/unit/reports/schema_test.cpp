// SPDX-License-Identifier: Apache-2.0
#include "reports/schema/schema.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "reports/schema/formula.hpp"

namespace breakeven {
namespace {

std::string field(std::string_view text) {
  std::string line;
  append_csv_field(line, text);
  return line;
}

TEST(Schema, every_column_is_found_by_its_name_and_no_name_is_used_twice) {
  std::set<std::string_view> names;
  for (const auto& entry : columns()) {
    EXPECT_EQ(column_named(entry.name), entry.column);
    EXPECT_TRUE(names.insert(entry.name).second) << entry.name;
    EXPECT_FALSE(entry.meaning.empty()) << entry.name;
  }
  EXPECT_EQ(column_named("median"), std::nullopt);
}

TEST(Schema, key_is_what_tells_two_cases_apart) {
  const std::set<std::string_view> expected{
      "case",  "backend", "device", "type",      "math",  "mode",    "m",       "n",     "k",
      "batch", "count",   "bytes",  "direction", "cache", "devices", "feeders", "memory"};
  std::set<std::string_view> key;
  for (const auto& entry : columns()) {
    if (entry.is_key) {
      key.insert(entry.name);
    }
  }
  EXPECT_EQ(key, expected);
}

TEST(Schema, statuses_are_read_back_and_nothing_else_is) {
  for (const auto status_name : status_names) {
    ASSERT_TRUE(status_named(status_name));
    EXPECT_EQ(name(*status_named(status_name)), status_name);
  }
  EXPECT_EQ(name(Status::abandoned), "abandoned");
  EXPECT_EQ(status_named("OK"), std::nullopt);
}

TEST(Row, starts_unknown_except_for_the_schema_version) {
  const Row row;
  EXPECT_EQ(row.integer(Column::schema_version), current_schema);
  EXPECT_FALSE(row.is_known(Column::median_ns));
  EXPECT_EQ(row.text(Column::median_ns), "NA");
  EXPECT_EQ(row.real(Column::median_ns), std::nullopt);
  EXPECT_EQ(row.status(), std::nullopt);
}

TEST(Row, numbers_come_back_bit_for_bit) {
  Row row;
  for (const double value : {0.1, 1e-300, 123456789.123456789, 2.0 / 3}) {
    row.set(Column::median_ns, value);
    EXPECT_EQ(row.real(Column::median_ns), value);
  }
  row.set(Column::seed, std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(row.integer(Column::seed), std::numeric_limits<std::int64_t>::max());
}

TEST(Row, not_a_number_and_infinity_are_unknown) {
  Row row;
  row.set(Column::median_ns, std::nan(""));
  row.set(Column::min_ns, std::numeric_limits<double>::infinity());
  row.set(Column::hardware, "");
  EXPECT_FALSE(row.is_known(Column::median_ns));
  EXPECT_FALSE(row.is_known(Column::min_ns));
  EXPECT_FALSE(row.is_known(Column::hardware));
}

TEST(Row, text_stays_one_line_of_utf8) {
  Row row;
  row.set(Column::reason, "first\r\nsecond\x01");
  EXPECT_EQ(row.text(Column::reason), "first  second ");
  row.set(Column::reason,
          "\xC2\x9B"
          "31m");  // CSI as one character
  EXPECT_EQ(row.text(Column::reason), " 31m");
  row.set(Column::reason,
          "Gr\xC3\xB6\xC3\x9F"
          "e \xFF \xC0\xAF \xED\xA0\x80 \xE2\x82");
  EXPECT_EQ(row.text(Column::reason),
            "Gr\xC3\xB6\xC3\x9F"
            "e \xEF\xBF\xBD \xEF\xBF\xBD\xEF\xBF\xBD "
            "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD \xEF\xBF\xBD\xEF\xBF\xBD");
}

TEST(Csv, quotes_only_where_rfc_4180_asks_for_it) {
  EXPECT_EQ(field("plain text; 1=2"), "plain text; 1=2");
  EXPECT_EQ(field("a,b"), "\"a,b\"");
  EXPECT_EQ(field("say \"hi\""), "\"say \"\"hi\"\"\"");
}

TEST(Csv, no_text_is_a_formula_and_every_text_comes_back) {
  EXPECT_EQ(without_formula("=1+1"), "%3D1+1");
  EXPECT_EQ(without_formula("-cpu"), "%2Dcpu");
  EXPECT_EQ(without_formula("a=b"), "a=b");
  for (const std::string text :
       {"=cmd()", "+1", "-1", "@SUM(A1)", "%", "%3D", "%25", "%41", "a%3D", "", "=", "%%", "NA"}) {
    EXPECT_EQ(with_formula(without_formula(text)), text);
    EXPECT_EQ(std::string_view("=+-@").find(without_formula(text).substr(0, 1)),
              text.empty() ? 0 : std::string_view::npos)
        << text;
  }
}

TEST(Csv, numbers_are_left_alone_where_texts_are_escaped) {
  Row row;
  for (const auto column : {Column::machine, Column::device_name, Column::labels}) {
    row.set(column, "=1,\"2\"");
  }
  row.set(Column::median_ns, -1.0);
  const auto line = csv_line(row);
  EXPECT_NE(line.find(",-1,"), line.npos);
  EXPECT_EQ(line.find("\"="), line.npos);
  std::size_t escaped = 0;
  for (auto at = line.find("\"%3D1,\"\"2\"\"\""); at != line.npos;
       at = line.find("\"%3D1,\"\"2\"\"\"", at + 1)) {
    ++escaped;
  }
  EXPECT_EQ(escaped, 3);
}

TEST(Csv, a_line_has_every_column_and_one_line_end) {
  const auto header = header_line(), line = csv_line(Row());
  for (const auto& text : {header, line}) {
    EXPECT_EQ(std::count(text.begin(), text.end(), ','), static_cast<int>(column_count) - 1);
    EXPECT_EQ(text.find('\n'), text.size() - 1);
  }
}

}  // namespace
}  // namespace breakeven
