// SPDX-License-Identifier: Apache-2.0
// A report as answers read it: the rounds of a case merged, and what has no time with its reason.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reports/reader/report.hpp"

namespace breakeven {

// One case on one device. Its rows are its rounds.
struct Entry {
  std::vector<RowView> rows;
  std::string device, mode;
  double nanoseconds = 0;  // median of the rounds, as `run` prints it

  std::string_view text(Column column) const { return rows.front().text(column); }
  std::size_t size(Column column) const;  // 0 where unknown
  double real(Column column) const;       // median of the rounds; 0 where unknown
  std::optional<double> detail(std::string_view key) const;  // the same, of those that are numbers
  std::string detail_text(std::string_view key) const;       // of the first round
  std::vector<std::size_t> indices() const;
};

// One f32 case as most people run it, and one square product.
bool is_plain(const Entry& entry);
bool is_square(const Entry& entry);

using EntryTest = std::function<bool(const Entry&)>;

class Entries {
 public:
  // Of the first machine of the report.
  explicit Entries(const Report& report);
  // `rows` are all of one machine.
  Entries(const Report& report, std::vector<RowView> rows);

  const Report& report() const { return report_; }
  const std::vector<RowView>& rows() const { return rows_; }
  const std::vector<Entry>& all() const { return entries_; }

  // Measured ones of a case and mode, in the order of the report.
  std::vector<const Entry*> of(std::string_view case_name, std::string_view mode,
                               const EntryTest& test = {}) const;

  // Of the measured ones like `entry` but for the mode: the first. Null: none.
  const Entry* sibling(const Entry& entry, std::string_view mode) const;

  // Why a case has no time: the rows without one, or that there are none.
  struct Absence {
    std::string reason;
    std::vector<std::size_t> rows;
  };
  Absence absence(std::string_view case_name, std::string_view mode) const;

 private:
  const Report& report_;
  std::vector<RowView> rows_;
  std::vector<Entry> entries_;
  std::vector<RowView> without_time_;
};

}  // namespace breakeven
