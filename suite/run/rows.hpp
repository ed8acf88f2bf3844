// SPDX-License-Identifier: Apache-2.0
// A measured case as a row of the report.
#pragma once

#include <optional>

#include "reports/schema/schema.hpp"
#include "suite/engine/contender.hpp"
#include "suite/measure/ceilings.hpp"

namespace breakeven {

// `context` holds what all rows of the run share.
Row make_row(const Row& context, const Contender& measured,
             const std::optional<CeilingShare>& ceiling);

// Leaves of the samples the median of each visit: rows that were measured side by side stay pairs.
void keep_medians_of_visits(Row& row);

// The columns that tell the backend and the device.
void set_backend(Row& row, const Plugin& plugin, std::size_t device);

// The columns that are the key.
void set_key(Row& row, const Key& key);

}  // namespace breakeven
