// SPDX-License-Identifier: Apache-2.0
#include "reports/compare/measurement.hpp"

#include <algorithm>
#include <filesystem>
#include <stdexcept>

#include "reports/schema/severity.hpp"
#include "reports/statistics/effect.hpp"
#include "reports/statistics/order_statistics.hpp"
#include "reports/text/usage.hpp"

namespace breakeven::comparison {
namespace {

// How a row is labelled, and which key column its label takes the place of.
struct Labelling {
  std::function<std::string(const RowView&)> label;
  std::optional<Column> replaced;
  bool of_variants = false;  // of the column it takes the place of only what follows the `@`
};

// `serial:0` of `serial@old:0`.
std::string without_variant(std::string_view text) {
  const auto at = std::min(text.find('@'), text.size());
  const auto colon = std::min(text.find(':', at), text.size());
  return std::string(text.substr(0, at)) += text.substr(colon);
}

Labelling by_variant() {
  return {[](const RowView& row) {
            const auto backend = row.text(Column::backend);
            const auto at = backend.find('@');
            return at == backend.npos ? "plain" : std::string(backend.substr(at + 1));
          },
          Column::backend, true};
}

std::vector<std::string> file_labels(std::span<const Report> reports) {
  std::vector<std::string> labels;
  for (const auto& report : reports) {
    labels.push_back(std::filesystem::path(report.path()).stem().string());
  }
  auto sorted = labels;
  std::sort(sorted.begin(), sorted.end());
  if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end()) {
    for (std::size_t i = 0; i < labels.size(); ++i) {
      labels[i] = reports[i].path();
    }
  }
  return labels;
}

Labelling by_file(std::span<const Report> reports) {
  std::map<const Report*, std::string> labels;
  std::set<const Report*> mixed;
  const auto names = file_labels(reports);
  for (std::size_t i = 0; i < reports.size(); ++i) {
    labels[&reports[i]] = names[i];
    if (reports[i].machines().size() > 1) {
      mixed.insert(&reports[i]);
    }
  }
  return {[labels, mixed](const RowView& row) {
            const auto& label = labels.at(&row.report());
            return mixed.contains(&row.report())
                       ? label + ": " + std::string(row.text(Column::machine))
                       : label;
          },
          {}};
}

Labelling by_label(const std::string& key) {
  return {[key](const RowView& row) {
            for (const auto& [name, value] : row.pairs(Column::labels)) {
              if (name == key) {
                return value;
              }
            }
            return std::string(unknown);
          },
          {}};
}

Labelling by_column(const std::string& name) {
  const auto column = column_named(name == "run" ? "run_id" : name);
  if (!column || *column == Column::round || info(*column).kind == ColumnKind::samples ||
      info(*column).kind == ColumnKind::real) {
    throw UsageError("--group-by " + name +
                     ": not something to group by; allowed are file, run, machine, "
                     "label:KEY, variant and columns such as backend, type, suite_commit");
  }
  Labelling labelling{[column](const RowView& row) { return std::string(row.text(*column)); }, {}};
  if (info(*column).is_key) {
    labelling.replaced = {*column};
  }
  return labelling;
}

Labelling labelling_of(std::span<const Report> reports, const std::string& by) {
  constexpr std::string_view label = "label:";
  return by == "file"            ? by_file(reports)
         : by == "variant"       ? by_variant()
         : by.starts_with(label) ? by_label(by.substr(label.size()))
                                 : by_column(by);
}

// What stands in a case for its value in this column: `*` where it is another in every group. A
// device belongs to its backend, and keeps its number.
std::string part_of_case(const RowView& row, Column column, const Labelling& labelling) {
  const auto replaced = labelling.replaced;
  std::string value(row.text(column));
  if (labelling.of_variants) {
    return column == Column::backend || column == Column::device ? without_variant(value) : value;
  }
  if (column == replaced) {
    return "*";
  }
  if (column == Column::device && replaced == Column::backend) {
    const auto colon = value.rfind(':');
    return "*" + (colon == value.npos ? "" : value.substr(colon));
  }
  return value;
}

std::string key_of(const RowView& row, const Labelling& labelling) {
  std::string key;
  for (const auto& column : columns()) {
    if (column.is_key) {
      key += part_of_case(row, column.column, labelling);
      key += '\n';
    }
  }
  return key;
}

std::string shown_name(const RowView& row, const Labelling& labelling) {
  const auto replaced = labelling.replaced;
  std::string name(row.text(Column::name));
  if (!replaced) {
    return name;
  }
  const auto column = *replaced == Column::backend ? Column::device : *replaced;
  const auto part = "/" + std::string(row.text(column)) + "/";
  if (const auto at = name.find(part); at != name.npos) {
    name.replace(at, part.size(), "/" + part_of_case(row, column, labelling) + "/");
  }
  return name;
}

// Whether the row is of a process that the measurement does not hold, as far as it says.
bool is_new(Measurement& measurement, const RowView& row) {
  if (!row.is_known(Column::run_id)) {
    return true;
  }
  std::string process(row.text(Column::run_id));
  process += '\n';
  process += row.text(Column::round);
  const auto hash = std::hash<std::string>{}(process);
  auto& known = measurement.processes;
  if (std::find(known.begin(), known.end(), hash) != known.end()) {
    return false;
  }
  known.push_back(hash);
  return true;
}

void note_origin(Group& group, const RowView& row) {
  group.machines.emplace(row.text(Column::machine));
  if (row.is_known(Column::utc)) {
    const auto utc = row.text(Column::utc);  // in ISO 8601 the earlier is the smaller text
    if (group.first_utc.empty() || utc < group.first_utc) {
      group.first_utc = utc;
    }
    if (utc > group.last_utc) {
      group.last_utc = utc;
    }
  }
}

void add(Measurement& measurement, const RowView& row) {
  const auto status = row.status();
  if (status != Status::ok) {
    if (!measurement.worst || severity(status) > severity(*measurement.worst)) {
      measurement.worst = status;
      measurement.reason = row.is_known(Column::reason) ? row.text(Column::reason) : "";
    }
    return;
  }
  if (measurement.round_medians.empty()) {
    measurement.visits_interval = row.visits_interval();
  }
  measurement.round_medians.push_back(*row.real(Column::median_ns));
  if (const auto share = row.real(Column::ceiling_share)) {
    measurement.ceiling_shares.push_back(*share);
  }
  const auto disturbed = row.integer(Column::disturbed).value_or(0);
  measurement.disturbed_visits += disturbed;
  measurement.visits += std::max(disturbed, row.integer(Column::n_visits).value_or(1));
}

}  // namespace

