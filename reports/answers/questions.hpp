// SPDX-License-Identifier: Apache-2.0
// The table of questions, and how each is answered.
#pragma once

#include <span>
#include <string_view>

#include "reports/answers/entries.hpp"
#include "reports/answers/sentence.hpp"

namespace breakeven {

struct Question {
  std::string_view id, text;
  // Writes the answer; false, and nothing written: the report does not hold it.
  bool (*answer)(const Entries& entries, Sentence& sentence);
  std::string_view case_name, mode;  // whose rows are missing then
};

std::span<const Question> questions();

// In products.cpp.
bool answer_large_product(const Entries& entries, Sentence& sentence);
bool answer_break_even(const Entries& entries, Sentence& sentence);
bool answer_log(const Entries& entries, Sentence& sentence);
bool answer_jacobian(const Entries& entries, Sentence& sentence);

// In movement.cpp.
bool answer_parameters(const Entries& entries, Sentence& sentence);
bool answer_elementwise(const Entries& entries, Sentence& sentence);
bool answer_copies(const Entries& entries, Sentence& sentence);
bool answer_same_place(const Entries& entries, Sentence& sentence);
bool answer_overlap(const Entries& entries, Sentence& sentence);

// In devices.cpp.
bool answer_two_products(const Entries& entries, Sentence& sentence);
bool answer_many_small(const Entries& entries, Sentence& sentence);
bool answer_fall_back(const Entries& entries, Sentence& sentence);
bool answer_two_operands(const Entries& entries, Sentence& sentence);
bool answer_dispatch(const Entries& entries, Sentence& sentence);

}  // namespace breakeven
