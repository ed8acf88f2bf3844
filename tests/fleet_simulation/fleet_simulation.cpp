// SPDX-License-Identifier: Apache-2.0
// Simulated fleets through the whole judgement: how often a sound one has a node named, and how
// often a slow node, a slow rack and a second population are told as what they are. Noise as the
// issue of a fleet has it: of a node, of a node and case, and of each process of a node and case.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <random>
#include <set>

#include "reports/fleet/judgement.hpp"

namespace breakeven::fleet {
namespace {

struct Setting {
  std::size_t fleets = 1000, nodes = 100, cases = 300, rounds = 5;
  double node_noise = 0.003, cell_noise = 0.01, process_noise = 0.01;
  std::uint64_t seed = 1;
};

// The planted truth: how many times as long a node takes for a case.
using Plant = std::function<double(std::size_t node, std::size_t index)>;

Fleet simulated(const Setting& setting, std::uint64_t seed, const Plant& plant) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  Collection collection;
  std::vector<TextId> names;
  constexpr std::size_t kinds = 6;
  for (std::size_t i = 0; i < setting.cases; ++i) {
    names.push_back(
        collection.texts.id(fmt::format("case-{}/device:0/f32/resident/n:{}", i % kinds, 64 + i)));
  }
  for (std::size_t n = 0; n < setting.nodes; ++n) {
    Node node;
    node.name = fmt::format("n{}", n + 1);
    node.hardware = "simulated";
    node.rows.reserve(setting.cases * setting.rounds);
    const double of_node = setting.node_noise * normal(random);
    for (std::size_t i = 0; i < setting.cases; ++i) {
      const double truth = std::log(1000.0 * static_cast<double>(i + 1)) + of_node +
                           setting.cell_noise * normal(random) + std::log(plant(n, i));
      for (std::size_t round = 0; round < setting.rounds; ++round) {
        Observation row;
        row.name = names[i];
        row.round = static_cast<std::uint16_t>(round + 1);
        row.median_ns =
            static_cast<float>(std::exp(truth + setting.process_noise * normal(random)));
        node.rows.push_back(row);
      }
    }
    collection.nodes.push_back(std::move(node));
  }
  return fleet_of(std::move(collection));
}

struct Rate {
  std::size_t hits = 0, trials = 0;

