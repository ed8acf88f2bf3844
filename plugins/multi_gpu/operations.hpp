// SPDX-License-Identifier: Apache-2.0
// Each operation on operands that are spread. Null where they do not meet at whole rows, matrices,
// vectors or elements.
#pragma once

#include <memory>

#include <breakeven/plugin.hpp>

#include "plugins/multi_gpu/queue.hpp"

namespace breakeven::multi_gpu {

std::unique_ptr<Task> prepare(const Nothing& operation, SpreadQueue& queue);
std::unique_ptr<Task> prepare(const Copy& operation, SpreadQueue& queue);
std::unique_ptr<Task> prepare(const MultiplyAdd& operation, SpreadQueue& queue);
std::unique_ptr<Task> prepare(const Tanh& operation, SpreadQueue& queue);
std::unique_ptr<Task> prepare(const TanhGradient& operation, SpreadQueue& queue);

// A batch is dealt out by matrices; one product is cut by the rows of a and c, and b is gathered on
// every part that has rows: part to part where all reach each other, else by way of pinned memory.
std::unique_ptr<Task> prepare(const Gemm& operation, SpreadQueue& queue);

// A batch is dealt out by vectors and its norms go to where they belong; the norm of one vector
// over several parts is the norm of the parts' norms.
std::unique_ptr<Task> prepare(const Norm& operation, SpreadQueue& queue);

}  // namespace breakeven::multi_gpu
