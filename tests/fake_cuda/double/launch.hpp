// SPDX-License-Identifier: Apache-2.0
// Kernels by their names: nvcc's objects register each with the name that its CPU body is found by.
#pragma once

#include <functional>
#include <string_view>

#include <cuda_runtime_api.h>

#include "stream.hpp"

namespace fake_cuda {

struct Launch {
  dim3 grid, block;
  void** arguments;
  double* bytes = nullptr;  // that it reads and writes, for the body to fill in
};

// Copies what it needs of the arguments and returns what the stream shall do; empty: a bad address.
using Body = std::function<Work(const Launch&)>;

// By name as a demangler writes it, up to the parameters: `void breakeven::cuda::f<float, true>`.
// Null: none.
const Body* body_of(std::string_view name);

}  // namespace fake_cuda
