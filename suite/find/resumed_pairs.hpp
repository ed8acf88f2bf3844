// SPDX-License-Identifier: Apache-2.0
// Goes on with a search that ended early: what its report holds is played back, then the live
// source takes over. A search asks for the same sizes where it sees the same blocks.
#pragma once

#include <deque>
#include <map>
#include <string>
#include <vector>

#include "reports/break_even/pair_source.hpp"
#include "reports/reader/report.hpp"

namespace breakeven {

struct RecordedVisit {
  std::vector<Pair> blocks;
  std::string refused;  // not empty: why there are none
};

using RecordedVisits = std::map<std::size_t, std::deque<RecordedVisit>>;

// Of the rows of the search with this name whose size is in `axis`.
RecordedVisits recorded_visits(const Report& report, const std::string& case_name,
                               const std::string& type, const std::string& search, Column axis);

class ResumedPairs final : public PairSource {
 public:
  ResumedPairs(PairSource& live, RecordedVisits recorded)
      : live_(live), recorded_(std::move(recorded)) {}

  void enter(std::size_t size) override;
  Pair block() override;
  void leave(Faster found) override;
  double spent() const override { return live_.spent(); }

 private:
  PairSource& live_;
  RecordedVisits recorded_;
  std::size_t size_ = 0;
  std::deque<Pair> left_;
  bool is_live_ = false;
};

}  // namespace breakeven
