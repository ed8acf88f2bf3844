// SPDX-License-Identifier: Apache-2.0
// One page that needs nothing else. The ratios of all nodes in all cases are 16 bits each, and
// become marks on a strip for each case when it is looked at.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "reports/fleet/formats.hpp"
#include "reports/fleet/node_names.hpp"
#include "reports/html/assets.hpp"
#include "reports/html/page.hpp"
#include "reports/statistics/order_statistics.hpp"
#include "reports/text/escape.hpp"

namespace breakeven::fleet {
namespace {

constexpr std::size_t most_verdicts = 200;  // of a group, that are written out; the strips have all

std::string base64(const std::vector<std::int16_t>& numbers) {
  constexpr std::string_view digits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::vector<std::uint8_t> bytes;  // the low byte first, as browsers have it
  for (const auto number : numbers) {
    const auto bits = static_cast<std::uint16_t>(number);
    bytes.push_back(static_cast<std::uint8_t>(bits & 0xFFU));
    bytes.push_back(static_cast<std::uint8_t>(bits >> 8U));
  }
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const auto byte = [&](std::size_t place) -> std::uint32_t {
      return place < bytes.size() ? bytes[place] : 0;
    };
    const std::uint32_t bits = byte(i) << 16U | byte(i + 1) << 8U | byte(i + 2);
    for (std::size_t digit = 0; digit < 4; ++digit) {
      text += i + digit > bytes.size() ? '=' : digits[bits >> (18 - 6 * digit) & 63U];
    }
  }
  return text;
}

double location_of(const Fleet& fleet, const Group& group, std::size_t index) {
  if (group.normal) {
    const auto known = group.normal->cases.find(index);
    if (known != group.normal->cases.end()) {
      return known->second.location;
    }
  }
  std::vector<double> times;
  for (const auto node : group.nodes) {
    if (const auto& cell = fleet.cell(node, index); cell.has_time()) {
      times.push_back(static_cast<double>(cell.log_time));
    }
  }
  return times.empty() ? 0 : median(times);
}

std::string ratios(const Fleet& fleet, const Judgement& judgement,
                   const std::vector<std::size_t>& shown) {
  constexpr std::int16_t none = INT16_MIN;
  const auto nodes = fleet.cells.size();
  std::vector<std::int16_t> numbers(shown.size() * nodes, none);
  for (const auto& group : judgement.groups) {
    for (std::size_t strip = 0; strip < shown.size(); ++strip) {
      const auto index = shown[strip];
      const double location = location_of(fleet, group, index);
      for (const auto node : group.nodes) {
        if (const auto& cell = fleet.cell(node, index); cell.has_time()) {
          const double off = std::round((static_cast<double>(cell.log_time) - location) * 1e4);
          numbers[strip * nodes + node] =
              static_cast<std::int16_t>(std::clamp(off, -32767.0, 32767.0));
        }
      }
    }
  }
  return base64(numbers);
}

nlohmann::json data_of(const Fleet& fleet, const Judgement& judgement) {
  auto nodes = nlohmann::json::array();
  for (const auto& node : fleet.collection.nodes) {
    nodes.push_back({{"name", node.name}, {"out", false}, {"word", "sound"}});
  }
  for (const auto& group : judgement.groups) {
    for (const auto node : group.nodes) {
      nodes[node]["group"] = group.label;
      nodes[node]["word"] = group.is_judged ? "sound" : "not judged";
    }
    for (const auto& verdict : group.verdicts) {
      auto lines = findings(fleet, verdict);
      for (const auto& reason : verdict.reasons) {
        lines.push_back("differs: " + reason);
      }
      nodes[verdict.node]["lines"] = lines;
      nodes[verdict.node]["out"] = verdict.is_out();
      nodes[verdict.node]["word"] = verdict.is_out()          ? "take it out"
                                    : verdict.suspect.empty() ? "incomplete"
                                                              : "perhaps slow";
    }
  }
  auto cases = nlohmann::json::array();
  const auto shown = fleet.cases_with_time();
  for (const auto index : shown) {
    cases.push_back(fleet.name(index));
  }
  return {{"nodes", std::move(nodes)},
          {"cases", std::move(cases)},
          {"ratios", ratios(fleet, judgement, shown)}};
}

std::string verdict_item(const Fleet& fleet, const Verdict& verdict) {
  const auto& name = fleet.collection.nodes[verdict.node].name;
  auto text = fmt::format("<li class=\"{}\"><a href=\"#node={}\">{}</a>",
                          verdict.is_out() ? "bad" : "warn", html(name), html(name));
  for (const auto& finding : findings(fleet, verdict)) {
    text += "<br>" + html(finding);
  }
  for (const auto& reason : verdict.reasons) {
    text += "<br><span class=\"quiet\">differs: " + html(reason) + "</span>";
  }
  return text + "</li>\n";
}

std::string group_section(const Fleet& fleet, const Group& group) {
  auto text = fmt::format(
      "<h2 id=\"group-{}\">{}: {}</h2>\n<p class=\"quiet\">{} nodes, {} cases, {} "
      "rounds; {}</p>\n",
      group.label, group.label, html(group.hardware), group.nodes.size(), group.cases, group.rounds,
      html(limits(group)));
  for (const auto& remark : group.remarks) {
    text += "<p class=\"warn\">" + html(remark) + "</p>\n";
  }
  if (group.verdicts.empty()) {
    return text;
  }
  text += "<ul class=\"verdicts\">\n";
  for (std::size_t i = 0; i < std::min(group.verdicts.size(), most_verdicts); ++i) {
    text += verdict_item(fleet, group.verdicts[i]);
  }
  if (group.verdicts.size() > most_verdicts) {
    text += fmt::format("<li>and {} more: the strips have them</li>\n",
                        group.verdicts.size() - most_verdicts);
  }
  return text + "</ul>\n";
}

}  // namespace

