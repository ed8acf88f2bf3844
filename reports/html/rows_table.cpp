// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "reports/answers/questions.hpp"
#include "reports/html/page.hpp"
#include "reports/reader/origins.hpp"
#include "reports/schema/severity.hpp"
#include "reports/text/escape.hpp"
#include "reports/text/quantity.hpp"
#include "reports/text/shell_word.hpp"

namespace breakeven {
namespace {

std::string number_cell(const std::optional<double>& value, const std::string& text) {
  return value ? fmt::format("<td class=\"number\" data-value=\"{}\">{}</td>", *value, html(text))
               : "<td class=\"number\"></td>";
}

std::string rate_cell(const RowView& row) {
  if (const auto flops = row.real(Column::flops_per_s)) {
    return number_cell(flops, rate_text(*flops, "FLOP/s"));
  }
  const auto bytes = row.real(Column::bytes_per_s);
  return number_cell(bytes, bytes ? rate_text(*bytes, "B/s") : "");
}

// Where there were too few visits for an interval, their number stands in its place.
std::string interval_cell(const RowView& row) {
  const auto median = row.real(Column::median_ns);
  const auto interval = row.visits_interval();
  if (median && interval) {
    const double width = (interval->high_ns - interval->low_ns) / *median;
    return number_cell(width, interval_text(*median, interval->low_ns, interval->high_ns));
  }
  const auto visits = row.integer(Column::n_visits);
  return fmt::format(
      "<td class=\"number quiet\">{}</td>",
      median && visits ? fmt::format("{} {}", *visits, *visits == 1 ? "visit" : "visits") : "");
}

std::string verified_cell(const RowView& row) {
  const auto error = row.real(Column::verify_error);
  if (!row.is_known(Column::verify_method)) {
    return "<td></td>";
  }
  return number_cell(error.value_or(0), error ? share_text(*error) + " of bound" : "verified");
}

// A line may break after a slash.
std::string breakable(std::string_view name) {
  std::string text;
  while (!name.empty()) {
    const auto end = std::min(name.find('/'), name.size() - 1) + 1;
    text += html(name.substr(0, end)) + (end < name.size() ? "<wbr>" : "");
    name.remove_prefix(end);
  }
  return text;
}

// In words, what the row was measured for.
const char* question_of(const RowView& row) {
  const auto id = row.text(Column::question);
  const auto all = questions();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Question& one) { return one.id == id; });
  return found == all.end() ? nullptr : found->text.data();
}

// What the narrow table has no room for: one element, since thousands of rows have it.
std::string more(const RowView& row) {
  std::string text = "<pre>";
  const auto add = [&](std::string_view what, std::string_view value) {
    if (value != unknown && !value.empty()) {
      text += fmt::format("{} {}\n", what, html(value));
    }
  };
  if (const auto* question = question_of(row); question != nullptr) {
    add("Asked:", question);
  }
  add("Again:", reproducing_command(row));
  add("Why:", row.text(Column::reason));
  add("Printed:", row.text(Column::error_output));
  add("Verified by", row.text(Column::verify_method));
  add("Ceiling:", row.text(Column::ceiling_source));
  add("Relative to", row.text(Column::base));
  add("Details:", row.text(Column::details));
  add("Disturbed by", row.text(Column::disturbances));
  add("Stopped:", row.text(Column::stop_reason));
  add("Asked for device", row.text(Column::device_requested));
  add("Written", row.text(Column::utc));
  return text + "</pre>";
}

std::string kinds(const RowView& row) {
  std::string text = row.status() == Status::ok ? "ok" : "not-ok";
  return row.integer(Column::disturbed).value_or(0) > 0 ? text + " disturbed" : text;
}

std::string status_cell(const RowView& row) {
  const auto status = row.status();
  const auto disturbed = row.integer(Column::disturbed).value_or(0);
  const auto* tone = status == Status::ok ? (disturbed > 0 ? "warn" : "good")
                     : is_fault(status)   ? "bad"
                                          : "quiet";
  auto text = std::string(name(status));
  if (status != Status::ok && row.is_known(Column::reason)) {
    text += ": " + std::string(row.text(Column::reason));
  } else if (disturbed > 0) {
    text += fmt::format(", {} disturbed", disturbed);
  }
  return fmt::format("<td class=\"{}{}\">{}</td>", tone,
                     row.is_known(Column::reason) ? " reason" : "", html(text));
}

std::string exactly(std::string_view name) {
  std::string expression = "^";
  for (const char c : name) {
    if (std::string_view("\\^$.|?*+()[]{}").find(c) != std::string_view::npos) {
      expression += '\\';
    }
    expression += c;
  }
  return expression + "$";
}

std::string size_of(const RowView& row) {
  const auto m = row.text(Column::m), n = row.text(Column::n), k = row.text(Column::k);
  if (m == unknown || k == unknown || (m == n && n == k)) {
    return std::string(n);
  }
  return fmt::format("{}x{}x{}", m, n, k);
}

