// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "reports/break_even/explanation.hpp"
#include "reports/break_even/local_fit.hpp"
#include "reports/text/quantity.hpp"

namespace breakeven {
namespace {

std::string size_words(const Names& names, std::size_t size) {
  return fmt::format("{} = {}", names.axis, size);
}

const std::string& name_of(Faster side, const Names& names) {
  return side == Faster::from ? names.from : names.to;
}

Faster other(Faster side) {
  return side == Faster::from ? Faster::to : Faster::from;
}

std::string bracket(const Finding& finding, const Names& names) {
  const Faster below = finding.changes.front().below;
  std::string text = fmt::format("{} is faster from {} on; up to {} {} is",
                                 name_of(other(below), names), size_words(names, finding.high()),
                                 size_words(names, finding.low()), name_of(below, names));
  if (const auto fit = local_fit(finding)) {
    text += fmt::format(
        " (a line through {} sizes near there crosses at {:.4g}, 95 %: {:.4g} to {:.4g})",
        fit->points, fit->size, fit->low, fit->high);
  }
  return fmt::format("{}.", text);
}

std::string band(const Finding& finding, const Names& names) {
  const Faster below = finding.changes.front().below;
  const Faster above = other(finding.changes.back().below);
  return fmt::format(
      "The winner changes {} times between {} and {}: below that band {} is faster, above it {}.",
      finding.changes.size(), size_words(names, finding.low()), size_words(names, finding.high()),
      name_of(below, names), name_of(above, names));
}

// The direction: is the loser catching up?
std::string no_crossing(const Finding& finding, const Names& names) {
  std::vector<const Probe*> decided;
  for (const Probe& probe : finding.probes) {
    if (probe.faster != Faster::undecided) {
      decided.push_back(&probe);
    }
  }
  const Probe& first = *decided.front();
  const Probe& last = *decided.back();
  if (decided.size() == 1) {
    return fmt::format("{} is faster than {} at {}, the only size that is decided.",
                       name_of(finding.winner, names), name_of(other(finding.winner), names),
                       size_words(names, first.size));
  }
  std::string text =
      fmt::format("No crossing between {} and {}: {} is faster than {}",
                  size_words(names, first.size), size_words(names, last.size),
                  name_of(finding.winner, names), name_of(other(finding.winner), names));
  if (std::any_of(decided.begin(), decided.end(),
                  [&](const Probe* probe) { return probe->faster != finding.winner; })) {
    text += " wherever one of them is";
  }
  std::erase_if(decided, [&](const Probe* probe) { return probe->faster != finding.winner; });
  if (decided.size() < 2) {
    return fmt::format("{}.", text);
  }
  const double sign = finding.winner == Faster::from ? 1 : -1;
  const Probe &first_won = *decided.front(), &last_won = *decided.back();
  const double at_first = sign * first_won.log_ratio, at_last = sign * last_won.log_ratio;
  const std::string_view trend = at_last < at_first - 0.02   ? "its lead shrinks with size"
                                 : at_last > at_first + 0.02 ? "its lead grows with size"
                                                             : "its lead stays";
  return text + fmt::format("; {}, from {:.3g} times at {} to {:.3g} times at {}.", trend,
                            std::exp(at_first), size_words(names, first_won.size),
                            std::exp(at_last), size_words(names, last_won.size));
}

// Sizes where nobody won, by reason.
void append_open_sizes(std::vector<std::string>& lines, const Finding& finding,
                       const Names& names) {
  std::map<std::string, std::vector<std::size_t>> open;
  std::vector<std::size_t> ties;
  for (const Probe& probe : finding.probes) {
    if (probe.faster == Faster::undecided) {
      open[probe.reason].push_back(probe.size);
    } else if (probe.faster == Faster::neither) {
      ties.push_back(probe.size);
    }
  }
  if (!ties.empty() && finding.kind != Finding::Kind::tie) {
    lines.push_back(fmt::format("A tie, within 1 %: {} = {}.", names.axis, fmt::join(ties, ", ")));
  }
  for (const auto& [reason, sizes] : open) {
    lines.push_back(fmt::format("Not decided: {} = {}{}.", names.axis, fmt::join(sizes, ", "),
                                reason.empty() ? std::string() : fmt::format(" ({})", reason)));
  }
}

// Whether the ratios hold on a busy machine.
void append_pairing(std::vector<std::string>& lines, const Finding& finding) {
  std::size_t measured = 0, paired = 0;
  for (const Probe& probe : finding.probes) {
    measured += probe.from_ns > 0;
    paired += probe.from_ns > 0 && probe.is_paired;
  }
  if (paired == 0 && measured > 0) {
    lines.push_back("Unpaired: the sides were measured apart in time.");
  } else if (paired < measured) {
    lines.push_back(fmt::format(
        "Paired (measured in turns of milliseconds) at {} of {} sizes; apart in time at the rest.",
        paired, measured));
  } else if (measured > 0) {
    lines.push_back("Paired: both sides were measured in turns of milliseconds.");
  }
}

}  // namespace

std::vector<std::string> describe(const Finding& finding, const Names& names) {
  std::vector<std::string> lines;
  switch (finding.kind) {
    case Finding::Kind::bracket:
      lines.push_back(bracket(finding, names));
      break;
    case Finding::Kind::band:
      lines.push_back(band(finding, names));
      break;
    case Finding::Kind::none:
      lines.push_back(no_crossing(finding, names));
      break;
    case Finding::Kind::tie:
      lines.push_back(fmt::format("{} and {} differ by less than 1 % at every size probed.",
                                  names.from, names.to));
      break;
    case Finding::Kind::undecided:
      lines.push_back(
          fmt::format("Not decided: no size shows {} or {} to be faster.", names.from, names.to));
      break;
  }
  append_open_sizes(lines, finding, names);
  append_pairing(lines, finding);
  return lines;
}

std::string describe(const TimeModel& model, const std::string& side, const std::string& axis) {
  const auto interval = [](const Coefficient& c) {
    return c.low > 0 ? fmt::format("±{}", share_text((c.high - c.low) / 2 / c.value))
                     : std::string("may be none");
  };
  std::vector<std::string> costs;
  if (model.overhead_ns.value > 0) {
    costs.push_back(fmt::format("{} to start ({})", time_text(model.overhead_ns.value),
                                interval(model.overhead_ns)));
  }
  if (model.ns_per_byte.value > 0) {
    costs.push_back(fmt::format("{} ({}{})", rate_text(1e9 / model.ns_per_byte.value, "B/s"),
                                interval(model.ns_per_byte),
                                model.bytes_stand_for_flops ? ", with its arithmetic" : ""));
  }
  if (model.ns_per_flop.value > 0) {
    costs.push_back(fmt::format("{} ({})", rate_text(1e9 / model.ns_per_flop.value, "FLOP/s"),
                                interval(model.ns_per_flop)));
  }
  double worst = 0;
  for (const double residual : model.residuals) {
    worst = std::max(worst, std::abs(residual));
  }
  std::vector<std::string> misfits;
  for (const Misfit& misfit : model.misfits) {
    misfits.push_back(
        misfit.low == misfit.high
            ? fmt::format("{} = {} ({:.3g} times that)", axis, misfit.low, misfit.ratio)
            : fmt::format("{} = {} to {} (up to {:.3g} times that)", axis, misfit.low, misfit.high,
                          misfit.ratio));
  }
  return fmt::format("{}: {}; {}", side, fmt::join(costs, ", "),
                     misfits.empty()
                         ? fmt::format("within {} at all {} sizes", share_text(std::expm1(worst)),
                                       model.residuals.size())
                         : fmt::format("does not fit at {}", fmt::join(misfits, ", ")));
}

}  // namespace breakeven
