// SPDX-License-Identifier: Apache-2.0
#include "reports/charts/gnuplot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/process.hpp>
#include <cmath>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace breakeven::drawing {
namespace {

constexpr std::array colours{"#0072b2", "#d55e00", "#009e73", "#b0578d",
                             "#8a6d00", "#56a0d3", "#5a4fcf", "#555555"};

// Text from reports: gnuplot reads no escapes, commands or markup in single quotes without
// enhanced mode.
std::string quoted(const std::string& text) {
  std::string result = "'";
  for (const char c : printable(text)) {
    result += c == '\'' ? "''" : std::string(1, c);
  }
  return result + "'";
}

std::string axis_script(char name, const Axis& axis) {
  auto text = fmt::format("set {}label {}\n", name, quoted(axis.label));
  if (axis.scale == Scale::logarithmic) {
    text += fmt::format("set logscale {} {}\n", name, name == 'x' ? 2 : 10);
  }
  if (axis.unit == "B") {
    text += fmt::format("set format {} '%.0b %BB'\n", name);
  } else if (!axis.unit.empty()) {
    text += fmt::format("set format {} '%.0s %c{}'\n", name, axis.unit);
  } else {
    text += fmt::format("set format {} '%g'\n", name);
  }
  return text;
}

// Around what was measured: one wide interval must not flatten every line.
std::string y_range_script(const Chart& chart) {
  double low = INFINITY, high = 0;
  for (const auto& series : chart.series) {
    if (series.line == Line::band) {
      continue;
    }
    for (const auto& point : series.points) {
      low = std::min(low, point.y);
      high = std::max(high, point.y);
    }
  }
  if (low > high) {
    return "";  // nothing but bands
  }
  low /= 1.5;
  high *= 1.5;
  auto text = fmt::format("set yrange [{}:{}]\n", low, high);
  if (chart.y.scale == Scale::logarithmic && high / low < 100) {
    // By itself gnuplot marks powers of ten only.
    std::string marks;
    for (double ten = std::pow(10, std::floor(std::log10(low))); ten < high; ten *= 10) {
      for (const int step : {1, 2, 5}) {
        marks += fmt::format("{}{:g}", marks.empty() ? "" : ", ", step * ten);
      }
    }
    text += fmt::format("set ytics ({})\n", marks);
  }
  return text;
}

std::string data_block(const std::string& block, const Series& series) {
  auto text = fmt::format("${} << EOD\n", block);
  for (const auto& point : series.points) {
    text += fmt::format("{} {} {} {}\n", point.x, point.y, point.low, point.high);
  }
  return text + "EOD\n";
}

std::string line_style(const Series& series) {
  const auto* dash = series.line == Line::dashed   ? "(12,6)"
                     : series.line == Line::dotted ? "(3,4)"
                                                   : "solid";
  return fmt::format("lc rgb '{}' lw 1.8 dt {}", colours[series.colour % colours.size()], dash);
}

// What `plot` draws of the series that lies in `block`.
std::string plotted(const Chart& chart, const Series& series, const std::string& block,
                    std::size_t index) {
  const auto title = series.label.empty() ? "''" : quoted(series.label);
  if (!chart.categories.empty()) {
    const auto count = static_cast<double>(chart.series.size());
    const double width = 0.8 / count;
    const double shift = (static_cast<double>(index) - (count - 1) / 2) * width;
    return fmt::format(
        "{} using ($1+{}):2:({}) with boxes fs solid 0.85 noborder lc rgb '{}' "
        "title {}",
        block, shift, width * 0.95, colours[series.colour % colours.size()], title);
  }
  if (series.line == Line::band) {
    return fmt::format("keyentry with boxes fs solid 0.2 noborder lc rgb '#d9a300' title {}",
                       title);
  }
  const bool has_points = !series.points.front().row.empty();
  return fmt::format("{} using 1:2{} with {} {}{} title {}", block, has_points ? ":3:4" : "",
                     has_points ? "yerrorlines" : "lines", line_style(series),
                     has_points ? " pt 7 ps 0.5" : "", title);
}

std::string bands_script(const Chart& chart) {
  std::string text;
  std::size_t number = 1;
  for (const auto& series : chart.series) {
    if (series.line == Line::band) {
      text += fmt::format(
          "set object {} rectangle from {}, graph 0 to {}, graph 1 fs solid 0.2 "
          "noborder fc rgb '#d9a300' behind\n",
          number++, series.points[0].x, series.points[1].x);
    }
  }
  return text;
}

std::string categories_script(const Chart& chart) {
  std::string labels;
  for (std::size_t i = 0; i < chart.categories.size(); ++i) {
    labels += fmt::format("{}{} {}", i == 0 ? "" : ", ", quoted(chart.categories[i]), i);
  }
  return fmt::format("set xtics ({}) rotate by -35\nset xrange [-0.6:{}]\n", labels,
                     static_cast<double>(chart.categories.size()) - 0.4);
}

void run_gnuplot(const boost::filesystem::path& program, const std::string& script,
                 const std::string& file) {
  namespace process = boost::process;
  process::opstream input;
  process::ipstream errors;
  process::child child(program, process::std_in<input, process::std_err> errors,
                       process::std_out > process::null);
  input << script;
  input.flush();
  input.pipe().close();
  std::string first_line, line;
  while (std::getline(errors, line)) {
    if (first_line.empty() && line.find_first_not_of(" \t") != line.npos) {
      first_line = line;
    }
  }
  child.wait();
  if (child.exit_code() != 0) {
    throw std::runtime_error("gnuplot could not draw " + file + ": " + printable(first_line));
  }
}

// gnuplot does not notice a disk that is full.
void require_whole(const std::filesystem::path& drawn, const std::filesystem::path& file) {
  std::ifstream stream(drawn);
  const std::string text(std::istreambuf_iterator<char>(stream), {});
  if (text.find("</svg>") == std::string::npos) {
    throw std::runtime_error(file.string() + ": cannot be written whole; is the disk full?");
  }
}

}  // namespace

