// SPDX-License-Identifier: Apache-2.0
// Events across contexts, which OpenCL does not know: a callback passes them on.
#pragma once

#include "plugins/opencl/handle.hpp"

namespace breakeven::opencl {

// An event of `to` that comes, or fails, when `event` of `from` does. Its queue was flushed.
Moment relayed(const Moment& event, cl_context from, cl_context to);

}  // namespace breakeven::opencl
