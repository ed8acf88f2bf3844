// SPDX-License-Identifier: Apache-2.0
#include "suite/find/live_duel.hpp"

#include <fmt/format.h>

#include <utility>

#include "suite/run/rows.hpp"

namespace breakeven {

std::string duel_name(const Contest& contest) {
  return fmt::format("{}/{}|{}/{}", device_name(contest.from.key), contest.from.key.mode,
                     device_name(contest.to.key), contest.to.key.mode);
}

LiveDuel::LiveDuel(const Contest& contest, const std::vector<Setting>& settings,
                   const ContestantLimits& limits, Interrupt& interrupt, const Row& context,
                   std::map<std::string, unsigned> rounds, Write write)
    : contest_(contest),
      context_(context),
      rounds_(std::move(rounds)),
      write_(std::move(write)),
      from_{contest.from, {*contest.from.plugin, settings, limits, interrupt}, "from"},
      to_{contest.to, {*contest.to.plugin, settings, limits, interrupt}, "to"} {}

void LiveDuel::enter(std::size_t size) {
  size_ = size;
  ++visits_[size];
  for (Side* side : {&from_, &to_}) {
    Side& other = side == &from_ ? to_ : from_;
    other.contestant.pause();
    if (!side->contestant.enter(contest_.key_at(side->contender, size))) {
      refuse(*side);
    }
  }
}

Pair LiveDuel::block() {
  // Each goes first in every other pair, so that what drifts favours neither.
  to_goes_first_ = !to_goes_first_;
  Pair pair;
  if (to_goes_first_) {
    pair.to = block_of(to_);
    pair.from = block_of(from_);
  } else {
    pair.from = block_of(from_);
    pair.to = block_of(to_);
  }
  return pair;
}

double LiveDuel::block_of(Side& side) {
  (&side == &from_ ? to_ : from_).contestant.pause();
  const auto median = side.contestant.block();
  if (!median) {
    refuse(side);
  }
  return *median;
}

void LiveDuel::leave(Faster found) {
  const bool measured = !from_.contestant.run().visits.empty();
  for (Side* side : {&from_, &to_}) {
    (side == &from_ ? to_ : from_).contestant.pause();
    if (!measured) {
      side->contestant.abandon(Status::over_budget,
                               "preparing it took this size's share of the time");
    } else if (!side->contestant.finish()) {
      refuse(*side);
    }
  }
  write_({row_of(from_, text_of(found)), row_of(to_, text_of(found))});
}

double LiveDuel::spent() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
}

// The row says what ended it; the other side just lets go.
void LiveDuel::refuse(Side& side) {
  const CaseRun& run = side.contestant.run();
  const Status status = run.status;
  any_failed_ = any_failed_ || status == Status::wrong || status == Status::failed ||
                status == Status::crashed || status == Status::hung;
  write_({row_of(side, text_of(Faster::undecided))});
  const std::string reason =
      fmt::format("{}: {}: {}", contest_.name(side.contender), name(status), run.reason);
  from_.contestant.drop();
  to_.contestant.drop();
  throw SizeRefused(reason);
}

Row LiveDuel::row_of(const Side& side, std::string_view found) {
  PlannedCase planned;
  planned.definition = contest_.definition;
  planned.plugin = side.contender.plugin;
  planned.key = contest_.key_at(side.contender, size_);
  const std::string mode = std::exchange(planned.key.mode, "find");
  planned.name = name_of(planned.key);
  CaseRun run = side.contestant.run();
  run.planned = &planned;
  run.stop = found == text_of(Faster::undecided) ? StopReason::budget : StopReason::precision;
  run.round = ++rounds_[planned.name];
  for (const auto& [key, value] : {std::pair<std::string, std::string>{"mode", mode},
                                   {"side", std::string(side.name)},
                                   {"duel", duel_name(contest_)},
                                   {"visit", std::to_string(visits_[size_])},
                                   {"faster", std::string(found)}}) {
    run.details.emplace_back(key, value);
  }
  return make_row(context_, run, {});
}

}  // namespace breakeven
