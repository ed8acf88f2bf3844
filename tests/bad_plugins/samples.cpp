// SPDX-License-Identifier: Apache-2.0
// gives back a result it has kept as long as every 64th number of its operands stays
#include "tests/bad_plugins/digesting.hpp"

extern "C" const breakeven::Manifest breakeven_plugin = {
    .name = "samples",
    .version = "0.1.0",
    .description =
        "gives back a result it has kept as long as every 64th number of its operands stays",
    .create = breakeven::zoo::create_with_queue<breakeven::zoo::DigestingQueue<64>>,
};
