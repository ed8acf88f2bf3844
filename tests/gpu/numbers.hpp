// SPDX-License-Identifier: Apache-2.0
// Inputs: seeded random reals, since constants run faster than real data.
#pragma once

#include <cstddef>
#include <vector>

#include <breakeven/plugin.hpp>

namespace breakeven::gpu {

// `count` values of U[-1, 1) as they are stored.
std::vector<std::byte> random_reals(Type type, std::size_t count, unsigned seed);

}  // namespace breakeven::gpu
