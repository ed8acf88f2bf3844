// SPDX-License-Identifier: Apache-2.0
#include "reports/charts/pen.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "reports/text/escape.hpp"
#include "reports/text/quantity.hpp"
#include "reports/text/table.hpp"

namespace breakeven::drawing {

double width_of(const std::string& text) {
  constexpr double letter = 7.2;
  return letter * static_cast<double>(shown_width(text));
}

std::string shown(double value, const std::string& unit) {
  return unit == "s"    ? time_text(value * 1e9)
         : unit == "B"  ? bytes_text(value)
         : unit == "%"  ? share_text(value)
         : unit == "×"  ? "×" + short_number(value)
         : unit.empty() ? short_number(value)
                        : rate_text(value, unit);
}

std::string tick_text(double value, const std::string& unit) {
  if (unit.empty()) {
    return value >= 1e5 ? rate_text(value, "") : fmt::format("{:g}", value);
  }
  const auto text = shown(value, unit);
  const auto space = text.find(' ');
  auto number = text.substr(0, space);
  if (number.find('.') != number.npos) {
    number.erase(number.find_last_not_of('0') + 1);
    number.erase(number.find_last_not_of('.') + 1);
  }
  return number + text.substr(std::min(space, text.size()));
}

std::string with_interval(double value, double low, double high, const std::string& unit) {
  auto text = shown(value, unit);
  return low < high ? text + fmt::format(" [{}, {}]", shown(low, unit), shown(high, unit)) : text;
}

std::string text_at(double x, double y, std::string_view rest, const std::string& text) {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\"{}>{}</text>", x, y, rest, html(text));
}

std::string colour_class(std::size_t colour) {
  return fmt::format("k{}", colour % light_colours.size());
}

// Circle, square, triangle, diamond.
std::string mark_at(double x, double y, std::size_t colour) {
  switch ((colour + colour / light_colours.size()) % 4) {
    case 0:
      return fmt::format("M{:.1f} {:.1f}m-3.5 0a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0-7 0z", x, y);
    case 1:
      return fmt::format("M{:.1f} {:.1f}m-3-3h6v6h-6z", x, y);
    case 2:
      return fmt::format("M{:.1f} {:.1f}m0-4l4 7h-8z", x, y);
    default:
      return fmt::format("M{:.1f} {:.1f}m0-4.3l4.3 4.3l-4.3 4.3l-4.3-4.3z", x, y);
  }
}

std::string valued(const Told& told, const std::string& inside, const Look& look) {
  if (look.is_file || told.value.empty()) {
    return "<g>" + inside + "</g>";
  }
  const auto label = told.label.empty() ? "" : fmt::format(" data-label=\"{}\"", html(told.label));
  const auto said =
      fmt::format("data-x=\"{}\"{} data-v=\"{}\"", html(told.at), label, html(told.value));
  return told.row.empty()
             ? fmt::format("<g {}>{}</g>", said, inside)
             : fmt::format("<a href=\"#{}\" tabindex=\"-1\" {}>{}</a>", told.row, said, inside);
}

}  // namespace breakeven::drawing
