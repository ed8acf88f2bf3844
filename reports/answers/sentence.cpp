// SPDX-License-Identifier: Apache-2.0
#include "reports/answers/sentence.hpp"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "reports/break_even/stored_verdict.hpp"
#include "reports/text/quantity.hpp"

namespace breakeven {

Sentence& Sentence::words(const std::string& text) {
  if (!begins_clause_ && !parts_.empty() && parts_.back().rows.empty()) {
    parts_.back().text += text;
  } else if (!text.empty()) {
    add({text, {}});
  }
  return *this;
}

Sentence& Sentence::number(const std::string& text, std::vector<std::size_t> rows) {
  add({text, std::move(rows)});
  return *this;
}

Sentence& Sentence::number(const std::string& text, const Entry& entry) {
  return number(text, entry.indices());
}

Sentence& Sentence::number(const std::string& text, const Entry& one, const Entry& other) {
  std::vector<std::size_t> rows = one.indices();
  const std::vector<std::size_t> more = other.indices();
  rows.insert(rows.end(), more.begin(), more.end());
  return number(text, std::move(rows));
}

Sentence& Sentence::time(const Entry& entry) {
  return number(time_text(entry.nanoseconds), entry);
}

Sentence& Sentence::time_each(const Entry& entry, double count) {
  return number(time_text(entry.nanoseconds / count), entry);
}

Sentence& Sentence::compared(const Entry& entry, const Entry& base) {
  const auto ratio = established_ratio(entry, base);
  if (ratio && ratio->value > 0.995 && ratio->value < 1.005) {
    return number("as long", entry, base).words(" within half a percent");
  }
  if (ratio) {
    return number(fmt::format("{} times", short_number(ratio->value)), entry, base)
        .words(fmt::format(" as long, {}", pairing(ratio->is_paired)));
  }
  return words("which these rounds cannot tell apart");
}

Sentence& Sentence::next_clause(const std::string& separator) {
  if (clauses_++ > 0) {
    words(separator);
  }
  begins_clause_ = true;
  return *this;
}

void Sentence::add(AnswerPart part) {
  part.begins_line = std::exchange(begins_clause_, false);
  parts_.push_back(std::move(part));
}

// One clause needs no line of its own.
std::vector<AnswerPart> Sentence::take() {
  for (AnswerPart& part : parts_) {
    part.begins_line = part.begins_line && clauses_ > 1 && &part != &parts_.front();
  }
  return std::move(parts_);
}

std::optional<EstablishedRatio> established_ratio(const Entry& slow, const Entry& fast) {
  const Probe probe = verdict_of_rounds(0, fast.rows, slow.rows);
  if (probe.faster != Faster::from && probe.faster != Faster::to) {
    return std::nullopt;
  }
  return EstablishedRatio{
      probe.is_paired ? std::exp(probe.log_ratio) : slow.nanoseconds / fast.nanoseconds,
      std::exp(probe.low), std::exp(probe.high), probe.is_paired};
}

std::string_view why_not_established(const Entry& slow, const Entry& fast) {
  constexpr double near = 0.05;
  const Probe probe = verdict_of_rounds(0, fast.rows, slow.rows);
  return (probe.high - probe.low) / 2 <= near ? "too near to tell which is faster"
                                              : "too unsteady to tell which is faster";
}

std::string_view pairing(bool is_paired) {
  return is_paired ? "paired" : "unpaired";
}

}  // namespace breakeven
