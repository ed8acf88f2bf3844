// SPDX-License-Identifier: Apache-2.0
// Products of bf16 by `serial`, by the same with f32, and by oneDNN with bf16, on one thread, in
// turns as serial_against_blas has; --help says how it is called. The peak is that of the
// instructions for products of bf16.
#include <cstdio>
#include <cstdlib>
#include <oneapi/dnnl/dnnl.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "arguments.hpp"
#include "at_work.hpp"
#include "contender.hpp"
#include "fma_peak.hpp"
#include "product_check.hpp"
#include "suite/verify/numbers.hpp"
#include "turns.hpp"

namespace {

using namespace breakeven;

constexpr const char* usage = R"(bf16_against_onednn [--turns N] [--variant NAME] SIZE...

SIZE is 64, 1x4096x4096 (m, n, k) or 100x100x100*1000 (a batch). The variant is that of `serial`
with bf16. Set OMP_NUM_THREADS=1, or oneDNN has more threads than the others.
)";

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
    arguments_ = {{DNNL_ARG_SRC, memory(a, engine_, operands.a().data())},
                  {DNNL_ARG_WEIGHTS, memory(b, engine_, operands.b().data())},
                  {DNNL_ARG_DST, memory(c, engine_)}};
#if DNNL_VERSION_MAJOR < 3
    product_ = dnnl::matmul({dnnl::matmul::desc(a, b, c), engine_});
#else
    product_ = dnnl::matmul({engine_, a, b, c});
#endif
    gemm_ = gemm, a_ = operands.a(), b_ = operands.b();
    c_ = {static_cast<std::byte*>(arguments_.at(DNNL_ARG_DST).get_data_handle()), c.get_size()};
    poison(c_);
  }
  void run(std::size_t repetitions) {
    for (std::size_t i = 0; i < repetitions; ++i) product_.execute(stream_, arguments_);
    stream_.wait();
  }
  void check() const {
    check_product(gemm_, a_, b_, c_);
  }

 private:
  dnnl::engine engine_{dnnl::engine::kind::cpu, 0};
  dnnl::stream stream_{engine_};
  dnnl::matmul product_;
  std::unordered_map<int, dnnl::memory> arguments_;
  Gemm gemm_;
  std::span<std::byte> a_, b_, c_;
};

void measure(std::span<char* const> words) {
  std::size_t turns = 21;
  std::string variant = "auto";
  std::vector<std::pair<std::string, Gemm>> sizes;
  const std::vector<Flag> flags{
      {"--turns", [&](const std::string& value) { turns = turns_from(value); }},
      {"--variant", [&](const std::string& value) { variant = value; }}};
  const auto take_size = [&](const std::string& word) {
    sizes.emplace_back(word, shape_from(word)).second.type = Type::bf16;
  };
  if (!parse(words, usage, flags, take_size)) return;
  if (sizes.empty()) throw UsageError("there is no size; give one such as 64");
  const char* const threads = std::getenv("OMP_NUM_THREADS");  // oneDNN has read it by now
  if (!threads || std::string_view(threads) != "1")
    throw UsageError("oneDNN would take more than one thread; set OMP_NUM_THREADS=1");
  const Variable kernels{"variant", variant};
  std::optional<Contender> bf16, f32;
  at_work("serial", [&] {
    bf16.emplace(SERIAL_PLUGIN, std::span(&kernels, 1));
    f32.emplace(SERIAL_PLUGIN, std::span<const Variable>());
  });
  OneDnn onednn;
  bf16->bind_thread();
  std::optional<Operands> of_bf16, of_f32;  // of the size that is measured
  const std::vector<Entrant> entrants{
      {"bf16", [&](const Gemm& gemm) { bf16->prepare(gemm, *of_bf16); },
       [&](std::size_t repetitions) { bf16->run(repetitions); }, [&] { bf16->check(); }},
      {"f32",
       [&](Gemm gemm) {
         gemm.type = Type::f32;
         f32->prepare(gemm, of_f32.emplace(gemm));
       },
       [&](std::size_t repetitions) { f32->run(repetitions); }, [&] { f32->check(); }},
      {"oneDNN", [&](const Gemm& gemm) { onednn.prepare(gemm, *of_bf16); },
       [&](std::size_t repetitions) { onednn.run(repetitions); }, [&] { onednn.check(); }}};
  const dnnl_version_t& version = *dnnl_version();
  std::printf(
      "oneDNN %d.%d.%d\nm×n×k | name, GFLOP/s, share of the peak of bf16, time over that of "
      "serial's bf16 [99 %%]\n",
      version.major, version.minor, version.patch);
  std::minstd_rand random(1);
  for (const auto& [size, gemm] : sizes) {
    at_work(size, [&, &gemm = gemm] { of_bf16.emplace(gemm); });
    compare(size, gemm, turns, entrants, run_fma_bf16, random);
  }
}

}  // namespace

int main(int count, char** arguments) {
  constexpr const char* program = "bf16_against_onednn";
  return run_apart(program, [&] {
    return run_program(program,
                       [&] { measure(std::span(arguments, std::size_t(count)).subspan(1)); });
  });
}
