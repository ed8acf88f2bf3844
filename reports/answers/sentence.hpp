// SPDX-License-Identifier: Apache-2.0
// Builds an answer out of words and of numbers that know their rows.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reports/answers/answers.hpp"
#include "reports/answers/entries.hpp"

namespace breakeven {

class Sentence {
 public:
  Sentence& words(const std::string& text);
  Sentence& number(const std::string& text, const Entry& entry);
  Sentence& number(const std::string& text, const Entry& one, const Entry& other);
  Sentence& number(const std::string& text, std::vector<std::size_t> rows);

  Sentence& time(const Entry& entry);  // its median
  Sentence& time_each(const Entry& entry, double count);
  // `2.61 times as long, paired`, `which these rounds cannot tell apart`
  Sentence& compared(const Entry& entry, const Entry& base);

  bool empty() const { return parts_.empty(); }
  // Between the clauses of several devices: nothing before the first.
  Sentence& next_clause(const std::string& separator = "; ");

  std::vector<AnswerPart> take();

 private:
  void add(AnswerPart part);

  std::vector<AnswerPart> parts_;
  std::size_t clauses_ = 0;
  bool begins_clause_ = false;
};

// How many times as long `slow` takes as `fast`, with its 99 % interval.
struct EstablishedRatio {
  double value = 1, low = 1, high = 1;
  bool is_paired = false;  // measured side by side
};
// None: their rounds do not show that they differ.
std::optional<EstablishedRatio> established_ratio(const Entry& slow, const Entry& fast);
// Where there is none: whether they are too near to each other, or too unsteady.
std::string_view why_not_established(const Entry& slow, const Entry& fast);
// `paired`, `unpaired`
std::string_view pairing(bool is_paired);

}  // namespace breakeven