std::optional<Summary> summary(const Measurement& measurement) {
  const auto& medians = measurement.round_medians;
  if (medians.empty()) {
    return std::nullopt;
  }
  Summary result{median(medians), std::nullopt, std::nullopt, medians.size()};
  if (medians.size() >= 3) {
    const auto interval = geometric_mean_interval(medians);
    result.low = std::min(interval->low, result.median);
    result.high = std::max(interval->high, result.median);
  } else if (medians.size() == 1 && measurement.visits_interval) {
    result.low = measurement.visits_interval->low_ns;
    result.high = measurement.visits_interval->high_ns;
  }
  return result;
}

Grouped group_rows(std::span<const Report> reports, const std::string& by,
                   const std::function<bool(std::string_view)>& wanted) {
  const auto labelling = labelling_of(reports, by);
  Grouped grouped;
  grouped.by_variant = labelling.of_variants;
  grouped.by_key = labelling.replaced.has_value() && !labelling.of_variants;
  std::unordered_map<std::string, std::size_t> group_index, case_index;
  for (const auto& report : reports) {
    auto& rows = grouped.rows.emplace_back(0);
    for (std::size_t i = 0; i < report.size(); ++i) {
      const auto row = report.row(i);
      if (row.text(Column::mode) == "find") {
        ++grouped.searches;
        continue;
      }
      if (!wanted(row.text(Column::name))) {
        continue;
      }
      ++rows;
      const auto [group_at, new_group] =
          group_index.emplace(labelling.label(row), grouped.groups.size());
      if (new_group) {
        grouped.groups.emplace_back().label = group_at->first;
      }
      const auto [case_at, new_case] =
          case_index.emplace(key_of(row, labelling), grouped.cases.size());
      if (new_case) {
        grouped.cases.push_back(
            {shown_name(row, labelling), part_of_case(row, Column::backend, labelling)});
      }
      auto& group = grouped.groups[group_at->second];
      note_origin(group, row);
      auto& measurement = group.cases[case_at->second];
      if (!is_new(measurement, row)) {
        ++grouped.repeated;
        continue;
      }
      add(measurement, row);
      if (labelling.replaced)
        if (auto visits = visits_of(row))
          measurement.visits_of_rounds.push_back(*std::move(visits));
      if (row.status() == Status::ok) {
        const auto context = grouped.contexts.id_of(row);
        measurement.contexts.insert(context);
        group.contexts[part_of_case(row, Column::backend, labelling)].insert(context);
      }
    }
  }
  return grouped;
}

}  // namespace breakeven::comparison
