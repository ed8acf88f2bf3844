// SPDX-License-Identifier: Apache-2.0
#include "reports/break_even/stored_verdict.hpp"

#include <algorithm>
#include <cmath>

#include "reports/break_even/decision.hpp"
#include "reports/break_even/search_row.hpp"
#include "reports/reader/paired_rows.hpp"
#include "reports/statistics/effect.hpp"
#include "reports/statistics/order_statistics.hpp"

namespace breakeven {
namespace {

constexpr double margin = 0.01;  // a smaller log ratio is a tie
constexpr std::size_t enough_rounds = 3;

std::vector<double> round_medians(const std::vector<RowView>& rows) {
  std::vector<double> medians;
  for (const RowView& row : rows) {
    medians.push_back(*row.real(Column::median_ns));
  }
  return medians;
}

// Holds the interval of every round; unbounded where a round has none.
MedianInterval hull(const std::vector<RowView>& rows) {
  MedianInterval whole{median(round_medians(rows)), INFINITY, 0};
  for (const RowView& row : rows) {
    const auto interval = row.visits_interval().value_or(TimeInterval{0, INFINITY});
    whole.low = std::min(whole.low, interval.low_ns);
    whole.high = std::max(whole.high, interval.high_ns);
  }
  return whole;
}

Faster faster_of(double low, double high) {
  return low > 0                          ? Faster::from
         : high < 0                       ? Faster::to
         : low > -margin && high < margin ? Faster::neither
                                          : Faster::undecided;
}

std::vector<double> block_medians(const RowView& row) {
  std::vector<double> medians;
  for (const auto& block : row.samples(Column::samples_ns).value_or(Visits{})) {
    if (!block.empty()) {
      medians.push_back(median(block));
    }
  }
  return medians;
}

// What the search itself found in this visit; where the row does not say, what its blocks say.
Faster visit_verdict(const RowView& row, const LogRatios& ratios, std::size_t dependent) {
  if (const std::string found = probe_text(row, Column::faster); !found.empty()) {
    return faster_named(found).value_or(Faster::undecided);
  }
  return decide(std::span(&ratios, 1), dependent, margin).faster;
}

}  // namespace

Probe verdict_of_rounds(std::size_t size, const std::vector<RowView>& from,
                        const std::vector<RowView>& to) {
  Probe probe;
  probe.size = size;
  const std::vector<double> from_medians = round_medians(from), to_medians = round_medians(to);
  probe.from_ns = median(from_medians);
  probe.to_ns = median(to_medians);
  probe.log_ratio = std::log(probe.to_ns / probe.from_ns);
  if (const auto paired = paired_ratio(paired_ratios(from, to), 0.99)) {
    probe.is_paired = true;
    probe.log_ratio = std::log(paired->ratio);
    probe.low = std::log(paired->low);
    probe.high = std::log(paired->high);
  } else if (std::min(from.size(), to.size()) >= enough_rounds) {
    const auto effect = welch_log_ratio(from_medians, to_medians, 0.99);
    probe.log_ratio = std::log(effect->ratio);
    probe.low = std::log(effect->low);
    probe.high = std::log(effect->high);
  } else {
    const MedianInterval a = hull(from), b = hull(to);
    probe.low = std::log(b.low / a.high);
    probe.high = std::log(b.high / a.low);
  }
  probe.faster = faster_of(probe.low, probe.high);
  if (probe.faster == Faster::undecided) {
    probe.reason =
        probe.is_paired ? "the paired ratio's interval holds 1" : "the stored intervals overlap";
  }
  return probe;
}

std::vector<LogRatios> visits_of(const std::vector<RowView>& from, const std::vector<RowView>& to) {
  std::vector<LogRatios> visits;
  for (std::size_t visit = 0; visit < std::min(from.size(), to.size()); ++visit) {
    const std::vector<double> a = block_medians(from[visit]), b = block_medians(to[visit]);
    LogRatios& ratios = visits.emplace_back();
    for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
      ratios.push_back(std::log(b[i] / a[i]));
    }
  }
  return visits;
}

Probe verdict_of_pairs(std::size_t size, const std::vector<RowView>& from,
                       const std::vector<RowView>& to, std::size_t dependent) {
  Probe probe;
  probe.size = size;
  const std::vector<LogRatios> visits = visits_of(from, to);
  std::vector<double> from_ns, to_ns;
  for (std::size_t visit = 0; visit < visits.size(); ++visit) {
    const std::vector<double> a = block_medians(from[visit]), b = block_medians(to[visit]);
    const auto pairs = static_cast<std::ptrdiff_t>(visits[visit].size());
    from_ns.insert(from_ns.end(), a.begin(), a.begin() + pairs);
    to_ns.insert(to_ns.end(), b.begin(), b.begin() + pairs);
  }
  if (from_ns.empty()) {
    probe.reason = "the rows hold no samples";
    return probe;
  }
  probe.is_paired = true;
  const Decision all = decide(visits, dependent, margin);
  probe.log_ratio = all.median;
  probe.low = all.low;
  probe.high = all.high;
  probe.from_ns = median(from_ns);
  probe.to_ns = median(to_ns);
  for (std::size_t visit = 0; visit < visits.size(); ++visit) {
    const Faster found = visit_verdict(from[visit], visits[visit], dependent);
    if (visit == 0) {
      probe.faster = found;
      probe.reason = found == Faster::undecided ? "the budget ended" : "";
    } else if (found != probe.faster) {
      probe.faster = Faster::undecided;
      probe.reason =
          found == Faster::undecided ? "a second visit did not decide" : "two visits disagree";
    }
  }
  return probe;
}

}  // namespace breakeven
