// SPDX-License-Identifier: Apache-2.0
#include "tests/gpu/numbers.hpp"

#include <cstring>
#include <random>

#include <cuda_bf16.h>
#include <cuda_fp16.h>

namespace breakeven::gpu {

namespace {

template <class Stored, class Convert>
std::vector<std::byte> fill(std::size_t count, unsigned seed, Convert convert) {
  std::vector<std::byte> bytes(count * sizeof(Stored));
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> pick(-1, 1);
  for (std::size_t i = 0; i < count; ++i) {
    const Stored value = convert(pick(random));
    std::memcpy(bytes.data() + i * sizeof value, &value, sizeof value);
  }
  return bytes;
}

}  // namespace

std::vector<std::byte> random_reals(Type type, std::size_t count, unsigned seed) {
  switch (type) {
    case Type::f64:
      return fill<double>(count, seed, [](float value) { return double{value}; });
    case Type::f16:
      return fill<__half>(count, seed, [](float value) { return __float2half(value); });
    case Type::bf16:
      return fill<__nv_bfloat16>(count, seed, [](float value) { return __float2bfloat16(value); });
    case Type::f32:
      break;
  }
  return fill<float>(count, seed, [](float value) { return value; });
}

}  // namespace breakeven::gpu
