// SPDX-License-Identifier: Apache-2.0
// What all kinds of charts are written with: text, marks, values and links to rows.
#pragma once

#include <string>
#include <string_view>

#include "reports/charts/chart.hpp"
#include "reports/charts/svg.hpp"

namespace breakeven::drawing {

inline constexpr double line_height = 15;  // of text of 12 px

double width_of(const std::string& text);  // an upper bound

std::string shown(double value, const std::string& unit);      // `2.11 µs`
std::string tick_text(double value, const std::string& unit);  // `1 µs`, not `1.00 µs`
std::string with_interval(double value, double low, double high, const std::string& unit);

// `rest`: attributes, with a space before each.
std::string text_at(double x, double y, std::string_view rest, const std::string& text);

std::string colour_class(std::size_t colour);
// A path; of 32 colours no two have one colour and one mark.
std::string mark_at(double x, double y, std::size_t colour);

// `inside` with its value, which a reader asks for by the pointer or the keys, as a link to a row
// where there is one. In a file: alone.
struct Told {
  std::string row, at, label, value;
};
std::string valued(const Told& told, const std::string& inside, const Look& look);

struct Drawn {
  std::string text;
  double height;
};
Drawn line_chart(const Chart& chart, const Look& look);
Drawn bar_chart(const Chart& chart, const Look& look);
Drawn box_chart(const Chart& chart, const Look& look);

}  // namespace breakeven::drawing
