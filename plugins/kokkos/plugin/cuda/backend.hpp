// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <breakeven/plugin.hpp>

namespace breakeven::kokkos {

// Null, or why no GPU here can be used. Makes no CUDA context.
const char* probe();

// Starts Kokkos; once per process.
std::unique_ptr<Backend> make_backend(std::span<const Variable> settings);

}  // namespace breakeven::kokkos
