// SPDX-License-Identifier: Apache-2.0
// What the products of kokkos-cuda should reach on GPUs by a model, since no GPU has run them; the
// README shows its table.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
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

// A kernel whose teams of so many warps of 32 make so many blocks of rows × columns at once.
struct Kernel {
  double rows, columns, blocks, slice, warps, resident;  // teams on a processor
  double fma_share;          // of the instructions in its loop (tests/machine_code)
  double shared_waves;       // accesses of 128 bytes to shared memory that a step of k takes
  double multiply_adds = 1;  // of a clock, against those without tensor cores
};

// Blocks inside their matrices, as the others do not have to ask for bounds.
template <class Tiles>
bool is_inside(const Shape& is) {
  return Tiles::crews > 1 ? is.rows % Tiles::block_m == 0 && is.columns % Tiles::block_n == 0
                          : is.rows >= Tiles::block_m && is.columns >= Tiles::block_n;
}

template <class Tiles>
Kernel own_kernel(const Shape& is) {
  // Each thread reads its rows and columns by 16 bytes, a quarter of a warp at once; each slice is
  // written once.
  constexpr double reads = Tiles::team / 8. * (Tiles::rows + Tiles::columns) / Tiles::chunk;
  constexpr double writes =
      sizeof(typename Tiles::Sum) * (Tiles::block_m + Tiles::block_n) * Tiles::crews / 128.;
  // The least of their kernels: of the loop without bounds, and of the one with them.
  struct Shares {
    double inside, edge;
  };
  constexpr bool f64 = sizeof(typename Tiles::Sum) == 8;
  constexpr Shares of_tiny = f64 ? Shares{0.56, 0.4} : Shares{0.68, 0.48};
  constexpr Shares of_others = f64 ? Shares{0.65, 0.52} : Shares{0.88, 0.78};
  constexpr Shares shares = Tiles::crews > 1 ? of_tiny : of_others;
  const double fma_share = is_inside<Tiles>(is) ? shares.inside : shares.edge;
  return {Tiles::block_m,    Tiles::block_n,        Tiles::crews, Tiles::slice,
          Tiles::team / 32., Tiles::resident_teams, fma_share,    reads + writes};
}

double rate_of(const Gpu& gpu, double bytes) {
  return bytes == 4 ? gpu.f32_per_clock : gpu.f64_per_clock;
}

// What memory and arithmetic allow at best.
double least_seconds(const Gpu& gpu, const Shape& is, double bytes) {
  const auto rows = static_cast<double>(is.rows), columns = static_cast<double>(is.columns),
             depth = static_cast<double>(is.depth), batch = static_cast<double>(is.batch);
  const double elements = batch * (rows * depth + depth * columns + rows * columns);
  const double clocks =
      batch * rows * columns * depth / (rate_of(gpu, bytes) * static_cast<double>(gpu.processors));
  return std::max(elements * bytes / gpu.memory_bytes_per_second, clocks / gpu.hertz) +
         launch_seconds;
}

double seconds(const Gpu& gpu, const Shape& is, double bytes, const Kernel& kernel, double parts) {
  const auto rows = static_cast<double>(is.rows), columns = static_cast<double>(is.columns),
             depth = static_cast<double>(is.depth), batch = static_cast<double>(is.batch);
  const double rate = rate_of(gpu, bytes) * kernel.multiply_adds;
  const auto processors = static_cast<double>(gpu.processors);
  const double cache = cache_bytes_per_clock / processors;
  const double area = kernel.rows * kernel.columns * kernel.blocks;
  const double teams =
      std::ceil(std::ceil(rows / kernel.rows) * std::ceil(columns / kernel.columns) * batch *
                parts / kernel.blocks);
  const double at_once = std::max(1., 4 / kernel.warps);
  const double turns = std::ceil(teams / (processors * at_once)) * at_once;
  const double steps = std::ceil(depth / parts / kernel.slice) * kernel.slice;
  // Clocks of a step of k: arithmetic, instructions (four warps a clock), memories.
  const double step = std::max(
      {area / rate, area / 32 / kernel.multiply_adds / kernel.fma_share / 4, kernel.shared_waves,
       (kernel.rows + kernel.columns) * kernel.blocks * bytes / cache});
  // Teams that are on a processor together wait for their first slices together.
  const double clocks = turns * (step * steps + area * bytes / cache) +
                        std::ceil(turns / kernel.resident) * latency_clocks;
  const double elements = batch * (rows * depth + depth * columns + rows * columns);
  const double join = parts == 1 ? 0
                                 : launch_seconds + 2 * parts * rows * columns * bytes /
                                                        cache_bytes_per_clock / gpu.hertz;
  return std::max(clocks / gpu.hertz, elements * bytes / gpu.memory_bytes_per_second) +
         launch_seconds + join;
}

