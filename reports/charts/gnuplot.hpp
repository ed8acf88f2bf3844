// SPDX-License-Identifier: Apache-2.0
// Charts as SVG files, drawn by gnuplot.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "reports/charts/chart.hpp"

namespace breakeven::drawing {

// The text that makes gnuplot draw one chart into `file`.
std::string gnuplot_script(const Chart& chart, const std::filesystem::path& file);

// Makes the folder where needed and returns the files. Throws std::runtime_error with one line: no
// gnuplot, or what it said.
std::vector<std::filesystem::path> write_svg(std::span<const Chart> charts,
                                             const std::filesystem::path& folder);

}  // namespace breakeven::drawing
