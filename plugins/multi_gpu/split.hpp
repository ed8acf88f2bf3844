// SPDX-License-Identifier: Apache-2.0
// How much each part of a device made of several gets.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace breakeven::multi_gpu {

// Ends of the shares of `units` by weight: part i has [ends[i-1], ends[i]). Depends on nothing but
// the number of units, so that two buffers of equally many granules meet at them. Every part is
// within one unit of its due; parts may be empty.
std::vector<std::size_t> split(std::size_t units, std::span<const double> weights);

// The same of a buffer, in bytes: it is cut at multiples of `granule` bytes; granule 1 cuts at
// multiples of 512, where every element is whole.
std::vector<std::size_t> split_bytes(std::size_t bytes, std::size_t granule,
                                     std::span<const double> weights);

}  // namespace breakeven::multi_gpu
