// SPDX-License-Identifier: Apache-2.0
#include "reports/break_even/explanation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "reports/text/quantity.hpp"

namespace breakeven {
namespace {

constexpr double near = 2;              // times the ends: where the models must fit
constexpr double largest_error = 0.15;  // of the modelled log ratio at the ends
constexpr double worth_naming = 0.2;    // of all that is paid, or saved

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
  const std::string& late_name = from_is_below ? names.to : names.from;  // wins above
  const std::string& early_name = from_is_below ? names.from : names.to;
  const auto& late_times = from_is_below ? to : from;
  const auto& early_times = from_is_below ? from : to;

  const auto late = fit_time_model(late_times);
  const auto early = fit_time_model(early_times);
  const Observation* const at = at_size(late_times, change.high);
  const Observation* const below = at_size(late_times, change.low);
  if (!late || !early || at == nullptr || below == nullptr) {
    return "too few sizes to tell overhead, bandwidth and rate apart";
  }
  const auto low = static_cast<std::size_t>(static_cast<double>(change.low) / near);
  const auto high = static_cast<std::size_t>(static_cast<double>(change.high) * near);
  for (const auto& [model, name] :
       {std::pair(&*late, &late_name), std::pair(&*early, &early_name)}) {
    if (!model->fits(low, high)) {
      return fmt::format(
          "overhead, bandwidth and rate do not explain it: the times of {} near the crossing do "
          "not "
          "follow them (a step of its kernels, or a cache, would look like this)",
          *name);
    }
  }
  const double at_low =
      std::log((*late)(below->bytes, below->flops) / (*early)(below->bytes, below->flops));
  const double at_high = std::log((*late)(at->bytes, at->flops) / (*early)(at->bytes, at->flops));
  if (at_low < -largest_error || at_high > largest_error) {
    return fmt::format(
        "overhead, bandwidth and rate do not explain it: by them {} takes {:.2f} times "
        "as long as {} at {} = {}",
        late_name, std::exp(at_low < -largest_error ? at_low : at_high), early_name, names.axis,
        at_low < -largest_error ? change.low : change.high);
  }

  const Costs late_costs = costs_of(*late, *at), early_costs = costs_of(*early, *at);
  double paid = 0, saved = 0;
  for (const Part part : {start, move, compute}) {
    const double extra = late_costs[part].nanoseconds - early_costs[part].nanoseconds;
    (extra > 0 ? paid : saved) += std::abs(extra);
  }
  std::vector<std::string> pays, saves;
  for (const Part part : {start, move, compute}) {
    const double extra = late_costs[part].nanoseconds - early_costs[part].nanoseconds;
    if (!apart(late_costs[part].coefficient, early_costs[part].coefficient)) {
      continue;
    }
    if (extra > worth_naming * paid) {
      pays.push_back(paid_words(part, late_costs, early_costs, *at, early_name));
    } else if (-extra > worth_naming * saved) {
      saves.push_back(saved_words(part, late_costs, early_costs));
    }
  }
  if (pays.empty() || saves.empty()) {
    return fmt::format(
        "the models cross there, but what {} pays and what it saves cannot be told "
        "apart from the scatter",
        late_name);
  }
  return fmt::format("below {} = {} {} loses more by {} than it gains by {}", names.axis,
                     change.high, late_name, fmt::join(pays, " and "), fmt::join(saves, " and "));
}

}  // namespace breakeven
