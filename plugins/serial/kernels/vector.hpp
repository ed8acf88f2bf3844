// SPDX-License-Identifier: Apache-2.0
// What the kernels are written in.
#pragma once

#include "plugins/cpu_common/vector.hpp"

namespace breakeven::serial {

using cpu::broadcast;
using cpu::load;
using cpu::store;
using cpu::Vector;

// Elements that are stored as they are computed with; Halves reads others.
template <class T, int bytes>
struct AsStored {
  using Element = T;
  [[gnu::always_inline]] static Vector<T, bytes> load(const T* from) {
    return serial::load<Vector<T, bytes>>(from);
  }
};

}  // namespace breakeven::serial
