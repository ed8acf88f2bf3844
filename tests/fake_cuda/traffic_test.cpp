// SPDX-License-Identifier: Apache-2.0
// What the kernels of cublas and multi-gpu ask of a GPU's memory: whole sectors of 32 bytes.
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "double/kernel_language.hpp"
#include "tests/support/block/memory.hpp"

// After the language.
#include "plugins/cuda_common/kernels/elementwise_kernels.cuh"
#include "plugins/cuda_common/kernels/norm_kernels.cuh"

namespace fake_cuda {

constexpr unsigned threads = 256, blocks = 4;
thread_local unsigned block_in_work = 0;

uint3 thread_index() {
  return {breakeven::block::this_thread(), 0, 0};
}
uint3 block_index() {
  return {block_in_work, 0, 0};
}
dim3 block_size() {
  return {threads, 1, 1};
}
void barrier(breakeven::block::Site site) {
  breakeven::block::barrier(site);
}

}  // namespace fake_cuda

namespace breakeven::cuda {
namespace {

template <class Kernel>
block::Traffic traffic_of(std::vector<block::Array> arrays, const Kernel& kernel) {
  block::Traffic traffic;
  for (unsigned i = 0; i < fake_cuda::blocks; ++i) {
    fake_cuda::block_in_work = i;
    block::run({.threads = fake_cuda::threads, .arrays = arrays, .traffic = &traffic},
               [&](unsigned) { kernel(); });
  }
  return traffic;
}

// So many elements that every thread has work.
template <class Real, bool packed>
void expect_whole_sectors() {
  const std::size_t n = fake_cuda::threads * fake_cuda::blocks * (packed ? Pack<Real>::width : 1);
  block::Memory<Real> a(n), b(n), c(n), out(n);
  const std::vector<block::Array> arrays{a.array(), b.array(), c.array(), out.array()};
  const auto expect = [&](std::size_t operands, const block::Traffic& is) {
    EXPECT_EQ(is.sectors, operands * n * sizeof(Real) / 32);
    EXPECT_EQ(is.sectors, is.least_sectors);
  };
  expect(4, traffic_of(arrays, [&] {
           multiply_add<Real, packed>(n, a.data(), b.data(), c.data(), out.data());
         }));
  expect(2, traffic_of(arrays, [&] { hyperbolic_tangent<Real, packed>(n, a.data(), out.data()); }));
  expect(3, traffic_of(arrays,
                       [&] { tanh_gradient<Real, packed>(n, a.data(), b.data(), out.data()); }));
  block::Memory<Computed<Real>> sums(fake_cuda::blocks);
  block::Traffic is = traffic_of({a.array(), sums.array()}, [&] {
    square_sums<Real, packed>(n, fake_cuda::blocks, a.data(), sums.data());
  });
  is.sectors -= fake_cuda::blocks;  // that the sums are written to
  EXPECT_EQ(is.sectors, n * sizeof(Real) / 32);
}

TEST(Traffic, OfPacksIsWholeSectors) {
  expect_whole_sectors<float, true>();
  expect_whole_sectors<double, true>();
  expect_whole_sectors<__half, true>();
  expect_whole_sectors<__nv_bfloat16, true>();
}

TEST(Traffic, OfElementsIsWholeSectors) {
  expect_whole_sectors<float, false>();
  expect_whole_sectors<double, false>();
  expect_whole_sectors<__half, false>();
  expect_whole_sectors<__nv_bfloat16, false>();
}

template <class Real, bool packed>
void expect_whole_sectors_of_rounding() {
  const std::size_t n = fake_cuda::threads * fake_cuda::blocks * (packed ? Pack<float>::width : 1);
  block::Memory<float> sum(n);
  block::Memory<Real> c(n);
  for (const float beta : {0.0F, 2.0F}) {
    const block::Traffic is = traffic_of(
        {sum.array(), c.array()}, [&] { round_sum<Real, packed>(n, sum.data(), beta, c.data()); });
    const std::size_t of_c = n * sizeof(Real) / 32;
    EXPECT_EQ(is.sectors, n * sizeof(float) / 32 + (beta == 0 ? of_c : 2 * of_c));
    EXPECT_EQ(is.sectors, is.least_sectors);
  }
}

TEST(Traffic, OfRoundingIsWholeSectors) {
  expect_whole_sectors_of_rounding<__half, true>();
  expect_whole_sectors_of_rounding<__half, false>();
  expect_whole_sectors_of_rounding<__nv_bfloat16, true>();
  expect_whole_sectors_of_rounding<__nv_bfloat16, false>();
}

TEST(Traffic, OfThePartsOfANormIsWholeSectors) {
  constexpr std::size_t chunks = fake_cuda::threads;
  block::Memory<float> sums(chunks * fake_cuda::blocks), out(fake_cuda::blocks);
  const block::Traffic is = traffic_of({sums.array(), out.array()},
                                       [&] { join_chunks(chunks, sums.data(), out.data()); });
  EXPECT_EQ(is.sectors - fake_cuda::blocks, chunks * fake_cuda::blocks * sizeof(float) / 32);
}

}  // namespace
}  // namespace breakeven::cuda
