// SPDX-License-Identifier: Apache-2.0
// What the processors of this machine can do at best. To be measured in a process without a plugin,
// whose runtimes would bind or spin threads.
#pragma once

#include <span>
#include <string>

#include "suite/measure/ceilings.hpp"

namespace breakeven {

// With the widest vectors this processor has; `_core` on one thread, `_all` on as many as the
// process may use processors, one pinned to each. Passed over again and again until two passes over
// each agree, at most for `budget_ns` after the first; a pass takes about half a second.
Ceilings host_ceilings(double budget_ns);

// Those of these names as they are at this moment: about 10 ms each, more beyond the caches.
// Unknown names are left out. Beside those of above there are `burst_f32`, and so for every type
// and `tf32`, and `burst_bytes`: what all processors of the machine together cannot exceed by much,
// whether this process may use them or others do. A single thread's rate in some microseconds is
// counted once for each of them, and 16-bit types and tf32 as often as units for matrices are
// faster at them.
Ceilings host_ceilings_now(std::span<const std::string> names);

}  // namespace breakeven
