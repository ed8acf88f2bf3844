// SPDX-License-Identifier: Apache-2.0
// Kernels by their names: nvcc's objects register each with the name that its CPU body is found by.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include <cuda_runtime_api.h>

#include "stream.hpp"
#include "tests/support/block/block.hpp"

namespace fake_cuda {

struct Launch {
  std::string_view name;
  dim3 grid, block;
  void** arguments;         // only while the launch is called
  double* bytes = nullptr;  // that it reads and writes, for the body to fill in
};

// Copies what it needs of the arguments and returns what the stream shall do; empty: a bad address.
using Body = std::function<Work(const Launch&)>;

// By name as a demangler writes it, up to the parameters: `void breakeven::cuda::f<float, true>`.
using Bodies = std::map<std::string, Body, std::less<>>;
Bodies all_bodies();

// Calls `thread` for each thread of the launch, which reaches no memory beside `arrays`. What else
// a kernel must not do ends the program.
void run_blocks(const Launch& launch, std::span<const breakeven::block::Array> arrays,
                const std::function<void()>& thread);

}  // namespace fake_cuda
