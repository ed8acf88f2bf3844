// SPDX-License-Identifier: Apache-2.0
// What a device can do at best, asked through the contract: the same for every backend.
#pragma once

#include <span>
#include <string>

#include "suite/measure/ceilings.hpp"
#include "suite/model/clock.hpp"

namespace breakeven {

// How many pieces of hardware it is made of.
std::size_t parts_of(const Device& device);

// Beyond the caches: of one array, of which a ceiling needs up to four; on each part as much as on
// a device of one. A device with less than eight times that is not asked for it.
std::size_t largest_array_bytes(const Device& device);

// From the calling thread, which is bound where the device wants it. What the backend does not
// support, or has no memory for, is left out. Throws std::bad_alloc where it refuses memory of
// which it says that it is free. All there are take about a second, more on slow devices, but for
// what is sustained, which takes 1 to 3 s each and wants to be named; with `names` only those are
// measured, and what comes with them. `others`: those that work with it where several are asked, in
// order; its copies to a peer go to the first.
Ceilings device_ceilings(Device& device, Clock& clock, std::span<const std::string> names = {},
                         std::span<Device* const> others = {});

// The time of a copy: latency_ns + bytes / bytes_per_ns.
struct CopyFit {
  double latency_ns = 0;
  double bytes_per_ns = 0;
};
struct CopyTime {
  double bytes = 0, ns = 0;
};
// Least squares of relative errors, so that small copies count as much as large ones. Needs two
// different sizes.
CopyFit fit_copies(std::span<const CopyTime> times);

// A line for messages that are sent at once (eager) and one for those that are announced before
// (rendezvous), with the size between them where both fit best.
struct PiecewiseFit {
  CopyFit small, large;
  double largest_small = 0;
};
// Needs six sizes, in order.
PiecewiseFit fit_in_pieces(std::span<const CopyTime> times);

}  // namespace breakeven
