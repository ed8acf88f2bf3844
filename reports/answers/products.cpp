// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <tuple>

#include "reports/answers/questions.hpp"
#include "reports/answers/sentence.hpp"
#include "reports/answers/told_sweeps.hpp"
#include "reports/break_even/stored_sweep.hpp"
#include "reports/text/quantity.hpp"

namespace breakeven {
namespace {

constexpr std::size_t large = 1000;

// The size that most devices share; of those the largest.
std::size_t most_shared_size(const std::vector<const Entry*>& entries, Column column) {
  std::map<std::size_t, std::size_t> devices;
  for (const Entry* entry : entries) {
    ++devices[entry->size(column)];
  }
  std::size_t best = 0, most = 0;
  for (const auto& [size, count] : devices) {
    if (count >= most) {
      best = size;
      most = count;
    }
  }
  return best;
}

std::vector<const Entry*> at_size(std::vector<const Entry*> entries, Column column,
                                  std::size_t size) {
  std::erase_if(entries, [&](const Entry* entry) { return entry->size(column) != size; });
  return entries;
}

// The same product in another mode; the first one where its memories or counts differ.
const Entry* in_mode(const Entries& entries, const Entry& entry, std::string_view mode) {
  const auto found = entries.of("matmul", mode, [&](const Entry& other) {
    return other.device == entry.device && is_plain(other) && is_square(other) &&
           other.size(Column::n) == entry.size(Column::n);
  });
  return found.empty() ? nullptr : found.front();
}

void tell_fastest(const std::vector<const Entry*>& entries, Sentence& sentence) {
  if (entries.size() < 2) {
    return;
  }
  std::vector<const Entry*> sorted = entries;
  std::sort(sorted.begin(), sorted.end(),
            [](const Entry* x, const Entry* y) { return x->nanoseconds < y->nanoseconds; });
  if (const auto ratio = established_ratio(*sorted.back(), *sorted.front())) {
    sentence.words(fmt::format(" {} takes ", sorted.back()->device))
        .number(fmt::format("{} times", short_number(ratio->value)), *sorted.back(),
                *sorted.front())
        .words(
            fmt::format(" as long as {} ({}).", sorted.front()->device, pairing(ratio->is_paired)));
  }
}

}  // namespace

bool answer_large_product(const Entries& entries, Sentence& sentence) {
  auto products = entries.of("matmul", "resident", [](const Entry& entry) {
    return is_plain(entry) && is_square(entry) && entry.size(Column::n) >= large;
  });
  if (products.empty()) {
    return false;
  }
  const std::size_t n = most_shared_size(products, Column::n);
  products = at_size(products, Column::n, n);
  sentence.words(fmt::format("A product of {0}×{0} (f32) takes ", n));
  for (const Entry* product : products) {
    sentence.next_clause().words(fmt::format("{}: ", product->device)).time(*product);
    if (const double rate = product->real(Column::flops_per_s); rate > 0) {
      sentence.words(" (").number(rate_text(rate, "FLOP/s"), *product).words(")");
    }
    const double handed_over = product->real(Column::enqueue_median_ns);
    if (handed_over > 0 && handed_over < 0.5 * product->nanoseconds) {
      sentence.words(", handed over after ").number(time_text(handed_over), *product);
    }
    if (const Entry* copies = in_mode(entries, *product, "offload-always")) {
      sentence.words(", with the copies in and out ").time(*copies);
    }
    if (const Entry* once = in_mode(entries, *product, "offload-once")) {
      const auto count = static_cast<double>(std::max<std::size_t>(1, once->size(Column::count)));
      sentence.words(", with copies once around ")
          .number(fmt::format("{:.0f}", count), *once)
          .words(" of them ")
          .time_each(*once, count)
          .words(" each");
    }
  }
  sentence.words(".");
  tell_fastest(products, sentence);
  return true;
}

const Probe* told_probe(const StoredSweep& sweep) {
  const Probe* told = nullptr;
  for (const Probe& probe : sweep.finding.probes) {
    const bool is_decided = probe.faster == Faster::from || probe.faster == Faster::to;
    if (is_decided && (told == nullptr || probe.is_paired || !told->is_paired)) {
      told = &probe;
    }
  }
  return told;
}

std::vector<StoredSweep> told_sweeps(const Report& report) {
  SweepQuery query;
  query.case_name = "matmul";
  query.type = "f32";
  query.axis = "n";
  query.from.mode = query.to.mode = "resident";
  std::vector<StoredSweep> sweeps = stored_sweeps(report, query);
  std::erase_if(sweeps, [&](const StoredSweep& sweep) {
    return sweep.common.find("m=n k=n") == std::string::npos ||
           sweep.finding.kind == Finding::Kind::undecided;
  });
  // A search says more than a sweep, a crossing more than none.
  const auto rank = [](const StoredSweep& sweep) {
    return (sweep.finding.changes.empty() ? 2 : 0) + (sweep.is_search ? 0 : 1);
  };
  std::stable_sort(sweeps.begin(), sweeps.end(),
                   [&](const StoredSweep& x, const StoredSweep& y) { return rank(x) < rank(y); });
  std::vector<StoredSweep> told;
  std::set<std::array<std::string, 3>> pairs;
  for (StoredSweep& sweep : sweeps) {
    const auto [one, other] = std::minmax(sweep.names.from, sweep.names.to);
    if (pairs.insert({sweep.machine, one, other}).second) {
      told.push_back(std::move(sweep));
    }
  }
  return told;
}

const std::string& faster_above(const StoredSweep& sweep) {
  const bool from_wins = sweep.finding.changes.back().below == Faster::to;
  return from_wins ? sweep.names.from : sweep.names.to;
}

const std::string& faster_below(const StoredSweep& sweep) {
  return sweep.finding.changes.front().below == Faster::from ? sweep.names.from : sweep.names.to;
}

std::vector<const Entry*> told_products(const Entries& entries) {
  constexpr double asked_size = 1000;
  std::map<std::size_t, std::vector<const Entry*>> by_size;
  for (const Entry* entry : entries.of("matmul", "resident", [](const Entry& one) {
         return is_plain(one) && is_square(one) && one.text(Column::math) == "native";
       })) {
    by_size[entry->size(Column::n)].push_back(entry);
  }
  std::vector<const Entry*> best;
  double nearest = std::numeric_limits<double>::infinity();
  for (const auto& [n, found] : by_size) {
    const double distance = std::abs(std::log(static_cast<double>(n) / asked_size));
    if (found.size() > best.size() || (found.size() == best.size() && distance < nearest)) {
      best = found;
      nearest = distance;
    }
  }
  std::stable_sort(best.begin(), best.end(),
                   [](const Entry* x, const Entry* y) { return x->nanoseconds < y->nanoseconds; });
  return best;
}

void sort_by_interest(std::vector<StoredSweep>& sweeps, const std::vector<const Entry*>& products) {
  const auto place_of = [&](const std::string& device) {
    return std::find_if(products.begin(), products.end(),
                        [&](const Entry* entry) { return entry->device == device; });
  };
  const auto is_fastest = [&](const std::string& device) {
    const auto place = place_of(device);
    return place != products.end() &&
           (place == products.begin() || !established_ratio(**place, *products.front()));
  };
  const auto rank = [&](const StoredSweep& sweep) {
    if (sweep.finding.kind != Finding::Kind::bracket) return std::tuple(2, products.end(), 0UL);
    const auto winner = place_of(faster_above(sweep)), other = place_of(faster_below(sweep));
    const bool is_other_hardware =
        winner != products.end() && other != products.end() &&
        (*winner)->text(Column::hardware) != (*other)->text(Column::hardware);
    return std::tuple(is_fastest(faster_above(sweep)) ? 0 : 1,
                      is_other_hardware ? other : products.end(), sweep.finding.high());
  };
  std::stable_sort(sweeps.begin(), sweeps.end(),
                   [&](const StoredSweep& x, const StoredSweep& y) { return rank(x) < rank(y); });
}

std::vector<std::size_t> telling_rows(const StoredSweep& sweep) {
  const Finding& finding = sweep.finding;
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < finding.probes.size(); ++i) {
    const std::size_t size = finding.probes[i].size;
    const bool counts = finding.changes.empty() ? i == 0 || i + 1 == finding.probes.size()
                                                : size == finding.low() || size == finding.high();
    if (counts) {
      rows.insert(rows.end(), sweep.from_rows[i].begin(), sweep.from_rows[i].end());
      rows.insert(rows.end(), sweep.to_rows[i].begin(), sweep.to_rows[i].end());
    }
  }
  return rows;
}

