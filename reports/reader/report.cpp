// SPDX-License-Identifier: Apache-2.0
#include "reports/reader/report.hpp"

#include <charconv>
#include <cmath>
#include <new>

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
  const bool is_quoted = raw.starts_with('"');
  if (is_quoted || raw.starts_with('%')) {
    const auto found = unescaped_.find(raw.data());
    raw = found != unescaped_.end() ? std::string_view(found->second)
          : is_quoted               ? raw.substr(1, raw.size() - 2)
                                    : raw;
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
  try {
    Report report;
    report.path_ = path;
    report.file_ = std::make_unique<WholeFile>(path);
    ReportParser(report).parse();
    return report;
  } catch (const ReportError&) {
    throw;
  } catch (const std::runtime_error& error) {
    throw ReportError(path + ": " + error.what());
  } catch (const std::bad_alloc&) {
    throw ReportError(path + ": needs more memory than there is; split it, a run a file");
  }
}

Report Report::parse(std::string text, std::string name) {
  Report report;
  report.path_ = std::move(name);
  report.file_ = std::make_unique<WholeFile>(WholeFile::FromText{std::move(text)});
  ReportParser(report).parse();
  return report;
}

}  // namespace breakeven
