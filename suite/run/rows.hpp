// SPDX-License-Identifier: Apache-2.0
// A measured case as a row of the report.
#pragma once

#include "reports/schema/schema.hpp"
#include "suite/measure/ceilings.hpp"
#include "suite/run/case_run.hpp"

namespace breakeven {

struct KnownCeilings {
  Ceilings machine, device;
};

// Of a case that is prepared, were its median this.
std::optional<CeilingShare> ceiling_of(const CaseRun& measured, double median_ns,
                                       const KnownCeilings& known);

// `context` holds what all rows of the run share.
Row make_row(const Row& context, const CaseRun& measured, const KnownCeilings& ceilings);

// The columns that tell the backend and the device.
void set_backend(Row& row, const Plugin& plugin, std::size_t device);

// The columns that are the key.
void set_key(Row& row, const Key& key);

}  // namespace breakeven
