// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "reports/schema/schema.hpp"

namespace breakeven {

// The greater, the more a status says about what is wrong with a machine: from 0 for ok to that of
// a wrong result.
int severity(Status status);

// Something is broken: the machine, the backend or its times.
bool is_fault(Status status);

}  // namespace breakeven
