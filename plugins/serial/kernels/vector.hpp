// SPDX-License-Identifier: Apache-2.0
// What the kernels are written in.
#pragma once

#include "plugins/cpu_common/vector.hpp"

namespace breakeven::serial {

using cpu::AsStored;
using cpu::broadcast;
using cpu::but_first;
using cpu::load;
using cpu::store;
using cpu::Vector;

}  // namespace breakeven::serial
