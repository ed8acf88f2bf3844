// SPDX-License-Identifier: Apache-2.0
#include "turns.hpp"

#include <ctime>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "at_work.hpp"

namespace breakeven {

namespace {

double seconds_now() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return double(time.tv_sec) + 1e-9 * double(time.tv_nsec);
}

template <class Work>
double seconds_of(Work work) {
  const double start = seconds_now();
  work();
  return seconds_now() - start;
}

// The first moments after a product are slower, by up to a tenth after a large one: they do not
// count.
double peak_flops_per_s(double (*run_peak)(std::size_t steps)) {
  run_peak(20000);
  double flops = 0;
  const double seconds = seconds_of([&] { flops = run_peak(20000); });
  return flops / seconds;
}

// The value, of the sorted ones, at a share of the way up.
double quantile(std::vector<double> values, double share) {
  std::sort(values.begin(), values.end());
  return values[std::size_t(std::lround(share * double(values.size() - 1)))];
}

double median(const std::vector<double>& values) {
  return quantile(values, 0.5);
}

struct Measured {
  std::size_t repetitions = 0;
  std::vector<double> shares = {}, flops_per_s = {}, ratios = {};
};

}  // namespace

void compare(const std::string& size, const Gemm& gemm, std::size_t turns,
             const std::vector<Entrant>& entrants, double (*run_peak)(std::size_t steps),
             std::minstd_rand& random) {
  const double flops = 2.0 * double(gemm.m) * double(gemm.n) * double(gemm.k * gemm.batch);
  std::vector<std::size_t> order;
  std::vector<Measured> seen(entrants.size());
  for (std::size_t i = 0; i < entrants.size(); ++i) {
    at_work(entrants[i].name + ", " + size, [&] {
      entrants[i].prepare(gemm);
      entrants[i].run(2);
      const double once = seconds_of([&] { entrants[i].run(1); });
      seen[i].repetitions = std::size_t(std::max(1.0, 0.7e-3 / std::max(once, 1e-8)));
      entrants[i].check();
    });
    order.push_back(i);
  }
  for (std::size_t turn = 0; turn < turns; ++turn) {
    std::shuffle(order.begin(), order.end(), random);
    for (const std::size_t i : order) {
      at_work(entrants[i].name + ", " + size, [&] {
        entrants[i].run(1);  // another one was last in the caches
        const double before = peak_flops_per_s(run_peak);
        entrants[i].run(1);
        const double seconds = seconds_of([&] { entrants[i].run(seen[i].repetitions); });
        const double peak = std::max(before, peak_flops_per_s(run_peak));
        seen[i].flops_per_s.push_back(flops * double(seen[i].repetitions) / seconds);
        seen[i].shares.push_back(seen[i].flops_per_s.back() / peak);
      });
    }
    for (Measured& one : seen)
      one.ratios.push_back(seen[0].flops_per_s.back() / one.flops_per_s.back());
  }
  const double spread = 1.29 / std::sqrt(double(turns));  // of the median, 99 %
  std::printf("%-18s", size.c_str());
  for (std::size_t i = 0; i < entrants.size(); ++i) {
    std::printf(" | %-8s %6.1f %5.1f %%", entrants[i].name.c_str(),
                median(seen[i].flops_per_s) * 1e-9, median(seen[i].shares) * 100);
    if (i > 0)
      std::printf(" %.3f [%.3f, %.3f]", median(seen[i].ratios),
                  quantile(seen[i].ratios, std::max(0.0, 0.5 - spread)),
                  quantile(seen[i].ratios, std::min(1.0, 0.5 + spread)));
  }
  std::printf("\n");
  std::fflush(stdout);
}

}  // namespace breakeven
