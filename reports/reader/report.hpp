// SPDX-License-Identifier: Apache-2.0
// Reads a report. Strict: what is not as the schema says is told with its line and column. Kind:
// the rest of the file is still read, and what an older version wrote stays readable.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "reports/reader/whole_file.hpp"
#include "reports/schema/samples.hpp"
#include "reports/schema/schema.hpp"
#include "reports/text/usage.hpp"

namespace breakeven {

// The file is no report at all. One line: the file, what is wrong, what to do.
class ReportError : public Unusable {
 public:
  using Unusable::Unusable;
};

// What was odd about a file that was read all the same. Line 0: the file as a whole.
struct Note {
  std::size_t line = 0;
  std::string text;
};

class Report;

struct TimeInterval {
  double low_ns = 0, high_ns = 0;
};

// One row, where it lies in the file. Valid as long as its report.
class RowView {
 public:
  RowView(const Report& report, std::size_t index) : report_(&report), index_(index) {}

  std::string_view text(Column column) const;  // `NA` where the file has no such column
  bool is_known(Column column) const { return text(column) != unknown; }
  std::optional<double> real(Column column) const;  // none: unknown, or noted as no number
  std::optional<std::int64_t> integer(Column column) const;
  Status status() const;
  // Of median_ns, over the visits of this process. None: unknown, or said to come from fewer than
  // six visits, which hold no 95 % interval of a median.
  std::optional<TimeInterval> visits_interval() const;
  std::optional<Visits> samples(Column column) const { return parse_samples(text(column)); }
  Pairs pairs(Column column) const { return parse_pairs(text(column)).value_or(Pairs{}); }

  std::size_t index() const { return index_; }
  std::size_t line() const;  // counted from 1
  const Report& report() const { return *report_; }

 private:
  const Report* report_;
  std::size_t index_;
};

class Report {
 public:
  // Throws ReportError. What becomes of the file meanwhile changes nothing.
  static Report read(const std::string& path);
  // `name` stands for the path in messages; for tests and for what came from a pipe.
  static Report parse(std::string text, std::string name);

  const std::string& path() const { return path_; }
  std::size_t size() const { return rows_.size(); }
  RowView row(std::size_t index) const { return RowView(*this, index); }

  // In the order of the file, at most a few of each sort: the last of a sort says how many more.
  const std::vector<Note>& notes() const { return notes_; }
  // In the order of the file.
  const std::vector<std::string>& machines() const { return machines_; }

  // Rows that could not be read. Each has its note.
  std::size_t left_out() const { return left_out_; }

 private:
  friend class RowView;
  friend class ReportParser;
  Report() = default;

  static constexpr std::uint32_t absent = UINT32_MAX;
  struct Place {
    std::size_t begin, line;
  };

  std::string_view value_of(std::string_view raw, ColumnKind kind) const;

  std::string path_;
  std::unique_ptr<WholeFile> file_;
  std::vector<Place> rows_;
  std::vector<std::uint32_t> fields_;  // ends of the fields of all rows, from the row's begin
  std::size_t width_ = 0;              // fields in a row
  std::array<std::uint32_t, column_count> position_{};      // of a column in a row
  std::unordered_map<const char*, std::string> unescaped_;  // fields with doubled quotes or `%`
  std::vector<Note> notes_;
  std::vector<std::string> machines_;
  std::size_t left_out_ = 0;
};

}  // namespace breakeven
