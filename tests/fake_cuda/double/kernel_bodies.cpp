// SPDX-License-Identifier: Apache-2.0
// What the plugins' kernels do, on the CPU. Elementwise kernels run the very body that the GPU
// runs, thread by thread; reductions, which need a block at once, are written again.
#include <cmath>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "launch.hpp"
#include "memory.hpp"
#include "plugins/cuda_common/kernels/elementwise_body.cuh"
#include "plugins/cuda_common/kernels/norm_body.cuh"

namespace fake_cuda {

namespace {

using namespace breakeven::cuda;

template <class Value>
Value argument(const Launch& launch, std::size_t index) {
  return *static_cast<Value*>(launch.arguments[index]);
}

// The stream's view of a kernel's pointer to `count` elements; false: it leaves its allocation.
template <class Real>
bool view(const Launch& launch, std::size_t index, std::size_t count, Range& range) {
  range = range_of(argument<const void*>(launch, index), count * sizeof(Real));
  *launch.bytes += static_cast<double>(count * sizeof(Real));
  return range.inside && range.where == Where::device;
}

template <class Real, bool packed, class Function, std::size_t... input>
Work elementwise_work(const Launch& launch, Function function, std::index_sequence<input...>) {
  const auto n = argument<std::size_t>(launch, 0);
  Range in[sizeof...(input)], out;
  if (!(view<Real>(launch, input + 1, n, in[input]) && ...)) return {};
  if (!view<Real>(launch, sizeof...(input) + 1, n, out)) return {};
  const std::size_t threads = std::size_t{launch.grid.x} * launch.block.x;
  if (!out.is_filled) return [] {};
  return [=] {
    for (std::size_t thread = 0; thread < threads; ++thread)
      elementwise<Real, packed>(thread, n, function, reinterpret_cast<Real*>(out.bytes),
                                reinterpret_cast<const Real*>(in[input].bytes)...);
  };
}

template <class Real, bool packed, std::size_t inputs, class Function>
Body elementwise_body(Function function) {
  return [=](const Launch& launch) {
    return elementwise_work<Real, packed>(launch, function, std::make_index_sequence<inputs>());
  };
}

template <class Real, bool packed>
Work square_sums_work(const Launch& launch) {
  const auto n = argument<std::size_t>(launch, 0), chunks = argument<std::size_t>(launch, 1);
  const std::size_t batch = launch.grid.x / chunks;
  Range x, out;
  if (!view<Real>(launch, 2, batch * n, x)) return {};
  if (!view<Computed<Real>>(launch, 3, launch.grid.x, out)) return {};
  if (!x.is_filled) return [] {};
  return [=] {
    for (std::size_t vector = 0; vector < batch; ++vector) {
      const auto* row = reinterpret_cast<const Real*>(x.bytes) + vector * n;
      for (std::size_t chunk = 0; chunk < chunks; ++chunk) {
        double sum = 0;
        for (unsigned thread = 0; thread < norm_block; ++thread)
          sum += static_cast<double>(
              square_sum_of_thread<Real, packed>(thread, n, chunks, chunk, row));
        reinterpret_cast<Computed<Real>*>(out.bytes)[vector * chunks + chunk] =
            static_cast<Computed<Real>>(chunks == 1 ? std::sqrt(sum) : sum);
      }
    }
  };
}

template <class Sum>
Work join_chunks_work(const Launch& launch) {
  const auto chunks = argument<std::size_t>(launch, 0);
  Range sums, out;
  if (!view<Sum>(launch, 1, launch.grid.x * chunks, sums)) return {};
  if (!view<Sum>(launch, 2, launch.grid.x, out)) return {};
  return [=, batch = launch.grid.x] {
    for (std::size_t vector = 0; vector < batch; ++vector) {
      double sum = 0;
      for (std::size_t i = 0; i < chunks; ++i)
        sum += static_cast<double>(reinterpret_cast<const Sum*>(sums.bytes)[vector * chunks + i]);
      reinterpret_cast<Sum*>(out.bytes)[vector] = static_cast<Sum>(std::sqrt(sum));
    }
  };
}

using Bodies = std::map<std::string, Body, std::less<>>;

template <class Real, bool packed>
void add_elementwise(Bodies& bodies, const std::string& parameters) {
  const std::string before = "void breakeven::cuda::", after = "<" + parameters + ">";
  bodies[before + "multiply_add" + after] = elementwise_body<Real, packed, 3>(MultiplyAddOf{});
  bodies[before + "hyperbolic_tangent" + after] = elementwise_body<Real, packed, 1>(TanhOf{});
  bodies[before + "tanh_gradient" + after] = elementwise_body<Real, packed, 2>(TanhGradientOf{});
  bodies[before + "square_sums" + after] = square_sums_work<Real, packed>;
}

template <class Real>
void add_type(Bodies& bodies, const std::string& type) {
  add_elementwise<Real, true>(bodies, type + ", true");
  add_elementwise<Real, false>(bodies, type + ", false");
}

Bodies all_bodies() {
  Bodies bodies;
  bodies["breakeven::cuda::nothing"] = [](const Launch&) { return Work([] {}); };
  add_type<float>(bodies, "float");
  add_type<double>(bodies, "double");
  add_type<__half>(bodies, "__half");
  add_type<__nv_bfloat16>(bodies, "__nv_bfloat16");
  bodies["void breakeven::cuda::join_chunks<float>"] = join_chunks_work<float>;
  bodies["void breakeven::cuda::join_chunks<double>"] = join_chunks_work<double>;
  return bodies;
}

}  // namespace

const Body* body_of(std::string_view name) {
  static const Bodies& bodies = *new Bodies(all_bodies());
  const auto found = bodies.find(name);
  return found == bodies.end() ? nullptr : &found->second;
}

}  // namespace fake_cuda
