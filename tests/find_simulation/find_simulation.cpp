// SPDX-License-Identifier: Apache-2.0
// How often the search is right where the truth is known. Prints one line per kind of crossing;
// exits with 1 where what is claimed covers the truth less often than demanded, or too many sizes
// are probed: find_simulation [RUNS [COVERAGE]], 500 runs and 0.98.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numbers>
#include <string>
#include <vector>

#include "reports/break_even/local_fit.hpp"
#include "reports/break_even/search.hpp"
#include "tests/find_simulation/simulated_pairs.hpp"

namespace breakeven {
namespace {

const Axis axis{16, 4096, 1};
constexpr std::size_t most_sizes = 16;
constexpr double budget = 30;  // seconds on the simulated clock

using Random = std::mt19937_64;

double uniform(Random& random, double low, double high) {
  return std::uniform_real_distribution<double>(low, high)(random);
}

struct Kind {
  std::string name;
  bool all_changes;  // few enough sizes can see all of them: they must lie inside what is claimed
  std::function<Truth(Random&)> draw;
};

// The second side gains `slope` per e-fold of size and wins from `crossing` on.
struct Line {
  double slope, crossing;
  explicit Line(Random& random)
      : slope(uniform(random, 0.2, 1.5)),
        crossing(std::exp(uniform(random, std::log(24.0), std::log(2700.0)))) {}
  double operator()(double size) const { return -slope * std::log(size / crossing); }
};

Truth noisy(Random& random, std::function<double(double)> log_ratio) {
  Truth truth;
  truth.log_ratio = std::move(log_ratio);
  truth.noise = uniform(random, 0.005, 0.05);
  truth.outliers = 0.03;
  return truth;
}

std::function<double(double)> ripple(Random& random, const Line& line, double amplitude,
                                     double period) {
  const double phase = uniform(random, 0, 2 * std::numbers::pi);
  return [=](double size) {
    return line(size) +
           amplitude * std::sin(phase + 2 * std::numbers::pi * std::log(size) / period);
  };
}

std::vector<Kind> kinds() {
  return {{"iid", true, [](Random& random) { return noisy(random, Line(random)); }},
          {"autocorrelated", true,
           [](Random& random) {
             Truth truth = noisy(random, Line(random));
             truth.correlation = uniform(random, 0.3, 0.8);
             return truth;
           }},
          {"ripple", false,
           [](Random& random) {
             const Line line(random);
             const double amplitude = uniform(random, 0.01, 0.06);
             return noisy(random, ripple(random, line, amplitude, uniform(random, 0.1, 0.6)));
           }},
          {"band", true,
           [](Random& random) {
             const double first = std::exp(uniform(random, std::log(18.0), std::log(50.0)));
             const double second = first * uniform(random, 4.2, 6.0);
             const double third = second * uniform(random, 4.2, 6.0);
             const double slope = uniform(random, 0.2, 1.0);
             return noisy(random, [=](double size) {
               const double x = std::log(size / first), y = std::log(size / second),
                            z = std::log(size / third);
               const double nearest = std::min({std::abs(x), std::abs(y), std::abs(z)});
               return -slope * std::copysign(nearest, x * y * z);
             });
           }},
          {"narrow band", false,
           [](Random& random) {
             Line line(random);
             line.slope = uniform(random, 0.3, 0.6);
             line.crossing = std::exp(uniform(random, std::log(80.0), std::log(800.0)));
             const double period = uniform(random, 0.8, 1.4);
             return noisy(random, ripple(random, line, uniform(random, 0.25, 0.4), period));
           }},
          {"none", true, [](Random& random) {
             const double lead =
                 uniform(random, 0.02, 0.3) * (uniform(random, 0, 1) < 0.5 ? -1 : 1);
             return noisy(random, [lead](double size) { return lead * (1 + 100 / size); });
           }}};
}

// Every size from which the winner at the next one differs.
std::vector<std::size_t> true_changes(const Truth& truth) {
  std::vector<std::size_t> changes;
  for (std::size_t size = axis.low; size < axis.high; ++size) {
    const auto x = static_cast<double>(size);
    if ((truth.log_ratio(x) > 0) != (truth.log_ratio(x + 1) > 0)) {
      changes.push_back(size);
    }
  }
  return changes;
}

struct Tally {
  std::size_t covered = 0, all = 0, bands = 0, fits = 0, fits_covered = 0, sizes = 0,
              sizes_at_most = 0;
  double seconds = 0, seconds_at_most = 0, width = 0;
  std::size_t brackets = 0;
};

// One where each claimed change holds a true one and the winners beside it are the true ones.
bool is_right(const Finding& finding, const Truth& truth, std::size_t changes) {
  const auto wins = [&](std::size_t size) {
    return truth.log_ratio(static_cast<double>(size)) > 0 ? Faster::from : Faster::to;
  };
  if (changes == 0) {
    return finding.kind == Finding::Kind::none && finding.winner == wins(axis.low);
  }
  if (finding.changes.empty()) {
    return false;
  }
  return std::all_of(finding.changes.begin(), finding.changes.end(), [&](const Change& change) {
    return wins(change.low) == change.below && wins(change.high) != change.below;
  });
}

Tally simulate(const Kind& kind, std::size_t runs) {
  Tally tally;
  for (std::size_t run = 0; run < runs; ++run) {
    Random random(1000 + run);
    const Truth truth = kind.draw(random);
    const std::vector<std::size_t> changes = true_changes(truth);
    SimulatedPairs source(truth, random());
    SearchSettings settings;
    settings.budget = budget;
    const Finding finding = search(source, axis, settings);

    tally.covered += is_right(finding, truth, changes.size());
    tally.all += changes.empty() || (!finding.changes.empty() && finding.low() <= changes.front() &&
                                     finding.high() > changes.back());
    tally.bands += finding.kind == Finding::Kind::band;
    tally.sizes += finding.probes.size();
    tally.sizes_at_most = std::max(tally.sizes_at_most, finding.probes.size());
    tally.seconds += source.spent();
    tally.seconds_at_most = std::max(tally.seconds_at_most, source.spent());
    if (finding.kind == Finding::Kind::bracket) {
      ++tally.brackets;
      tally.width +=
          std::log(static_cast<double>(finding.high()) / static_cast<double>(finding.low()));
      if (const auto fit = local_fit(finding)) {
        ++tally.fits;
        tally.fits_covered += std::any_of(changes.begin(), changes.end(), [&](std::size_t change) {
          const auto size = static_cast<double>(change);
          return fit->low <= size + 1 && fit->high >= size;
        });
      }
    }
  }
  return tally;
}

int run(std::size_t runs, double demanded) {
  fmt::print("{} searches of each kind over {}:{}, winners known\n", runs, axis.low, axis.high);
  fmt::print("{:15} {:>8} {:>8} {:>6} {:>8} {:>12} {:>12} {:>14}\n", "", "right", "all", "bands",
             "width", "sizes (most)", "s (most)", "fit covers");
  bool good = true;
  for (const Kind& kind : kinds()) {
    const Tally tally = simulate(kind, runs);
    const auto share = [&](std::size_t count, std::size_t of) {
      return of == 0 ? std::string("-")
                     : fmt::format("{:.1f} %",
                                   100.0 * static_cast<double>(count) / static_cast<double>(of));
    };
    const auto n = static_cast<double>(runs);
    fmt::print(
        "{:15} {:>8} {:>8} {:>6} {:>8} {:>12} {:>12} {:>14}\n", kind.name,
        share(tally.covered, runs), share(tally.all, runs), tally.bands,
        tally.brackets == 0
            ? "-"
            : fmt::format("{:.1f} %",
                          100 * std::expm1(tally.width / static_cast<double>(tally.brackets))),
        fmt::format("{:.1f} ({})", static_cast<double>(tally.sizes) / n, tally.sizes_at_most),
        fmt::format("{:.1f} ({:.0f})", tally.seconds / n, tally.seconds_at_most),
        fmt::format("{} of {}", share(tally.fits_covered, tally.fits), tally.fits));
    const std::size_t counts =
        kind.all_changes ? std::min(tally.covered, tally.all) : tally.covered;
    good = good && static_cast<double>(counts) >= demanded * n && tally.sizes_at_most <= most_sizes;
  }
  fmt::print("{}: right in at least {} % of the runs, at most {} sizes\n", good ? "holds" : "FAILS",
             100 * demanded, most_sizes);
  return good ? 0 : 1;
}

}  // namespace
}  // namespace breakeven

int main(int argc, char** argv) {
  const std::size_t runs = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 500;
  const double demanded = argc > 2 ? std::strtod(argv[2], nullptr) : 0.98;
  return breakeven::run(runs, demanded);
}