  void add(bool hit) {
    hits += hit ? 1 : 0;
    ++trials;
  }
  double share() const { return static_cast<double>(hits) / static_cast<double>(trials); }
  double error() const { return std::sqrt(share() * (1 - share()) / static_cast<double>(trials)); }
};

void print(const char* what, const Rate& rate) {
  fmt::print("{:58} {:6.2f} % ± {:.2f} ({} of {})\n", what, rate.share() * 100, rate.error() * 100,
             rate.hits, rate.trials);
  std::fflush(stdout);
}

std::set<std::size_t> named(const Judgement& judgement) {
  std::set<std::size_t> nodes;
  for (const auto& group : judgement.groups) {
    for (const auto& verdict : group.verdicts) {
      if (verdict.is_out()) {
        nodes.insert(verdict.node);
      }
    }
  }
  return nodes;
}

bool has_slow(const Judgement& judgement, std::size_t node, Extent extent, std::size_t index) {
  for (const auto& group : judgement.groups) {
    for (const auto& verdict : group.verdicts) {
      for (const auto& slow : verdict.slow) {
        if (verdict.node == node && slow.extent == extent && slow.index == index) {
          return true;
        }
      }
    }
  }
  return false;
}

bool tells_neighbours(const Judgement& judgement) {
  return std::any_of(judgement.groups.begin(), judgement.groups.end(), [](const Group& group) {
    return std::any_of(group.remarks.begin(), group.remarks.end(), [](const std::string& remark) {
      return remark.find("neighbours") != remark.npos;
    });
  });
}

// Judges so many fleets; `take` sees each.
void repeat(const Setting& setting, std::uint64_t sort, const Plant& plant,
            const std::function<void(const Judgement&)>& take) {
  for (std::size_t i = 0; i < setting.fleets; ++i) {
    const auto fleet = simulated(setting, (setting.seed * 16 + sort) * 1'000'003 + i, plant);
    take(judge(fleet, {}));
  }
}

int simulate(const Setting& setting, bool check) {
  fmt::print(
      "{} nodes, {} cases, {} rounds; noise: {:.3g} % of a node, {:.3g} % of a node and case, "
      "{:.3g} % of a process\n",
      setting.nodes, setting.cases, setting.rounds, setting.node_noise * 100,
      setting.cell_noise * 100, setting.process_noise * 100);
  const auto sound = [](std::size_t, std::size_t) { return 1.0; };
  Rate alarms, found_case, found_node, found_two, only_two, rack, only_rack, population, none_named;
  std::optional<Sensitivity> seen;
  repeat(setting, 1, sound, [&](const Judgement& judgement) {
    alarms.add(!named(judgement).empty() || judgement.groups.size() > 1);
    seen = judgement.groups[0].sensitivity;
  });
  print("sound fleets that have a node named or are taken for two:", alarms);
  const auto slow_case = [&](std::size_t node, std::size_t index) {
    return node == 3 && index == setting.cases / 2 ? 1.09 : 1.0;
  };
  repeat(setting, 2, slow_case, [&](const Judgement& judgement) {
    found_case.add(has_slow(judgement, 3, Extent::one_case, setting.cases / 2));
  });
  print("one node 9 % slow in one case: named for it", found_case);
  const auto slow_node = [](std::size_t node, std::size_t) { return node == 3 ? 1.02 : 1.0; };
  repeat(setting, 3, slow_node, [&](const Judgement& judgement) {
    found_node.add(has_slow(judgement, 3, Extent::everywhere, 0));
  });
  print("one node 2 % slow in all cases: named for it", found_node);
  Setting twenty = setting;
  twenty.nodes = 20;
  const auto two_slow = [](std::size_t node, std::size_t) { return node < 2 ? 1.05 : 1.0; };
  repeat(twenty, 4, two_slow, [&](const Judgement& judgement) {
    const auto nodes = named(judgement);
    found_two.add(nodes.contains(0) && nodes.contains(1));
    only_two.add(nodes == std::set<std::size_t>{0, 1});
  });
  print("two of 20 nodes 5 % slow: both named", found_two);
  print("  and nobody else", only_two);
  const auto in_rack = [&](std::size_t node) {
    return node >= setting.nodes / 2 && node < setting.nodes / 2 + setting.nodes / 10;
  };
  const auto slow_rack = [&](std::size_t node, std::size_t) { return in_rack(node) ? 1.05 : 1.0; };
  if (setting.nodes >= 30) {
    repeat(setting, 5, slow_rack, [&](const Judgement& judgement) {
      const auto nodes = named(judgement);
      rack.add(nodes.size() >= setting.nodes / 10 && tells_neighbours(judgement));
      only_rack.add(std::all_of(nodes.begin(), nodes.end(), in_rack));
    });
    print("a rack of 10 % of the nodes 5 % slow: named, as neighbours", rack);
    print("  and nobody else", only_rack);
  }
  const auto bimodal = [](std::size_t node, std::size_t) { return node % 5 < 2 ? 1.04 : 1.0; };
  repeat(setting, 6, bimodal, [&](const Judgement& judgement) {
    population.add(judgement.splits.size() == 1);
    none_named.add(named(judgement).empty());
  });
  print("two fifths of the nodes 4 % slow: told as two populations", population);
  print("  and nobody named", none_named);
  if (seen) {
    fmt::print(
        "what the last sound fleet says that it sees: {:.2f} % over all cases, {:.2f} % in one "
        "case\n",
        (seen->everywhere - 1) * 100, (seen->one_case - 1) * 100);
  }
  const auto at_least = [](const Rate& rate, double share) {
    return rate.trials == 0 || rate.share() + 3 * rate.error() >= share;
  };
  const bool good = alarms.share() - 3 * alarms.error() <= 0.02 && at_least(found_case, 0.95) &&
                    at_least(found_node, 0.9) && at_least(found_two, 0.95) &&
                    at_least(rack, 0.95) && at_least(population, 0.95) &&
                    at_least(none_named, 0.98);
  return check && !good ? 1 : 0;
}

}  // namespace
}  // namespace breakeven::fleet

int main(int count, char** arguments) {
  CLI::App program("False alarms and power of `breakeven fleet` on simulated fleets");
  breakeven::fleet::Setting setting;
  bool check = false;
  program.add_option("--fleets", setting.fleets, "of each sort")->check(CLI::PositiveNumber);
  program.add_option("--nodes", setting.nodes)->check(CLI::Range(16, 100000));
  program.add_option("--cases", setting.cases)->check(CLI::PositiveNumber);
  program.add_option("--rounds", setting.rounds)->check(CLI::PositiveNumber);
  program.add_option("--node-noise", setting.node_noise, "relative");
  program.add_option("--cell-noise", setting.cell_noise, "relative, of a node and case");
  program.add_option("--process-noise", setting.process_noise, "relative, of a round");
  program.add_option("--seed", setting.seed);
  program.add_flag("--check", check, "fail above 2 % false alarms, below 95 % or 90 % found");
  CLI11_PARSE(program, count, arguments);
  return breakeven::fleet::simulate(setting, check);
}
