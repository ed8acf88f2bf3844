// SPDX-License-Identifier: Apache-2.0
// Products by `serial` and by any CBLAS libraries on one thread, in turns of about a millisecond,
// with the FMA peak of the core measured around each turn:
//
//   serial_against_blas [--type f32|f64] [--turns N] [--variant NAME] [--transpose ab]
//                       [--build NAME=FILE]... [--library NAME=FILE]... SIZE...
//
// where a build is another serial.so, as of before a change, and SIZE is 64, 1x4096x4096 (m, n, k)
// or 100x100x100*1000 (a batch); without a library the one that the plugin `blas` was built with.
// MKL comes last: it makes its names known to what is loaded later, and BLIS after it ran MKL's
// products. All of them read the same a and b. Of each library its rate, its share of the peak, and
// its time over that of `serial`, the median of the turns with a 99 % rank interval. The clock is
// the thread's own processor time, so that other load disturbs less.
#include <array>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "contender.hpp"
#include "fma_peak.hpp"
#include "turns.hpp"

namespace {

using namespace breakeven;

Type type_from(const std::string& name) {
  if (name == "f64") return Type::f64;
  if (name == "f32") return Type::f32;
  throw std::runtime_error("--type is " + name + "; give f32 or f64");
}

}  // namespace

int main(int count, char** arguments) try {
  Gemm shape;
  std::size_t turns = 21;
  std::string variant = "auto";
  std::vector<std::pair<std::string, std::string>> builds, libraries;
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
    else if ((argument == "--library" || argument == "--build") && value.find('=') != value.npos)
      (argument == "--build" ? builds : libraries)
          .emplace_back(value.substr(0, value.find('=')), value.substr(value.find('=') + 1));
    else if (argument == "--transpose") {
      if (value.find('a') != value.npos) shape.transpose_a = Transpose::yes;
      if (value.find('b') != value.npos) shape.transpose_b = Transpose::yes;
    } else
      return std::fprintf(stderr, "what is %s %s?\n", argument.c_str(), arguments[i]), 2;
  }
  if (libraries.empty() && builds.empty()) libraries.emplace_back("blas", "");
  setenv("MKL_THREADING_LAYER", "SEQUENTIAL", 0);  // read while the library is loaded
  const Variable kernels{"variant", variant};
  std::vector<std::unique_ptr<Contender>> contenders;
  std::vector<Entrant> entrants;
  std::optional<Operands> operands;  // of the size that is measured
  const auto enter = [&](const std::string& name, const char* plugin,
                         std::span<const Variable> settings) {
    contenders.push_back(std::make_unique<Contender>(plugin, settings));
    Contender* const last = contenders.back().get();
    entrants.push_back({name, [&, last](const Gemm& gemm) { last->prepare(gemm, *operands); },
                        [last](std::size_t repetitions) { last->run(repetitions); }});
  };
  enter("serial", SERIAL_PLUGIN, std::span(&kernels, 1));
  for (const auto& [name, file] : builds) enter(name, file.c_str(), std::span(&kernels, 1));
  for (const auto& [name, file] : libraries)
    enter(name, BLAS_PLUGIN, std::array<Variable, 2>{{{"threads", "1"}, {"library", file}}});
  contenders[0]->bind_thread();
  std::minstd_rand random(1);
  std::printf("m×n×k | name, GFLOP/s, share of the peak, time over that of serial [99 %%]\n");
  for (const char* size : sizes) {
    Gemm gemm = shape_from(size);
    gemm.type = shape.type;
    gemm.transpose_a = shape.transpose_a, gemm.transpose_b = shape.transpose_b;
    operands.emplace(gemm);
    compare(size, gemm, turns, entrants, shape.type == Type::f32 ? run_fma_f32 : run_fma_f64,
            random);
  }
} catch (const std::exception& error) {
  std::fprintf(stderr, "serial_against_blas: %s\n", error.what());
  return 1;
}
