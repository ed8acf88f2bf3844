// SPDX-License-Identifier: Apache-2.0
// Numbers as people read them: three digits and a unit.
#pragma once

#include <string>

namespace breakeven {

std::string format_time(double nanoseconds);        // `2.05 µs`
std::string format_flops(double flops_per_second);  // `255 GFLOP/s`
std::string format_rate(double bytes_per_second);   // `12.3 GB/s`
std::string format_bytes(double bytes);             // `23.4 GiB`
std::string format_share(double share);             // `92 %`

}  // namespace breakeven
