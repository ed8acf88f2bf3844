// SPDX-License-Identifier: Apache-2.0
// What the products of kokkos-cuda should reach on GPUs by a model, since no GPU has run them; the
// README shows its table.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>

#include "cuda/tiles.hpp"

namespace breakeven::kokkos {
namespace {

// By NVIDIA's whitepapers: the clock is the one that their peaks are made of.
struct Gpu {
  const char* name;
  std::size_t processors;
  double hertz, f32_per_clock, f64_per_clock, memory_bytes_per_second;  // the middle: multiply-adds
};
constexpr Gpu gpus[] = {{"A100", 108, 1.41e9, 64, 32, 1.555e12},
                        {"H100 PCIe", 114, 1.755e9, 128, 64, 2.0e12},
                        {"H100 SXM", 132, 1.98e9, 128, 64, 3.35e12}};
constexpr double cache_bytes_per_clock = 5120;  // of the second level (A100's whitepaper)
constexpr double launch_seconds = 3e-6, latency_clocks = 800;  // a block's first slice

// A kernel that makes blocks of rows × columns by so many warps of 32.
struct Kernel {
  double rows, columns, warps;
  double fma_share;          // of the instructions in its loop (tests/machine_code)
  double shared_waves;       // accesses of 128 bytes to shared memory that a step of k takes
  double multiply_adds = 1;  // of a clock, against those without tensor cores
};

template <class Tiles>
Kernel own_kernel() {
  // Each thread reads its rows and columns by 16 bytes, a quarter of a warp at once; each slice is
  // written once.
  constexpr double reads = Tiles::team / 8. * (Tiles::rows + Tiles::columns) / Tiles::chunk;
  constexpr double writes = sizeof(typename Tiles::Sum) * (Tiles::block_m + Tiles::block_n) / 128.;
  return {Tiles::block_m, Tiles::block_n, Tiles::team / 32.,
          sizeof(typename Tiles::Sum) == 4 ? 0.88 : 0.65, reads + writes};
}

// Of a product of n×n matrices.
double seconds(const Gpu& gpu, double n, double bytes, const Kernel& kernel, double parts) {
  const double rate = (bytes == 4 ? gpu.f32_per_clock : gpu.f64_per_clock) * kernel.multiply_adds;
  const double processors = static_cast<double>(gpu.processors);
  const double cache = cache_bytes_per_clock / processors;
  const double area = kernel.rows * kernel.columns;
  const double blocks = std::ceil(n / kernel.rows) * std::ceil(n / kernel.columns) * parts;
  const double at_once = std::max(1., 4 / kernel.warps);
  const double turns = std::ceil(blocks / (processors * at_once)) * at_once;
  // Clocks of a step of k: arithmetic, instructions (four warps a clock), memories.
  const double step =
      std::max({area / rate, area / 32 / kernel.multiply_adds / kernel.fma_share / 4,
                kernel.shared_waves, (kernel.rows + kernel.columns) * bytes / cache});
  const double block = step * n / parts + latency_clocks + area * bytes / cache;
  const double join =
      parts == 1 ? 0
                 : launch_seconds + 2 * parts * n * n * bytes / cache_bytes_per_clock / gpu.hertz;
  return std::max(turns * block / gpu.hertz, 3 * n * n * bytes / gpu.memory_bytes_per_second) +
         launch_seconds + join;
}

// cuBLAS is taken for a kernel of the same sort that is as good as it gets: any usual block and cut
// of k, 95 % of a loop multiply-adds, nothing lost to shared memory, tensor cores for f64.
double seconds_of_cublas(const Gpu& gpu, double n, double bytes) {
  double least = 1e9;
  for (const auto& [rows, columns] : {std::pair{256, 128}, {128, 128}, {128, 64}, {64, 64}})
    for (const int parts : {1, 2, 3, 4, 5, 6, 7, 8})
      least = std::min(least, seconds(gpu, n, bytes,
                                      {static_cast<double>(rows), static_cast<double>(columns), 4,
                                       0.95, 0, bytes == 8 ? 2. : 1.},
                                      parts));
  return least;
}

struct Chosen {
  Plan plan;
  Kernel kernel;
  double busy;
};

template <class Real>
Chosen chosen(std::size_t n, std::size_t processors) {
  const Shape shape{n, n, n, 1};
  const Plan plan = plan_for<Real, Real>(shape, processors);
  const auto with = [&]<class Tiles>(Tiles) {
    return Chosen{plan, own_kernel<Tiles>(),
                  Cut<Tiles>(shape, plan.parts, processors).busy(shape, processors)};
  };
  if (plan.blocks == Blocks::large) return with(LargeTiles<Real, Real>());
  if (plan.blocks == Blocks::medium) return with(MediumTiles<Real, Real>());
  return with(SmallTiles<Real, Real>());
}

template <class Real>
std::string cells(const Gpu& gpu, std::size_t n) {
  const Chosen is = chosen<Real>(n, gpu.processors);
  const double size = static_cast<double>(n), bytes = sizeof(Real);
  const double time = seconds(gpu, size, bytes, is.kernel, static_cast<double>(is.plan.parts));
  const double rate = bytes == 4 ? gpu.f32_per_clock : gpu.f64_per_clock;
  const double peak = static_cast<double>(gpu.processors) * gpu.hertz * rate;
  char text[160];
  std::snprintf(text, sizeof text, " %.0f×%.0f%s | %.0f %% | %.0f %% | %.0f %% |", is.kernel.rows,
                is.kernel.columns,
                is.plan.parts > 1 ? (" / " + std::to_string(is.plan.parts)).c_str() : "",
                100 * is.busy, 100 * size * size * size / time / peak,
                100 * seconds_of_cublas(gpu, size, bytes) / time);
  return text;
}

std::string table() {
  std::string text =
      "| GPU | n | f32 block / parts of k | busy | of peak | of cuBLAS "
      "| f64 block / parts of k | busy | of peak | of cuBLAS "
      "|\n|---|---|---|---|---|---|---|---|---|---|\n";
  for (const Gpu& gpu : gpus)
    for (const std::size_t n : {512, 1024, 2048, 4096, 8192})
      text += std::string("| ") + gpu.name + " | " + std::to_string(n) + " |" +
              cells<float>(gpu, n) + cells<double>(gpu, n) + "\n";
  return text;
}

TEST(Model, IsTheTableOfTheReadme) {
  std::ifstream file(README);
  const std::string page((std::istreambuf_iterator<char>(file)), {});
  EXPECT_NE(page.find(table()), page.npos) << README << " has to show\n" << table();
}

TEST(Model, ProcessorsAreBusy) {
  for (const std::size_t n : {1024, 2048, 4096, 8192})
    for (const std::size_t processors : {108, 114, 132, 144}) {
      EXPECT_GE(chosen<float>(n, processors).busy, 0.85) << n << " f32 on " << processors;
      EXPECT_GE(chosen<double>(n, processors).busy, 0.85) << n << " f64 on " << processors;
    }
}

TEST(Model, KIsCutOnlyWhereThereAreTooFewBlocks) {
  EXPECT_GT((plan_for<float, float>({256, 256, 65536, 1}, 132).parts), 1u);
  EXPECT_EQ((plan_for<float, float>({256, 256, 256, 1000}, 132).parts), 1u);
  EXPECT_EQ((plan_for<float, float>({8192, 8192, 8192, 1}, 132).parts), 1u);
  EXPECT_EQ((plan_for<float, float>({1024, 1024, 1021, 1}, 108).parts), 1u);  // no equal parts
}

}  // namespace
}  // namespace breakeven::kokkos
