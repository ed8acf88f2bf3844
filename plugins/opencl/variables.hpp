// SPDX-License-Identifier: Apache-2.0
// The environment variables behind the options that hold before OpenCL is loaded.
#pragma once

#include <array>
#include <utility>

namespace breakeven::opencl {

inline constexpr const char* loader_variable = "BREAKEVEN_OPENCL_LOADER";
inline constexpr const char* cache_variable = "BREAKEVEN_OPENCL_CACHE";

// Keep runtimes from storing what they compile: PoCL, Intel's, NVIDIA's, AMD's.
inline constexpr std::array<std::pair<const char*, const char*>, 4> no_cache{
    {{"POCL_KERNEL_CACHE", "0"},
     {"NEO_CACHE_PERSISTENT", "0"},
     {"CUDA_CACHE_DISABLE", "1"},
     {"AMD_COMGR_CACHE", "0"}}};

}  // namespace breakeven::opencl
