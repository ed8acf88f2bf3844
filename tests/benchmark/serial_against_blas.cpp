// SPDX-License-Identifier: Apache-2.0
// Products by `serial` and by `blas` on one thread, with the best kernels that OpenBLAS has, in
// turns of about a millisecond, with the FMA peak of the core measured around each turn:
//
//   serial_against_blas [--type f32|f64] [--turns N] [--core TYPE] [--transpose ab] SIZE...
//
// where SIZE is 64, 1x4096x4096 (m, n, k) or 100x100x100*1000 (a batch). The clock is the thread's
// own processor time, so that other load disturbs less.
#include <ctime>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "contender.hpp"
#include "fma_peak.hpp"

namespace {

using namespace breakeven;

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
double peak_flops_per_s(Type type) {
  const auto run = [&](std::size_t steps) {
    return type == Type::f32 ? run_fma_f32(steps) : run_fma_f64(steps);
  };
  run(20000);
  double flops = 0;
  const double seconds = seconds_of([&] { flops = run(20000); });
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

struct Rate {
  std::vector<double> shares, flops_per_s;
};

Gemm parse(const char* text, Type type) {
  Gemm gemm{.type = type};
  const int found = std::sscanf(text, "%zux%zux%zu*%zu", &gemm.m, &gemm.n, &gemm.k, &gemm.batch);
  if (found == 1) gemm.n = gemm.k = gemm.m;
  return gemm;
}

void compare(const char* name, const Gemm& gemm, std::size_t turns, Contender& serial,
             Contender& blas) {
  const double flops = 2.0 * double(gemm.m) * double(gemm.n) * double(gemm.k * gemm.batch);
  Contender* const contenders[] = {&serial, &blas};
  Rate rates[2];
  for (Contender* contender : contenders) contender->prepare(gemm), contender->run(2);
  const double once = seconds_of([&] { serial.run(1); });
  const auto repetitions = std::size_t(std::max(1.0, 1e-3 / std::max(once, 1e-8)));
  std::vector<double> ratios;
  for (std::size_t turn = 0; turn < turns; ++turn) {
    double seconds[2];
    for (std::size_t step = 0; step < 2; ++step) {
      const std::size_t i = (step + turn) % 2;
      contenders[i]->run(1);  // the other one was last in the caches
      const double before = peak_flops_per_s(gemm.type);
      contenders[i]->run(1);
      seconds[i] = seconds_of([&] { contenders[i]->run(repetitions); });
      const double peak = std::max(before, peak_flops_per_s(gemm.type));
      rates[i].flops_per_s.push_back(flops * double(repetitions) / seconds[i]);
      rates[i].shares.push_back(rates[i].flops_per_s.back() / peak);
    }
    ratios.push_back(seconds[1] / seconds[0]);
  }
  const double spread = 0.98 / std::sqrt(double(turns));  // of the median, 95 %
  std::printf("%-20s %7.1f %6.1f %%  %7.1f %6.1f %%   %.3f [%.3f, %.3f]\n", name,
              median(rates[0].flops_per_s) * 1e-9, median(rates[0].shares) * 100,
              median(rates[1].flops_per_s) * 1e-9, median(rates[1].shares) * 100, median(ratios),
              quantile(ratios, std::max(0.0, 0.5 - spread)),
              quantile(ratios, std::min(1.0, 0.5 + spread)));
  std::fflush(stdout);
}

}  // namespace

int main(int count, char** arguments) {
  Type type = Type::f32;
  std::size_t turns = 21;
  const char* core = "SKYLAKEX";
  Transpose transpose_a = Transpose::no, transpose_b = Transpose::no;
  std::vector<const char*> sizes;
  for (int i = 1; i < count; ++i) {
    const std::string argument = arguments[i];
    if (argument[0] != '-')
      sizes.push_back(arguments[i]);
    else if (++i == count)
      return std::fprintf(stderr, "%s needs a value\n", argument.c_str()), 2;
    else if (argument == "--type")
      type = std::strcmp(arguments[i], "f64") == 0 ? Type::f64 : Type::f32;
    else if (argument == "--turns")
      turns = std::strtoul(arguments[i], nullptr, 10);
    else if (argument == "--core")
      core = arguments[i];
    else if (argument == "--transpose") {
      if (std::strchr(arguments[i], 'a')) transpose_a = Transpose::yes;
      if (std::strchr(arguments[i], 'b')) transpose_b = Transpose::yes;
    } else
      return std::fprintf(stderr, "unknown option %s\n", argument.c_str()), 2;
  }
  setenv("OPENBLAS_CORETYPE", core, 1);  // read while the library is loaded
  const Variable one_thread{"threads", "1"};
  Contender serial(SERIAL_PLUGIN, {}), blas(BLAS_PLUGIN, {&one_thread, 1});
  serial.bind_thread();
  std::printf("%-20s %17s  %17s   %s\n", "m×n×k", "serial GFLOP/s", "blas GFLOP/s",
              "blas / serial time");
  for (const char* size : sizes) {
    Gemm gemm = parse(size, type);
    gemm.transpose_a = transpose_a, gemm.transpose_b = transpose_b;
    compare(size, gemm, turns, serial, blas);
  }
}
