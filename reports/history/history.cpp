// SPDX-License-Identifier: Apache-2.0
#include "reports/history/history.hpp"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "reports/schema/samples.hpp"
#include "reports/schema/severity.hpp"
#include "reports/statistics/order_statistics.hpp"
#include "reports/text/pattern.hpp"
#include "reports/text/usage.hpp"

namespace breakeven::history {
namespace {

// Where a row stands on the axis.
class Axis {
 public:
  Axis(const std::string& over, const comparison::Contexts& contexts)
      : over_(over), contexts_(contexts) {
    static const std::set<std::string> known{"run", "date", "commit", "driver"};
    if (!known.contains(over) && !(over.starts_with(label) && over.size() > label.size())) {
      throw UsageError("--over " + over + ": allowed are run, date, commit, driver and label:KEY");
    }
  }

  std::string place(const StoredRow& row, comparison::ContextId context) const {
    if (over_ == "run") {
      return std::string(row.run_id);
    }
    if (over_ == "date") {
      return std::string(row.utc.substr(0, row.utc.find('T')));
    }
    if (over_ == "commit") {
      return contexts_.value(context, Column::suite_commit);
    }
    const bool of_device = over_ == "driver";
    const std::string wanted = of_device ? over_ : over_.substr(label.size());
    const auto pairs =
        parse_pairs(contexts_.value(context, of_device ? Column::device_facts : Column::labels));
    for (const auto& [key, value] : pairs.value_or(Pairs{})) {
      if (key == wanted) {
        return value;
      }
    }
    return std::string(unknown);
  }

 private:
  static constexpr std::string_view label = "label:";
  std::string over_;
  const comparison::Contexts& contexts_;
};

std::map<std::int64_t, comparison::ContextId> read_contexts(const Store& store,
                                                            comparison::Contexts& contexts) {
  std::map<std::int64_t, comparison::ContextId> ids;
  store.for_each_context([&](std::int64_t id, std::string_view text) {
    const auto json = nlohmann::json::parse(text, nullptr, false);
    ids[id] = contexts.id_of([&](Column column) -> std::string_view {
      const auto at = json.is_object() ? json.find(info(column).name) : json.end();
      return json.is_object() && at != json.end() && at->is_string()
                 ? std::string_view(at->get_ref<const std::string&>())
                 : unknown;
    });
  });
  return ids;
}

// The rounds of a point become its median.
class Gatherer {
 public:
  explicit Gatherer(History& history) : history_(history) {}

  void add(const StoredRow& row, const std::string& place, comparison::ContextId context) {
    if (history_.series.empty() || history_.series.back().machine != row.machine ||
        history_.series.back().name != row.name) {
      finish();
      history_.series.push_back({std::string(row.machine), std::string(row.name), {}});
    }
    auto& points = history_.series.back().points;
    auto known = places_.find(place);
    if (known == places_.end()) {
      known = places_.emplace(place, points.size()).first;
      Point point;
      point.label = printable(place);
      point.utc = printable(row.utc);
      point.run_id = printable(row.run_id);
      points.push_back(std::move(point));
      medians_.emplace_back();
    }
    auto& point = points[known->second];
    point.contexts.insert(context);
    if (row.status == Status::ok) {
      medians_[known->second].push_back(row.median_ns);
    } else if (severity(row.status) > severity(point.worst)) {
      point.worst = row.status;
      point.reason = printable(row.reason);
    }
  }

  void finish() {
    for (std::size_t i = 0; i < medians_.size(); ++i) {
      auto& point = history_.series.back().points[i];
      point.rounds = medians_[i].size();
      point.median_ns = medians_[i].empty() ? 0 : median(medians_[i]);
    }
    medians_.clear();
    places_.clear();
  }

 private:
  History& history_;
  std::map<std::string, std::size_t> places_;
  std::vector<std::vector<double>> medians_;
};

}  // namespace

History read(const Store& store, const Wanted& wanted) {
  const Pattern filter("--filter", wanted.filter);
  History history;
  const Axis axis(wanted.over, history.contexts);
  const auto contexts = read_contexts(store, history.contexts);
  const auto is_in = [](const std::set<std::string>& names, std::string_view name) {
    return names.empty() || names.contains(std::string(name));
  };
  std::set<std::string> machines, runs;
  Gatherer gatherer(history);
  store.for_each_row([&](const StoredRow& row) {
    if (!is_in(wanted.machines, row.machine) ||
        !is_in(wanted.cases, row.name.substr(0, row.name.find('/'))) || !filter.is_in(row.name)) {
      return;
    }
    const auto context = contexts.find(row.context);
    if (context == contexts.end()) {
      return;
    }
    machines.emplace(row.machine);
    runs.insert(std::string(row.machine) + '\n' + std::string(row.run_id));
    if (history.first_utc.empty() || row.utc < history.first_utc) {
      history.first_utc = printable(row.utc);
    }
    history.last_utc = std::max(history.last_utc, printable(row.utc));
    gatherer.add(row, axis.place(row, context->second), context->second);
  });
  gatherer.finish();
  history.machines = machines.size();
  history.runs = runs.size();
  return history;
}

}  // namespace breakeven::history
