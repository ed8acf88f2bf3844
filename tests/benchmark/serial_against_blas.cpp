// SPDX-License-Identifier: Apache-2.0
// Products by `serial` and by any CBLAS libraries on one thread, in turns of about a millisecond,
// with the FMA peak of the core measured around each turn:
//
//   serial_against_blas [--type f32|f64] [--turns N] [--variant NAME] [--transpose ab]
//                       [--library NAME=FILE]... SIZE...
//
// where SIZE is 64, 1x4096x4096 (m, n, k) or 100x100x100*1000 (a batch); without a library the one
// that the plugin `blas` was built with. Of each library its rate, its share of the peak, and its
// time over that of `serial`, the median of the turns with a 99 % rank interval. The clock is the
// thread's own processor time, so that other load disturbs less.
#include <ctime>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <random>
#include <string>
#include <utility>
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

struct Entrant {
  std::string name;
  std::unique_ptr<Contender> contender;
  std::vector<double> shares = {}, flops_per_s = {}, ratios = {};
};

Type type_from(const std::string& name) {
  if (name == "f64") return Type::f64;
  if (name == "f32") return Type::f32;
  throw std::runtime_error("--type is " + name + "; give f32 or f64");
}

Gemm parse(const char* text, Type type) {
  Gemm gemm{.type = type};
  const int found = std::sscanf(text, "%zux%zux%zu*%zu", &gemm.m, &gemm.n, &gemm.k, &gemm.batch);
  if (found == 1) gemm.n = gemm.k = gemm.m;
  return gemm;
}

// The first entrant is what the others are held against.
void compare(const char* name, const Gemm& gemm, std::size_t turns, std::vector<Entrant>& entrants,
             std::minstd_rand& random) {
  const double flops = 2.0 * double(gemm.m) * double(gemm.n) * double(gemm.k * gemm.batch);
  std::vector<std::size_t> order, repetitions;
  for (Entrant& entrant : entrants) {
    entrant.shares.clear(), entrant.flops_per_s.clear(), entrant.ratios.clear();
    entrant.contender->prepare(gemm);
    entrant.contender->run(2);
    const double once = seconds_of([&] { entrant.contender->run(1); });
    repetitions.push_back(std::size_t(std::max(1.0, 0.7e-3 / std::max(once, 1e-8))));
    order.push_back(order.size());
  }
  for (std::size_t turn = 0; turn < turns; ++turn) {
    std::shuffle(order.begin(), order.end(), random);
    for (const std::size_t i : order) {
      Contender& contender = *entrants[i].contender;
      contender.run(1);  // another one was last in the caches
      const double before = peak_flops_per_s(gemm.type);
      contender.run(1);
      const double seconds = seconds_of([&] { contender.run(repetitions[i]); });
      const double peak = std::max(before, peak_flops_per_s(gemm.type));
      entrants[i].flops_per_s.push_back(flops * double(repetitions[i]) / seconds);
      entrants[i].shares.push_back(entrants[i].flops_per_s.back() / peak);
    }
    for (Entrant& entrant : entrants)
      entrant.ratios.push_back(entrants[0].flops_per_s.back() / entrant.flops_per_s.back());
  }
  const double spread = 1.29 / std::sqrt(double(turns));  // of the median, 99 %
  std::printf("%-18s", name);
  for (const Entrant& entrant : entrants) {
    std::printf(" | %-8s %6.1f %5.1f %%", entrant.name.c_str(), median(entrant.flops_per_s) * 1e-9,
                median(entrant.shares) * 100);
    if (&entrant != entrants.data())
      std::printf(" %.3f [%.3f, %.3f]", median(entrant.ratios),
                  quantile(entrant.ratios, std::max(0.0, 0.5 - spread)),
                  quantile(entrant.ratios, std::min(1.0, 0.5 + spread)));
  }
  std::printf("\n");
  std::fflush(stdout);
}

}  // namespace

int main(int count, char** arguments) try {
  Gemm shape;
  std::size_t turns = 21;
  std::string variant = "auto";
  std::vector<std::pair<std::string, std::string>> libraries;
  std::vector<const char*> sizes;
  for (int i = 1; i < count; ++i) {
    const std::string argument = arguments[i];
    if (argument[0] != '-') {
      sizes.push_back(arguments[i]);
      continue;
    }
    if (++i == count) return std::fprintf(stderr, "%s needs a value\n", argument.c_str()), 2;
    const std::string value = arguments[i];
    if (argument == "--type")
      shape.type = type_from(value);
    else if (argument == "--turns")
      turns = std::strtoul(arguments[i], nullptr, 10);
    else if (argument == "--variant")
      variant = value;
    else if (argument == "--library" && value.find('=') != value.npos)
      libraries.emplace_back(value.substr(0, value.find('=')), value.substr(value.find('=') + 1));
    else if (argument == "--transpose") {
      if (value.find('a') != value.npos) shape.transpose_a = Transpose::yes;
      if (value.find('b') != value.npos) shape.transpose_b = Transpose::yes;
    } else
      return std::fprintf(stderr, "what is %s %s?\n", argument.c_str(), arguments[i]), 2;
  }
  if (libraries.empty()) libraries.emplace_back("blas", "");
  setenv("MKL_THREADING_LAYER", "SEQUENTIAL", 0);  // read while the library is loaded
  const Variable kernels{"variant", variant};
  std::vector<Entrant> entrants;
  entrants.push_back(
      {"serial", std::make_unique<Contender>(SERIAL_PLUGIN, std::span(&kernels, 1))});
  for (const auto& [name, file] : libraries) {
    const std::array<Variable, 2> settings{{{"threads", "1"}, {"library", file}}};
    entrants.push_back({name, std::make_unique<Contender>(BLAS_PLUGIN, settings)});
  }
  entrants[0].contender->bind_thread();
  std::minstd_rand random(1);
  std::printf("m×n×k | name, GFLOP/s, share of the peak, time over that of serial [99 %%]\n");
  for (const char* size : sizes) {
    Gemm gemm = parse(size, shape.type);
    gemm.transpose_a = shape.transpose_a, gemm.transpose_b = shape.transpose_b;
    compare(size, gemm, turns, entrants, random);
  }
} catch (const std::exception& error) {
  std::fprintf(stderr, "serial_against_blas: %s\n", error.what());
  return 1;
}
