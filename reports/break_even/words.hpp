// SPDX-License-Identifier: Apache-2.0
// Quantities as a reader wants them: three digits and the unit that fits.
#pragma once

#include <string>

namespace breakeven {

std::string words_of_time(double nanoseconds);      // `9.8 µs`
std::string words_of_bytes(double bytes);           // `4.00 MiB`, powers of 1024
std::string words_of_flop_rate(double per_second);  // `268 GFLOP/s`
std::string words_of_byte_rate(double per_second);  // `54.8 GB/s`
std::string words_of_percent(double share);         // `1.2 %` of 0.012

}  // namespace breakeven
