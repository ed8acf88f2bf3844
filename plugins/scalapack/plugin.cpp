// SPDX-License-Identifier: Apache-2.0
// The backend `scalapack`: all ranks of MPI as one device, products and norms by ScaLAPACK.
#include <breakeven/plugin.hpp>

#include "plugins/mpi/grid_backend.hpp"

namespace breakeven::mpi {

namespace {

std::unique_ptr<Backend> create(std::span<const Variable> settings) {
  return make_grid({.name = "breakeven-grid", .plugin = "serial", .block = 64}, settings);
}

}  // namespace

}  // namespace breakeven::mpi

extern "C" const breakeven::Manifest breakeven_plugin = {
    .name = "scalapack",
    .version = "0.1.0",
    .description = "all ranks of MPI as one device, by ScaLAPACK",
    .options = breakeven::mpi::grid_options,
    .probe = breakeven::mpi::probe,
    .create = breakeven::mpi::create,
};
