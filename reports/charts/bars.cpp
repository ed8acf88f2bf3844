// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>

#include "reports/charts/drawing.hpp"
#include "reports/text/quantity.hpp"

namespace breakeven::drawing {
namespace {

// Modes whose rows can be told as one and the same work.
struct Work {
  std::string_view case_name, question, id, title;
  struct Mode {
    std::string_view mode, words;
  };
  std::vector<Mode> modes;
  bool is_added = false;  // the modes are parts of one thing, and stand in one bar
};

const std::vector<Work>& works() {
  static const std::vector<Work> all{
      {"matmul",
       "Q1",
       "copies",
       "One product, with and without its copies",
       {{"resident", "data already there"},
        {"offload-once", "copied in and out once for many"},
        {"offload-always", "copied in and out each time"}}},
      {"matmul",
       "",
       "handing-over",
       "One product, waited for each time or not",
       {{"resident", "waited for each time"},
        {"amortised", "many, waited for once"},
        {"sequence", "a recorded sequence"}}},
      {"norm-log",
       "Q3",
       "log",
       "One product and its norm",
       {{"log-each", "each norm read back at once"},
        {"log-once", "norms logged, moved once"},
        {"batched", "one batch"},
        {"sequence", "a recorded sequence"}}},
      {"parameters",
       "Q2",
       "read",
       "Reading a model's parameters",
       {{"read-each", "tensor by tensor"}, {"read-flat", "all in one transfer"}}},
      {"parameters",
       "",
       "write",
       "Writing a model's parameters",
       {{"write-each", "tensor by tensor"}, {"write-flat", "all in one transfer"}}},
      {"dispatch",
       "Q13",
       "operations",
       "One empty operation",
       {{"empty", "alone"},
        {"queued", "one of many queued"},
        {"wait-each", "one of many, a wait after each"},
        {"sequence", "one of a recorded sequence"}}},
      {"dispatch",
       "",
       "pieces",
       "The same elements, whole or in pieces",
       {{"whole", "in one"}, {"pieces", "in pieces"}}},
      {"mlp-jacobian",
       "Q12",
       "jacobian",
       "A whole Jacobian",
       {{"per-pass", "pass by pass"}, {"batched", "one batched pass"}}},
      {"overlap",
       "Q6",
       "overlap",
       "The same products and their copies",
       {{"in-order", "one after the other"}, {"overlapped", "at the same time"}}},
      {"transfer",
       "Q9",
       "same-place",
       "A copy to where the data already is",
       {{"same-place", "forced"}}},
      {"first-use",
       "",
       "first-use",
       "What comes once",
       {{"create", "create the backend"}, {"allocate", "allocate"}, {"first-run", "first product"}},
       true}};
  return all;
}

const Work::Mode* mode_of(const Work& work, const Curve& curve) {
  const auto name = curve.text(Column::mode);
  const auto found = std::find_if(work.modes.begin(), work.modes.end(),
                                  [&](const Work::Mode& mode) { return mode.mode == name; });
  return found == work.modes.end() ? nullptr : &*found;
}

struct Candidate {
  const Curve* curve;
  const Place* place;
  const Work::Mode* mode;
};

// Candidates of one key did the same work.
std::string key_of(const Work& work, const Candidate& candidate) {
  if (work.is_added) {
    return "";
  }
  const auto& row = candidate.place->rounds.front().row;
  std::string key;
  for (const auto column : {Column::type, Column::m, Column::n, Column::k, Column::bytes}) {
    key += std::string(row.text(column)) + "\n";
  }
  // The products of a log may be one batch.
  const auto batch = work.case_name == "norm-log" ? 1 : row.integer(Column::batch).value_or(1);
  return key + std::to_string(batch);
}

// Of all work that was measured in two modes, what most devices and modes share; the largest such.
std::vector<Candidate> most_shared(const Work& work, const Sweep& sweep) {
  std::vector<std::pair<std::string, std::vector<Candidate>>> sets;
  for (const auto& curve : sweep.curves) {
    const auto* mode = mode_of(work, curve);
    if (mode == nullptr || curve.text(Column::cache) == "cold") {
      continue;
    }
    for (const auto& place : curve.places) {
      const Candidate candidate{&curve, &place, mode};
      const auto key = key_of(work, candidate);
      auto set = std::find_if(sets.begin(), sets.end(),
                              [&](const auto& entry) { return entry.first == key; });
      if (set == sets.end()) {
        set = sets.insert(sets.end(), {key, {}});
      }
      set->second.push_back(candidate);
    }
  }
  const std::vector<Candidate>* best = nullptr;
  std::size_t most = 0;
  for (const auto& [key, set] : sets) {
    std::size_t modes = 0;
    for (const auto& mode : work.modes) {
      modes +=
          std::any_of(set.begin(), set.end(), [&](const Candidate& c) { return c.mode == &mode; })
              ? 1
              : 0;
    }
    if (modes >= std::min<std::size_t>(2, work.modes.size()) && modes * set.size() >= most) {
      most = modes * set.size();
      best = &set;
    }
  }
  return best == nullptr ? std::vector<Candidate>{} : *best;
}

// Copies of a product are shares of its time.
std::vector<Bar::Part> parts_of(const RowView& row) {
  constexpr std::array names{std::pair("upload_share", "copies in"),
                             std::pair("compute_share", "computes"),
                             std::pair("download_share", "copies out")};
  std::vector<Bar::Part> parts;
  for (const auto& [key, label] : names) {
    for (const auto& [name, value] : row.pairs(Column::details)) {
      if (name == key) {
        parts.push_back({label, std::strtod(value.c_str(), nullptr)});
      }
    }
  }
  return parts.size() == names.size() ? parts : std::vector<Bar::Part>{};
}

// `f32, n = 512`, of what all bars share.
std::string sizes_text(const RowView& row) {
  std::string text(row.text(Column::type) == unknown ? "" : row.text(Column::type));
  for (const auto column : {Column::n, Column::batch, Column::bytes}) {
    if (const auto value = row.integer(column); value && *value > 1) {
      text += text.empty() ? "" : ", ";
      text += column == Column::bytes ? bytes_text(static_cast<double>(*value))
                                      : fmt::format("{} = {}", info(column).name, *value);
    }
  }
  return text;
}

// A device of its own label; memories and directions only where they tell bars apart.
std::string bar_label(const Candidate& candidate, const std::vector<Candidate>& all) {
  auto label = candidate.curve->label({});
  for (const auto column : {Column::memory, Column::math, Column::count}) {
    const auto value = candidate.curve->text(column);
    const bool varies = std::any_of(all.begin(), all.end(), [&](const Candidate& other) {
      return other.mode == candidate.mode &&
             other.curve->text(Column::device) == candidate.curve->text(Column::device) &&
             other.curve->text(column) != value;
    });
    if (varies && value != unknown) {
      label += " · " + (column == Column::count ? "count " + value : value);
    }
  }
  return printable(label);
}

void draw_added(const Work& work, const std::vector<Candidate>& all, Chart& chart,
                Drawing& drawing) {
  for (const auto& candidate : all) {
    const auto point = point_of(*candidate.place, work_seconds);
    if (!point) {
      continue;
    }
    const auto label = candidate.curve->label({});
    auto bar = std::find_if(chart.bars.begin(), chart.bars.end(),
                            [&](const Bar& other) { return other.label == label; });
    if (bar == chart.bars.end()) {
      bar = chart.bars.insert(
          bar,
          {"all together", label, drawing.colours.of(*candidate.curve), 0, 0, 0, point->row, {}});
    }
    bar->value += point->y;
    bar->low += point->low;  // all at their best, and all at their worst
    bar->high += point->high;
    bar->parts.push_back({std::string(candidate.mode->words), point->y});
  }
  for (auto& bar : chart.bars) {
    for (auto& part : bar.parts) {
      part.share /= bar.value;
    }
  }
  std::erase_if(chart.bars, [&](const Bar& bar) { return bar.parts.size() != work.modes.size(); });
}

void draw_side_by_side(const Work& work, const std::vector<Candidate>& all, Chart& chart,
                       Drawing& drawing) {
  for (const auto& mode : work.modes) {
    for (const auto& candidate : all) {
      const auto point = point_of(*candidate.place, work_seconds);
      if (candidate.mode == &mode && point) {
        chart.bars.push_back({std::string(mode.words), bar_label(candidate, all),
                              drawing.colours.of(*candidate.curve), point->y, point->low,
                              point->high, point->row,
                              parts_of(candidate.place->rounds.front().row)});
      }
    }
  }
}

}  // namespace

// What several rows did: the repeated step of those that count steps, the whole of the others.
std::optional<double> work_seconds(const RowView& row, double nanoseconds) {
  const auto case_name = row.text(Column::case_name), mode = row.text(Column::mode);
  double times = 1;
  if (case_name == "mlp-jacobian" && mode == "per-pass") {
    for (const auto& [key, value] : row.pairs(Column::details)) {
      times = key == "passes_one_by_one" ? std::strtod(value.c_str(), nullptr) : times;
    }
  } else if (case_name == "norm-log") {
    times = 1 / std::max({1.0, row.real(Column::count).value_or(1),
                          row.real(Column::batch).value_or(1)});
  } else if (case_name == "matmul" || (case_name == "dispatch" && mode != "pieces")) {
    times = 1 / row.real(Column::count).value_or(1);
  }
  return nanoseconds * 1e-9 * times;
}

// The same work in several modes, side by side.
void draw_bars(const Sweep& sweep, Drawing& drawing) {
  for (const auto& work : works()) {
    const auto all =
        work.case_name == sweep.case_name ? most_shared(work, sweep) : std::vector<Candidate>{};
    if (all.empty()) {
      continue;
    }
    const auto sizes = work.is_added ? "" : sizes_text(all.front().place->rounds.front().row);
    Chart chart{file_name(fmt::format("{}-{}", sweep.case_name, work.id)),
                fmt::format("{}{}{}", work.title, sizes.empty() ? "" : ": ", sizes),
                "Shorter is better; every bar is the same work.",
                {"", "", Scale::linear},
                {"time", "s", Scale::linear},
                {},
                {},
                sweep.case_name,
                std::string(work.question)};
    if (work.is_added) {
      chart.caption = "Shorter is better; each of these is paid once.";
      draw_added(work, all, chart, drawing);
    } else {
      draw_side_by_side(work, all, chart, drawing);
    }
    if (!chart.bars.empty()) {
      drawing.charts.push_back(std::move(chart));
    }
  }
}

// Rows of several devices whose details say `efficiency`: large work, and many small products.
void draw_efficiency(const Sweep& sweep, Drawing& drawing) {
  Chart large{file_name("efficiency-" + sweep.case_name),
              titled("What several devices reach of perfect sharing", sweep.case_name, "NA"),
              "100 % is perfect: k devices take a k-th of the time of the best one alone.",
              {"", "", Scale::linear},
              {"efficiency", "%", Scale::linear}};
  large.case_name = sweep.case_name;
  auto small = large;
  large.question = "Q4";
  small.question = "Q5";
  small.id += "-small";
  small.title = "What several devices reach with many small products";
  const auto efficiency = [](const RowView& row, double ns) -> std::optional<double> {
    const auto median_ns = row.real(Column::median_ns);
    if (row.integer(Column::devices).value_or(0) < 2 || !median_ns) {
      return std::nullopt;  // one device has nothing to share with
    }
    for (const auto& [key, value] : row.pairs(Column::details)) {
      if (key == "efficiency") {
        return std::strtod(value.c_str(), nullptr) * *median_ns / ns;
      }
    }
    return std::nullopt;
  };
  for (const auto& curve : sweep.curves) {
    for (const auto& place : curve.places) {
      if (const auto point = point_of(place, efficiency)) {
        auto group = curve.text(Column::mode);
        for (const auto column : {Column::type, Column::devices, Column::feeders}) {
          const auto& row = place.rounds.front().row;
          if (row.is_known(column)) {
            auto name =
                column == Column::type ? std::string() : " " + std::string(info(column).name);
            if (row.text(column) == "1" && !name.empty()) {
              name.pop_back();  // of several
            }
            group += fmt::format(" · {}{}", row.text(column), name);
          }
        }
        if (sweep.axis && *sweep.axis != Column::devices && *sweep.axis != Column::feeders) {
          group += fmt::format(" · {} {:g}", info(*sweep.axis).name, place.x);
        }
        auto& chart = curve.text(Column::mode) == "many-small" ? small : large;
        chart.bars.push_back({printable(group),
                              curve.label({}),
                              drawing.colours.of(curve),
                              point->y,
                              point->low,
                              point->high,
                              point->row,
                              {}});
      }
    }
  }
  for (auto* chart : {&large, &small}) {
    if (!chart->bars.empty()) {
      drawing.charts.push_back(std::move(*chart));
    }
  }
}

}  // namespace breakeven::drawing
