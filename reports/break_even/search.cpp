// SPDX-License-Identifier: Apache-2.0
#include "reports/break_even/search.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "reports/break_even/decision.hpp"
#include "reports/break_even/next_size.hpp"
#include "reports/statistics/order_statistics.hpp"

namespace breakeven {
namespace {

constexpr std::size_t first_look = 8;   // blocks: fewer have no 99 % interval
constexpr std::size_t in_vain = 4;      // sizes refused and none measured: so will be the others
constexpr double share_of_rest = 0.25;  // of the budget that is left, for one visit
constexpr double preparation = 12;      // times what one repetition takes, and eight of them timed

// What was measured at one size.
struct Record {
  std::vector<LogRatios> visits;
  std::vector<double> from_ns, to_ns;
  Probe probe;
};

class Search {
 public:
  Search(PairSource& source, const Axis& axis, const SearchSettings& settings,
         const SearchWatch& watch)
      : source_(source),
        axis_(axis),
        settings_(settings),
        watch_(watch),
        most_sizes_(grid_of(axis).size() + settings.more_sizes) {}

  Finding run() {
    while (source_.spent() < settings_.budget && !is_hopeless()) {
      const Finding so_far = finding();
      if (const auto size = next_size(so_far, axis_, settings_.resolution, most_sizes_)) {
        predicted_seconds(*size) < rest() ? visit(*size) : refuse(*size, "it takes too long");
        show(records_.at(*size).probe, true);
      } else if (const auto end = end_to_confirm(so_far)) {
        visit(*end);
        show(records_.at(*end).probe, true);
      } else {
        break;
      }
    }
    return finding();
  }

 private:
  double rest() const { return settings_.budget - source_.spent(); }

  // Nothing could be measured so far: a side that has no such memory, mode or type.
  bool is_hopeless() const {
    return records_.size() >= in_vain &&
           std::all_of(records_.begin(), records_.end(),
                       [](const auto& entry) { return entry.second.visits.empty(); });
  }

  // How much blocks depend on one another is seen ever better: it is taken anew for every size, so
  // that the report, read back, says the same.
  Finding finding() const {
    const std::size_t dependent = dependent_blocks(all_visits());
    std::vector<Probe> probes;
    for (const auto& [size, record] : records_) {
      describe(probes.emplace_back(record.probe), record, dependent);
    }
    return finding_of(std::move(probes));
  }

  std::optional<std::size_t> end_to_confirm(const Finding& so_far) const {
    for (const Change& change : so_far.changes) {
      for (const std::size_t end : {change.low, change.high}) {
        if (records_.at(end).visits.size() < 2) {
          return end;
        }
      }
    }
    return std::nullopt;
  }

  // What eight pairs and the preparation will take, by the power law through the fastest blocks of
  // the two measured sizes below: a disturbed size must not keep the search from larger ones.
  double predicted_seconds(std::size_t size) const {
    std::vector<std::pair<double, double>> below;
    for (const auto& [measured, record] : records_) {
      if (measured < size && !record.from_ns.empty()) {
        const double from = *std::min_element(record.from_ns.begin(), record.from_ns.end());
        const double to = *std::min_element(record.to_ns.begin(), record.to_ns.end());
        below.emplace_back(static_cast<double>(measured), (from + to) * 1e-9);
      }
    }
    if (below.size() < 2) {
      return 0;
    }
    const auto& [x0, t0] = below[below.size() - 2];
    const auto& [x1, t1] = below.back();
    const double order = std::max(0.0, std::log(t1 / t0) / std::log(x1 / x0));
    return preparation * t1 * std::pow(static_cast<double>(size) / x1, order);
  }

  void refuse(std::size_t size, std::string reason) {
    Probe& probe = records_[size].probe;
    probe.size = size;
    probe.faster = Faster::undecided;
    probe.reason = std::move(reason);
  }

  // Of the two visits to an end, apart in time, both must name the same winner: the ends carry the
  // claim.
  void visit(std::size_t size) {
    const double begin = source_.spent();
    Record& record = records_[size];
    record.probe.size = size;
    try {
      source_.enter(size);
      record.visits.emplace_back();
      const Faster winner = measure(record, begin);
      source_.leave(winner);
      if (record.visits.size() > 1 && winner != record.probe.faster) {
        refuse(size, winner == Faster::undecided ? "a second visit did not decide"
                                                 : "two visits disagree");
      }
    } catch (const SizeRefused& error) {
      refuse(size, error.what());
    }
  }

  // Grows the last visit until it decides or has had its share of the budget.
  Faster measure(Record& record, double begin) {
    const double end = begin + share_of_rest * (settings_.budget - begin);
    LogRatios& visit = record.visits.back();
    for (std::size_t wanted = first_look;; wanted = grown(wanted)) {
      take_blocks(record, wanted, end);
      const bool ended = visit.size() < wanted;
      const std::size_t dependent = dependent_blocks(all_visits());
      const Faster winner = decide(std::span(&visit, 1), dependent, settings_.margin).faster;
      if (record.visits.size() == 1) {
        record.probe.faster = winner;
        record.probe.reason = ended && winner == Faster::undecided ? "the budget ended" : "";
      }
      describe(record.probe, record, dependent);
      show(record.probe, false);
      if (ended || winner != Faster::undecided) {
        return winner;
      }
    }
  }

  void take_blocks(Record& record, std::size_t wanted, double end) {
    LogRatios& visit = record.visits.back();
    while (visit.size() < wanted && source_.spent() < end) {
      const Pair pair = source_.block();
      visit.push_back(std::log(pair.to / pair.from));
      record.from_ns.push_back(pair.from);
      record.to_ns.push_back(pair.to);
    }
  }

  void describe(Probe& probe, const Record& record, std::size_t dependent) const {
    if (record.from_ns.empty()) {
      return;
    }
    const Decision all = decide(record.visits, dependent, settings_.margin);
    probe.is_paired = true;
    probe.log_ratio = all.median;
    probe.low = all.low;
    probe.high = all.high;
    probe.from_ns = median(record.from_ns);
    probe.to_ns = median(record.to_ns);
  }

  void show(const Probe& probe, bool over) const {
    if (watch_) {
      watch_(finding(), probe, over);
    }
  }

  std::size_t grown(std::size_t blocks) const {
    return static_cast<std::size_t>(std::ceil(static_cast<double>(blocks) * settings_.growth));
  }

  std::vector<LogRatios> all_visits() const {
    std::vector<LogRatios> visits;
    for (const auto& [size, record] : records_) {
      visits.insert(visits.end(), record.visits.begin(), record.visits.end());
    }
    return visits;
  }

  PairSource& source_;
  const Axis axis_;
  const SearchSettings settings_;
  const SearchWatch& watch_;
  const std::size_t most_sizes_;
  std::map<std::size_t, Record> records_;
};

}  // namespace

Finding search(PairSource& source, const Axis& axis, const SearchSettings& settings,
               const SearchWatch& watch) {
  return Search(source, axis, settings, watch).run();
}

}  // namespace breakeven
