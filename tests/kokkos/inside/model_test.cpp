// SPDX-License-Identifier: Apache-2.0
// What the products of kokkos-cuda should reach on GPUs by a model; the README shows its table.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "cuda/tiles.hpp"
#include "gpus.hpp"

namespace breakeven::kokkos {
namespace {

// NVIDIA has published that of the A100 alone, in its whitepaper.
constexpr double cache_bytes_per_clock = 5120;                 // of the second level
constexpr double launch_seconds = 3e-6, latency_clocks = 800;  // a block's first slice

// A kernel whose teams of so many warps of 32 make so many blocks of rows × columns at once.
struct Kernel {
  double rows, columns, blocks, slice, warps, resident;  // teams on a processor
  double clocks_of_step;                                 // of k, by a team
  double share_of_one = 1;  // of a processor's speed, where it has one team
};

template <class Tiles>
Kernel own_kernel(const Gpu& gpu, const Shape& is) {
  using Sum = typename Tiles::Sum;
  return {Tiles::block_m,
          Tiles::block_n,
          Tiles::crews,
          Tiles::slice,
          Tiles::team / 32.,
          static_cast<double>(resident_teams<Tiles>(gpu.is)),
          clocks_of_step<Tiles>(processors_of<typename Tiles::T, Sum>(gpu), is_inside<Tiles>(is)),
          by_tensor_cores<Tiles> ? share_of_one_team : 1};
}

// What is moved if all of it comes from memory once.
double least_bytes(const Shape& is, double bytes) {
  const auto rows = static_cast<double>(is.rows), columns = static_cast<double>(is.columns),
             depth = static_cast<double>(is.depth), batch = static_cast<double>(is.batch);
  return batch * (rows * depth + depth * columns + rows * columns) * bytes;
}

// What memory and arithmetic allow at best.
template <class Real>
double least_seconds(const Gpu& gpu, const Shape& is) {
  const double multiply_adds =
      static_cast<double>(is.rows * is.columns) * static_cast<double>(is.depth * is.batch);
  const Processors each = processors_of<Real, Real>(gpu);
  const double clocks =
      multiply_adds / (std::max(each.rate, each.matrix_rate) * static_cast<double>(each.count));
  return std::max(least_bytes(is, sizeof(Real)) / gpu.memory_bytes_per_second, clocks / gpu.hertz) +
         launch_seconds;
}

double seconds(const Gpu& gpu, const Shape& is, double bytes, const Kernel& kernel, double parts) {
  const auto rows = static_cast<double>(is.rows), columns = static_cast<double>(is.columns),
             depth = static_cast<double>(is.depth), batch = static_cast<double>(is.batch);
  const auto processors = static_cast<double>(gpu.processors);
  const double cache = cache_bytes_per_clock / processors;
  const double area = kernel.rows * kernel.columns * kernel.blocks;
  const double blocks_down = std::ceil(rows / kernel.rows);
  const double teams =
      std::ceil(blocks_down * std::ceil(columns / kernel.columns) * batch * parts / kernel.blocks);
  const double at_once = std::max(1., 4 / kernel.warps);
  const double turns = std::ceil(teams / (processors * at_once)) * at_once;
  const double steps = std::ceil(depth / parts / kernel.slice) * kernel.slice;
  const double share = turns == 1 ? kernel.share_of_one : 1;
  const double step = std::max(kernel.clocks_of_step / share,
                               (kernel.rows + kernel.columns) * kernel.blocks * bytes / cache);
  // Teams that are on a processor together wait for their first slices together.
  const double clocks = turns * (step * steps + area * bytes / cache) +
                        std::ceil(turns / kernel.resident) * latency_clocks;
  // Operands that do not fit the second level are read once for all teams that run together, which
  // are as many as 16 blocks high.
  double moved = least_bytes(is, bytes);
  if (batch == 1 && (rows + columns) * depth * bytes > gpu.cache_bytes) {
    const double together = std::min(teams, processors * kernel.resident);
    const double down = std::min(blocks_down, 16.);
    const double lines = down * kernel.rows + std::ceil(together / down) * kernel.columns;
    moved = std::max(moved, teams / together * lines * steps * bytes);
  }
  const double join = parts == 1 ? 0
                                 : launch_seconds + 2 * parts * rows * columns * bytes /
                                                        cache_bytes_per_clock / gpu.hertz;
  return std::max(clocks / gpu.hertz, moved / gpu.memory_bytes_per_second) + launch_seconds + join;
}

Shape square(std::size_t n, std::size_t batch = 1) {
  return {n, n, n, batch};
}

// cuBLAS is taken for a kernel of the same sort that is as good as it gets: any usual block and cut
// of k, 95 % of a loop multiply-adds, nothing lost to shared memory, tensor cores for f64.
template <class Real>
double seconds_of_cublas(const Gpu& gpu, std::size_t n) {
  const double times = sizeof(Real) == 8 ? gpu.f64_of_tensor_cores : 1;
  double least = 1e9;
  for (const auto& [rows, columns] :
       {std::pair{256., 128.}, {128., 128.}, {128., 64.}, {64., 64.}, {64., 32.}})
    for (const int parts : {1, 2, 3, 4, 5, 6, 7, 8}) {
      const double step = rows * columns / times / std::min(rate_of<Real>(gpu), 4 * 32 * 0.95);
      least = std::min(
          least, seconds(gpu, square(n), sizeof(Real), {rows, columns, 1, 8, 4, 2, step}, parts));
    }
  return least;
}

// As it is planned.
template <class Real>
struct Chosen {
  Plan plan;
  Kernel kernel;
  double seconds;

