// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "reports/fleet/formats.hpp"
#include "reports/fleet/node_names.hpp"
#include "reports/statistics/order_statistics.hpp"
#include "reports/text/lines.hpp"
#include "reports/text/quantity.hpp"
#include "reports/text/table.hpp"

namespace breakeven::fleet {
namespace {

constexpr std::size_t most_of_a_sort = 3;  // cases and kinds that are named one by one
constexpr double alike = 1.05;             // as long as the others, for a reader

std::string times_with_interval(const Slowness& slow) {
  return fmt::format("{} [{:.3f}, {:.3f}]", times_text(slow.ratio), slow.low, slow.high);
}

std::string number_of(std::size_t n, const char* what) {
  return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s");
}

std::string where(const Fleet& fleet, const Slowness& slow) {
  switch (slow.extent) {
    case Extent::everywhere:
      return "over all cases";
    case Extent::kind:
      return "in " + fleet.kinds[slow.index];
    case Extent::one_case:
      return "in " + fleet.name(slow.index);
  }
  return {};
}

void add_slow(const Fleet& fleet, const std::vector<Slowness>& list, const char* word,
              std::vector<std::string>& lines) {
  std::size_t cases = 0;
  for (const auto& slow : list) {
    if (slow.extent == Extent::one_case && ++cases > most_of_a_sort) {
      continue;
    }
    lines.push_back(fmt::format("{} {} {}", word, times_with_interval(slow), where(fleet, slow)));
  }
  if (cases > most_of_a_sort) {
    lines.push_back(
        fmt::format("and {} in {}", word, number_of(cases - most_of_a_sort, "more case")));
  }
}

// Of a node that is slow in some kinds of work: what it does as the others.
std::string contrast(const Fleet& fleet, const Verdict& verdict) {
  std::set<std::size_t> slow;
  for (const auto& entry : verdict.slow) {
    if (entry.extent == Extent::everywhere) {
      const auto &most = verdict.kinds.front(), &least = verdict.kinds.back();
      return most.ratio < alike * least.ratio
                 ? ""
                 : fmt::format("most in {} {}, least in {} {}", fleet.kinds[most.kind],
                               times_text(most.ratio), fleet.kinds[least.kind],
                               times_text(least.ratio));
    }
    slow.insert(entry.extent == Extent::kind ? entry.index : fleet.cases[entry.index].kind);
  }
  std::string line;
  std::size_t shown = 0;
  for (const auto& entry : verdict.kinds) {
    if (entry.ratio < alike && !slow.contains(entry.kind) && ++shown <= most_of_a_sort) {
      line += fmt::format("{}{} {}", line.empty() ? "not slow: " : ", ", fleet.kinds[entry.kind],
                          times_text(entry.ratio));
    }
  }
  return shown > most_of_a_sort ? line + fmt::format(" and {} more", shown - most_of_a_sort) : line;
}

std::vector<std::string> names_of(const Fleet& fleet, const std::vector<std::size_t>& nodes) {
  std::vector<std::string> names;
  for (const auto node : nodes) {
    names.push_back(fleet.collection.nodes[node].name);
  }
  return names;
}

// So long that a reader still takes it in.
std::string shortened(const std::string& text) {
  constexpr std::size_t longest = 120;
  return text.size() <= longest ? text : text.substr(0, longest) + "...";
}

class Page {
 public:
  Page(std::size_t columns, bool in_colour) : lines_(columns), in_colour_(in_colour) {}

  void add(const std::string& text, std::size_t indent = 0, Colour colour = Colour::none) {
    text_ += coloured(lines_.wrapped(text, indent), colour, in_colour_) + "\n";
  }
  void gap() { text_ += "\n"; }
  std::string take() { return std::move(text_); }

