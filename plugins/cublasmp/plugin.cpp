// SPDX-License-Identifier: Apache-2.0
// The backend `cublasmp`: all ranks of MPI as one device, each with a GPU, products by cuBLASMp.
#include <breakeven/plugin.hpp>

#include "plugins/mpi/grid_backend.hpp"

namespace breakeven::mpi {

namespace {

std::unique_ptr<Backend> create(std::span<const Variable> settings) {
  return make_grid({.name = "breakeven-gpu-grid", .plugin = "cublas", .block = 256}, settings);
}

}  // namespace

}  // namespace breakeven::mpi

extern "C" const breakeven::Manifest breakeven_plugin = {
    .name = "cublasmp",
    .version = "0.1.0",
    .description = "all ranks of MPI as one device, each with a GPU, by cuBLASMp",
    .options = breakeven::mpi::grid_options,
    .probe = breakeven::mpi::probe,
    .create = breakeven::mpi::create,
};
