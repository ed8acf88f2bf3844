// SPDX-License-Identifier: Apache-2.0
// Compiled for what every processor of the architecture has.
#include "plugins/serial/kernels/targets.hpp"
#include "plugins/serial/kernels/variant.hpp"
#include "plugins/serial/kernels/variants.hpp"

namespace breakeven::serial {

namespace {

struct Streaming : Plain {
  template <class T>
  static void stream(T* to, Vector<T, bytes> v) {
    store(to, v);
  }
  static void finish_stream() {}
};

bool usable() {
  return true;
}

}  // namespace

const Variant plain = variant_of<Plain, Streaming>("plain", &usable);

}  // namespace breakeven::serial
