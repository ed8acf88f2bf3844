// SPDX-License-Identifier: Apache-2.0
// Builds an answer out of words and of numbers that know their rows.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
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
  // `, 2.61 times as long as`, `, as long as far as can be told as`
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

// How many times as long `slow` takes as `fast`, where their rounds show that they differ.
std::optional<double> established_ratio(const Entry& slow, const Entry& fast);

}  // namespace breakeven
