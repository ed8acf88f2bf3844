// SPDX-License-Identifier: Apache-2.0
#include "gemm.hpp"

namespace breakeven::kokkos {

template std::unique_ptr<Task> launch(const Product<float>&, const Target&);

}  // namespace breakeven::kokkos
