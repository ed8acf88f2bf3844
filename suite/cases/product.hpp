// SPDX-License-Identifier: Apache-2.0
// One square product with its operands on one device, and the checks of its result: what the cases
// of several devices are made of.
#pragma once

#include <cstddef>
#include <cstdint>

#include <breakeven/plugin.hpp>

#include "suite/cases/audited.hpp"
#include "suite/model/prepared_case.hpp"

namespace breakeven {

class Product {
 public:
  // Allocates a, b and c; `salt` tells the inputs of several products apart.
  Product(DeviceSetup& setup, Type type, std::size_t n, std::uint64_t seed, std::uint64_t salt);

  const Gemm& gemm() const noexcept { return gemm_; }

  // Inputs whose every order of summation gives the same bits, or random reals; c is poisoned.
  void place_exact();
  void place_reals();
  void poison_result();
  void renew();  // the reals

  // Of what c holds after the product of those inputs.
  Verification check_exact() const;
  Verification check_reals() const;

 private:
  struct Inputs;
  Inputs exact() const;

  DeviceSetup& setup_;
  std::uint64_t seed_;
  Gemm gemm_;
  std::vector<RandomInput> reals_;  // a and b
};

}  // namespace breakeven
