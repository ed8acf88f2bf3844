// SPDX-License-Identifier: Apache-2.0
// How cases are spread over many machines: boxes on one scale, and by name those that lie outside.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "reports/charts/pen.hpp"
#include "reports/charts/ruler.hpp"

namespace breakeven::drawing {
namespace {

constexpr double row_height = 34;

// Names at their marks; neighbours share a label, and of many the farthest are named.
std::string names(const Box& box, const Ruler& x, double y, double width) {
  constexpr std::size_t most_named = 2;
  constexpr double near = 70;
  std::string text;
  for (std::size_t i = 0; i < box.outside.size();) {
    auto end = i + 1;
    while (end < box.outside.size() &&
           std::abs(x(box.outside[end].second) - x(box.outside[i].second)) < near) {
      ++end;
    }
    auto label = box.outside[i].first;
    for (auto j = i + 1; j < std::min(end, i + most_named); ++j) {
      label += ", " + box.outside[j].first;
    }
    label += end - i > most_named ? fmt::format(" +{}", end - i - most_named) : "";
    const double half = width_of(label) / 2;
    const double middle = (x(box.outside[i].second) + x(box.outside[end - 1].second)) / 2;
    text += text_at(std::clamp(middle, half, std::max(half, width - half)), y,
                    " class=\"small halo\" text-anchor=\"middle\"", label);
    i = end;
  }
  return text;
}

}  // namespace

Drawn box_chart(const Chart& chart, const Look& look) {
  Range range{0.95, 1.05};
  double longest = 0;
  for (const auto& box : chart.boxes) {
    range.add(box.low);
    range.add(box.high);
    for (const auto& [name, value] : box.outside) {
      range.add(std::clamp(value, 0.25, 4.0));
    }
    longest = std::max(longest, width_of(box.label));
  }
  const bool labels_are_above = longest > 0.4 * look.width;
  const double left = labels_are_above ? 8 : longest + 16, right = look.width - 10;
  const double top = look.is_file ? 34 : 8;
  const Axis axis{"", "×", Scale::logarithmic};
  const Ruler x(axis, range, left, right);
  const double step = row_height + (labels_are_above ? line_height : 0);
  const double bottom = top + step * static_cast<double>(chart.boxes.size());
  std::string text, lines;
  const auto marks = range.high / range.low < 3
                         ? marks_of({"", "", Scale::linear}, range, false, (right - left) / 70)
                         : marks_of(axis, range, false, 9);
  for (const auto mark : marks) {
    lines += fmt::format("M{:.1f} {:.1f}V{:.1f}", x(mark), top, bottom);
    text += text_at(x(mark), bottom + 17, " class=\"quiet\" text-anchor=\"middle\"",
                    tick_text(mark, "×"));
  }
  text = fmt::format("<path class=\"grid\" d=\"{}\"/>", lines) + text +
         text_at((left + right) / 2, bottom + 33, " class=\"quiet\" text-anchor=\"middle\"",
                 chart.x.label);
  double y = top;
  for (const auto& box : chart.boxes) {
    if (labels_are_above) {
      text += text_at(0, y + 12, "", box.label);
      y += line_height;
    }
    const double middle = y + 24;
    auto inside = fmt::format(
        "<path class=\"line\" d=\"M{0:.1f} {1:.1f}v8m0-4H{2:.1f}M{3:.1f} {1:.1f}v8m0-4H{4:.1f}\"/>"
        "<rect class=\"box\" x=\"{2:.1f}\" y=\"{5:.1f}\" width=\"{6:.1f}\" height=\"14\"/>"
        "<path class=\"whisker\" d=\"M{7:.1f} {5:.1f}v14\"/>",
        x(box.low), middle - 4, x(box.first_quarter), x(box.high), x(box.third_quarter), middle - 7,
        std::max(1.0, x(box.third_quarter) - x(box.first_quarter)), x(1));
    if (!labels_are_above) {
      inside += text_at(left - 10, middle + 4, " text-anchor=\"end\"", box.label);
    }
    text += "<g class=\"k0\">" +
            valued({"", box.label, "half of the machines",
                    fmt::format("×{:.3f} to ×{:.3f} of {}", box.first_quarter, box.third_quarter,
                                box.value)},
                   inside, look) +
            "</g><g class=\"k1\">";
    for (const auto& [name, value] : box.outside) {
      text += valued({"", box.label, name, fmt::format("×{:.3f}", value)},
                     fmt::format("<path class=\"mark\" d=\"{}\"/>",
                                 mark_at(std::clamp(x(value), left, right), middle, 0)),
                     look);
    }
    text += "</g>" + names(box, x, y + 12, look.width);
    y += row_height;
  }
  return {text, bottom + 40};
}

}  // namespace breakeven::drawing
