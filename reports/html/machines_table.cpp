// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "reports/html/page.hpp"
#include "reports/reader/origins.hpp"
#include "reports/text/escape.hpp"
#include "reports/text/quantity.hpp"

namespace breakeven {
namespace {

constexpr std::array shown{Column::cpu_model,
                           Column::cpu_sockets,
                           Column::cpu_cores,
                           Column::cpu_threads,
                           Column::vector_extensions,
                           Column::memory_bytes,
                           Column::governor,
                           Column::cpuset,
                           Column::cpu_quota,
                           Column::os,
                           Column::kernel,
                           Column::machine_facts,
                           Column::compiler,
                           Column::compiler_flags,
                           Column::build_type,
                           Column::libraries,
                           Column::suite_version,
                           Column::suite_commit,
                           Column::labels};
constexpr std::array shown_of_a_device{
    Column::device_name,   Column::device_kind,     Column::device_memory_bytes,
    Column::device_facts,  Column::backend_version, Column::backend_compiler,
    Column::backend_flags, Column::backend_facts,   Column::environment};

// What is said of one machine in one report: by line of the table, its different values.
struct Machine {
  std::string heading;
  std::map<std::string, std::vector<std::string>> values;
};

void add(Machine& machine, const std::string& line, std::string value,
         std::vector<std::string>& lines) {
  if (value == unknown || value.empty()) {
    return;
  }
  if (std::find(lines.begin(), lines.end(), line) == lines.end()) {
    lines.push_back(line);
  }
  auto& values = machine.values[line];
  if (std::find(values.begin(), values.end(), value) == values.end()) {
    values.push_back(std::move(value));
  }
}

std::string shown_value(const RowView& row, Column column) {
  if (column == Column::memory_bytes || column == Column::device_memory_bytes) {
    const auto bytes = row.real(column);
    return bytes ? bytes_text(*bytes) : std::string(unknown);
  }
  return std::string(row.text(column));
}

std::string ceiling_text(const RowView& row) {
  const auto ceiling = row.real(Column::ceiling);
  const auto unit = row.text(Column::ceiling_unit);
  if (!ceiling) {
    return std::string(unknown);
  }
  const auto value = unit == "ns"       ? time_text(*ceiling)
                     : unit == "flop/s" ? rate_text(*ceiling, "FLOP/s")
                                        : rate_text(*ceiling, "B/s");
  return value + " (" + std::string(row.text(Column::ceiling_source)) + ")";
}

std::string plain(std::string_view name) {
  std::string text(name);
  std::replace(text.begin(), text.end(), '_', ' ');
  return text;
}

// One line for a column, or for each key of one with pairs.
void add_column(Machine& machine, const std::string& prefix, const RowView& row, Column column,
                std::vector<std::string>& lines) {
  if (info(column).kind != ColumnKind::pairs) {
    add(machine, prefix + plain(info(column).name), shown_value(row, column), lines);
    return;
  }
  for (const auto& [key, value] : row.pairs(column)) {
    // Names of variables stay as they are.
    add(machine, prefix + (column == Column::environment ? key : plain(key)), value, lines);
  }
}

std::vector<Machine> gather(std::span<const Report> reports, std::vector<std::string>& lines) {
  std::vector<Machine> machines;
  std::vector<std::string> device_lines;
  for (const auto& report : reports) {
    std::map<std::string, std::size_t> places;
    for (std::size_t i = 0; i < report.size(); ++i) {
      const auto row = report.row(i);
      const std::string name(row.text(Column::machine));
      const auto [place, is_new] = places.emplace(name, machines.size());
      if (is_new) {
        machines.push_back({name + " (" + file_name_of(report) + ")", {}});
      }
      auto& machine = machines[place->second];
      for (const auto column : shown) {
        add_column(machine, "", row, column, lines);
      }
      const std::string device(row.text(Column::device));
      for (const auto column : shown_of_a_device) {
        add_column(machine, device + ": ", row, column, device_lines);
      }
      add(machine, device + ": ceilings", ceiling_text(row), device_lines);
    }
  }
  std::sort(device_lines.begin(), device_lines.end());
  lines.insert(lines.end(), device_lines.begin(), device_lines.end());
  return machines;
}

}  // namespace

std::string machines_table(std::span<const Report> reports) {
  constexpr std::size_t most_values = 6;
  std::vector<std::string> lines;
  const auto machines = gather(reports, lines);
  std::string text = "<div class=\"scroll\"><table class=\"machines\">\n<thead><tr><th></th>";
  for (const auto& machine : machines) {
    text += "<th>" + html(machine.heading) + "</th>";
  }
  text += "</tr></thead>\n<tbody>\n";
  for (const auto& line : lines) {
    text += "<tr><th>" + html(line) + "</th>";
    for (const auto& machine : machines) {
      const auto found = machine.values.find(line);
      std::string cell;
      for (std::size_t i = 0; found != machine.values.end() && i < found->second.size(); ++i) {
        if (i == most_values) {
          cell += fmt::format("<br>and {} more", found->second.size() - most_values);
          break;
        }
        cell += (i == 0 ? "" : "<br>") + html(found->second[i]);
      }
      text += "<td>" + (cell.empty() ? "<span class=\"quiet\">unknown</span>" : cell) + "</td>";
    }
    text += "</tr>\n";
  }
  return text + "</tbody></table></div>\n";
}

}  // namespace breakeven
