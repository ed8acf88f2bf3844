// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "reports/charts/pen.hpp"
#include "reports/charts/ruler.hpp"
#include "reports/text/escape.hpp"

namespace breakeven::drawing {
namespace {

struct Rectangle {
  double left, right, top, bottom;
  bool touches(const Rectangle& other) const {
    return left < other.right && other.left < right && top < other.bottom && other.top < bottom;
  }
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

const char* dashes(const Series& series) {
  return series.line == Line::dashed ? " dashed" : series.line == Line::dotted ? " dotted" : "";
}

class LineChart {
 public:
  LineChart(const Chart& chart, const Look& look) : chart_(chart), look_(look) {
    find_ranges();
    find_places();
  }

  Drawn drawn() {
    const Ruler x(chart_.x, xs_, plot_.left, plot_.right);
    const Ruler y(chart_.y, ys_, plot_.bottom, plot_.top);
    std::string text = frame(x, y) + bands(x) + lines_of_ceilings(x, y);
    for (const auto& series : chart_.series) {
      if (is_drawn(series)) {
        text += drawn(series, x, y);
      }
    }
    text += names_of_ceilings(x, y);  // above all lines, to be read
    if (labels_are_direct_) {
      text += direct_labels(y);
    }
    text += legend();
    return {text, height_};
  }

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
    for (auto [range, axis] : {std::pair(&xs_, &chart_.x), std::pair(&ys_, &chart_.y)}) {
      if (axis->low < axis->high) {
        range->add(axis->low);
        range->add(axis->high);
      }
    }
    if (chart_.y.scale == Scale::linear) {
      ys_.low = 0;
      ys_.high *= 1.05;
    } else {
      ys_.high = std::max(ys_.high, ceilings.high);
      // The name of the highest ceiling stands above it.
      const double above = ceilings.high > 0 ? std::pow(ys_.high / ys_.low, 0.07) : 1;
      ys_.low /= 1.25;
      ys_.high *= std::max(1.25, above);
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
    plot_.top = margin + 6 + (look_.is_file ? 24 : 0) + lane * static_cast<double>(bands_);
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
      const auto text = tick_text(mark, chart_.x.unit);
      lines += fmt::format("M{:.1f} {:.1f}v4", x(mark), plot_.bottom);
      texts += text_at(std::min(x(mark), look_.width - width_of(text) / 2), plot_.bottom + 17,
                       " text-anchor=\"middle\"", text);
    }
    texts += text_at((plot_.left + plot_.right) / 2, plot_.bottom + 33, " text-anchor=\"middle\"",
                     chart_.x.label);
    return fmt::format(
        "<path class=\"grid\" d=\"{}M{:.1f} {:.1f}H{:.1f}\"/><g class=\"quiet\">{}</g>", lines,
        plot_.left, plot_.bottom, plot_.right, texts);
  }

  // Each in a lane of its own above the plot, since they overlap; the first one shades the plot
  // too.
  std::string bands(const Ruler& x) const {
    std::string text;
    double top = plot_.top - lane * static_cast<double>(bands_);
    for (const auto& series : chart_.series) {
      if (series.line != Line::band) {
        continue;
      }
      const double low = std::clamp(x(series.points[0].x), plot_.left, plot_.right);
      const double high =
          std::max(low + 2, std::clamp(x(series.points[1].x), plot_.left, plot_.right));
      if (text.empty()) {
        text += fmt::format(
            "<rect class=\"band\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\"/>",
            low, plot_.top, high - low, plot_.bottom - plot_.top);
      }
      text += fmt::format("<path class=\"bracket\" d=\"M{:.1f} {:.1f}v8m0-4H{:.1f}m0-4v8\"/>", low,
                          top + 14, high);
      const double half = 1.05 * width_of(series.label) / 2;  // bold is wider
      text += text_at(std::clamp((low + high) / 2, half, std::max(half, look_.width - half)),
                      top + 9, " class=\"bold\" text-anchor=\"middle\"", series.label);
      top += lane;
    }
    return text;
  }

  std::string lines_of_ceilings(const Ruler& x, const Ruler& y) const {
    std::string text;
    for (const auto& series : chart_.series) {
      if (series.line == Line::ceiling) {
        text += fmt::format("<path class=\"ceiling\" d=\"M{:.1f} {:.1f}L{:.1f} {:.1f}\"/>",
                            x(series.points[0].x), y(series.points[0].y), x(series.points[1].x),
                            y(series.points[1].y));
      }
    }
    return text;
  }

  // Where lines and marks run, in small squares.
  std::vector<Rectangle> inked(const Ruler& x, const Ruler& y) const {
    std::vector<Rectangle> taken;
    for (const auto& series : chart_.series) {
      const auto& points = series.points;
      for (std::size_t i = 0; is_drawn(series) && i < points.size(); ++i) {
        const auto& next = points[series.line == Line::none || i + 1 == points.size() ? i : i + 1];
        constexpr int steps = 16;
        for (int step = 0; step < steps; ++step) {
          const double share = step / static_cast<double>(steps);
          const double at = x(points[i].x) + share * (x(next.x) - x(points[i].x));
          const double height = y(points[i].y) + share * (y(next.y) - y(points[i].y));
          taken.push_back({at - 3, at + 3, height - 3, height + 3});
        }
      }
    }
    return taken;
  }

