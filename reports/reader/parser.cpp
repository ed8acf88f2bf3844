// SPDX-License-Identifier: Apache-2.0
#include "reports/reader/parser.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>

#include "reports/reader/row_rules.hpp"
#include "reports/schema/formula.hpp"

namespace breakeven {
namespace {

constexpr std::size_t notes_of_a_sort = 5;
constexpr std::size_t most_columns = 4096;
constexpr std::size_t longest_line = 64 << 20;
// Of machines, devices, modes, ...: what is said and drawn compares each with each.
constexpr std::size_t most_different = 1024;
constexpr std::size_t longest_text = 1 << 20;  // of a cell that holds no samples

std::string quoted(std::string_view text) {
  constexpr std::size_t longest = 40;
  std::string result("'");
  result += printable(text.substr(0, longest));
  result += text.size() > longest ? "...'" : "'";
  return result;
}

bool is_ascii(std::string_view text) {
  unsigned char bits = 0;
  for (const char c : text) {
    bits |= static_cast<unsigned char>(c);
  }
  return bits < 0x80;
}

template <class Number>
bool is_number(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if constexpr (std::is_floating_point_v<Number>) {
    if (!std::isfinite(value)) {
      return false;
    }
  }
  return error == std::errc() && end == text.data() + text.size();
}

bool is_needed(const ColumnInfo& column) {
  return column.is_key || column.column == Column::schema_version ||
         column.column == Column::name || column.column == Column::status ||
         column.column == Column::median_ns;
}

std::string list(const std::vector<std::string>& names) {
  constexpr std::size_t longest = 8;
  std::string text;
  for (std::size_t i = 0; i < names.size() && i < longest; ++i) {
    text += i == 0 ? "" : ", ";
    text += names[i];
  }
  if (names.size() > longest) {
    text += " and " + std::to_string(names.size() - longest) + " more";
  }
  return text;
}

}  // namespace

void ReportParser::refuse(const std::string& text) const {
  throw ReportError(report_.path_ + ": " + text);
}

void ReportParser::note(std::string_view what, std::size_t line, const std::string& text) {
  auto count = std::find_if(counts_.begin(), counts_.end(),
                            [&](const auto& entry) { return entry.first == what; });
  if (count == counts_.end()) {
    count = counts_.insert(counts_.end(), {std::string(what), 0});
  }
  if (++count->second <= notes_of_a_sort) {
    report_.notes_.push_back({line, text});
  }
}

void ReportParser::leave_out(std::string_view what, std::size_t line, const std::string& text) {
  ++report_.left_out_;
  note(what, line, text + "; the row is left out");
}

void ReportParser::note_counts() {
  for (const auto& [what, count] : counts_) {
    if (count > notes_of_a_sort) {
      report_.notes_.push_back(
          {0, std::to_string(count - notes_of_a_sort) + " more like this: " + what});
    }
  }
}

void ReportParser::parse() {
  const auto bytes = report_.file_->bytes();
  std::size_t begin = bytes.starts_with("\xEF\xBB\xBF") ? 3 : 0;
  if (bytes.size() == begin) {
    refuse("is empty; `breakeven run --out FILE` writes reports");
  }
  const auto rows_guess = bytes.size() / 2048;
  for (std::size_t number = 1; begin < bytes.size(); ++number) {
    const auto* end =
        static_cast<const char*>(std::memchr(bytes.data() + begin, '\n', bytes.size() - begin));
    auto line = bytes.substr(
        begin, end == nullptr ? bytes.npos : static_cast<std::size_t>(end - bytes.data()) - begin);
    const auto next = begin + line.size() + 1;
    if (line.ends_with('\r')) {
      line.remove_suffix(1);
    }
    if (number == 1) {
      read_header(line);
      report_.rows_.reserve(rows_guess);
      seen_.reserve(rows_guess);
      report_.fields_.reserve(std::min(rows_guess * report_.width_, bytes.size()));
    } else if (end == nullptr) {
      leave_out("torn line", number, "the last line is torn: it has no line end");
    } else {
      read_row(line, begin, number);
    }
    begin = next;
  }
  if (report_.rows_.empty() && newer_rows_ > 0) {
    refuse("was written by a newer Breakeven (this one reads schema 1 to " +
           std::to_string(current_schema) + "); update Breakeven");
  }
  note_mixed_machines();
  note_counts();
}

void ReportParser::read_header(std::string_view line) {
  if (line.starts_with('{') || line.starts_with('[')) {
    refuse("line 1: this is JSON, not a report; `breakeven run --out FILE.csv` writes reports");
  }
  if (line.find("schema_version") == line.npos || !split(line)) {
    refuse("line 1: not a Breakeven report: no column schema_version in " + quoted(line));
  }
  if (ends_.size() > most_columns) {
    refuse("line 1: " + std::to_string(ends_.size()) + " columns; the most are " +
           std::to_string(most_columns));
  }
  report_.width_ = ends_.size();
  report_.position_.fill(Report::absent);
  std::vector<std::string> foreign, missing;
  std::uint32_t field_begin = 0;
  for (std::uint32_t i = 0; i < ends_.size(); ++i) {
    const auto name =
        report_.value_of(line.substr(field_begin, ends_[i] - field_begin), ColumnKind::text);
    field_begin = ends_[i] + 1;
    const auto column = column_named(name);
    if (!column && name == "driver") {
      continue;  // of schema 1, which says it among the facts as well
    }
    if (!column) {
      foreign.push_back(printable(name));
      continue;
    }
    auto& position = report_.position_[static_cast<std::size_t>(*column)];
    if (position != Report::absent) {
      refuse("line 1: column " + std::string(name) + " appears twice; remove one");
    }
    position = i;
    if (info(*column).kind == ColumnKind::integer || info(*column).kind == ColumnKind::real) {
      numbers_.emplace_back(i, *column);
    }
  }
  std::vector<std::string> needed;
  for (const auto& column : columns()) {
    if (report_.position_[static_cast<std::size_t>(column.column)] == Report::absent) {
      (is_needed(column) ? needed : missing).emplace_back(column.name);
    }
  }
  if (!needed.empty()) {
    refuse("line 1: columns that every report has are missing: " + list(needed));
  }
  if (!missing.empty()) {
    note("missing columns", 1, "columns " + list(missing) + " are missing; read as NA");
  }
  if (!foreign.empty()) {
    note("other columns", 1, "columns " + list(foreign) + " are not of this schema; not read");
  }
}

bool ReportParser::split(std::string_view line) {
  ends_.clear();
  line_ = line;
  const char* const data = line.data();
  const bool has_quotes = std::memchr(data, '"', line.size()) != nullptr;
  std::size_t at = 0;
  while (true) {
    if (has_quotes && at < line.size() && data[at] == '"') {
      for (++at;; at += 2) {  // past each doubled quote
        at = line.find('"', at);
        if (at == line.npos) {
          return false;
        }
        if (at + 1 >= line.size() || data[at + 1] != '"') {
          ++at;
          break;
        }
      }
      if (at < line.size() && data[at] != ',') {
        return false;
      }
    } else {
      const auto* comma = static_cast<const char*>(std::memchr(data + at, ',', line.size() - at));
      at = comma == nullptr ? line.size() : static_cast<std::size_t>(comma - data);
    }
    ends_.push_back(static_cast<std::uint32_t>(at));
    if (at == line.size()) {
      return true;
    }
    ++at;
  }
}

void ReportParser::keep_unescaped(std::string_view line) {
  std::size_t begin = 0;
  for (const auto end : ends_) {
    const auto raw = line.substr(begin, end - begin);
    begin = end + 1;
    const bool is_quoted = raw.size() >= 2 && raw.front() == '"';
    const auto inside = is_quoted ? raw.substr(1, raw.size() - 2) : raw;
    const bool has_quotes = is_quoted && inside.find('"') != inside.npos;
    if (!has_quotes && !inside.starts_with('%')) {
      continue;
    }
    std::string value;
    for (std::size_t i = 0; i < inside.size(); ++i) {
      value += inside[i];
      i += has_quotes && inside[i] == '"' ? 1 : 0;
    }
    report_.unescaped_.emplace(raw.data(), with_formula(value));
  }
}

std::string_view ReportParser::cell(Column column) const {
  const auto position = report_.position_[static_cast<std::size_t>(column)];
  if (position == Report::absent) {
    return unknown;
  }
  const std::size_t begin = position == 0 ? 0 : ends_[position - 1] + 1;
  return report_.value_of(line_.substr(begin, ends_[position] - begin), info(column).kind);
}

void ReportParser::read_row(std::string_view line, std::size_t begin, std::size_t number) {
  if (line.empty()) {
    return;
  }
  if (line.size() > longest_line) {
    return leave_out("too long", number, "the line is longer than any that is written");
  }
  if (std::memchr(line.data(), '\0', line.size()) != nullptr) {
    return leave_out("zero bytes", number,
                     "the line has zero bytes (after a power cut, or not text at all)");
  }
  if (!split(line)) {
    return leave_out("quotes", number, "a quote is not closed, or text follows it");
  }
  if (ends_.size() != report_.width_) {
    return leave_out("number of fields", number,
                     std::to_string(ends_.size()) + " fields where the header has " +
                         std::to_string(report_.width_));
  }
  keep_unescaped(line);
  if (line.size() > longest_text && has_too_long_text()) {
    return leave_out("too long", number, "a text is longer than any that is written");
  }
  if (!has_good_cells(number) || !is_new(number) || !has_room(number)) {
    return;
  }
  if (!is_ascii(line) && !is_utf8(line)) {
    note("not UTF-8", number, "not UTF-8; shown with replacement characters");
  }
  report_.rows_.push_back({begin, number});
  report_.fields_.insert(report_.fields_.end(), ends_.begin(), ends_.end());
}

bool ReportParser::has_too_long_text() const {
  return std::any_of(columns().begin(), columns().end(), [&](const ColumnInfo& column) {
    return column.kind != ColumnKind::samples && cell(column.column).size() > longest_text;
  });
}

bool ReportParser::has_good_cells(std::size_t number) {
  const auto version = cell(Column::schema_version);
  int version_number = 0;
  std::from_chars(version.data(), version.data() + version.size(), version_number);
  if (version_number > current_schema) {
    ++newer_rows_;
    leave_out("newer schema", number,
              "column schema_version: " + quoted(version) + " is newer than this program reads (" +
                  std::to_string(current_schema) + "); update Breakeven");
    return false;
  }
  if (version_number < 1) {
    leave_out("schema version", number,
              "column schema_version: " + quoted(version) + " is no version");
    return false;
  }
  const auto status = status_named(cell(Column::status));
  if (!status) {
    leave_out("status", number, "column status: " + quoted(cell(Column::status)) + " is unknown");
    return false;
  }
  for (const auto& [position, column] : numbers_) {
    const auto text = cell(column);
    if (text == unknown) {
      continue;
    }
    const bool integer = info(column).kind == ColumnKind::integer;
    const bool good = integer ? is_number<std::int64_t>(text) : is_number<double>(text);
    const bool negative =
        good && text.front() == '-' && text.find_first_of("123456789") != text.npos;
    if (good && !negative) {
      continue;
    }
    const auto message = "column " + std::string(info(column).name) + ": " + quoted(text) +
                         (negative  ? " is negative"
                          : integer ? " is not an integer"
                                    : " is not a finite number");
    if (negative || is_needed(info(column))) {
      leave_out("numbers", number, message);
      return false;
    }
    note("numbers", number, message + "; read as NA");
  }
  if (const auto broken = broken_rule([this](Column column) { return cell(column); })) {
    leave_out(info(broken->column).name, number,
              "column " + std::string(info(broken->column).name) + ": " +
                  quoted(cell(broken->column)) + ' ' + broken->text);
    return false;
  }
  return true;
}

bool ReportParser::is_new(std::size_t number) {
  if (cell(Column::mode) == "find") {
    return true;  // a search may probe a size again
  }
  std::string key(cell(Column::run_id));
  key += '\n';
  key += cell(Column::round);
  for (const auto& column : columns()) {
    if (column.is_key) {
      key += '\n';
      key += cell(column.column);
    }
  }
  const auto [first, is_first] = seen_.emplace(std::move(key), number);
  if (!is_first) {
    leave_out("duplicates", number,
              "the same case, run and round as line " + std::to_string(first->second));
  }
  return is_first;
}

bool ReportParser::has_room(std::size_t number) {
  for (const auto& column : columns()) {
    const bool is_machine = column.column == Column::machine;
    if (!is_machine && !(column.is_key && column.kind == ColumnKind::text)) {
      continue;
    }
    auto& known = different_[static_cast<std::size_t>(column.column)];
    const auto value = cell(column.column);
    if (known.contains(value)) {
      continue;
    }
    if (known.size() == most_different) {
      leave_out(column.name, number,
                "column " + std::string(column.name) + ": " + quoted(value) +
                    " is one of more than " + std::to_string(most_different) + " different ones");
      return false;
    }
    known.emplace(value);
    if (is_machine) {
      report_.machines_.emplace_back(value);
    }
  }
  return true;
}

void ReportParser::note_mixed_machines() {
  if (report_.machines_.size() > 1) {
    note("machines", 0,
         "rows of several machines: " + printable(list(report_.machines_)) + "; kept apart");
  }
}

}  // namespace breakeven