Shape square(std::size_t n, std::size_t batch = 1) {
  return {n, n, n, batch};
}

// cuBLAS is taken for a kernel of the same sort that is as good as it gets: any usual block and cut
// of k, 95 % of a loop multiply-adds, nothing lost to shared memory, tensor cores for f64.
double seconds_of_cublas(const Gpu& gpu, std::size_t n, double bytes) {
  double least = 1e9;
  for (const auto& [rows, columns] : {std::pair{256, 128}, {128, 128}, {128, 64}, {64, 64}})
    for (const int parts : {1, 2, 3, 4, 5, 6, 7, 8})
      least = std::min(least, seconds(gpu, square(n), bytes,
                                      {static_cast<double>(rows), static_cast<double>(columns), 1,
                                       8, 4, 2, 0.95, 0, bytes == 8 ? 2. : 1.},
                                      parts));
  return least;
}

struct Chosen {
  Plan plan;
  Kernel kernel;
  double busy;
};

template <class T, class Sum = T>
Chosen chosen(const Shape& shape, std::size_t processors) {
  const Plan plan = plan_for<T, Sum>(shape, processors);
  const auto with = [&]<class Tiles>(Tiles) {
    return Chosen{plan, own_kernel<Tiles>(shape),
                  Cut<Tiles>(shape, plan.parts, processors).busy(shape, processors)};
  };
  switch (plan.blocks) {
    case Blocks::large:
      if constexpr (has_large<T, Sum>) return with(LargeTiles<T, Sum>());
      [[fallthrough]];  // never planned
    case Blocks::medium:
      return with(MediumTiles<T, Sum>());
    case Blocks::small:
      return with(SmallTiles<T, Sum>());
    case Blocks::tiny:
      break;
  }
  return with(TinyTiles<T, Sum>());
}

template <class... Values>
std::string print(const char* format, Values... values) {
  char text[160];
  std::snprintf(text, sizeof text, format, values...);
  return text;
}

