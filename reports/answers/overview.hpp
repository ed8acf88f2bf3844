// SPDX-License-Identifier: Apache-2.0
// Many cases at one sight: cases by backends, and break-even points by machines.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "reports/reader/report.hpp"

namespace breakeven {

struct Matrix {
  struct Cell {
    double nanoseconds = 0, ratio = 1;  // of the fastest in its line
    std::vector<std::size_t> rows;
  };
  struct Line {
    std::string name;  // of the case, without the device
    std::vector<std::optional<Cell>> cells;
  };
  std::vector<std::string> devices;
  std::vector<Line> lines;  // cases that two devices have
};

// Of the machine that the report begins with.
Matrix matrix_of(const Report& report);

// `×1.00`, `×1.93`, `×24`
std::string relative_text(double ratio);

struct Crossings {
  std::vector<std::string> machines;  // columns; the report too where it is needed to tell them
  struct Cell {
    std::string bracket;  // `blas:0 from n = 256 (16 … 256)`; empty: not measured
    std::string title;    // `blas beats serial from n = 256 on`
    std::string
        ratio;  // at the largest size, with its interval: `at 1024 ×0.528 [0.485, 0.575] paired`
  };
  struct Line {
    std::string pair;         // `kokkos-openmp:0 / serial:0`, as the ratio
    std::vector<Cell> cells;  // by machine
  };
  std::vector<Line> lines;
};

// Where each pair of sides breaks even on each machine.
Crossings crossings_of(std::span<const Report> reports);

}  // namespace breakeven
