// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "reports/answers/questions.hpp"
#include "reports/break_even/explanation.hpp"
#include "reports/text/quantity.hpp"

namespace breakeven {
namespace {

bool is_hot_f32(const Entry& entry) {
  return entry.text(Column::type) == "f32" && entry.text(Column::cache) != "cold";
}

// Of each device the entry that is largest in `column`, in the order of the report.
std::vector<const Entry*> largest_of_each_device(const std::vector<const Entry*>& entries,
                                                 Column column) {
  std::vector<const Entry*> largest;
  for (const Entry* entry : entries) {
    const auto known = std::find_if(largest.begin(), largest.end(), [&](const Entry* other) {
      return other->device == entry->device;
    });
    if (known == largest.end()) {
      largest.push_back(entry);
    } else if (entry->size(column) > (*known)->size(column)) {
      *known = entry;
    }
  }
  return largest;
}

const Entry* smallest(const std::vector<const Entry*>& entries, Column column) {
  const auto found = std::min_element(
      entries.begin(), entries.end(),
      [&](const Entry* x, const Entry* y) { return x->size(column) < y->size(column); });
  return found == entries.end() ? nullptr : *found;
}

// Latency and bandwidth with their intervals, and where copies do not follow them.
void tell_line(const std::vector<const Entry*>& sizes, Sentence& sentence) {
  std::vector<Observation> times;
  std::vector<std::size_t> rows;
  for (const Entry* copy : sizes) {
    const std::size_t bytes = copy->size(Column::bytes);
    times.push_back({bytes, copy->nanoseconds, static_cast<double>(bytes), 0});
    const std::vector<std::size_t> more = copy->indices();
    rows.insert(rows.end(), more.begin(), more.end());
  }
  if (const auto line = fit_time_model(times)) {
    sentence.words(" (").number(describe(*line, "fitted", "bytes"), std::move(rows)).words(")");
  }
}

}  // namespace

bool answer_parameters(const Entries& entries, Sentence& sentence) {
  auto each = entries.of("parameters", "read-each", is_hot_f32);
  // The same model on the same device; what is moved in one has no count.
  const auto same_model = [&](const Entry& entry, std::string_view mode) -> const Entry* {
    const auto found = entries.of("parameters", mode, [&](const Entry& other) {
      return is_hot_f32(other) && other.device == entry.device &&
             other.size(Column::m) == entry.size(Column::m) &&
             other.size(Column::n) == entry.size(Column::n) &&
             other.size(Column::k) == entry.size(Column::k);
    });
    return found.empty() ? nullptr : found.front();
  };
  std::erase_if(each, [&](const Entry* entry) { return !same_model(*entry, "read-flat"); });
  if (each.empty()) {
    return false;
  }
  // The network of the question where it is there, else the first model.
  const auto is_network = [](const Entry* entry) { return entry->size(Column::n) == 400; };
  const auto network = std::find_if(each.begin(), each.end(), is_network);
  const Entry& model = network == each.end() ? *each.front() : **network;
  std::erase_if(each, [&](const Entry* entry) {
    return entry->size(Column::n) != model.size(Column::n) ||
           entry->size(Column::m) != model.size(Column::m) ||
           entry->size(Column::k) != model.size(Column::k);
  });
  sentence.words(fmt::format("Reading {} tensors one by one, or all in one transfer, takes ",
                             model.size(Column::count)));
  for (const Entry* entry : each) {
    const Entry& flat = *same_model(*entry, "read-flat");
    sentence.next_clause()
        .words(fmt::format("{}: ", entry->device))
        .time(*entry)
        .words(" or ")
        .time(flat)
        .words(" (")
        .compared(*entry, flat)
        .words(")");
    const Entry* write = same_model(*entry, "write-each");
    const Entry* write_flat = same_model(*entry, "write-flat");
    if (write != nullptr && write_flat != nullptr) {
      sentence.words(", writing them ").time(*write).words(" or ").time(*write_flat);
    }
    const auto scalar = entries.of("parameters", "scalar-update", [&](const Entry& other) {
      return is_hot_f32(other) && other.device == entry->device;
    });
    if (!scalar.empty()) {
      sentence.words(", writing one number in place ").time(*scalar.front());
    }
  }
  sentence.words(".");
  return true;
}

bool answer_elementwise(const Entries& entries, Sentence& sentence) {
  const auto passes = largest_of_each_device(
      entries.of("elementwise", "multiply-add",
                 [](const Entry& entry) {
                   return is_hot_f32(entry) && entry.real(Column::bytes_per_s) > 0;
                 }),
      Column::n);
  if (passes.empty()) {
    return false;
  }
  sentence.words("a·b + c streams at ");
  for (const Entry* pass : passes) {
    sentence.next_clause()
        .words(fmt::format("{}: ", pass->device))
        .number(rate_text(pass->real(Column::bytes_per_s), "B/s"), *pass)
        .words(fmt::format(" for {} elements", pass->size(Column::n)));
    if (const double share = pass->real(Column::ceiling_share); share > 0) {
      sentence.words(", ").number(share_text(share), *pass).words(" of the measured ceiling");
    }
    if (const std::string scaled = pass->detail_text("scaled"); !scaled.empty()) {
      sentence.words(fmt::format(" (scaled: {})", scaled));
    }
  }
  sentence.words(".");
  return true;
}

bool answer_copies(const Entries& entries, Sentence& sentence) {
  const auto copies = entries.of("transfer", "single", is_hot_f32);
  struct Way {
    std::string device, direction, memory;
    bool operator==(const Way&) const = default;
  };
  std::vector<Way> ways;
  for (const Entry* copy : copies) {
    Way way{copy->device, std::string(copy->text(Column::direction)),
            std::string(copy->text(Column::memory))};
    if ((way.direction == "h2d" || way.direction == "d2h") &&
        std::find(ways.begin(), ways.end(), way) == ways.end()) {
      ways.push_back(std::move(way));
    }
  }
  for (const Way& way : ways) {
    const std::string &device = way.device, &direction = way.direction, &memory = way.memory;
    std::vector<const Entry*> sizes = copies;
    std::erase_if(sizes, [&](const Entry* copy) {
      return copy->device != device || copy->text(Column::direction) != direction ||
             copy->text(Column::memory) != memory;
    });
    const Entry& small = *smallest(sizes, Column::bytes);
    const Entry& big = *largest_of_each_device(sizes, Column::bytes).front();
    sentence.next_clause()
        .words(fmt::format("{} {}{}: {} take ", device, direction,
                           memory == unknown ? "" : fmt::format(" {}", memory),
                           bytes_text(static_cast<double>(small.size(Column::bytes)))))
        .time(small);
    if (big.size(Column::bytes) > small.size(Column::bytes)) {
      const auto bytes = static_cast<double>(big.size(Column::bytes));
      sentence.words(fmt::format(", {} move at ", bytes_text(bytes)))
          .number(rate_text(bytes / big.nanoseconds * 1e9, "B/s"), big);
      tell_line(sizes, sentence);
    }
    const auto pieces = entries.of("transfer", "pieces", [&](const Entry& entry) {
      return is_hot_f32(entry) && entry.device == device &&
             entry.text(Column::direction) == direction && entry.text(Column::memory) == memory;
    });
    for (const Entry* many : pieces) {
      const auto one = std::find_if(sizes.begin(), sizes.end(), [&](const Entry* entry) {
        return entry->size(Column::bytes) == many->size(Column::bytes);
      });
      if (one != sizes.end()) {
        sentence
            .words(fmt::format(", {} in {} pieces take ",
                               bytes_text(static_cast<double>(many->size(Column::bytes))),
                               many->size(Column::count)))
            .time(*many)
            .words(" against ")
            .time(**one)
            .words(" in one");
        break;
      }
    }
  }
  if (ways.empty()) {
    return false;
  }
  sentence.words(".");
  return true;
}

bool answer_same_place(const Entries& entries, Sentence& sentence) {
  const auto copies =
      largest_of_each_device(entries.of("transfer", "same-place", is_hot_f32), Column::bytes);
  if (copies.empty()) {
    return false;
  }
  sentence.words("Forcing the copy takes ");
  for (const Entry* copy : copies) {
    sentence.next_clause()
        .words(fmt::format("{}: ", copy->device))
        .time(*copy)
        .words(fmt::format(" for {}", bytes_text(static_cast<double>(copy->size(Column::bytes)))));
  }
  sentence.words("; keeping the data where they are allocates nothing and moves 0 bytes.");
  return true;
}

bool answer_overlap(const Entries& entries, Sentence& sentence) {
  auto both = entries.of("overlap", "overlapped", [](const Entry& entry) {
    return is_hot_f32(entry) && entry.detail("in_order_ns") && entry.detail("overlapped_ns");
  });
  if (both.empty()) {
    return false;
  }
  std::set<std::pair<std::string, std::string>> told;
  sentence.words("Products and copies of their results, in order or overlapped, take ");
  for (auto entry = both.rbegin(); entry != both.rend(); ++entry) {  // the largest come last
    const Entry& one = **entry;
    const std::string memory(one.text(Column::memory));
    if (!told.emplace(one.device, memory).second) {
      continue;
    }
    sentence.next_clause()
        .words(fmt::format("{} {} n = {}: ", one.device, memory, one.size(Column::n)))
        .number(time_text(*one.detail("in_order_ns")), one)
        .words(" or ")
        .number(time_text(*one.detail("overlapped_ns")), one);
    if (const auto share = one.detail("overlap")) {
      sentence.words(", ").number(share_text(*share), one).words(" of what could be hidden");
    } else {
      sentence.words(one.detail_text("overlap_unknown") == "noise"
                         ? ", a difference that the noise hides"
                         : ", where nothing could be hidden");
    }
  }
  sentence.words(".");
  return true;
}

}  // namespace breakeven
