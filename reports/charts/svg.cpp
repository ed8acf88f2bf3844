// SPDX-License-Identifier: Apache-2.0
#include "reports/charts/svg.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <stdexcept>

#include "reports/text/escape.hpp"
#include "reports/text/output.hpp"
#include "reports/text/quantity.hpp"
#include "reports/text/table.hpp"

namespace breakeven::drawing {
namespace {

constexpr double letter = 7.2, line_height = 15;  // of text of 12 px

double width_of(const std::string& text) {
  return letter * static_cast<double>(shown_width(text));
}

std::string shown(double value, const std::string& unit) {
  return unit == "s"    ? time_text(value * 1e9)
         : unit == "B"  ? bytes_text(value)
         : unit == "%"  ? share_text(value)
         : unit.empty() ? short_number(value)
                        : rate_text(value, unit);
}

std::string with_interval(double value, double low, double high, const std::string& unit) {
  auto text = shown(value, unit);
  return low < high ? text + fmt::format(" [{}, {}]", shown(low, unit), shown(high, unit)) : text;
}

// `1 µs`, not `1.00 µs`.
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

std::string text_at(double x, double y, std::string_view rest, const std::string& text) {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\"{}>{}</text>", x, y, rest, html(text));
}

// Circle, square, triangle, diamond.
std::string mark_at(double x, double y, std::size_t colour) {
  switch (colour % 4) {
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

std::string colour_class(std::size_t colour) {
  return fmt::format("k{}", colour % light_colours.size());
}

// Opens what links to a row; a file has no rows.
std::string open_link(const std::string& row, const std::string& at, const std::string& label,
                      const std::string& value, const Look& look) {
  return look.is_file || row.empty()
             ? "<g>"
             : fmt::format("<a href=\"#{}\" tabindex=\"-1\" data-x=\"{}\"{} data-v=\"{}\">", row,
                           html(at),
                           label.empty() ? "" : fmt::format(" data-label=\"{}\"", html(label)),
                           html(value));
}

std::string close_link(const std::string& row, const Look& look) {
  return look.is_file || row.empty() ? "</g>" : "</a>";
}

// From values to places.
class Ruler {
 public:
  Ruler(const Axis& axis, double low, double high, double begin, double end)
      : axis_(axis), low_(at(low)), high_(at(high)), begin_(begin), end_(end) {}

  double operator()(double value) const {
    return high_ > low_ ? begin_ + (at(value) - low_) / (high_ - low_) * (end_ - begin_)
                        : (begin_ + end_) / 2;
  }

 private:
  double at(double value) const {
    return axis_.scale == Scale::logarithmic ? std::log(std::max(value, 1e-300)) : value;
  }

  const Axis& axis_;
  double low_, high_, begin_, end_;
};

struct Range {
  double low = INFINITY, high = -INFINITY;
  void add(double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
};

std::vector<double> every(double step, Range range) {
  std::vector<double> marks;
  for (double at = std::ceil(range.low / step - 1e-9) * step; at <= range.high * (1 + 1e-9);
       at += step) {
    marks.push_back(at);
  }
  return marks;
}

std::vector<double> marks_of(const Axis& axis, Range range, bool by_two, double most) {
  if (axis.scale == Scale::linear) {
    const double raw = (range.high - range.low) / most;
    const double ten = std::pow(10, std::floor(std::log10(std::max(raw, 1e-300))));
    for (const double step : {1.0, 2.0, 5.0, 10.0}) {
      if (raw <= step * ten) {
        return every(step * ten, range);
      }
    }
  }
  if (by_two) {
    const Range powers{std::log2(range.low), std::log2(range.high)};
    auto marks = every(std::max(1.0, std::ceil((powers.high - powers.low) / most)), powers);
    for (auto& mark : marks) {
      mark = std::exp2(mark);
    }
    return marks;
  }
  const Range powers{std::log10(range.low), std::log10(range.high)};
  const double decades = powers.high - powers.low;
  std::vector<double> marks;
  for (double ten = std::floor(powers.low); ten <= powers.high;
       ten += std::max(1.0, std::ceil(decades / most))) {
    for (const double step : {1.0, 2.0, 5.0}) {
      const double mark = step * std::pow(10, ten);
      if ((step == 1 || decades <= 2) && mark >= range.low * (1 - 1e-9) &&
          mark <= range.high * (1 + 1e-9)) {
        marks.push_back(mark);
      }
    }
  }
  return marks;
}

// What lies between the lines of the frame.
struct Plot {
  double left, right, top, bottom;
};

// Labels in the order given, moved apart where they would touch; none below `bottom`.
void spread(std::vector<double>& places, double bottom) {
  for (std::size_t i = 1; i < places.size(); ++i) {
    places[i] = std::max(places[i], places[i - 1] + line_height);
  }
  for (std::size_t i = places.size(); i-- > 0; bottom = places[i] - line_height) {
    places[i] = std::min(places[i], bottom);
  }
}

bool is_drawn(const Series& series) {
  return series.line != Line::band && series.line != Line::ceiling && !series.points.empty();
}

class LineChart {
 public:
  LineChart(const Chart& chart, const Look& look) : chart_(chart), look_(look) {
    find_ranges();
    find_places();
  }

  std::string text() {
    const Ruler x(chart_.x, xs_.low, xs_.high, plot_.left, plot_.right);
    const Ruler y(chart_.y, ys_.low, ys_.high, plot_.bottom, plot_.top);
    auto text = frame(x, y) + bands(x) + ceilings(x, y);
    for (const auto& series : chart_.series) {
      if (is_drawn(series)) {
        text += drawn(series, x, y);
      }
    }
    return text + (labels_are_direct_ ? direct_labels(y) : legend());
  }
  double height() const { return height_; }

 private:
  void find_ranges() {
    std::size_t drawn = 0;
    double longest = 0;
    bool has_line = false;
    Range ceilings;
    for (const auto& series : chart_.series) {
      if (series.line == Line::ceiling) {
        for (const auto& point : series.points) {
          xs_.add(point.x);
          ceilings.add(point.y);
        }
      }
      bands_ += series.line == Line::band ? 1 : 0;
      if (!is_drawn(series)) {
        continue;
      }
      ++drawn;
      longest = std::max(longest, width_of(series.label) + 18);
      has_line = has_line || series.line != Line::none;
      for (const auto& point : series.points) {
        xs_.add(point.x);
        ys_.add(point.y);
        by_two_ = by_two_ && point.x == std::floor(point.x) && point.x > 0;
      }
    }
    labels_are_direct_ = has_line && drawn <= 8 && longest <= 0.3 * look_.width;
    right_margin_ = labels_are_direct_ ? longest + 8 : 16;
    if (ys_.low > ys_.high) {
      xs_ = {0, 1};
      ys_ = {0, 1};
    }
    if (chart_.y.scale == Scale::linear) {
      ys_.low = 0;
      ys_.high *= 1.05;
    } else {
      ys_.high = std::max(ys_.high, ceilings.high);
      ys_.low /= 1.25;
      ys_.high *= 1.25;
    }
    if (chart_.x.scale == Scale::linear) {
      xs_.low -= 0.5;
      xs_.high += 0.5;
    }
  }

  void find_places() {
    constexpr double margin = 8;
    y_marks_ = marks_of(chart_.y, ys_, false, 7);
    double widest = 0;
    for (const auto mark : y_marks_) {
      widest = std::max(widest, width_of(tick_text(mark, chart_.y.unit)));
    }
    plot_.left = widest + margin + 6;
    plot_.right = look_.width - right_margin_;
    plot_.top = margin + 6 + (look_.is_file ? 24 : 0) + line_height * static_cast<double>(bands_);
    plot_.bottom = plot_.top + look_.height - 50;
    height_ = plot_.bottom + 38;
  }

  std::string frame(const Ruler& x, const Ruler& y) {
    std::string lines, texts;
    for (const auto mark : y_marks_) {
      lines += fmt::format("M{:.1f} {:.1f}H{:.1f}", plot_.left, y(mark), plot_.right);
      texts += text_at(plot_.left - 6, y(mark) + 4, " text-anchor=\"end\"",
                       tick_text(mark, chart_.y.unit));
    }
    const double most = (plot_.right - plot_.left) / 52;
    for (const auto mark : marks_of(chart_.x, xs_, by_two_, most)) {
      if (chart_.x.scale == Scale::linear && mark != std::floor(mark)) {
        continue;  // visits are counted
      }
      lines += fmt::format("M{:.1f} {:.1f}v4", x(mark), plot_.bottom);
      texts += text_at(x(mark), plot_.bottom + 17, " text-anchor=\"middle\"",
                       tick_text(mark, chart_.x.unit));
    }
    texts += text_at((plot_.left + plot_.right) / 2, plot_.bottom + 33, " text-anchor=\"middle\"",
                     chart_.x.label);
    return fmt::format(
        "<path class=\"grid\" d=\"{}M{:.1f} {:.1f}H{:.1f}\"/><g class=\"quiet\">{}"
        "</g>",
        lines, plot_.left, plot_.bottom, plot_.right, texts);
  }

  // The first one through the whole plot, the others as bars at its top: where they overlap all are
  // seen. Labels stand above.
  std::string bands(const Ruler& x) const {
    std::string text;
    std::size_t number = 0;
    for (const auto& series : chart_.series) {
      if (series.line != Line::band) {
        continue;
      }
      const double low = std::clamp(x(series.points[0].x), plot_.left, plot_.right);
      const double high = std::clamp(x(series.points[1].x), plot_.left, plot_.right);
      const double top = plot_.top + 8 * static_cast<double>(number);
      text += fmt::format(
          "<rect class=\"band\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\"/>",
          low, top, std::max(2.0, high - low), number == 0 ? plot_.bottom - top : 6);
      const double at = std::clamp(look_.width - 1.08 * width_of(series.label), 0.0, low);
      text += text_at(at, plot_.top - 4 - line_height * static_cast<double>(bands_ - 1 - number),
                      " class=\"bold\"", series.label);
      ++number;
    }
    return text;
  }

  std::string ceilings(const Ruler& x, const Ruler& y) {
    std::string text;
    std::vector<std::pair<double, double>> taken;  // where labels begin
    for (const auto& series : chart_.series) {
      if (series.line != Line::ceiling) {
        continue;
      }
      const double x0 = x(series.points[0].x), y0 = y(series.points[0].y),
                   x1 = x(series.points[1].x), y1 = y(series.points[1].y);
      text += fmt::format("<path class=\"ceiling\" d=\"M{:.1f} {:.1f}L{:.1f} {:.1f}\"/>", x0, y0,
                          x1, y1);
      if (look_.width < 500) continue;  // a phone has no room for their labels
      if (std::abs(y1 - y0) >= 1) {
        text += fmt::format(
            "<text class=\"quiet small\" transform=\"translate({:.1f} {:.1f}) "
            "rotate({:.1f})\">{}</text>",
            x0 + 8, y0 - 10, std::atan2(y1 - y0, x1 - x0) * 180 / M_PI, html(series.label));
        continue;
      }
      // Above its line, or further on where another label stands.
      double at = x0 + 4;
      while (std::any_of(taken.begin(), taken.end(), [&](const auto& other) {
        return std::abs(other.second - y0) < line_height - 2 && other.first == at;
      })) {
        at += 0.45 * (plot_.right - plot_.left);
      }
      taken.emplace_back(at, y0);
      text += text_at(at, y0 - 4, " class=\"quiet small\"", series.label);
    }
    return text;
  }

  std::string drawn(const Series& series, const Ruler& x, const Ruler& y) const {
    const auto clamped = [&](double value) {
      return std::clamp(y(value), plot_.top, plot_.bottom);
    };
    std::string line, over, under, points, bare;
    for (const auto& point : series.points) {
      const double at = x(point.x), height = clamped(point.y);
      line += fmt::format("{}{:.1f} {:.1f}", line.empty() ? "M" : "L", at, height);
      over += fmt::format("{}{:.1f} {:.1f}", over.empty() ? "M" : "L", at, clamped(point.high));
      under = fmt::format("L{:.1f} {:.1f}", at, clamped(point.low)) + under;
      if (point.row.empty()) {
        bare += mark_at(at, height, series.colour);
        continue;
      }
      points += open_link(point.row, tick_text(point.x, chart_.x.unit), "",
                          with_interval(point.y, point.low, point.high, chart_.y.unit), look_) +
                fmt::format("<path class=\"mark\" d=\"{}\"/>", mark_at(at, height, series.colour)) +
                close_link(point.row, look_);
    }
    auto text = fmt::format("<g class=\"{}\" data-label=\"{}\">", colour_class(series.colour),
                            html(series.label));
    if (series.line != Line::none) {
      text += fmt::format("<path class=\"interval\" d=\"{}{}z\"/>", over, under);
      text += fmt::format("<path class=\"line{}\" d=\"{}\"/>",
                          series.line == Line::dashed   ? " dashed"
                          : series.line == Line::dotted ? " dotted"
                                                        : "",
                          line);
    } else if (!bare.empty()) {
      text += fmt::format("<path class=\"mark faint\" d=\"{}\"/>", bare);
    }
    return text + points + "</g>";
  }

  std::string direct_labels(const Ruler& y) const {
    std::vector<const Series*> named;
    for (const auto& series : chart_.series) {
      if (is_drawn(series) && !series.label.empty()) {
        named.push_back(&series);
      }
    }
    const auto last = [&](const Series* series) {
      return std::clamp(y(series->points.back().y), plot_.top, plot_.bottom);
    };
    std::stable_sort(named.begin(), named.end(),
                     [&](const Series* a, const Series* b) { return last(a) < last(b); });
    std::vector<double> places;
    for (const auto* series : named) {
      places.push_back(last(series));
    }
    spread(places, plot_.bottom);
    std::string text;
    for (std::size_t i = 0; i < named.size(); ++i) {
      text += fmt::format("<path class=\"mark {}\" d=\"{}\"/>", colour_class(named[i]->colour),
                          mark_at(plot_.right + 12, places[i], named[i]->colour));
      text += text_at(plot_.right + 20, places[i] + 4, "", named[i]->label);
    }
    return text;
  }

  std::string legend() {
    std::string text;
    double at = plot_.left;
    for (const auto& series : chart_.series) {
      if (!is_drawn(series) || series.label.empty()) {
        continue;
      }
      const double width = width_of(series.label) + 44;
      if (at > plot_.left && at + width > look_.width) {
        at = plot_.left;
        height_ += line_height + 2;
      }
      const auto style = series.line == Line::dashed   ? " dashed"
                         : series.line == Line::dotted ? " dotted"
                                                       : "";
      text += fmt::format("<g class=\"{}\">", colour_class(series.colour));
      if (series.line != Line::none) {
        text +=
            fmt::format("<path class=\"line{}\" d=\"M{:.1f} {:.1f}h24\"/>", style, at, height_ + 8);
      }
      text += fmt::format("<path class=\"mark\" d=\"{}\"/></g>",
                          mark_at(at + 12, height_ + 8, series.colour));
      text += text_at(at + 30, height_ + 12, "", series.label);
      at += width;
    }
    height_ += line_height + 6;
    return text;
  }

  const Chart& chart_;
  const Look& look_;
  Range xs_, ys_;
  bool by_two_ = true, labels_are_direct_ = false;
  std::size_t bands_ = 0;
  double right_margin_ = 0, height_ = 0;
  std::vector<double> y_marks_;
  Plot plot_{};
};

// `copies in 3.8 % · computes 94 % · copies out 1.9 %`
std::string parts_text(const Bar& bar) {
  std::string text;
  for (const auto& part : bar.parts) {
    text += (text.empty() ? "" : " · ") + part.label + " " + share_text(part.share);
  }
  return text;
}

std::string bar_rectangles(const Bar& bar, double left, double y, double width) {
  std::string text;
  const auto rectangle = [&](double x, double w, std::size_t shade) {
    text += fmt::format(
        "<rect class=\"bar shade{}\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"14\"/>",
        shade, x, y, std::max(w, 1.5));
  };
  if (bar.parts.empty()) {
    rectangle(left, width, 0);
  }
  double at = left;
  for (std::size_t i = 0; i < bar.parts.size(); ++i) {
    // Computing is dark, what is paid besides is light.
    rectangle(at, bar.parts[i].share * width, bar.parts.size() == 3 ? (i == 1 ? 0 : 1 + i / 2) : i);
    at += bar.parts[i].share * width;
  }
  return text;
}

struct Drawn {
  std::string text;
  double height;
};

Drawn bar_chart(const Chart& chart, const Look& look) {
  double longest = 0, values = 0, most = 0;
  const auto value_text = [&](const Bar& bar) {
    return shown(bar.value, chart.y.unit) +
           (bar.low < bar.high && chart.y.unit == "s"
                ? " " + interval_text(bar.value * 1e9, bar.low * 1e9, bar.high * 1e9)
                : "");
  };
  for (const auto& bar : chart.bars) {
    longest = std::max(longest, width_of(bar.label));
    values = std::max(values, width_of(value_text(bar)));
    most = std::max({most, bar.value, chart.y.unit == "%" ? 1.0 : 0.0});
  }
  // What interval reaches far beyond all bars ends with the plot: it would make them short.
  const double last = 1.5 * most;
  for (const auto& bar : chart.bars) most = std::max(most, std::min(bar.high, last));
  const double left = std::min(longest + 14, 0.4 * look.width);
  const double room = std::max(look.width - left - values - 14, 0.25 * look.width);
  std::string text, group;
  double y = look.is_file ? 38 : 10;
  for (const auto& bar : chart.bars) {
    if (bar.group != group) {
      y += group.empty() ? 0 : 8;
      text += text_at(0, y + 10, " class=\"bold\"", bar.group);
      y += 18;
      group = bar.group;
    }
    const double width = most > 0 ? bar.value / most * room : 0;
    text += fmt::format("<g class=\"{}\">", colour_class(bar.colour));
    text += open_link(bar.row, bar.group, bar.label,
                      with_interval(bar.value, bar.low, bar.high, chart.y.unit) +
                          (bar.parts.empty() ? "" : ": " + parts_text(bar)),
                      look);
    text += text_at(left - 8, y + 11, " text-anchor=\"end\"", bar.label);
    text += bar_rectangles(bar, left, y, width);
    if (bar.low < bar.high && most > 0) {
      const double low = left + bar.low / most * room;
      const double high = left + std::min(bar.high / most, 1.0) * room;
      text +=
          fmt::format("<path class=\"whisker\" d=\"M{:.1f} {:.1f}H{:.1f}\"/>", low, y + 7, high);
    }
    const double reach = std::min(bar.high / std::max(most, 1e-300), 1.0) * room;
    text += text_at(left + std::max(width, reach) + 6, y + 11, "", value_text(bar));
    text += close_link(bar.row, look) + "</g>";
    y += 18;
    if (!bar.parts.empty()) {
      text += text_at(left, y + 9, " class=\"quiet small\"", parts_text(bar));
      y += 17;
    }
  }
  return {text, y + 6};
}

}  // namespace

std::string spoken(const Chart& chart) {
  std::string text = chart.title + ".";
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
  Drawn drawn;
  if (chart.bars.empty()) {
    LineChart lines(chart, look);
    drawn.text = lines.text();
    drawn.height = lines.height();
  } else {
    drawn = bar_chart(chart, look);
  }
  auto text = fmt::format(
      "<svg class=\"chart\"{} viewBox=\"0 0 {:.0f} {:.0f}\" role=\"img\" aria-label=\"{}\">",
      look.is_file ? " xmlns=\"http://www.w3.org/2000/svg\"" : "", look.width, drawn.height,
      html(spoken(chart)));
  if (look.is_file) {
    text += "<style>" + chart_style() +
            "</style><rect class=\"paper\" width=\"100%\" "
            "height=\"100%\"/>" +
            text_at(6, 18, " class=\"bold\"", chart.title);
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
      "svg.chart{{{}--ink:#1d2530;--faint:#5b6675;--rule:#d9dee5;--paper:#fff;--gold:#8a5a00;"
      "font:12px system-ui,'Segoe UI','Noto Sans',sans-serif;fill:var(--ink)}}"
      "@media (prefers-color-scheme:dark){{svg.chart{{{}--ink:#e4e8ed;--faint:#9aa5b3;"
      "--rule:#313a45;--paper:#14181d;--gold:#f2c063}}}}"
      "{}.paper{{fill:var(--paper)}}.quiet text,text.quiet{{fill:var(--faint)}}"
      ".bold{{font-weight:600}}.small{{font-size:11px}}.grid{{stroke:var(--rule);fill:none}}"
      ".band{{fill:var(--gold);fill-opacity:.18;stroke:var(--gold)}}"
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
