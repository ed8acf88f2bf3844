// SPDX-License-Identifier: Apache-2.0
// What every backend on top of cuBLAS has in common.
#pragma once

#include "plugins/cuda_common/fact_list.hpp"

namespace breakeven::cublas {

// Null, or why neither CUDA nor cuBLAS can be used here.
const char* probe();

// Versions of driver, runtime and cuBLAS, and what of the environment changes its arithmetic.
void add_library_facts(cuda::FactList& facts);

}  // namespace breakeven::cublas