bool answer_break_even(const Entries& entries, Sentence& sentence) {
  if (entries.rows().empty()) return false;
  const Report& report = entries.report();
  const std::string machine(entries.rows().front().text(Column::machine));
  constexpr std::size_t most = 3;
  std::size_t told = 0;
  std::vector<StoredSweep> sweeps = told_sweeps(report);
  sort_by_interest(sweeps, told_products(entries));
  for (const StoredSweep& sweep : sweeps) {
    if (told < most && sweep.machine == machine) {
      ++told;
      sentence.next_clause(" ").number(describe(sweep.finding, sweep.names).front(),
                                       telling_rows(sweep));
    }
  }
  return told > 0;
}

bool answer_log(const Entries& entries, Sentence& sentence) {
  auto each = entries.of("norm-log", "log-each", is_plain);
  std::erase_if(each, [&](const Entry* entry) { return !entries.sibling(*entry, "log-once"); });
  if (each.empty()) {
    return false;
  }
  constexpr std::size_t asked = 100;
  auto chosen = at_size(each, Column::n, asked);
  if (chosen.empty()) {
    chosen = at_size(each, Column::n, most_shared_size(each, Column::n));
  }
  const std::size_t n = chosen.front()->size(Column::n);
  sentence.words(
      fmt::format("A product of {0}×{0} and its norm take, read back at once or logged on "
                  "the device and moved once, ",
                  n));
  for (const Entry* entry : chosen) {
    const Entry& once = *entries.sibling(*entry, "log-once");
    const auto count = static_cast<double>(std::max<std::size_t>(1, entry->size(Column::count)));
    sentence.next_clause()
        .words(fmt::format("{}: ", entry->device))
        .time_each(*entry, count)
        .words(" or ")
        .time_each(once, count)
        .words(" (");
    sentence.compared(*entry, once).words(")");
    for (const auto& [mode, words] : {std::pair("batched", ", as one batch "),
                                      std::pair("sequence", ", as one recorded sequence ")}) {
      const Entry* other = entries.sibling(*entry, mode);
      if (other == nullptr && std::string_view(mode) == "batched") {
        const auto found = entries.of("norm-log", mode, [&](const Entry& one) {
          return is_plain(one) && one.device == entry->device && one.size(Column::n) == n;
        });
        other = found.empty() ? nullptr : found.front();
      }
      if (other != nullptr) {
        const std::size_t steps = std::max(other->size(Column::count), other->size(Column::batch));
        sentence.words(words).time_each(*other,
                                        static_cast<double>(std::max<std::size_t>(1, steps)));
      }
    }
  }
  sentence.words(" a step.");
  return true;
}

