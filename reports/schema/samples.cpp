// SPDX-License-Identifier: Apache-2.0
#include "reports/schema/samples.hpp"

#include <charconv>
#include <cmath>

#include "reports/schema/schema.hpp"

namespace breakeven {
namespace {

void append_number(std::string& text, double value) {
  char digits[64];
  const bool large = std::abs(value) >= 1e9;  // where nine digits would need an exponent
  const auto end =
      large ? std::to_chars(digits, digits + sizeof digits, value, std::chars_format::fixed, 0)
            : std::to_chars(digits, digits + sizeof digits, value, std::chars_format::general, 9);
  text.append(digits, end.ptr);
}

template <class Consume>  // false: stop
bool for_each_part(std::string_view text, char separator, Consume consume) {
  while (true) {
    const auto end = text.find(separator);
    if (!consume(text.substr(0, end))) {
      return false;
    }
    if (end == text.npos) {
      return true;
    }
    text.remove_prefix(end + 1);
  }
}

bool must_be_escaped(char c) {
  return static_cast<unsigned char>(c) <= ' ' || c == '%' || c == 127;
}

int hex_digit(char c) {
  return c >= '0' && c <= '9' ? c - '0' : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

std::optional<std::string> unescape(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      result += text[i];
      continue;
    }
    const int high = i + 2 < text.size() ? hex_digit(text[i + 1]) : -1;
    const int low = i + 2 < text.size() ? hex_digit(text[i + 2]) : -1;
    if (high < 0 || low < 0) {
      return std::nullopt;
    }
    result += static_cast<char>(high * 16 + low);
    i += 2;
  }
  return result;
}

}  // namespace

std::string format_samples(std::span<const std::vector<double>> visits) {
  std::string text;
  for (const auto& visit : visits) {
    if (visit.empty()) {
      continue;
    }
    if (!text.empty()) {
      text += ';';
    }
    for (std::size_t i = 0; i < visit.size(); ++i) {
      if (i > 0) {
        text += ' ';
      }
      append_number(text, visit[i]);
    }
  }
  return text.empty() ? std::string(unknown) : text;
}

std::optional<Visits> parse_samples(std::string_view text) {
  Visits visits;
  if (text == unknown) {
    return visits;
  }
  const auto read_sample = [&](std::string_view number) {
    double value = 0;
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
    if (error != std::errc() || end != number.data() + number.size() || !std::isfinite(value)) {
      return false;
    }
    visits.back().push_back(value);
    return true;
  };
  const bool good = for_each_part(text, ';', [&](std::string_view visit) {
    visits.emplace_back();
    return for_each_part(visit, ' ', read_sample);
  });
  return good ? std::optional(std::move(visits)) : std::nullopt;
}

std::string format_pairs(std::span<const std::pair<std::string, std::string>> pairs) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  std::string text;
  for (const auto& [key, value] : pairs) {
    if (!text.empty()) {
      text += ' ';
    }
    text += key;
    text += '=';
    for (const char c : value) {
      if (must_be_escaped(c)) {
        const auto byte = static_cast<unsigned char>(c);
        text += '%';
        text += digits[byte / 16];
        text += digits[byte % 16];
      } else {
        text += c;
      }
    }
  }
  return text.empty() ? std::string(unknown) : text;
}

std::optional<Pairs> parse_pairs(std::string_view text) {
  Pairs pairs;
  if (text == unknown) {
    return pairs;
  }
  const bool good = for_each_part(text, ' ', [&](std::string_view pair) {
    const auto equals = pair.find('=');
    if (equals == 0 || equals == pair.npos) {
      return false;
    }
    auto value = unescape(pair.substr(equals + 1));
    if (!value) {
      return false;
    }
    pairs.emplace_back(pair.substr(0, equals), std::move(*value));
    return true;
  });
  return good ? std::optional(std::move(pairs)) : std::nullopt;
}

}  // namespace breakeven
