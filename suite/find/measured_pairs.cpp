// SPDX-License-Identifier: Apache-2.0
#include "suite/find/measured_pairs.hpp"

#include <fmt/format.h>

#include <utility>

#include "reports/schema/severity.hpp"
#include "suite/run/rows.hpp"

namespace breakeven {

std::string search_name(const SearchedCase& searched) {
  return fmt::format("{}/{}|{}/{}", device_name(searched.from.key), searched.from.key.mode,
                     device_name(searched.to.key), searched.to.key.mode);
}

MeasuredPairs::MeasuredPairs(const SearchedCase& searched, Workers& workers, Interrupt& interrupt,
                             const LineUpRules& rules, const Row& context,
                             std::map<std::string, unsigned> rounds, Write write)
    : searched_(searched),
      workers_(workers),
      interrupt_(interrupt),
      rules_(rules),
      context_(context),
      rounds_(std::move(rounds)),
      write_(std::move(write)),
      random_(rules.seed) {}

void MeasuredPairs::enter(std::size_t size) {
  if (line_up_)
    for (Contender& contender : contenders_) line_up_->drop(contender);
  ++entered_;
  for (std::size_t i = 0; i < contenders_.size(); ++i) {
    PlannedCase& planned = planned_[i] = {};
    planned.definition = searched_.definition;
    planned.plugin = side(i).plugin;
    planned.key = searched_.key_at(side(i), size);
    Contender& contender = contenders_[i] = {};
    contender.planned = &planned;
    contender.id = 2 * entered_ + static_cast<int>(i);
    contender.line_up = fmt::format("{}.{}", context_.text(Column::resumed), entered_);
  }
  line_up_.emplace(contenders_, workers_, interrupt_, rules_, random_, nullptr, nullptr,
                   [](const Contender&) {});
  line_up_->prepare();
  check_both();
}

Pair MeasuredPairs::block() {
  line_up_->sweep();
  check_both();
  return {contenders_[0].visit_medians.back(), contenders_[1].visit_medians.back()};
}

void MeasuredPairs::leave(Faster found) {
  for (Contender& contender : contenders_) {
    if (!contender.visits.empty()) {
      line_up_->finish(contender);
      continue;
    }
    line_up_->drop(contender);
    contender.end(Status::over_budget, "preparing it took this size's share of the time");
  }
  if (!contenders_[0].visits.empty()) check_both();
  write_({row_of(contenders_[0], found), row_of(contenders_[1], found)});
}

double MeasuredPairs::spent() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
}

void MeasuredPairs::check_both() {
  for (const Contender& contender : contenders_) {
    const Status status = contender.status;
    if (status == Status::ok) continue;
    any_failed_ = any_failed_ || is_fault(status);
    write_({row_of(contender, Faster::undecided)});
    for (Contender& other : contenders_) line_up_->drop(other);
    const std::size_t index = &contender == &contenders_[0] ? 0 : 1;
    throw SizeRefused(
        fmt::format("{}: {}: {}", searched_.name(side(index)), name(status), contender.reason));
  }
}

Row MeasuredPairs::row_of(const Contender& contender, Faster found) {
  PlannedCase planned = *contender.planned;
  const std::string mode = std::exchange(planned.key.mode, "find");
  planned.name = name_of(planned.key);
  Contender probe = contender;
  probe.planned = &planned;
  if (probe.status == Status::ok)
    probe.stop = found == Faster::undecided ? StopReason::budget : StopReason::precision;
  probe.round = ++rounds_[planned.name];
  Row row = make_row(context_, probe, std::nullopt);
  row.set(Column::search, search_name(searched_));
  row.set(Column::side, &contender == &contenders_[0] ? "from" : "to");
  row.set(Column::searched_mode, mode);
  row.set(Column::faster, text_of(found));
  return row;
}

}  // namespace breakeven
