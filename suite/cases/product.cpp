// SPDX-License-Identifier: Apache-2.0
#include "suite/cases/product.hpp"

#include <utility>
#include <vector>

#include "suite/verify/gemm_check.hpp"
#include "suite/verify/random.hpp"

namespace breakeven {

struct Product::Inputs {
  std::vector<std::byte> a, b;
};

Product::Product(DeviceSetup& setup, Type type, std::size_t n, std::uint64_t seed,
                 std::uint64_t salt)
    : setup_(setup), seed_(random_bits(seed, salt)) {
  gemm_ = {.type = type, .m = n, .n = n, .k = n};
  const std::size_t row = n * bytes_of(type);
  gemm_.a = setup.allocate(n * row, Memory::device, row);
  gemm_.b = setup.allocate(n * row, Memory::device, row);
  gemm_.c = setup.allocate(n * row, Memory::device, row);
  reals_ = {{gemm_.a, random_bits(seed_, 20), type}, {gemm_.b, random_bits(seed_, 21), type}};
}

Product::Inputs Product::exact() const {
  Inputs inputs{std::vector<std::byte>(gemm_.a.bytes), std::vector<std::byte>(gemm_.b.bytes)};
  fill_exact(gemm_, seed_, inputs.a, inputs.b);
  return inputs;
}

void Product::poison_result() {
  setup_.poison(gemm_.c);
}

void Product::renew() {
  for (RandomInput& input : reals_) input.renew(setup_);
}

void Product::place_exact() {
  const Inputs inputs = exact();
  setup_.upload(inputs.a, gemm_.a);
  setup_.upload(inputs.b, gemm_.b);
  poison_result();
}

void Product::place_reals() {
  for (const RandomInput& input : reals_) input.place(setup_);
  poison_result();
}

Verification Product::check_exact() const {
  const Inputs inputs = exact();
  const std::vector<std::byte> c = setup_.download(gemm_.c);
  return breakeven::check_exact(gemm_, {inputs.a, inputs.b, {}, c}, seed_);
}

Verification Product::check_reals() const {
  const std::vector<std::byte> a = reals_[0].content(), b = reals_[1].content();
  const std::vector<std::byte> c = setup_.download(gemm_.c);
  const GemmOperands operands{a, b, {}, c};
  Verification rows = check_elementwise(gemm_, operands, seed_);
  return both(std::move(rows), check_freivalds(gemm_, operands, seed_));
}

}  // namespace breakeven
