// SPDX-License-Identifier: Apache-2.0
// The manifest of kokkos-cuda.
#include <breakeven/plugin.hpp>

#include "backend.hpp"

extern "C" {
constinit const breakeven::Manifest breakeven_plugin{
    .name = "kokkos-cuda",
    .version = PLUGIN_VERSION,
    .description = "Kokkos with CUDA: every GPU a device",
    .probe = breakeven::kokkos::probe,
    .create = breakeven::kokkos::make_backend};
}
