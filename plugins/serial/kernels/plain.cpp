// SPDX-License-Identifier: Apache-2.0
// Compiled for what every processor of the architecture has; vectors of 16 bytes.
#include "plugins/serial/kernels/variant.hpp"
#include "plugins/serial/kernels/variants.hpp"

namespace breakeven::serial {

namespace {

struct Target {
  static constexpr int bytes = 16, most_vectors = 3;
  static constexpr int most_rows(int vectors) { return vectors == 1 ? 8 : vectors == 2 ? 6 : 4; }

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

const Variant plain = variant_of<Target>("plain", &usable);

}  // namespace breakeven::serial
