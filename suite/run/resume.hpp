// SPDX-License-Identifier: Apache-2.0
// What an unfinished report says about the run that is to be continued.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "reports/schema/schema.hpp"

namespace breakeven {

struct EarlierPart {
  std::string run_id;
  std::uint64_t seed = 0;
  int resumed = 0;                                         // how often the run was resumed before
  std::vector<std::pair<std::string, unsigned>> complete;  // name and round of every row
  // From this line on (the header is 1) a budget was spent and nothing is measured: those rows are
  // not complete. 0: there are none.
  std::size_t unmeasured_from_line = 0;
};

// `now` holds the columns of the run that continues. Nothing of a report without a row. Throws
// UsageError when the report cannot be read, or machine, commit or options differ and `anyway` is
// false: the line names what differs.
EarlierPart read_earlier_part(const std::string& path, const Row& now, bool anyway);

}  // namespace breakeven
