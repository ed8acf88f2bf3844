// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>

#include "reports/answers/questions.hpp"
#include "reports/text/quantity.hpp"

namespace breakeven {
namespace {

std::vector<const Entry*> on_several_devices(const Entries& entries, std::string_view mode) {
  return entries.of("parallel", mode, [](const Entry& entry) {
    return entry.size(Column::devices) >= 2 && entry.detail("speed_up") &&
           entry.text(Column::type) == "f32";
  });
}

// What `parallel` found to hold the devices back: `interference:1.31`.
std::string in_words(const std::string& cause) {
  struct Words {
    std::string text;
    bool is_share;
  };
  static const std::map<std::string, Words> words{
      {"feeding-thread", {"the thread that hands the work over is busy for {} of the time", true}},
      {"shared-cores", {"the threads lost their cores {} times", false}},
      {"slow-device", {"one device alone takes {} times as long as another", false}},
      {"clock-drop", {"the clock fell to {} of its rate", true}},
      {"shared-link", {"their copies at once take {} times as long as the slowest alone", false}},
      {"copies", {"copies take {} of the time of the slowest part", true}},
      {"interference", {"together each takes {} times as long as alone", false}},
      {"split", {"the slowest part takes {} times as long as an equal share", false}}};
  const auto colon = cause.find(':');
  const auto known = words.find(cause.substr(0, colon));
  if (known == words.end() || colon == cause.npos) {
    return cause;
  }
  const auto& [text, is_share] = known->second;
  const auto value = cause.substr(colon + 1);
  return fmt::format(fmt::runtime(text),
                     is_share ? share_text(std::strtod(value.c_str(), nullptr)) : value);
}

void tell_speed_up(const Entry& entry, Sentence& sentence) {
  sentence.number(fmt::format("{:.2f} times", *entry.detail("speed_up")), entry)
      .words(" the throughput of the best one alone");
  if (const auto efficiency = entry.detail("efficiency")) {
    sentence.words(" (efficiency ").number(share_text(*efficiency), entry);
    const std::string cause = entry.detail_text("cause");
    if (!cause.empty() && cause != unknown && cause != "none") {
      sentence.words("; " + in_words(cause));
    }
    sentence.words(")");
  }
}

}  // namespace

bool answer_two_products(const Entries& entries, Sentence& sentence) {
  const auto all = on_several_devices(entries, "throughput");
  std::set<std::string> told;
  for (auto entry = all.rbegin(); entry != all.rend(); ++entry) {  // the largest come last
    const Entry& one = **entry;
    if (!told.insert(one.device).second) {
      continue;
    }
    sentence.next_clause().words(fmt::format("{} devices from {} on give, at n = {}, ",
                                             one.size(Column::devices), one.device,
                                             one.size(Column::n)));
    tell_speed_up(one, sentence);
  }
  if (told.empty()) {
    return false;
  }
  sentence.words(".");
  return true;
}

bool answer_many_small(const Entries& entries, Sentence& sentence) {
  const auto all = on_several_devices(entries, "many-small");
  if (all.empty()) {
    return false;
  }
  std::map<std::string, std::size_t> most;  // devices at once
  for (const Entry* entry : all) {
    std::size_t& devices = most[entry->device];
    devices = std::max(devices, entry->size(Column::devices));
  }
  std::set<std::pair<std::string, std::size_t>> told;
  for (const Entry* entry : all) {
    const std::size_t feeders = entry->size(Column::feeders);
    if (entry->size(Column::devices) < most[entry->device] ||
        !told.emplace(entry->device, feeders).second) {
      continue;
    }
    sentence.next_clause().words(fmt::format(
        "{} devices from {} on, fed by {}, give ", entry->size(Column::devices), entry->device,
        feeders == 1 ? "one thread" : fmt::format("{} threads", feeders)));
    tell_speed_up(*entry, sentence);
  }
  sentence.words(".");
  return true;
}

// The rows themselves are the answer.
bool answer_fall_back(const Entries& entries, Sentence& sentence) {
  std::set<std::pair<std::string, std::string>> told;
  for (const RowView& row : entries.rows()) {
    const std::string asked(row.text(Column::device_requested));
    const std::string used(row.text(Column::device));
    if ((!asked.starts_with("try-gpu") && asked != "all-gpus") || row.status() != Status::ok ||
        !told.emplace(asked, used).second) {
      continue;
    }
    sentence.next_clause()
        .words(fmt::format("{} was asked for and ", asked))
        .number(used, {row.index()})
        .words(" was used");
    if (row.is_known(Column::device_name)) {
      sentence.words(fmt::format(" ({})", row.text(Column::device_name)));
    }
  }
  if (told.empty()) {
    return false;
  }
  sentence.words(".");
  return true;
}

// Such an operation leaves a row without a time whose reason names both devices. A backend with one
// device has such a row too, and refused nothing.
bool answer_two_operands(const Entries& entries, Sentence& sentence) {
  for (const RowView& row : entries.rows()) {
    const auto is_of_its_other_device = [&](const RowView& other) {
      return other.text(Column::backend) == row.text(Column::backend) &&
             other.text(Column::device) != row.text(Column::device);
    };
    if (row.text(Column::question) == "Q11" && row.status() == Status::unsupported &&
        std::any_of(entries.rows().begin(), entries.rows().end(), is_of_its_other_device)) {
      sentence.words("It is refused: ")
          .number(std::string(row.text(Column::reason)), {row.index()})
          .words(".");
      return true;
    }
  }
  return false;
}

bool answer_dispatch(const Entries& entries, Sentence& sentence) {
  const auto empties = entries.of("dispatch", "empty");
  const auto with_count = [&](const Entry& entry, std::string_view mode) -> const Entry* {
    const auto found = entries.of("dispatch", mode, [&](const Entry& other) {
      return other.device == entry.device && other.size(Column::count) > 0;
    });
    return found.empty() ? nullptr : found.front();
  };
  std::set<std::string> told;
  for (const Entry* empty : empties) {
    if (!told.insert(empty->device).second) {
      continue;
    }
    sentence.next_clause()
        .words(fmt::format("{}: an empty operation, waited for, takes ", empty->device))
        .time(*empty);
    for (const auto& [mode, words] : {std::pair("queued", ", of many queued ones each "),
                                      std::pair("wait-each", ", with a wait after each "),
                                      std::pair("sequence", ", in a recorded sequence ")}) {
      if (const Entry* many = with_count(*empty, mode)) {
        sentence.words(words).time_each(*many, static_cast<double>(many->size(Column::count)));
      }
    }
    auto whole = entries.of("dispatch", "whole",
                            [&](const Entry& entry) { return entry.device == empty->device; });
    for (const Entry* one : whole) {
      const auto pieces = entries.of("dispatch", "pieces", [&](const Entry& entry) {
        return entry.device == one->device && entry.size(Column::n) == one->size(Column::n) &&
               entry.text(Column::type) == one->text(Column::type);
      });
      if (!pieces.empty()) {
        sentence
            .words(fmt::format(", {} elements in {} pieces ", one->size(Column::n),
                               pieces.front()->size(Column::count)))
            .time(*pieces.front())
            .words(" against ")
            .time(*one)
            .words(" in one");
        break;
      }
    }
  }
  if (told.empty()) {
    return false;
  }
  sentence.words(".");
  return true;
}

}  // namespace breakeven
