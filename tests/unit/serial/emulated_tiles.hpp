// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plugins/serial/kernels/bf16_product.hpp"

namespace breakeven::serial {

// That of the variant amx_bf16, with tiles in memory, for processors without a unit for matrices.
extern const Bf16Product product_of_emulated_tiles;

}  // namespace breakeven::serial
