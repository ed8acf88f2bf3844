// SPDX-License-Identifier: Apache-2.0
// Fills a Report from the bytes of its file. One row is one line, as the writer makes them: a quote
// that is not closed costs its line and no other.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "reports/reader/report.hpp"

namespace breakeven {

class ReportParser {
 public:
  explicit ReportParser(Report& report) : report_(report) {}
  void parse();  // throws ReportError

 private:
  void read_header(std::string_view line);
  void read_row(std::string_view line, std::size_t begin, std::size_t number);
  bool split(std::string_view line);  // into ends_; false: a quote is not closed
  void keep_unescaped(std::string_view line);
  bool has_too_long_text() const;
  bool has_good_cells(std::size_t number);
  bool is_new(std::size_t number);
  bool has_room(std::size_t number);
  void note_mixed_machines();
  void note_counts();

  std::string_view cell(Column column) const;
  // Sorts are told apart by `what`; only the first few of a sort are kept.
  void note(std::string_view what, std::size_t line, const std::string& text);
  void leave_out(std::string_view what, std::size_t line, const std::string& text);
  [[noreturn]] void refuse(const std::string& text) const;

  Report& report_;
  std::vector<std::uint32_t> ends_;  // of the line at hand
  std::string_view line_;
  std::vector<std::pair<std::uint32_t, Column>> numbers_;  // positions of numeric columns
  std::vector<std::pair<std::string, std::size_t>> counts_;
  std::unordered_map<std::string, std::size_t> seen_;  // run, round and key → line
  // Of the texts that tell machines and cases apart: the values so far.
  std::array<std::unordered_set<std::string_view>, column_count> different_;
  std::size_t newer_rows_ = 0;
};

}  // namespace breakeven
