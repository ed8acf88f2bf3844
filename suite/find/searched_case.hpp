// SPDX-License-Identifier: Apache-2.0
// What `breakeven find` compares: one case on two sides, over one axis of sizes.
#pragma once

#include <optional>
#include <string>

#include "reports/break_even/search.hpp"
#include "reports/schema/schema.hpp"
#include "suite/model/case.hpp"
#include "suite/registry/registry.hpp"

namespace breakeven {

// Empty texts: the case's first that fits.
struct SideOptions {
  std::string device;  // a backend, or one of its devices: `serial`, `serial:1`
  std::string mode, memory;
};

struct SearchedCaseOptions {
  std::string case_name;
  SideOptions from, to;
  NumberType type;
  std::string direction;
  std::optional<Shape> fixed;  // sizes beside the axis
  std::string axis;            // n, m, k, batch, count, bytes; empty: what the case's sweep varies
  std::optional<std::pair<std::size_t, std::size_t>> range;  // none: that of the case's sweep
};

struct Side {
  const Plugin* plugin = nullptr;
  Key key;  // complete but for the size
};

struct SearchedCase {
  const Case* definition = nullptr;
  Side from, to;
  std::string axis;
  bool square = false;  // m and k go with n
  Axis sizes;

  Key key_at(const Side& side, std::size_t size) const;

  // `matmul f32 resident, serial:0 against kokkos-openmp:0, n from 8 to 8192`
  std::string title() const;
  std::string type() const;  // as in the rows

  // What tells the sides apart: `serial:0`, or where that is the same, `resident`, or both.
  std::string name(const Side& side) const;
};

// Throws UsageError with one line: what is wrong and what is allowed.
SearchedCase make_searched_case(const SearchedCaseOptions& options, const Registry& registry);

}  // namespace breakeven