std::string gnuplot_script(const Chart& chart, const std::filesystem::path& file) {
  std::string text =
      "set terminal svg size 900,620 dynamic noenhanced font 'Helvetica,14' background rgb "
      "'white'\n";
  text += fmt::format("set output {}\nset title {}\n", quoted(file.string()), quoted(chart.title));
  text += "set key below left reverse Left samplen 2 noautotitle\nset grid lc rgb '#d0d0d0'\n";
  text += axis_script('y', chart.y);
  if (chart.categories.empty()) {
    text += axis_script('x', chart.x) + y_range_script(chart) + bands_script(chart);
  } else {
    text += categories_script(chart);
    if (chart.y.scale == Scale::linear) {
      text += "set yrange [0:*]\n";
    }
  }
  std::string plot;
  for (std::size_t i = 0; i < chart.series.size(); ++i) {
    const auto block = fmt::format("series{}", i);
    text += data_block(block, chart.series[i]);
    plot += (plot.empty() ? "plot " : ", \\\n  ") + plotted(chart, chart.series[i], "$" + block, i);
  }
  return text + plot + "\n";
}

std::vector<std::filesystem::path> write_svg(std::span<const Chart> charts,
                                             const std::filesystem::path& folder) {
  const auto program = boost::process::search_path("gnuplot");
  if (program.empty()) {
    throw std::runtime_error("--svg needs gnuplot: apt-get install gnuplot-nox");
  }
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) {
    throw std::runtime_error("--svg " + folder.string() + ": cannot be made: " + error.message());
  }
  std::vector<std::filesystem::path> files;
  for (const auto& chart : charts) {
    const auto file = folder / (chart.id + ".svg"), partial = folder / (chart.id + ".partial");
    run_gnuplot(program, gnuplot_script(chart, partial), file.string());
    require_whole(partial, file);
    std::filesystem::rename(partial, file);
    files.push_back(file);
  }
  return files;
}

}  // namespace breakeven::drawing
