// SPDX-License-Identifier: Apache-2.0
#include "reports/text/usage.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

namespace breakeven {
namespace {

// Letters put in, left out or replaced (Levenshtein); a beginning is one away from the whole.
std::size_t distance(std::string_view a, std::string_view b) {
  constexpr std::size_t shortest_beginning = 3;
  if (a.size() >= shortest_beginning && b.starts_with(a)) {
    return 1;
  }
  std::vector<std::size_t> line(b.size() + 1);
  std::iota(line.begin(), line.end(), 0);
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = std::exchange(line[0], i + 1);
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = line[j + 1];
      line[j + 1] = std::min({line[j] + 1, line[j + 1] + 1, replaced});
    }
  }
  return line.back();
}

}  // namespace

std::string nearest(std::string_view word, std::span<const std::string> known) {
  const auto found = std::min_element(
      known.begin(), known.end(),
      [&](const auto& a, const auto& b) { return distance(word, a) < distance(word, b); });
  const bool is_near =
      found != known.end() && distance(word, *found) <= std::max<std::size_t>(1, word.size() / 3);
  return is_near ? fmt::format(" (did you mean {}?)", *found) : "";
}

UsageError unknown_word(std::string_view what, std::string_view word,
                        std::span<const std::string> known) {
  const std::string near = nearest(word, known);
  return UsageError(
      fmt::format("unknown {} '{}'{}", what, word,
                  near.empty() ? fmt::format("; there are: {}", fmt::join(known, ", ")) : near));
}

void require_one_of(std::string_view what, std::string_view value,
                    std::span<const std::string> allowed) {
  if (std::find(allowed.begin(), allowed.end(), value) == allowed.end()) {
    throw unknown_word(what, value, allowed);
  }
}

}  // namespace breakeven
