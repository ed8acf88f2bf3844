// SPDX-License-Identifier: Apache-2.0
// A duel of two live workers: one measures, the other one is stopped. Every visit leaves a row of
// each side in the report, with mode `find`.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "reports/break_even/duel.hpp"
#include "reports/schema/schema.hpp"
#include "suite/find/contest.hpp"
#include "suite/find/contestant.hpp"

namespace breakeven {

// What the rows of a search say beside those of a run, in their details: `mode`, `side`, `duel`
// (device/mode of both sides), `visit`, and what the visit found (`faster`).
std::string duel_name(const Contest& contest);

class LiveDuel final : public Duel {
 public:
  using Write = std::function<void(const std::vector<Row>&)>;

  // `context` holds the columns that all rows share. `rounds` says how many rows of a name the
  // report already holds: the rows of one name are numbered by their column `round`.
  LiveDuel(const Contest& contest, const std::vector<Setting>& settings,
           const ContestantLimits& limits, Interrupt& interrupt, const Row& context,
           std::map<std::string, unsigned> rounds, Write write);

  void enter(std::size_t size) override;
  Pair block() override;
  void leave(Faster found) override;
  double spent() const override;

  // A row is wrong, failed, crashed or hung.
  bool any_failed() const { return any_failed_; }

 private:
  struct Side {
    const Contender& contender;
    Contestant contestant;
    std::string_view name;  // `from`, `to`
  };

  double block_of(Side& side);
  [[noreturn]] void refuse(Side& side);
  Row row_of(const Side& side, std::string_view found);

  const Contest& contest_;
  const Row& context_;
  std::map<std::string, unsigned> rounds_;
  Write write_;
  Side from_, to_;
  std::size_t size_ = 0;
  std::map<std::size_t, unsigned> visits_;
  bool to_goes_first_ = false;
  bool any_failed_ = false;
  const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

}  // namespace breakeven
