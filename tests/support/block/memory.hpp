// SPDX-License-Identifier: Apache-2.0
// Memory that begins at an address such as a GPU's allocations have.
#pragma once

#include <cstddef>
#include <vector>

#include "tests/support/block/block.hpp"

namespace breakeven::block {

// n elements, all bytes of them 0.
template <class T>
class Memory {
 public:
  explicit Memory(std::size_t n) : lines_((n * sizeof(T) + sizeof(Line) - 1) / sizeof(Line)) {}
  T* data() { return reinterpret_cast<T*>(lines_.data()); }
  Array array() const {
    return {reinterpret_cast<const std::byte*>(lines_.data()), lines_.size() * sizeof(Line)};
  }

 private:
  struct alignas(256) Line {
    std::byte bytes[256];
  };
  std::vector<Line> lines_;
};

}  // namespace breakeven::block