bool answer_jacobian(const Entries& entries, Sentence& sentence) {
  auto passes = entries.of("mlp-jacobian", "per-pass", is_plain);
  std::erase_if(passes, [](const Entry* entry) { return !entry->detail("passes_one_by_one"); });
  if (passes.empty()) {
    return false;
  }
  constexpr std::size_t asked = 100;
  auto chosen = at_size(passes, Column::batch, asked);
  if (chosen.empty()) {
    chosen = at_size(passes, Column::batch, most_shared_size(passes, Column::batch));
  }
  sentence.words(fmt::format("At batch {} ", chosen.front()->size(Column::batch)));
  for (const Entry* pass : chosen) {
    const double count = *pass->detail("passes_one_by_one");
    sentence.next_clause()
        .words(fmt::format("{}: a backward pass takes ", pass->device))
        .time(*pass)
        .words(fmt::format(", {:.0f} of them one by one ", count))
        .number(time_text(count * pass->nanoseconds), *pass);
    if (const auto share = pass->detail("launch_share")) {
      sentence.words(", of which asking is ").number(share_text(*share), *pass);
    }
    if (const Entry* batched = entries.sibling(*pass, "batched")) {
      sentence.words(", one batched pass for all ").time(*batched);
    }
  }
  sentence.words(".");
  return true;
}

}  // namespace breakeven
