// SPDX-License-Identifier: Apache-2.0
// GPUs by their maker's figures, and how many teams fit their processors.
#pragma once

#include <algorithm>
#include <cstddef>

#include "cuda/tiles.hpp"

namespace breakeven::kokkos {

// Of a multiprocessor; CUDA C++ Programming Guide, technical specifications by compute capability
// (12.x has 1536 threads and 100 KiB of shared memory, as 8.6 and 8.9 have). The blocks that it
// takes at most, from 16 of 8.6 to 32, are more than registers leave room for.
struct Architecture {
  int capability;
  std::size_t shared_bytes, threads;
};
constexpr Architecture architectures[] = {{80, 164 * 1024, 2048},  {86, 100 * 1024, 1536},
                                          {89, 100 * 1024, 1536},  {90, 228 * 1024, 2048},
                                          {100, 228 * 1024, 2048}, {120, 100 * 1024, 1536}};

template <class Tiles>
constexpr std::size_t most_scratch_bytes = std::max({KernelOf<Tiles, true, true>::scratch_bytes,
                                                     KernelOf<Tiles, true, false>::scratch_bytes,
                                                     KernelOf<Tiles, false, true>::scratch_bytes,
                                                     KernelOf<Tiles, false, false>::scratch_bytes});

// With what Kokkos takes for reductions, and the system for itself; handed out in pieces of 128
// bytes (cuda_occupancy.h of the CUDA toolkit). How much of a processor's memory is shared and not
// first-level cache is the driver's choice, so that it keeps no team out (Volta Tuning Guide).
template <class Tiles>
constexpr std::size_t shared_bytes_of_team = (most_scratch_bytes<Tiles> +
                                              sizeof(double) * (Tiles::team + 2) + 1024 + 127) /
                                             128 * 128;

// On a processor, by registers and scratch memory.
template <class Tiles>
constexpr std::size_t resident_teams(const Architecture& is) {
  return std::min({std::size_t{Tiles::resident_teams}, is.threads / Tiles::team,
                   is.shared_bytes / shared_bytes_of_team<Tiles>});
}

struct Gpu {
  const char* name;
  const Architecture& is;
  std::size_t processors;
  double hertz;  // that the peaks are made of
  double memory_bytes_per_second;
  double cache_bytes;          // of the second level, whose megabytes are MiB to CUDA
  double f64_of_tensor_cores;  // their rate over that without them
};
constexpr double mib = 1 << 20;
constexpr Gpu gpus[] = {
    // A100 whitepaper (SXM4, 40 GB).
    {"A100", architectures[0], 108, 1.41e9, 1.555e12, 40 * mib, 2},
    // H100 whitepaper; clocks from its peaks, 51.2 and 66.9 TFLOP/s.
    {"H100 PCIe", architectures[3], 114, 1.755e9, 2.0e12, 50 * mib, 2},
    {"H100 SXM", architectures[3], 132, 1.98e9, 3.35e12, 50 * mib, 2},
    // H200 data sheet; the processor is the H100's.
    {"H200", architectures[3], 132, 1.98e9, 4.8e12, 50 * mib, 2},
    // HGX B200 data sheet, an eighth of it (75 TFLOP/s, 37 in f64 with and without tensor cores, 62
    // TB/s); Blackwell Tuning Guide for the cache; processors as CUDA tells them.
    {"B200", architectures[4], 148, 1.98e9, 7.7e12, 126 * mib, 1},
    // L4 data sheet (30.3 TFLOP/s, which 72 W do not keep up); Ada whitepaper for the cache.
    {"L4", architectures[2], 58, 2.04e9, 0.3e12, 48 * mib, 1},
    // Ada whitepaper.
    {"RTX 4090", architectures[2], 128, 2.52e9, 1.008e12, 72 * mib, 1},
    // RTX Blackwell whitepaper.
    {"RTX 5090", architectures[5], 170, 2.407e9, 1.792e12, 96 * mib, 1}};

template <class Sum>
constexpr double rate_of(const Gpu& gpu) {
  return rate_of<Sum>(gpu.is.capability);
}

template <class T, class Sum>
Processors processors_of(const Gpu& gpu) {
  return {gpu.processors, rate_of<Sum>(gpu), matrix_rate_of<T>(gpu.is.capability)};
}

}  // namespace breakeven::kokkos
