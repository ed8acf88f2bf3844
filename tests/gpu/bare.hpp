// SPDX-License-Identifier: Apache-2.0
// What a person would write by hand: cuBLAS and the CUDA runtime in a plain loop.
#pragma once

#include <cstddef>
#include <memory>

#include <breakeven/plugin.hpp>

#include "plugins/cublas/library.hpp"
#include "tests/gpu/blocks.hpp"

namespace breakeven::gpu {

// Square products of random reals in [-1, 1) on one GPU.
class BareProduct {
 public:
  BareProduct(Type type, Math math, std::size_t n);
  ~BareProduct();
  BareProduct(const BareProduct&) = delete;
  BareProduct& operator=(const BareProduct&) = delete;

  Seconds run(std::size_t count);      // until done
  Seconds enqueue(std::size_t count);  // until handed over; waits after the clock stopped

 private:
  void enqueue_one();

  Type type_;
  Math math_;
  int n_;
  cudaStream_t stream_ = nullptr;
  cublasHandle_t handle_ = nullptr;
  void *workspace_ = nullptr, *a_ = nullptr, *b_ = nullptr, *c_ = nullptr;
};

class BareCopy {
 public:
  BareCopy(std::size_t bytes, cudaMemcpyKind kind);
  ~BareCopy();
  BareCopy(const BareCopy&) = delete;
  BareCopy& operator=(const BareCopy&) = delete;

  Seconds run(std::size_t count);

 private:
  std::size_t bytes_;
  cudaMemcpyKind kind_;
  cudaStream_t stream_ = nullptr;
  void *device_ = nullptr, *host_ = nullptr;
};

}  // namespace breakeven::gpu
