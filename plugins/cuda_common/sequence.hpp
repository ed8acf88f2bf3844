// SPDX-License-Identifier: Apache-2.0
// Many tasks of one stream as one launch: a CUDA graph.
#pragma once

#include <memory>
#include <span>

#include <breakeven/plugin.hpp>

#include "plugins/cuda_common/stream.hpp"

namespace breakeven::cuda {

// Null: a task does something that a graph cannot hold.
std::unique_ptr<Task> record_sequence(std::span<Task* const> tasks, const Stream& stream);

}  // namespace breakeven::cuda
