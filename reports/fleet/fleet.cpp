// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "reports/fleet/judgement.hpp"
#include "reports/schema/severity.hpp"

namespace breakeven::fleet {
namespace {

// `matmul/blas:0` of `matmul/blas:0/f32/resident/n:64`.
std::string kind_of(const std::string& name) {
  const auto first = name.find('/');
  return name.substr(0, first == name.npos ? first : name.find('/', first + 1));
}

// `rows` are those of one case; `logs` is room to work in.
Cell cell_of(const Observation* begin, const Observation* end, std::vector<double>& logs) {
  Cell cell;
  logs.clear();
  for (const auto* row = begin; row != end; ++row) {
    if (row->status == Status::ok) {
      logs.push_back(std::log(static_cast<double>(row->median_ns)));
      cell.ceiling += row->ceiling;
      cell.disturbed += row->disturbed;
    } else if (severity(row->status) > severity(cell.worst)) {
      cell.worst = row->status;
      cell.reason = row->said;
    }
  }
  if (logs.empty()) {
    return cell;
  }
  const auto n = logs.size();
  const auto count = static_cast<float>(n);
  cell.rounds = static_cast<std::uint8_t>(std::min<std::size_t>(n, 255));
  cell.ceiling /= count;
  cell.disturbed /= count;
  std::sort(logs.begin(), logs.end());
  const auto cut = n < 3 ? 0 : std::max<std::size_t>(1, n / 5);
  double mean = 0, squares = 0, middle = 0;
  for (std::size_t i = 0; i < n; ++i) {
    mean += logs[i] / static_cast<double>(n);
    if (i >= cut && i < n - cut) {
      middle += logs[i] / static_cast<double>(n - 2 * cut);
    }
  }
  for (const double value : logs) {
    squares += (value - mean) * (value - mean);
  }
  cell.log_time = static_cast<float>(middle);
  cell.variance = n < 2 ? 0.0F : static_cast<float>(squares / static_cast<double>(n - 1));
  return cell;
}

}  // namespace

Fleet fleet_of(Collection&& collection) {
  Fleet fleet{std::move(collection), {}, {}, {}};
  const auto& texts = fleet.collection.texts;
  constexpr auto none = SIZE_MAX;
  std::vector<std::size_t> index_of(texts.size(), none);
  std::vector<double> logs;
  for (auto& node : fleet.collection.nodes) {
    for (const auto& row : node.rows) {
      auto& index = index_of[row.name];
      if (index == none) {
        index = fleet.cases.size();
        const auto kind = kind_of(texts.text(row.name));
        auto at = std::find(fleet.kinds.begin(), fleet.kinds.end(), kind);
        at = at != fleet.kinds.end() ? at : fleet.kinds.insert(at, kind);
        fleet.cases.push_back(
            {row.name, static_cast<std::size_t>(at - fleet.kinds.begin()), std::nullopt});
      }
      auto& source = fleet.cases[index].source;
      if (!source && row.status == Status::ok && row.ceiling > 0) {
        source = row.said;
      }
    }
    auto& cells = fleet.cells.emplace_back(fleet.cases.size());
    auto& rows = node.rows;
    std::stable_sort(rows.begin(), rows.end(), [&](const Observation& a, const Observation& b) {
      return index_of[a.name] < index_of[b.name];
    });
    for (std::size_t begin = 0; begin < rows.size();) {
      auto end = begin;
      while (end < rows.size() && rows[end].name == rows[begin].name) {
        ++end;
      }
      cells[index_of[rows[begin].name]] = cell_of(&rows[begin], rows.data() + end, logs);
      begin = end;
    }
    std::vector<Observation>().swap(rows);
  }
  return fleet;
}

}  // namespace breakeven::fleet
