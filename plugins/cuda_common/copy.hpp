// SPDX-License-Identifier: Apache-2.0
// Copies between any two places that CUDA reaches.
#pragma once

#include <memory>

#include <breakeven/plugin.hpp>

#include "plugins/cuda_common/stream.hpp"

namespace breakeven::cuda {

// Handed over without waiting, but for pageable memory, where the driver stages through memory of
// its own. Null: the slices overlap in part.
std::unique_ptr<Task> prepare_copy(const Copy& copy, const Stream& stream);

// Copies between the two go directly.
bool reaches(int from, int to);

}  // namespace breakeven::cuda
