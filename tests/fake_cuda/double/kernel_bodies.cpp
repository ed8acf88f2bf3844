// SPDX-License-Identifier: Apache-2.0
// The plugins' kernels by their names: what nvcc compiles for a GPU, compiled for this processor.
#include <array>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "kernel_language.hpp"
#include "launch.hpp"
#include "memory.hpp"

// After the language.
#include "plugins/cuda_common/kernels/elementwise_kernels.cuh"
#include "plugins/cuda_common/kernels/norm_kernels.cuh"

namespace fake_cuda {

namespace {

using namespace breakeven::cuda;

// The arguments of one launch, and the arrays that they point to.
template <std::size_t arrays>
struct Given {
  std::array<breakeven::block::Array, arrays> array;
  std::size_t count = 0;
  double bytes = 0;
  bool is_valid = true, is_filled = true;

  template <class Value>
  void take(Value&, const std::array<std::size_t, arrays>&) {}
  // The stream's view of an array on the GPU.
  template <class Real>
  void take(Real*& pointer, const std::array<std::size_t, arrays>& elements) {
    const std::size_t size = elements[count] * sizeof(Real);
    const Range range = range_of(pointer, size);
    is_valid = is_valid && range.inside && range.where == Where::device;
    is_filled = is_filled && range.is_filled;
    pointer = reinterpret_cast<Real*>(range.bytes);
    array[count++] = {range.bytes, size};
    bytes += static_cast<double>(size);
  }
};

// `elements(blocks, arguments...)` are those of each array that the kernel is given.
template <class... Parameters, class Elements>
Body body(void (*kernel)(Parameters...), Elements elements) {
  return [=](const Launch& launch) -> Work {
    auto arguments = [&]<std::size_t... i>(std::index_sequence<i...>) {
      return std::tuple<Parameters...>(*static_cast<Parameters*>(launch.arguments[i])...);
    }
    (std::index_sequence_for<Parameters...>());
    const auto counts = std::apply(
        [&](const auto&... argument) { return elements(launch.grid.x, argument...); }, arguments);
    Given<std::tuple_size_v<decltype(counts)>> given;
    std::apply([&](auto&... argument) { (given.take(argument, counts), ...); }, arguments);
    *launch.bytes = given.bytes;
    if (!given.is_valid) return {};
    if (!given.is_filled) return [] {};
    return [=] { run_blocks(launch, given.array, [&] { std::apply(kernel, arguments); }); };
  };
}

template <class... Arrays>
auto all_of(std::size_t elements, const Arrays*...) {
  std::array<std::size_t, sizeof...(Arrays)> all;
  all.fill(elements);
  return all;
}

template <class Real, bool packed>
void add(Bodies& bodies, const std::string& parameters) {
  const std::string before = "void breakeven::cuda::", after = "<" + parameters + ">";
  const auto each = [](unsigned, std::size_t n, const auto*... arrays) {
    return all_of(n, arrays...);
  };
  bodies[before + "multiply_add" + after] = body(multiply_add<Real, packed>, each);
  bodies[before + "hyperbolic_tangent" + after] = body(hyperbolic_tangent<Real, packed>, each);
  bodies[before + "tanh_gradient" + after] = body(tanh_gradient<Real, packed>, each);
  bodies[before + "square_sums" + after] =
      body(square_sums<Real, packed>,
           [](unsigned blocks, std::size_t n, std::size_t chunks, const auto*, const auto*) {
             return std::array<std::size_t, 2>{blocks / chunks * n, blocks};
           });
}

template <class Real>
void add_type(Bodies& bodies, const std::string& type) {
  add<Real, true>(bodies, type + ", true");
  add<Real, false>(bodies, type + ", false");
}

template <class Real>
void add_rounding(Bodies& bodies, const std::string& type) {
  const std::string before = "void breakeven::cuda::round_sum<" + type;
  const auto each = [](unsigned, std::size_t n, const float* sum, float, const Real* c) {
    return all_of(n, sum, c);
  };
  bodies[before + ", true>"] = body(round_sum<Real, true>, each);
  bodies[before + ", false>"] = body(round_sum<Real, false>, each);
}

template <class Sum>
Body join() {
  return body(join_chunks<Sum>, [](unsigned blocks, std::size_t chunks, const Sum*, const Sum*) {
    return std::array<std::size_t, 2>{blocks * chunks, blocks};
  });
}

}  // namespace

Bodies all_bodies() {
  Bodies bodies;
  bodies["breakeven::cuda::nothing"] =
      body(nothing, [](unsigned) { return std::array<std::size_t, 0>{}; });
  add_type<float>(bodies, "float");
  add_type<double>(bodies, "double");
  add_type<__half>(bodies, "__half");
  add_type<__nv_bfloat16>(bodies, "__nv_bfloat16");
  add_rounding<__half>(bodies, "__half");
  add_rounding<__nv_bfloat16>(bodies, "__nv_bfloat16");
  bodies["void breakeven::cuda::join_chunks<float>"] = join<float>();
  bodies["void breakeven::cuda::join_chunks<double>"] = join<double>();
  return bodies;
}

}  // namespace fake_cuda