  // Beside its line where nothing else stands; what finds no place is named below the plot.
  std::string names_of_ceilings(const Ruler& x, const Ruler& y) {
    std::string text;
    auto taken = inked(x, y);
    for (const auto& series : chart_.series) {
      if (series.line != Line::ceiling) {
        continue;
      }
      const double x0 = x(series.points[0].x), y0 = y(series.points[0].y);
      const double run = x(series.points[1].x) - x0, rise = y(series.points[1].y) - y0;
      const double wide = 0.93 * width_of(series.label),
                   length = std::sqrt(run * run + rise * rise);
      bool is_placed = false;
      for (const double share : {0.0, 0.5, 1.0}) {
        for (const double off : {-4.0, 13.0}) {
          const double begin = 6 + share * (length - wide - 12);
          const double left = x0 + run * begin / length, foot = y0 + rise * begin / length + off;
          const double right = left + run * wide / length, end = foot + rise * wide / length;
          const Rectangle room{left, right, std::min(foot, end) - 11, std::max(foot, end) + 3};
          const bool is_free =
              wide + 12 <= length && room.top >= plot_.top - 2 && room.bottom <= plot_.bottom &&
              std::none_of(taken.begin(), taken.end(),
                           [&](const Rectangle& other) { return other.touches(room); });
          if (is_placed || !is_free) {
            continue;
          }
          is_placed = true;
          taken.push_back(room);
          text += fmt::format(
              "<text class=\"quiet small halo\" transform=\"translate({:.1f} {:.1f}) "
              "rotate({:.1f})\">{}</text>",
              left, foot, std::atan2(rise, run) * 180 / M_PI, html(series.label));
        }
      }
      if (!is_placed) {
        below_.push_back(&series);
      }
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
      const auto mark = mark_at(at, height, series.colour);
      if (point.row.empty() && point.name.empty()) {
        bare += mark;
        continue;
      }
      points += valued({point.row, tick_text(point.x, chart_.x.unit), point.name,
                        with_interval(point.y, point.low, point.high, chart_.y.unit)},
                       fmt::format("<path class=\"mark\" d=\"{}\"/>", mark), look_);
    }
    auto text = fmt::format("<g class=\"{}\" data-label=\"{}\">", colour_class(series.colour),
                            html(series.label));
    if (series.line != Line::none) {
      text += fmt::format("<path class=\"interval\" d=\"{}{}z\"/><path class=\"line{}\" d=\"{}\"/>",
                          over, under, dashes(series), line);
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

  // Of series that have no label at their end, and of ceilings that have none at their line.
  std::string legend() {
    std::string text;
    double at = 0;
    bool is_begun = false;
    const auto entry = [&](const Series& series, const std::string& sample) {
      const double width = width_of(series.label) + 44, most = look_.width - 32;
      const auto squeezed =
          width_of(series.label) > most
              ? fmt::format(" textLength=\"{:.0f}\" lengthAdjust=\"spacingAndGlyphs\"", most)
              : "";
      if (is_begun && at + width > look_.width) {
        at = 0;
        height_ += line_height + 2;
      }
      is_begun = true;
      text += fmt::format("<g class=\"{}\" transform=\"translate({:.1f} {:.1f})\">{}{}</g>",
                          colour_class(series.colour), at, height_ + 8, sample,
                          text_at(30, 4, squeezed, series.label));
      at += width;
    };
    for (const auto& series : chart_.series) {
      if (!labels_are_direct_ && is_drawn(series) && !series.label.empty()) {
        const auto line =
            series.line == Line::none
                ? ""
                : fmt::format("<path class=\"line{}\" d=\"M0 0h24\"/>", dashes(series));
        entry(series,
              line + fmt::format("<path class=\"mark\" d=\"{}\"/>", mark_at(12, 0, series.colour)));
      }
    }
    for (const auto* series : below_) {
      entry(*series, "<path class=\"ceiling\" d=\"M0 0h24\"/>");
    }
    height_ += is_begun ? line_height + 6 : 0;
    return text;
  }

  static constexpr double lane = 26;  // of a band: its label, and below it its reach

  const Chart& chart_;
  const Look& look_;
  Range xs_, ys_;
  bool by_two_ = true, labels_are_direct_ = false;
  std::size_t bands_ = 0;
  double right_margin_ = 0, height_ = 0;
  std::vector<double> y_marks_;
  std::vector<const Series*> below_;
  Rectangle plot_{};
};

}  // namespace

Drawn line_chart(const Chart& chart, const Look& look) {
  return LineChart(chart, look).drawn();
}

}  // namespace breakeven::drawing
