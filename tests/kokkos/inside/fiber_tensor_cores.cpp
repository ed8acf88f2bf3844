// SPDX-License-Identifier: Apache-2.0
#include "fiber_tensor_cores.hpp"

#include <array>
#include <cstdint>
#include <cstring>
#include <deque>
#include <utility>
#include <vector>

#include "tests/support/block/block.hpp"

namespace breakeven::kokkos {
namespace {

constexpr std::size_t most_threads = 1024, lanes = 32, bytes_of_copy = 16;

// What each thread gives the others of its warp.
template <class Gift>
class Exchange {
 public:
  // use(gifts) with those of the warp's lanes.
  template <class Use>
  static void between(const Gift& mine, Use use) {
    static std::array<Gift, most_threads> all;
    const unsigned thread = block::this_thread();
    all[thread] = mine;
    block::barrier({__FILE__, __LINE__});
    use(&all[thread / lanes * lanes]);
    block::barrier({__FILE__, __LINE__});
  }
};

template <class T, class Sum>
Sum dot(const Part<T>& x, const Part<T>& y) {
  constexpr std::size_t count = sizeof(Part<T>) / sizeof(T);
  std::array<T, count> left, right;
  std::memcpy(left.data(), &x, sizeof x);
  std::memcpy(right.data(), &y, sizeof y);
  Sum sum = 0;
  for (std::size_t i = 0; i < count; ++i)
    sum += static_cast<Sum>(left[i]) * static_cast<Sum>(right[i]);
  return sum;
}

struct BegunCopy {
  std::byte* to;
  const void* from;
  std::size_t inside;
};
using Group = std::vector<BegunCopy>;
struct Copies {
  Group begun;
  std::deque<Group> under_way;
};
std::array<Copies, most_threads> copies;

}  // namespace

template <class T>
template <class Sum>
void FiberCores<T>::multiply_add(Sum (&d)[4], const Part<T>& upper, const Part<T>& lower,
                                 const Part<T>& right) {
  struct Operands {
    Part<T> upper, lower, right;
  };
  Exchange<Operands>::between({upper, lower, right}, [&](const Operands* of_lane) {
    const unsigned lane = block::this_thread() % lanes, row = lane / 4 * 4;
    for (unsigned column = 0; column < 2; ++column)
      for (unsigned part = 0; part < 4; ++part) {
        const Part<T>& line = of_lane[(lane % 4 * 2 + column) * 4 + part].right;
        d[column] += dot<T, Sum>(of_lane[row + part].upper, line);
        d[2 + column] += dot<T, Sum>(of_lane[row + part].lower, line);
      }
  });
}

template <class T>
void FiberCores<T>::load_turned(Part<T>& lower_lines, Part<T>& upper_lines, Address line) {
  if constexpr (sizeof(T) == 2) {
    block::touch(line, 16, false, 16);
    Exchange<const std::byte*>::between(line, [&](const std::byte* const* of_lane) {
      const unsigned lane = block::this_thread() % lanes;
      std::array<std::uint32_t, 4> words;
      for (unsigned matrix = 0; matrix < 4; ++matrix) {
        std::array<T, 2> steps;
        for (unsigned i = 0; i < 2; ++i)
          std::memcpy(&steps[i], of_lane[matrix * 8 + lane % 4 * 2 + i] + lane / 4 * sizeof(T),
                      sizeof(T));
        std::memcpy(&words[matrix], steps.data(), sizeof steps);
      }
      lower_lines = {{words[0], words[1]}};
      upper_lines = {{words[2], words[3]}};
    });
  }
}

template <class T>
void FiberCores<T>::copy(Address to, const T* from, int inside) {
  if (inside > 0) block::touch(from, static_cast<std::size_t>(inside), false, bytes_of_copy);
  copies[block::this_thread()].begun.push_back({to, from, static_cast<std::size_t>(inside)});
}

template <class T>
void FiberCores<T>::end_group() {
  Copies& mine = copies[block::this_thread()];
  mine.under_way.push_back(std::exchange(mine.begun, {}));
}

template <class T>
void FiberCores<T>::wait(std::size_t left) {
  std::deque<Group>& mine = copies[block::this_thread()].under_way;
  for (; mine.size() > left; mine.pop_front())
    for (const BegunCopy& copy : mine.front()) {
      block::touch(copy.to, bytes_of_copy, true, bytes_of_copy);
      std::memcpy(copy.to, copy.from, copy.inside);
      std::memset(copy.to + copy.inside, 0, bytes_of_copy - copy.inside);
    }
}

template <class T>
void FiberCores<T>::forget_copies() {
  copies = {};
}

template struct FiberCores<double>;
template struct FiberCores<std::int16_t>;
template void FiberCores<double>::multiply_add(double (&)[4], const Part<double>&,
                                               const Part<double>&, const Part<double>&);
template void FiberCores<std::int16_t>::multiply_add(float (&)[4], const Part<std::int16_t>&,
                                                     const Part<std::int16_t>&,
                                                     const Part<std::int16_t>&);

}  // namespace breakeven::kokkos