  Chosen(const Gpu& gpu, const Shape& is)
      : plan(plan_for<Real, Real>(is, processors_of<Real, Real>(gpu))),
        kernel(with_tiles<Real, Real>(
            plan, [&]<class Tiles>(Tiles) { return own_kernel<Tiles>(gpu, is); })),
        seconds(kokkos::seconds(gpu, is, sizeof(Real), kernel, static_cast<double>(plan.parts))) {}
};

template <class... Values>
std::string print(const char* format, Values... values) {
  char text[160];
  std::snprintf(text, sizeof text, format, values...);
  return text;
}

// A row for each GPU, a column for each n.
template <std::size_t columns, class Cell>
std::string table(const char* type, const std::size_t (&sizes)[columns], Cell cell) {
  std::string text = print("| %s |", type), line = "|---|";
  for (const std::size_t n : sizes) text += print(" n = %zu |", n), line += "---|";
  text += print("\n%s\n", line.c_str());
  for (const Gpu& gpu : gpus) {
    text += print("| %s |", gpu.name);
    for (const std::size_t n : sizes) text += print(" %s |", cell(gpu, n).c_str());
    text += "\n";
  }
  return text;
}

template <class Real>
std::string table_of_products(const char* type) {
  return table(type, {512, 1024, 2048, 8192}, [](const Gpu& gpu, std::size_t n) {
    const Chosen<Real> is(gpu, square(n));
    return print("%.0f×%.0f%s: %.0f %%, %.0f %%", is.kernel.rows, is.kernel.columns,
                 is.plan.parts > 1 ? (" / " + std::to_string(is.plan.parts)).c_str() : "",
                 100 * std::pow(static_cast<double>(n), 3) / is.seconds /
                     (static_cast<double>(gpu.processors) * gpu.hertz * rate_of<Real>(gpu)),
                 100 * seconds_of_cublas<Real>(gpu, n) / is.seconds);
  });
}

constexpr std::size_t matrices = 10000;

// Of the time that memory and arithmetic allow, with what is chosen and with small blocks.
template <class Real>
std::string table_of_batches(const char* type) {
  return table(type, {8, 16, 32, 64, 100}, [](const Gpu& gpu, std::size_t n) {
    const Shape shape = square(n, matrices);
    const Chosen<Real> is(gpu, shape);
    const double least = least_seconds<Real>(gpu, shape);
    const Kernel small = own_kernel<SmallTiles<Real, Real>>(gpu, shape);
    return print("%.0f×%.0f: %.0f %% (%.0f %%)", is.kernel.rows, is.kernel.columns,
                 100 * least / is.seconds,
                 100 * least / seconds(gpu, shape, sizeof(Real), small, 1));
  });
}

TEST(Model, IsInTheTablesOfTheReadme) {
  std::ifstream file(README);
  const std::string page((std::istreambuf_iterator<char>(file)), {});
  for (const std::string& wanted :
       {table_of_products<float>("f32"), table_of_products<double>("f64"),
        table_of_batches<float>("f32"), table_of_batches<double>("f64")})
    EXPECT_NE(page.find(wanted), page.npos) << README << " has to show\n" << wanted;
}

// By the whole model, of which a plan leaves out latency and the memories behind scratch memory.
TEST(Model, PlansAreWithinATenthOfTheBest) {
  const auto expect_good = []<class Real>(const Gpu& gpu, std::size_t n, Real) {
    const Shape is = square(n);
    const double chosen = Chosen<Real>(gpu, is).seconds;
    for (const Blocks blocks : {Blocks::large, Blocks::medium, Blocks::small})
      for (std::size_t parts = 1; parts <= 8 && n / parts >= 128; ++parts) {
        if (n % (8 * parts) != 0) continue;
        const Plan plan{blocks, parts, matrix_rate_of<Real>(gpu.is.capability) > 0};
        const double other = with_tiles<Real, Real>(plan, [&]<class Tiles>(Tiles) {
          return seconds(gpu, is, sizeof(Real), own_kernel<Tiles>(gpu, is),
                         static_cast<double>(parts));
        });
        EXPECT_LE(chosen, 1.1 * other) << gpu.name << ", n = " << n << ", " << sizeof(Real)
                                       << " bytes, " << static_cast<int>(blocks) << " / " << parts;
      }
  };
  for (const Gpu& gpu : gpus)
    for (const std::size_t n : {256, 384, 512, 768, 1024, 1536, 2048, 3000, 4096, 8192})
      expect_good(gpu, n, 0.f), expect_good(gpu, n, 0.);
}

TEST(Model, ProcessorsAreBusy) {
  const auto expect_busy = [](const Gpu& gpu, std::size_t n, auto stored, auto sum) {
    using T = decltype(stored);
    using Sum = decltype(sum);
    const Plan plan = plan_for<T, Sum>(square(n), processors_of<T, Sum>(gpu));
    const double busy = with_tiles<T, Sum>(plan, [&]<class Tiles>(Tiles) {
      return Cut<Tiles>(square(n), plan.parts, gpu.processors).busy(square(n), gpu.processors);
    });
    // No equal parts of 1024 fill 170 processors better. 16-bit products are so short that smaller
    // blocks would lose more than idle processors do.
    EXPECT_GE(busy, plan.tensor_cores && sizeof(T) == 2  ? 0.74
                    : n == 1024 && gpu.processors == 170 ? 0.75
                                                         : 0.85)
        << n << " in " << sizeof(T) << " bytes on " << gpu.processors;
  };
  std::vector<Gpu> all(std::begin(gpus), std::end(gpus));
  all.push_back(gpus[1]);
  all.back().processors = 144;  // of a whole H100
  for (const Gpu& gpu : all)
    for (const std::size_t n : {1024, 2048, 4096, 8192}) {
      expect_busy(gpu, n, 0.f, 0.f);
      expect_busy(gpu, n, 0., 0.);
      expect_busy(gpu, n, std::int16_t(), 0.f);
    }
}

constexpr Processors h100{132, 128};

TEST(Model, KIsCutOnlyWhereThereAreTooFewBlocks) {
  EXPECT_GT((plan_for<float, float>({256, 256, 65536, 1}, h100).parts), 1u);
  EXPECT_EQ((plan_for<float, float>({256, 256, 256, 1000}, h100).parts), 1u);
  EXPECT_EQ((plan_for<float, float>({8192, 8192, 8192, 1}, h100).parts), 1u);
  EXPECT_EQ((plan_for<float, float>({1024, 1024, 1021, 1}, h100).parts), 1u);  // no equal parts
}

TEST(Model, SixteenBitTypesHaveNoLargeBlocks) {
  for (const Shape& shape : {square(8192), square(0), Shape{256, 256, 65536, 1}})
    EXPECT_NE((plan_for<std::int16_t, float>(shape, h100).blocks), Blocks::large) << shape.rows;
}

// Nearest to what memory allows, of all blocks, and with none of it idle at the end.
TEST(Model, BatchesOfSmallProductsHaveTinyBlocks) {
  for (const Gpu& gpu : gpus)
    for (const std::size_t n : {8, 10, 16}) {
      const Shape shape = square(n, matrices);
      const auto expect_best = [&]<class Real>(Real) {
        EXPECT_EQ((plan_for<Real, Real>(shape, processors_of<Real, Real>(gpu)).blocks),
                  Blocks::tiny)
            << n;
        const auto time = [&](const Kernel& kernel) {
          return seconds(gpu, shape, sizeof(Real), kernel, 1);
        };
        const double tiny = time(own_kernel<TinyTiles<Real, Real>>(gpu, shape));
        EXPECT_LE(tiny, time(own_kernel<SmallTiles<Real, Real>>(gpu, shape)))
            << gpu.name << " " << n;
        EXPECT_LE(tiny, time(own_kernel<MediumTiles<Real, Real>>(gpu, shape)))
            << gpu.name << " " << n;
        EXPECT_LE(tiny, time(own_kernel<LargeTiles<Real, Real>>(gpu, shape)))
            << gpu.name << " " << n;
      };
      expect_best(1.f), expect_best(1.);
    }
  EXPECT_EQ((plan_for<float, float>(square(64, matrices), h100).blocks), Blocks::small);
}

}  // namespace
}  // namespace breakeven::kokkos
