// SPDX-License-Identifier: Apache-2.0
// What a reader must know of a report before believing its numbers, in plain words.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "reports/reader/report.hpp"

namespace breakeven {

enum class Tone : std::uint8_t { plain, good, warning, bad };

struct Remark {
  Tone tone = Tone::plain;
  std::string text;
  std::vector<std::string> rows;  // id_of rows that it speaks of, a few at most
  std::size_t report = 0;
};

std::vector<Remark> remarks_of(std::span<const Report> reports);

}  // namespace breakeven
