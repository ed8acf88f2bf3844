// SPDX-License-Identifier: Apache-2.0
// Pairs of two live workers: a line-up of one match. Every visit of the search to a size leaves a
// row of each side in the report, with mode `find`.
#pragma once

#include <array>
#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "reports/break_even/pair_source.hpp"
#include "reports/schema/schema.hpp"
#include "suite/engine/line_up.hpp"
#include "suite/find/searched_case.hpp"

namespace breakeven {

// What the column `search` says: device/mode of both sides.
std::string search_name(const SearchedCase& searched);

class MeasuredPairs final : public PairSource {
 public:
  using Write = std::function<void(const std::vector<Row>&)>;

  // `context` holds the columns that all rows share. `rounds` says how many rows of a name the
  // report already holds: the rows of one name are numbered by their column `round`.
  MeasuredPairs(const SearchedCase& searched, Workers& workers, Interrupt& interrupt,
                const LineUpRules& rules, const Row& context,
                std::map<std::string, unsigned> rounds, Write write);

  void enter(std::size_t size) override;
  Pair block() override;
  void leave(Faster found) override;
  double spent() const override;

  // A row has a fault: severity.hpp.
  bool any_failed() const { return any_failed_; }

 private:
  // Where a side cannot go on: its row says why, the other just lets go. Throws SizeRefused.
  void check_both();
  Row row_of(const Contender& contender, Faster found);
  const Side& side(std::size_t index) const { return index == 0 ? searched_.from : searched_.to; }

  const SearchedCase& searched_;
  Workers& workers_;
  Interrupt& interrupt_;
  const LineUpRules rules_;
  const Row& context_;
  std::map<std::string, unsigned> rounds_;
  Write write_;
  std::mt19937_64 random_;
  std::array<PlannedCase, 2> planned_;
  std::array<Contender, 2> contenders_;  // from, to
  std::optional<LineUp> line_up_;
  int entered_ = 0;  // sizes so far
  bool any_failed_ = false;
  const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

}  // namespace breakeven
