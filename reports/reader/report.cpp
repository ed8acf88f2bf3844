// SPDX-License-Identifier: Apache-2.0
#include "reports/reader/report.hpp"

#include <charconv>
#include <cmath>
#include <system_error>

#include "reports/reader/parser.hpp"

namespace breakeven {

std::string_view RowView::text(Column column) const {
  const auto position = report_->position_[static_cast<std::size_t>(column)];
  if (position == Report::absent) {
    return unknown;
  }
  const auto& place = report_->rows_[index_];
  const auto* ends = &report_->fields_[index_ * report_->width_];
  const std::size_t begin = position == 0 ? 0 : ends[position - 1] + 1;
  const auto raw = report_->file_->bytes().substr(place.begin + begin, ends[position] - begin);
  return report_->value_of(raw, info(column).kind);
}

std::string_view Report::value_of(std::string_view raw, ColumnKind kind) const {
  if (!raw.empty() && raw.front() == '"') {
    const auto found = unescaped_.empty() ? unescaped_.end() : unescaped_.find(raw.data());
    raw =
        found != unescaped_.end() ? std::string_view(found->second) : raw.substr(1, raw.size() - 2);
  }
  if (kind == ColumnKind::integer && raw.ends_with(".0")) {
    raw.remove_suffix(2);
  }
  return raw.empty() ? unknown : raw;
}

std::optional<double> RowView::real(Column column) const {
  const auto field = text(column);
  double value = 0;
  const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
  const bool good = error == std::errc() && end == field.data() + field.size();
  return good && std::isfinite(value) ? std::optional(value) : std::nullopt;
}

std::optional<std::int64_t> RowView::integer(Column column) const {
  const auto field = text(column);
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
  const bool good = error == std::errc() && end == field.data() + field.size();
  return good ? std::optional(value) : std::nullopt;
}

// The parser left out every row whose status is none.
Status RowView::status() const {
  return *status_named(text(Column::status));
}

std::optional<TimeInterval> RowView::visits_interval() const {
  constexpr std::int64_t fewest_visits = 6;
  const auto low = real(Column::median_low_ns), high = real(Column::median_high_ns);
  if (!low || !high || integer(Column::n_visits).value_or(fewest_visits) < fewest_visits) {
    return std::nullopt;
  }
  return TimeInterval{*low, *high};
}

std::size_t RowView::line() const {
  return report_->rows_[index_].line;
}

Report Report::read(const std::string& path) {
  Report report;
  report.path_ = path;
  try {
    report.file_ = std::make_unique<MappedFile>(path);
  } catch (const std::system_error& error) {
    throw ReportError(path + ": cannot be read: " + error.code().message());
  }
  ReportParser(report).parse();
  return report;
}

Report Report::parse(std::string text, std::string name) {
  Report report;
  report.path_ = std::move(name);
  report.file_ = std::make_unique<MappedFile>(MappedFile::FromText{std::move(text)});
  ReportParser(report).parse();
  return report;
}

void Report::forget_before(const RowView& row) const {
  file_->forget_before(rows_[row.index()].begin);
}

}  // namespace breakeven