// What could not be measured comes last.
std::vector<RowView> rows_to_show(const Report& report) {
  std::vector<RowView> rows;
  for (std::size_t i = 0; i < report.size(); ++i) {
    rows.push_back(report.row(i));
  }
  std::stable_partition(rows.begin(), rows.end(), [](const RowView& row) {
    return row.status() != Status::unavailable && row.status() != Status::unsupported;
  });
  return rows;
}

}  // namespace

std::string reproducing_command(const RowView& row) {
  std::string text = "breakeven run";
  const auto add = [&](std::string_view option, std::string_view value) {
    if (value != unknown) {
      text +=
          fmt::format(" --{}{}{}", option, value.starts_with('-') ? '=' : ' ', shell_word(value));
    }
  };
  add("case", row.text(Column::case_name));
  add("backend", row.text(Column::backend));
  add("type", row.text(Column::math) == "native" ? row.text(Column::type) : row.text(Column::math));
  add("mode", row.text(Column::mode));
  add("size", size_of(row));
  add("cache", row.text(Column::cache));
  add("seed", row.text(Column::seed));
  return text + " --filter " + shell_word(exactly(row.text(Column::name)));
}

std::string rows_table(std::span<const Report> reports) {
  std::string text =
      "<form class=\"filter\" id=\"filter\" hidden>"
      "<input type=\"search\" name=\"words\" placeholder=\"Words in name, machine, status\" "
      "aria-label=\"Filter\">"
      "<select name=\"case\" aria-label=\"Case\"><option value=\"\">all cases</option></select>"
      "<select name=\"device\" aria-label=\"Device\"><option value=\"\">all "
      "devices</option></select>"
      "<label><input type=\"radio\" name=\"kind\" value=\"all\" checked> all</label>"
      "<label><input type=\"radio\" name=\"kind\" value=\"ok\"> measured</label>"
      "<label><input type=\"radio\" name=\"kind\" value=\"not-ok\"> not measured</label>"
      "<label><input type=\"radio\" name=\"kind\" value=\"disturbed\"> disturbed</label>"
      "<span class=\"quiet\" id=\"count\" role=\"status\"></span></form>\n"
      "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"All rows\">"
      "<table class=\"rows\" id=\"rows\">\n<thead><tr><th>Case</th>"
      "<th class=\"number\">Median</th><th class=\"number\">Interval</th><th>Status</th>"
      "<th class=\"number\">Rate</th><th class=\"number\">Of ceiling</th>"
      "<th class=\"number\">Hand over</th>"
      "<th class=\"number\" title=\"The largest error found, as a share of what is allowed: below "
      "100 % the result is right\">Rounding error</th>"
      "<th class=\"number\">Round</th><th>Machine</th></tr></thead>\n<tbody>\n";
  // What comes after so many is text where scripts run, which make rows of it bit by bit: a page of
  // thousands opens at once. Without scripts it is a table too.
  constexpr std::size_t rows_at_once = 500;
  std::size_t written = 0;
  for (std::size_t i = 0; i < reports.size(); ++i) {
    for (const auto& row : rows_to_show(reports[i])) {
      if (written++ == rows_at_once) {
        text += "</tbody></table>\n<noscript id=\"rest\"><table class=\"rows\">\n<tbody>\n";
      }
      const auto median = row.real(Column::median_ns), share = row.real(Column::ceiling_share),
                 enqueue = row.real(Column::enqueue_median_ns), round = row.real(Column::round);
      const auto name = html(row.text(Column::machine));
      const auto id = drawing::id_of(i, row);
      const auto machine = fmt::format(
          "<div title=\"{}\">{}</div>{}", name, name,
          reports.size() > 1 ? "<div class=\"quiet\">" + html(file_name_of(reports[i])) + "</div>"
                             : "");
      text += fmt::format("<tr id=\"{}\" data-kind=\"{}\"><td><details><summary>{}</summary>{}", id,
                          kinds(row), breakable(row.text(Column::name)), more(row));
      text += fmt::format("<p><a href=\"#{}\">Link to this row</a></p></details></td>", id);
      text += number_cell(median, median ? time_text(*median) : "");
      text += interval_cell(row);
      text += status_cell(row);
      text += rate_cell(row);
      text += number_cell(share, share ? share_text(*share) : "");
      text += number_cell(enqueue, enqueue ? time_text(*enqueue) : "");
      text += verified_cell(row);
      text += number_cell(round, round ? short_number(*round) : "");
      text += fmt::format("<td>{}</td></tr>\n", machine);
    }
  }
  return text + "</tbody></table>" + (written > rows_at_once ? "</noscript>" : "") + "</div>\n";
}

}  // namespace breakeven
