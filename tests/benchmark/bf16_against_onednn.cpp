// SPDX-License-Identifier: Apache-2.0
// Products of bf16 by `serial`, by the same with f32, and by oneDNN with bf16, on one thread (set
// OMP_NUM_THREADS=1), in turns:
//
//   bf16_against_onednn [--turns N] [--variant NAME] SIZE...
//
// as serial_against_blas. The peak is that of the instructions for products of bf16.
#include <cstdio>
#include <cstdlib>
#include <oneapi/dnnl/dnnl.hpp>
#include <optional>
#include <string>

#include "contender.hpp"
#include "fma_peak.hpp"
#include "turns.hpp"

namespace {

using namespace breakeven;

class OneDnn {
 public:
  void prepare(const Gemm& gemm, const Operands& operands) {
    using dnnl::memory;
    const auto matrices = [&](std::size_t rows, std::size_t columns, Transpose transpose) {
      return memory::desc(
          {memory::dim(gemm.batch), memory::dim(rows), memory::dim(columns)},
          memory::data_type::bf16,
          transpose == Transpose::yes ? memory::format_tag::acb : memory::format_tag::abc);
    };
    const auto a = matrices(gemm.m, gemm.k, gemm.transpose_a);
    const auto b = matrices(gemm.k, gemm.n, gemm.transpose_b);
    const auto c = matrices(gemm.m, gemm.n, Transpose::no);
    arguments_ = {{DNNL_ARG_SRC, memory(a, engine_, operands.a())},
                  {DNNL_ARG_WEIGHTS, memory(b, engine_, operands.b())},
                  {DNNL_ARG_DST, memory(c, engine_)}};
#if DNNL_VERSION_MAJOR < 3
    product_ = dnnl::matmul({dnnl::matmul::desc(a, b, c), engine_});
#else
    product_ = dnnl::matmul({engine_, a, b, c});
#endif
  }
  void run(std::size_t repetitions) {
    for (std::size_t i = 0; i < repetitions; ++i) product_.execute(stream_, arguments_);
    stream_.wait();
  }

 private:
  dnnl::engine engine_{dnnl::engine::kind::cpu, 0};
  dnnl::stream stream_{engine_};
  dnnl::matmul product_;
  std::unordered_map<int, dnnl::memory> arguments_;
};

}  // namespace

int main(int count, char** arguments) try {
  std::size_t turns = 21;
  Variable kernels{"variant", "auto"};
  int first = 1;
  for (; first + 1 < count && arguments[first][0] == '-'; first += 2) {
    const std::string option = arguments[first];
    if (option == "--turns")
      turns = std::strtoul(arguments[first + 1], nullptr, 10);
    else if (option == "--variant")
      kernels.value = arguments[first + 1];
    else
      return std::fprintf(stderr, "what is %s?\n", option.c_str()), 2;
  }
  Contender bf16(SERIAL_PLUGIN, std::span(&kernels, 1)), f32(SERIAL_PLUGIN, {});
  OneDnn onednn;
  bf16.bind_thread();
  std::optional<Operands> of_bf16, of_f32;  // of the size that is measured
  const std::vector<Entrant> entrants{
      {"bf16", [&](const Gemm& gemm) { bf16.prepare(gemm, *of_bf16); },
       [&](std::size_t repetitions) { bf16.run(repetitions); }},
      {"f32",
       [&](Gemm gemm) {
         gemm.type = Type::f32;
         f32.prepare(gemm, of_f32.emplace(gemm));
       },
       [&](std::size_t repetitions) { f32.run(repetitions); }},
      {"oneDNN", [&](const Gemm& gemm) { onednn.prepare(gemm, *of_bf16); },
       [&](std::size_t repetitions) { onednn.run(repetitions); }}};
  const dnnl_version_t& version = *dnnl_version();
  std::printf(
      "oneDNN %d.%d.%d\nm×n×k | name, GFLOP/s, share of the peak of bf16, time over that of "
      "serial's bf16 [99 %%]\n",
      version.major, version.minor, version.patch);
  std::minstd_rand random(1);
  for (; first < count; ++first) {
    Gemm gemm = shape_from(arguments[first]);
    gemm.type = Type::bf16;
    of_bf16.emplace(gemm);
    compare(arguments[first], gemm, turns, entrants, run_fma_bf16, random);
  }
} catch (const std::exception& error) {
  std::fprintf(stderr, "bf16_against_onednn: %s\n", error.what());
  return 1;
}
