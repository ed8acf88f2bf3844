// SPDX-License-Identifier: Apache-2.0
// Numbers as people read them: three significant digits and a prefix.
#pragma once

#include <string>
#include <string_view>

namespace breakeven {

// `±1.2 %`, the farther end; `[10.9 µs, 30.5 µs]` where that is half of the median or more.
std::string interval_text(double median_ns, double low_ns, double high_ns);
std::string time_text(double nanoseconds);                        // `2.11 µs`
std::string rate_text(double per_second, std::string_view unit);  // `1.23 TFLOP/s`; unit `FLOP/s`
std::string bytes_text(double bytes);                             // `64 MiB`
std::string share_text(double share);                             // `97 %`
std::string ratio_text(double ratio);                             // `1.052`, `49`
std::string times_text(double ratio);                             // `×1.052`

// Three significant digits but no trailing zeros, without an exponent where that is readable:
// `0.0123`, `12.3`, `64`, `1230`.
std::string short_number(double value);

}  // namespace breakeven
