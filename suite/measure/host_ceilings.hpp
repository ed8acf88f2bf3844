// SPDX-License-Identifier: Apache-2.0
// What the processors of this machine can do at best. To be measured in a process without a plugin,
// whose runtimes would bind or spin threads.
#pragma once

#include "suite/measure/ceilings.hpp"

namespace breakeven {

// With the widest vectors this processor has; `_core` on one thread, `_all` on as many as the
// process may use processors, one pinned to each. Takes about a second.
Ceilings host_ceilings();

}  // namespace breakeven
