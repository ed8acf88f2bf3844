// SPDX-License-Identifier: Apache-2.0
// Kernels recorded once, in a command buffer (cl_khr_command_buffer), and launched as one.
#pragma once

#include <breakeven/plugin.hpp>
#include <memory>
#include <span>

#include "plugins/opencl/hardware.hpp"

namespace breakeven::opencl {

// Null: the device has no command buffers that may be launched again before they are done, or one
// of the tasks is no kernel of the suite.
std::unique_ptr<Task> sequence_of(std::span<Task* const> tasks, const Hardware& hardware,
                                  cl_command_queue queue);

}  // namespace breakeven::opencl
