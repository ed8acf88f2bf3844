// SPDX-License-Identifier: Apache-2.0
#include "reports/charts/svg.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "reports/charts/pen.hpp"
#include "reports/text/escape.hpp"
#include "reports/text/output.hpp"
#include "reports/text/table.hpp"

namespace breakeven::drawing {
namespace {

std::string full_title(const Chart& chart) {
  return chart.origin.empty() ? chart.title : chart.origin + ": " + chart.title;
}

}  // namespace

std::string spoken(const Chart& chart) {
  std::string text = full_title(chart) + ".";
  for (const auto& box : chart.boxes) {
    text += fmt::format(" {}: half of the machines from ×{:.3f} to ×{:.3f}, {} outside.", box.label,
                        box.first_quarter, box.third_quarter, box.outside.size());
  }
  for (const auto& bar : chart.bars) {
    text += fmt::format(" {}, {}: {}.", bar.group, bar.label, shown(bar.value, chart.y.unit));
  }
  for (const auto& series : chart.series) {
    if (series.line == Line::band) {
      text += fmt::format(" The faster side changes, over {}: {}.", chart.x.label, series.label);
    } else if (series.line == Line::ceiling) {
      text += " " + series.label + ".";
    } else if (!series.points.empty() && !series.label.empty()) {
      const auto& first = series.points.front();
      const auto& last = series.points.back();
      text +=
          fmt::format(" {}: {} at {} = {} to {} at {}.", series.label, shown(first.y, chart.y.unit),
                      chart.x.label, tick_text(first.x, chart.x.unit), shown(last.y, chart.y.unit),
                      tick_text(last.x, chart.x.unit));
    }
  }
  return printable(text);
}

std::string svg(const Chart& chart, const Look& look) {
  const auto drawn = !chart.boxes.empty()  ? box_chart(chart, look)
                     : !chart.bars.empty() ? bar_chart(chart, look)
                                           : line_chart(chart, look);
  auto text = fmt::format(
      "<svg class=\"chart\"{} viewBox=\"0 0 {:.0f} {:.0f}\" role=\"img\" aria-label=\"{}\">",
      look.is_file ? " xmlns=\"http://www.w3.org/2000/svg\"" : "", look.width, drawn.height,
      html(spoken(chart)));
  if (look.is_file) {
    text += "<style>" + chart_style() +
            "</style><rect class=\"paper\" width=\"100%\" "
            "height=\"100%\"/>" +
            text_at(6, 18, " class=\"bold\"", full_title(chart));
  }
  return text + drawn.text + "</svg>\n";
}

std::string chart_style() {
  const auto variables = [](const auto& colours) {
    std::string text;
    for (std::size_t i = 0; i < colours.size(); ++i) {
      text += fmt::format("--c{}:{};", i, colours[i]);
    }
    return text;
  };
  std::string classes;
  for (std::size_t i = 0; i < light_colours.size(); ++i) {
    classes += fmt::format(".k{0}{{--c:var(--c{0})}}", i);
  }
  return fmt::format(
      "svg.chart{{{}--ink:#1d2530;--faint:#5b6675;--rule:#d9dee5;--paper:#fff;--under:var(--back,#"
      "fff);--gold:#8a5a00;"
      "font:12px system-ui,'Segoe UI','Noto Sans',sans-serif;fill:var(--ink)}}"
      "@media (prefers-color-scheme:dark){{svg.chart{{{}--ink:#e4e8ed;--faint:#9aa5b3;"
      "--rule:#313a45;--paper:#14181d;--under:var(--back,#14181d);--gold:#f2c063}}}}"
      "{}.paper{{fill:var(--paper)}}.quiet text,text.quiet{{fill:var(--faint)}}"
      ".bold{{font-weight:600}}.small{{font-size:11.5px}}.halo{{stroke:var(--under);stroke-width:3;"
      "paint-order:stroke}}"
      ".bracket{{stroke:var(--gold);stroke-width:2;fill:none}}"
      ".box{{fill:var(--c);fill-opacity:.3;stroke:var(--c)}}.grid{{stroke:var(--rule);fill:none}}"
      ".band{{fill:var(--gold);fill-opacity:.18}}"
      ".ceiling{{stroke:var(--faint);stroke-dasharray:2 3;fill:none}}"
      ".interval{{fill:var(--c);fill-opacity:.2}}.line{{stroke:var(--c);stroke-width:2;fill:none}}"
      ".dashed{{stroke-dasharray:7 4}}.dotted{{stroke-dasharray:2 3}}.mark,.bar{{fill:var(--c)}}"
      ".faint{{fill-opacity:.45}}.bar{{stroke:var(--c)}}.shade1{{fill-opacity:.45}}"
      ".shade2{{fill-opacity:.15}}.whisker{{stroke:var(--ink);stroke-width:2}}",
      variables(light_colours), variables(dark_colours), classes);
}

std::vector<std::filesystem::path> write_svg(std::span<const Chart> charts,
                                             const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) {
    throw std::runtime_error("--svg " + folder.string() + ": cannot be made: " + error.message());
  }
  std::vector<std::filesystem::path> files;
  for (const auto& chart : charts) {
    files.push_back(folder / (chart.id + ".svg"));
    write_whole_file(files.back().string(),
                     svg(chart, {.width = 720, .height = 380, .is_file = true}));
  }
  return files;
}

}  // namespace breakeven::drawing
