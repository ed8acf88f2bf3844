// SPDX-License-Identifier: Apache-2.0
// What a report says before anything else: where another backend pays off, and five short answers.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "reports/reader/report.hpp"

namespace breakeven {

struct HeadlineFact {
  std::string question, answer, detail;
  std::vector<std::size_t> rows;      // indices in the report that it stands on; may be empty
  std::vector<std::string> commands;  // to type next; may be empty
};

struct Trust {
  enum class Level { good, care, bad };
  std::string text;
  Level level = Level::good;
};

struct Headline {
  std::string title, subtitle;
  std::string ratio;  // how much faster, paired or not; may be empty
  std::vector<HeadlineFact> facts;
  std::vector<Trust> trust;  // verified, disturbed, rounds, precision
  std::string machine;       // in one line
};

// Of all rows of all reports.
std::vector<Trust> trust_of(std::span<const Report> reports);

// Of the machine that the report begins with.
Headline headline_of(const Report& report);

}  // namespace breakeven
