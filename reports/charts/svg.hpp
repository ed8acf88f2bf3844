// SPDX-License-Identifier: Apache-2.0
// Draws a chart: the same picture on the page and in a file.
#pragma once

#include <array>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "reports/charts/chart.hpp"

namespace breakeven::drawing {

// By colour, for a light and a dark page. Told apart by people with colour blindness as far as
// eight colours can be (after Okabe and Ito), and by their marks.
inline constexpr std::array<std::string_view, 8> light_colours{
    "#0072b2", "#c85200", "#00805d", "#a8478a", "#7f6500", "#3d8bc0", "#5a4fcf", "#555555"};
inline constexpr std::array<std::string_view, 8> dark_colours{
    "#56b4e9", "#e69f00", "#2fc498", "#e58bbd", "#f0e442", "#ff8552", "#9aa7ff", "#bbbbbb"};

struct Look {
  double width = 560, height = 300;  // of the plot with its labels; legends come below
  bool is_file = false;              // with its title and colours, and without links
};

std::string svg(const Chart& chart, const Look& look);

// What a chart shows, for those who do not see it.
std::string spoken(const Chart& chart);

// Sizes and colours of all charts, once for a page.
std::string chart_style();

// `ID.svg` for each. Throws where the folder or a file cannot be written.
std::vector<std::filesystem::path> write_svg(std::span<const Chart> charts,
                                             const std::filesystem::path& folder);

}  // namespace breakeven::drawing
