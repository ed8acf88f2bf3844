// SPDX-License-Identifier: Apache-2.0
// Products by CLBlast, which is looked for when the plugin runs.
#pragma once

#include <breakeven/plugin.hpp>
#include <memory>

#include "plugins/opencl/device.hpp"

namespace breakeven::opencl {

// Null, or why there is none and what to do.
const char* reason_without_clblast();

// An f32 or f64 product of sizes that are not 0. CLBlast compiles its kernels here, and what it
// needs beside the operands is allocated here.
std::unique_ptr<Task> prepare_clblast_product(const Gemm& gemm, OpenClDevice& device,
                                              cl_command_queue queue);

}  // namespace breakeven::opencl
