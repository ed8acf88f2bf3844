// SPDX-License-Identifier: Apache-2.0
#include "plugins/cpu_common/bf16_tiles.hpp"

#include "plugins/cpu_common/amx_product.hpp"
#include "suite/machine/x86_bf16.hpp"

namespace breakeven::cpu {

std::size_t tiles_workspace_bytes(std::size_t m, std::size_t n, std::size_t k) {
  return AmxProduct<AmxTiles>::workspace_bytes(m, n, k);
}

void multiply_by_tiles(const Bf16Operands& operands, void* workspace) {
  AmxProduct<AmxTiles>::run(operands, workspace);
}

}  // namespace breakeven::cpu
