// SPDX-License-Identifier: Apache-2.0
#include "reports/fleet/node_names.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <map>
#include <set>
#include <tuple>

namespace breakeven::fleet {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

std::string_view without_zeros(std::string_view digits) {
  const auto first = digits.find_first_not_of('0');
  return first == digits.npos ? digits.substr(digits.size() - 1) : digits.substr(first);
}

std::size_t digits_from(std::string_view text, std::size_t begin) {
  std::size_t end = begin;
  while (end < text.size() && is_digit(text[end])) {
    ++end;
  }
  return end - begin;
}

// What stands around the last number, and how many digits it has where that matters.
using Frame = std::tuple<std::string, std::string, std::size_t>;

std::string ranges(const std::set<std::uint64_t>& numbers, std::size_t width) {
  const auto padded = [width](std::uint64_t number) {
    auto digits = std::to_string(number);
    return std::string(width - std::min(width, digits.size()), '0') + digits;
  };
  std::string text;
  for (auto at = numbers.begin(); at != numbers.end();) {
    const auto first = *at;
    auto last = first;
    while (++at != numbers.end() && *at == last + 1) {
      last = *at;
    }
    text += (text.empty() ? "" : ",") + padded(first);
    text += last == first ? "" : "-" + padded(last);
  }
  return text;
}

}  // namespace

bool comes_before(std::string_view a, std::string_view b) {
  std::size_t i = 0, j = 0;
  while (i < a.size() && j < b.size()) {
    if (is_digit(a[i]) && is_digit(b[j])) {
      const auto length_a = digits_from(a, i), length_b = digits_from(b, j);
      const auto number_a = without_zeros(a.substr(i, length_a));
      const auto number_b = without_zeros(b.substr(j, length_b));
      if (number_a != number_b) {
        return number_a.size() != number_b.size() ? number_a.size() < number_b.size()
                                                  : number_a < number_b;
      }
      i += length_a;
      j += length_b;
    } else if (a[i] != b[j]) {
      return a[i] < b[j];
    } else {
      ++i;
      ++j;
    }
  }
  const bool same_end = i == a.size() && j == b.size();
  return same_end ? a < b : i == a.size();
}

std::string folded(std::span<const std::string> names) {
  std::map<Frame, std::set<std::uint64_t>> numbered;
  std::set<std::string> alone;
  for (const auto& name : names) {
    // Only in the first part: domains have numbers too, but no nodes.
    const auto host = name.substr(0, name.find('.'));
    const auto last = host.find_last_of("0123456789");
    std::size_t begin = last == host.npos ? 0 : last + 1;
    while (begin > 0 && is_digit(host[begin - 1])) {
      --begin;
    }
    const auto digits = last == host.npos ? 0 : last + 1 - begin;
    std::uint64_t number = 0;
    const auto* from = name.data() + begin;
    if (digits == 0 || std::from_chars(from, from + digits, number).ec != std::errc()) {
      alone.insert(name);
      continue;
    }
    const bool padded = digits > 1 && name[begin] == '0';
    numbered[{name.substr(0, begin), name.substr(begin + digits), padded ? digits : 0}].insert(
        number);
  }
  // n099 and n100 are of one width.
  for (auto& [frame, numbers] : numbered) {
    const auto& [before, after, width] = frame;
    const auto plain = numbered.find({before, after, 0});
    if (width == 0 || plain == numbered.end()) {
      continue;
    }
    std::erase_if(plain->second, [&, digits = width, &into = numbers](std::uint64_t number) {
      return std::to_string(number).size() == digits && into.insert(number).second;
    });
  }
  std::set<std::string, bool (*)(std::string_view, std::string_view)> parts(comes_before);
  parts.insert(alone.begin(), alone.end());
  for (const auto& [frame, numbers] : numbered) {
    const auto& [before, after, width] = frame;
    if (numbers.empty()) {
      continue;
    }
    const auto text = ranges(numbers, width);
    parts.insert(before + (numbers.size() == 1 ? text : "[" + text + "]") + after);
  }
  std::string text;
  for (const auto& part : parts) {
    text += (text.empty() ? "" : ",") + part;
  }
  return text;
}

}  // namespace breakeven::fleet
