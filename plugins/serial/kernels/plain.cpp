// SPDX-License-Identifier: Apache-2.0
// Compiled for what every processor of the architecture has.
#include "plugins/serial/kernels/targets.hpp"
#include "plugins/serial/kernels/variant.hpp"
#include "plugins/serial/kernels/variants.hpp"

namespace breakeven::serial {

namespace {

bool usable() {
  return true;
}

}  // namespace

const Variant plain = variant_of<Plain, OrdinaryStores<Plain>>("plain", &usable);

}  // namespace breakeven::serial
