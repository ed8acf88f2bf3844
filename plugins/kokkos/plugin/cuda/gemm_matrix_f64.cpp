// SPDX-License-Identifier: Apache-2.0
#include "gemm_matrix.hpp"

namespace breakeven::kokkos {

template std::unique_ptr<Task> launch_matrix(const Product<double>&, const Plan&, const Target&);

}  // namespace breakeven::kokkos
