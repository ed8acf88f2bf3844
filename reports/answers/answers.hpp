// SPDX-License-Identifier: Apache-2.0
// The questions that people bring, answered from the rows of a report in a sentence or two: every
// number names its rows, and what the rows do not show is not said.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "reports/reader/report.hpp"

namespace breakeven {

struct AnswerPart {
  std::string text;
  std::vector<std::size_t> rows;  // indices in the report; empty: words between the numbers
  bool begins_line = false;       // of the clauses of several devices
};

struct Answer {
  std::string_view id, question;  // `Q3`
  bool is_answered = false;       // false: the parts say why not
  std::vector<AnswerPart> parts;
  std::string_view case_name = {};  // whose rows answer it; empty: of any case
  std::string machine = {};         // whose rows answer; empty: those of all, who are one

  std::string text() const;  // all parts
};

// One for every question, in their order; where the report has several machines, of each.
std::vector<Answer> answers(const Report& report);

}  // namespace breakeven