 private:
  Lines lines_;
  bool in_colour_;
  std::string text_;
};

void add_verdict(const Fleet& fleet, const Verdict& verdict, Page& page) {
  const auto& name = fleet.collection.nodes[verdict.node].name;
  const auto colour = verdict.is_out() ? Colour::red : Colour::yellow;
  bool is_first = true;
  for (const auto& finding : findings(fleet, verdict)) {
    page.add(is_first ? name + ": " + finding : finding, is_first ? 2 : 4,
             is_first ? colour : Colour::none);
    is_first = false;
  }
  if (const auto line = contrast(fleet, verdict); !line.empty()) {
    page.add(line, 4, Colour::dim);
  }
  for (const auto& reason : verdict.reasons) {
    page.add("differs: " + reason, 4);
  }
}

// Of a group that is not judged: where its nodes lie.
void describe(const Fleet& fleet, const Group& group, Page& page) {
  constexpr std::size_t most = 20;
  if (group.nodes.size() < 2) {
    return;
  }
  for (std::size_t i = 0; i < std::min(group.nodes.size(), most); ++i) {
    page.add(fmt::format("{} {} (its median over the cases, to the group's)",
                         fleet.collection.nodes[group.nodes[i]].name, times_text(group.ratios[i])),
             2);
  }
}

// A scheduler would read more into any other letter.
std::vector<std::string> exclude_names(std::vector<std::string> names) {
  std::erase_if(names, [](const std::string& name) {
    return !std::all_of(name.begin(), name.end(), [](char letter) {
      return std::isalnum(static_cast<unsigned char>(letter)) || letter == '-' || letter == '_' ||
             letter == '.';
    });
  });
  return names;
}

void add_group(const Fleet& fleet, const Group& group, Page& page) {
  page.add(fmt::format("{}: {}", group.label, group.hardware));
  page.add(fmt::format("{}: {}; {}, {}", number_of(group.nodes.size(), "node"),
                       shortened(folded(names_of(fleet, group.nodes))),
                       number_of(group.cases, "case"), number_of(group.rounds, "round")),
           2, Colour::dim);
  if (!group.is_judged) {
    describe(fleet, group, page);
  }
  std::size_t incomplete = 0;
  std::vector<std::string> names;
  for (const auto& verdict : group.verdicts) {
    if (verdict.is_out() || !verdict.suspect.empty()) {
      add_verdict(fleet, verdict, page);
    } else {
      ++incomplete;
      names.push_back(fleet.collection.nodes[verdict.node].name);
    }
  }
  if (incomplete > 0) {
    page.add(fmt::format("{} {} rows that most of the others have, and {} judged by what {}: {}",
                         number_of(incomplete, "node"), incomplete == 1 ? "lacks" : "lack",
                         incomplete == 1 ? "is" : "are", incomplete == 1 ? "it has" : "they have",
                         shortened(folded(names))),
             2, Colour::yellow);
  }
  for (const auto& remark : group.remarks) {
    page.add(remark, 2, Colour::yellow);
  }
  page.add(limits(group), 2, Colour::dim);
  page.gap();
}

}  // namespace

std::vector<std::string> findings(const Fleet& fleet, const Verdict& verdict) {
  std::vector<std::string> lines;
  std::map<Status, std::vector<const Fault*>> faults;
  for (const auto& fault : verdict.faults) {
    faults[fault.status].push_back(&fault);
  }
  for (const auto& [status, list] : faults) {
    const auto& reason = fleet.collection.texts.text(list[0]->reason);
    lines.push_back(fmt::format("{} in {}: {}{}", name(status), number_of(list.size(), "case"),
                                fleet.name(list[0]->case_index),
                                reason == unknown ? "" : ": " + reason));
  }
  add_slow(fleet, verdict.slow, "slow", lines);
  add_slow(fleet, verdict.suspect, "perhaps slow, with too few rounds to say:", lines);
  if (verdict.missing > 0) {
    lines.push_back(
        fmt::format("lacks {} that most of the others have", number_of(verdict.missing, "case")));
  }
  return lines;
}

std::string limits(const Group& group) {
  if (!group.is_judged) {
    return group.is_unlike_baseline
               ? "not judged: the baseline has no machine with this processor and these devices"
           : group.nodes.size() == 1
               ? "one node: nothing to judge it by (--baseline FILE gives it something)"
               : "described, not judged: too few equal nodes to know what is normal";
  }
  const auto& seen = *group.sensitivity;
  if (group.rounds < Options{}.fewest_rounds) {
    return fmt::format("{} a node: nobody is named below {} rounds; `breakeven run --rounds 5`",
                       number_of(group.rounds, "round"), Options{}.fewest_rounds);
  }
  return fmt::format(
      "what would have been seen, in four of five fleets: a node {} slow over all cases, "
      "or {} in one case ({} in the noisiest tenth of them)",
      share_text(seen.everywhere - 1), share_text(seen.one_case - 1),
      share_text(seen.noisy_case - 1));
}

std::string told(const Judgement& judgement, const Split& split) {
  const auto& slower = judgement.groups[split.slower];
  const auto& faster = judgement.groups[split.faster];
  auto text = fmt::format(
      "{} and {} are one type of machine but two populations: {} nodes take {} as long as the "
      "other {}; each is judged by itself",
      faster.label, slower.label, slower.nodes.size(), ratio_text(split.ratio),
      faster.nodes.size());
  for (std::size_t i = 0; i < split.differences.size(); ++i) {
    text += (i == 0 ? "; what parts them: " : ", ") + split.differences[i];
  }
  return split.differences.empty() ? text + "; nothing in their descriptions parts them" : text;
}

std::string exclude_line(const Fleet& fleet, const Judgement& judgement) {
  const auto names = exclude_names(judgement.nodes_out(fleet));
  return names.empty() ? "" : "--exclude=" + folded(names);
}

int exit_status(const Fleet& fleet, const Judgement& judgement) {
  const bool all_known = std::none_of(judgement.groups.begin(), judgement.groups.end(),
                                      [](const Group& one) { return one.is_unlike_baseline; });
  return judgement.nodes_out(fleet).empty() && all_known ? 0 : 1;
}

std::string as_text(const Fleet& fleet, const Judgement& judgement, std::size_t columns,
                    bool in_colour) {
  Page page(columns, in_colour);
  const auto& collection = fleet.collection;
  page.add(
      fmt::format("{} in {}, {}; {} read, {} skipped", number_of(collection.nodes.size(), "node"),
                  number_of(judgement.groups.size(), "group"), number_of(judgement.cases, "case"),
                  number_of(collection.files, "file"), collection.skipped));
  page.gap();
  for (const auto& split : judgement.splits) {
    page.add(told(judgement, split), 0, Colour::yellow);
    page.gap();
  }
  for (const auto& group : judgement.groups) {
    add_group(fleet, group, page);
  }
  const auto names = judgement.nodes_out(fleet);
  if (!names.empty()) {
    page.add(fmt::format("Take {}: {}",
                         names.size() == 1 ? "it out" : "out " + number_of(names.size(), "node"),
                         exclude_line(fleet, judgement)),
             0, Colour::red);
    if (names.size() > exclude_names(names).size()) {
      page.add(
          "Names with other letters than a-z, 0-9, '-', '_' and '.' are not in that line: take "
          "those nodes out by hand.",
          0, Colour::yellow);
    }
    return page.take();
  }
  const bool any = std::any_of(judgement.groups.begin(), judgement.groups.end(),
                               [](const Group& group) { return group.is_judged; });
  page.add(any ? "No node is established to be slow or wrong." : "No node is judged.", 0,
           any ? Colour::green : Colour::yellow);
  return page.take();
}

}  // namespace breakeven::fleet