std::string as_page(const Fleet& fleet, const Judgement& judgement) {
  const auto title = fmt::format("Fleet of {} nodes", fleet.collection.nodes.size());
  const auto exclude = exclude_line(fleet, judgement);
  auto text = "<main>\n<h1>" + title + "</h1>\n";
  text += fmt::format(
      "<p class=\"quiet\">{} cases; {} files read, {} skipped. Measured, verified and "
      "written by Breakeven.</p>\n",
      judgement.cases, fleet.collection.files, fleet.collection.skipped);
  text += exclude.empty() ? "<p class=\"good\">No node is established to be slow or wrong.</p>\n"
                          : "<p class=\"bad\">Take out: <code>" + html(exclude) + "</code></p>\n";
  for (const auto& split : judgement.splits) {
    text += "<p class=\"warn\">" + html(told(judgement, split)) + "</p>\n";
  }
  for (const auto& group : judgement.groups) {
    text += group_section(fleet, group);
  }
  text +=
      "<h2 id=\"all-nodes\">All nodes</h2>\n<p class=\"quiet\">A strip is a case, a mark is a node "
      "at "
      "its time over that of its group: to the right is slower. Click a mark to see its node.</p>\n"
      "<noscript><p class=\"warn\">The strips need scripts; what is not as it should be stands "
      "above.</p></noscript>\n<form class=\"filter\" id=\"find-node\" hidden><input "
      "type=\"search\" "
      "name=\"name\" placeholder=\"a node's name\" aria-label=\"a node's name\"></form>\n"
      "<p class=\"voice\" id=\"voice\" aria-live=\"polite\"></p>\n"
      "<div class=\"node\" id=\"node\" hidden></div>\n<ul class=\"strips\" id=\"strips\"></ul>\n"
      "</main>\n";
  const auto data =
      data_of(fleet, judgement).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  return page_around(title, text,
                     "<script type=\"application/json\" id=\"fleet-data\">" +
                         json_for_script(data) + "</script>\n<script>" +
                         std::string(assets::fleet) + "</script>\n");
}

}  // namespace breakeven::fleet
