// SPDX-License-Identifier: Apache-2.0
// Every operation of the contract, made ready for a queue of a device. Null: not supported.
#pragma once

#include <breakeven/plugin.hpp>
#include <memory>

#include "plugins/opencl/device.hpp"

namespace breakeven::opencl {

std::unique_ptr<Task> prepare(const Nothing&, OpenClDevice&, cl_command_queue);
std::unique_ptr<Task> prepare(const Copy&, OpenClDevice&, cl_command_queue);
std::unique_ptr<Task> prepare(const Gemm&, OpenClDevice&, cl_command_queue);
std::unique_ptr<Task> prepare(const Norm&, OpenClDevice&, cl_command_queue);
std::unique_ptr<Task> prepare(const MultiplyAdd&, OpenClDevice&, cl_command_queue);
std::unique_ptr<Task> prepare(const Tanh&, OpenClDevice&, cl_command_queue);
std::unique_ptr<Task> prepare(const TanhGradient&, OpenClDevice&, cl_command_queue);
std::unique_ptr<Task> prepare(const Sum&, OpenClDevice&, cl_command_queue);

}  // namespace breakeven::opencl