template <class Real>
std::string cells(const Gpu& gpu, std::size_t n) {
  const Chosen is = chosen<Real>(square(n), gpu.processors);
  const double size = static_cast<double>(n), bytes = sizeof(Real);
  const double time = seconds(gpu, square(n), bytes, is.kernel, static_cast<double>(is.plan.parts));
  const double peak = static_cast<double>(gpu.processors) * gpu.hertz * rate_of(gpu, bytes);
  return print(" %.0f×%.0f%s | %.0f %% | %.0f %% | %.0f %% |", is.kernel.rows, is.kernel.columns,
               is.plan.parts > 1 ? (" / " + std::to_string(is.plan.parts)).c_str() : "",
               100 * is.busy, 100 * size * size * size / time / peak,
               100 * seconds_of_cublas(gpu, n, bytes) / time);
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

constexpr std::size_t matrices = 10000;

// Of the time that memory and arithmetic allow, with what is chosen and with small blocks.
template <class Real>
std::string cells_of_batch(const Gpu& gpu, std::size_t n) {
  const Shape shape = square(n, matrices);
  const Chosen is = chosen<Real>(shape, gpu.processors);
  const auto share = [&](const Kernel& kernel) {
    return 100 * least_seconds(gpu, shape, sizeof(Real)) /
           seconds(gpu, shape, sizeof(Real), kernel, 1);
  };
  return print(" %.0f×%.0f | %.0f %% | %.0f %% |", is.kernel.rows, is.kernel.columns,
               share(is.kernel), share(own_kernel<SmallTiles<Real, Real>>(shape)));
}

std::string table_of_batches() {
  std::string text =
      "| GPU | n | f32 block | of what is possible | 64×64 blocks "
      "| f64 block | of what is possible | 32×32 blocks |\n|---|---|---|---|---|---|---|---|\n";
  for (const Gpu& gpu : gpus)
    for (const std::size_t n : {8, 16, 32, 64, 100})
      text += std::string("| ") + gpu.name + " | " + std::to_string(n) + " |" +
              cells_of_batch<float>(gpu, n) + cells_of_batch<double>(gpu, n) + "\n";
  return text;
}

TEST(Model, IsInTheTablesOfTheReadme) {
  std::ifstream file(README);
  const std::string page((std::istreambuf_iterator<char>(file)), {});
  EXPECT_NE(page.find(table()), page.npos) << README << " has to show\n" << table();
  EXPECT_NE(page.find(table_of_batches()), page.npos) << README << " has to show\n"
                                                      << table_of_batches();
}

TEST(Model, ProcessorsAreBusy) {
  for (const std::size_t n : {1024, 2048, 4096, 8192})
    for (const std::size_t processors : {108, 114, 132, 144}) {
      EXPECT_GE(chosen<float>(square(n), processors).busy, 0.85) << n << " f32 on " << processors;
      EXPECT_GE(chosen<double>(square(n), processors).busy, 0.85) << n << " f64 on " << processors;
      EXPECT_GE((chosen<std::int16_t, float>(square(n), processors).busy), 0.85)
          << n << " with 16 bits on " << processors;
    }
}

TEST(Model, KIsCutOnlyWhereThereAreTooFewBlocks) {
  EXPECT_GT((plan_for<float, float>({256, 256, 65536, 1}, 132).parts), 1u);
  EXPECT_EQ((plan_for<float, float>({256, 256, 256, 1000}, 132).parts), 1u);
  EXPECT_EQ((plan_for<float, float>({8192, 8192, 8192, 1}, 132).parts), 1u);
  EXPECT_EQ((plan_for<float, float>({1024, 1024, 1021, 1}, 108).parts), 1u);  // no equal parts
}

TEST(Model, SixteenBitTypesHaveNoLargeBlocks) {
  for (const Shape& shape : {square(8192), square(0), Shape{256, 256, 65536, 1}})
    EXPECT_NE((plan_for<std::int16_t, float>(shape, 132).blocks), Blocks::large) << shape.rows;
}

// Nearest to what memory allows, of all blocks, and with none of it idle at the end.
TEST(Model, BatchesOfSmallProductsHaveTinyBlocks) {
  for (const Gpu& gpu : gpus)
    for (const std::size_t n : {8, 10, 16}) {
      const Shape shape = square(n, matrices);
      const auto expect_best = [&]<class Real>(Real) {
        EXPECT_EQ((plan_for<Real, Real>(shape, gpu.processors).blocks), Blocks::tiny) << n;
        const auto time = [&](const Kernel& kernel) {
          return seconds(gpu, shape, sizeof(Real), kernel, 1);
        };
        const double tiny = time(own_kernel<TinyTiles<Real, Real>>(shape));
        EXPECT_LT(tiny, time(own_kernel<SmallTiles<Real, Real>>(shape))) << gpu.name << " " << n;
        EXPECT_LT(tiny, time(own_kernel<MediumTiles<Real, Real>>(shape))) << gpu.name << " " << n;
        EXPECT_LT(tiny, time(own_kernel<LargeTiles<Real, Real>>(shape))) << gpu.name << " " << n;
      };
      expect_best(1.f), expect_best(1.);
    }
  EXPECT_EQ((plan_for<float, float>(square(64, matrices), 132).blocks), Blocks::small);
}

}  // namespace
}  // namespace breakeven::kokkos
