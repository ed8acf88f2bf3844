// SPDX-License-Identifier: Apache-2.0
#include "reports/break_even/explanation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <utility>

#include "reports/text/quantity.hpp"

namespace breakeven {
namespace {

constexpr double neighbourhood = 2;     // times the ends: where the models must fit
constexpr double largest_error = 0.15;  // of the modelled log ratio at the ends
constexpr double worth_naming = 0.2;    // of all that is paid, or saved
constexpr double step = 0.05;           // that the time falls by, or rises beyond the work

enum Part { start, move, compute };

// What a model says goes where, at one size.
struct Cost {
  double nanoseconds = 0;
  Coefficient coefficient;
};
using Costs = std::array<Cost, 3>;

Costs costs_of(const TimeModel& model, const Observation& at) {
  return {Cost{model.overhead_ns.value, model.overhead_ns},
          Cost{model.ns_per_byte.value * at.bytes, model.ns_per_byte},
          Cost{model.ns_per_flop.value * at.flops, model.ns_per_flop}};
}

const Observation* at_size(const std::vector<Observation>& observations, std::size_t size) {
  const auto found = std::find_if(observations.begin(), observations.end(),
                                  [&](const Observation& one) { return one.size == size; });
  return found == observations.end() ? nullptr : &*found;
}

bool apart(const Coefficient& x, const Coefficient& y) {
  return x.low > y.high || y.low > x.high;
}

// What `pays` pays more than the other one, in words.
std::string paid_words(Part part, const Costs& pays, const Costs& other, const Observation& at,
                       const std::string& other_name) {
  const std::string more = time_text(pays[part].nanoseconds);
  const std::string less = other[part].nanoseconds > 0 ? time_text(other[part].nanoseconds)
                                                       : std::string("nothing that shows");
  switch (part) {
    case start:
      return fmt::format("the {} it takes to start ({}: {})", more, other_name, less);
    case move:
      return fmt::format("the {} it takes to move {} ({}: {})", more, bytes_text(at.bytes),
                         other_name, less);
    case compute:
      return fmt::format("the {} it takes to compute ({}: {})", more, other_name, less);
  }
  return {};
}

std::string saved_words(Part part, const Costs& saves, const Costs& other) {
  const double gain = other[part].nanoseconds - saves[part].nanoseconds;
  switch (part) {
    case start:
      return fmt::format("{} less to start", time_text(gain));
    case move:
      return fmt::format("{} less to move data", time_text(gain));
    case compute:
      return saves[part].nanoseconds > 0
                 ? fmt::format("computing at {:.3g} times the rate",
                               other[part].nanoseconds / saves[part].nanoseconds)
                 : fmt::format("{} less to compute", time_text(gain));
  }
  return {};
}

// What one side takes at every size.
struct TimedSide {
  const std::string& name;
  const std::vector<Observation>& times;
};

// What `late` pays more than `early`, and what it saves, as far as both are sure.
struct Trade {
  std::vector<std::string> pays, saves;
};

Trade trade_at(const Observation& at, const TimeModel& late, const TimeModel& early,
               const std::string& early_name) {
  const Costs late_costs = costs_of(late, at), early_costs = costs_of(early, at);
  double paid = 0, saved = 0;
  for (const Part part : {start, move, compute}) {
    const double extra = late_costs[part].nanoseconds - early_costs[part].nanoseconds;
    (extra > 0 ? paid : saved) += std::abs(extra);
  }
  Trade trade;
  for (const Part part : {start, move, compute}) {
    const double extra = late_costs[part].nanoseconds - early_costs[part].nanoseconds;
    if (!apart(late_costs[part].coefficient, early_costs[part].coefficient)) {
      continue;
    }
    if (extra > worth_naming * paid) {
      trade.pays.push_back(paid_words(part, late_costs, early_costs, at, early_name));
    } else if (-extra > worth_naming * saved) {
      trade.saves.push_back(saved_words(part, late_costs, early_costs));
    }
  }
  return trade;
}

// By how much the work grows; 1 where a case has none to tell.
double growth_of_work(const Observation& before, const Observation& after) {
  double growth = 1;
  for (const auto& [less, more] :
       {std::pair(before.bytes, after.bytes), std::pair(before.flops, after.flops)}) {
    if (less > 0) {
      growth = std::max(growth, more / less);
    }
  }
  return growth;
}

// A side whose time changes between the two sizes as no amount of work explains, so that without it
// the other side would have kept its place: another kernel, more threads, a cache that is full.
std::string step_words(const Change& change, const TimedSide& late, const TimedSide& early,
                       const std::string& axis) {
  const Observation *const late_before = at_size(late.times, change.low),
                           *const late_after = at_size(late.times, change.high),
                           *const early_before = at_size(early.times, change.low),
                           *const early_after = at_size(early.times, change.high);
  if (!late_before || !late_after || !early_before || !early_after) {
    return {};
  }
  const auto from_to = [&](const Observation& before, const Observation& after) {
    return fmt::format("from {} to {} between {} = {} and {}", time_text(before.nanoseconds),
                       time_text(after.nanoseconds), axis, before.size, after.size);
  };
  if (late_after->nanoseconds < (1 - step) * late_before->nanoseconds &&
      late_before->nanoseconds > early_after->nanoseconds) {
    return fmt::format(
        "{} changes its way there: its time falls {}, though there is more work (another kernel or "
        "more threads do that); {} takes {}",
        late.name, from_to(*late_before, *late_after), early.name,
        time_text(early_after->nanoseconds));
  }
  const double grown = early_before->nanoseconds * growth_of_work(*early_before, *early_after);
  if (early_after->nanoseconds > (1 + step) * grown && grown < late_after->nanoseconds) {
    return fmt::format(
        "{} changes its way there: its time rises {}, more than the work (another kernel or a full "
        "cache do that); {} takes {}",
        early.name, from_to(*early_before, *early_after), late.name,
        time_text(late_after->nanoseconds));
  }
  return {};
}

// What the side that wins from `size` on gains there, by the sizes from there on alone.
std::string gain_after(std::size_t size, const TimedSide& late, const TimedSide& early) {
  const auto from_there = [&](const TimedSide& side) {
    std::vector<Observation> times;
    std::copy_if(side.times.begin(), side.times.end(), std::back_inserter(times),
                 [&](const Observation& one) { return one.size >= size; });
    return times;
  };
  const std::vector<Observation> late_times = from_there(late), early_times = from_there(early);
  const auto late_model = fit_time_model(late_times), early_model = fit_time_model(early_times);
  if (!late_model || !early_model || !late_model->misfits.empty() ||
      !early_model->misfits.empty()) {
    return {};
  }
  const Trade trade = trade_at(*at_size(late_times, size), *late_model, *early_model, early.name);
  if (trade.saves.empty()) {
    return {};
  }
  const std::string gains = fmt::format("{}", fmt::join(trade.saves, " and "));
  return trade.pays.empty() ? fmt::format("; from there on {} gains by {}", late.name, gains)
                            : fmt::format("; from there on {} gains more by {} than it loses by {}",
                                          late.name, gains, fmt::join(trade.pays, " and "));
}

}  // namespace

std::string explain(const Finding& finding, const Names& names,
                    const std::vector<Observation>& from, const std::vector<Observation>& to) {
  if (finding.changes.empty()) {
    return {};
  }
  if (finding.kind == Finding::Kind::band) {
    return "overhead, bandwidth and rate give one crossing at most: they do not explain a band";
  }
  const Change& change = finding.changes.front();
  const bool from_is_below = change.below == Faster::from;
  const TimedSide first{names.from, from}, second{names.to, to};
  const TimedSide& late = from_is_below ? second : first;  // wins above
  const TimedSide& early = from_is_below ? first : second;

  if (std::string words = step_words(change, late, early, names.axis); !words.empty()) {
    return words + gain_after(change.high, late, early);
  }
  const auto late_model = fit_time_model(late.times), early_model = fit_time_model(early.times);
  const Observation* const at = at_size(late.times, change.high);
  const Observation* const below = at_size(late.times, change.low);
  if (!late_model || !early_model || at == nullptr || below == nullptr) {
    return "too few sizes to tell overhead, bandwidth and rate apart";
  }
  const auto low = static_cast<std::size_t>(static_cast<double>(change.low) / neighbourhood);
  const auto high = static_cast<std::size_t>(static_cast<double>(change.high) * neighbourhood);
  for (const auto& [model, side] :
       {std::pair(&*late_model, &late), std::pair(&*early_model, &early)}) {
    if (!model->fits(low, high)) {
      return fmt::format(
          "overhead, bandwidth and rate do not explain it: the times of {} near the crossing do "
          "not follow them (a step of its kernels, or a cache, would look like this)",
          side->name);
    }
  }
  const auto ratio = [&](const Observation& one) {
    return (*late_model)(one.bytes, one.flops) / (*early_model)(one.bytes, one.flops);
  };
  const bool loses_below = std::log(ratio(*below)) >= -largest_error;
  if (!loses_below || std::log(ratio(*at)) > largest_error) {
    const Observation& wrong = loses_below ? *at : *below;
    return fmt::format(
        "overhead, bandwidth and rate do not explain it: by them {} takes {:.2f} times as long as "
        "{} at {} = {}",
        late.name, ratio(wrong), early.name, names.axis, wrong.size);
  }

  const Trade trade = trade_at(*at, *late_model, *early_model, early.name);
  if (trade.pays.empty() || trade.saves.empty()) {
    return fmt::format(
        "the models cross there, but what {} pays and what it saves cannot be told "
        "apart from the scatter",
        late.name);
  }
  return fmt::format("below {} = {} {} loses more by {} than it gains by {}", names.axis,
                     change.high, late.name, fmt::join(trade.pays, " and "),
                     fmt::join(trade.saves, " and "));
}

}  // namespace breakeven
