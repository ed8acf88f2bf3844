// SPDX-License-Identifier: Apache-2.0
#include "plugins/cublas/operations.hpp"

#include <limits>
#include <optional>
#include <utility>

#include "plugins/cuda_common/check.hpp"
#include "plugins/cuda_common/kernels/elementwise.hpp"
#include "plugins/cuda_common/kernels/norm.hpp"
#include "plugins/cuda_common/operands.hpp"

namespace breakeven::cublas {

namespace {

template <class Launch>
class KernelTask final : public Task {
 public:
  KernelTask(const cuda::Stream& stream, Launch launch)
      : stream_(stream), launch_(std::move(launch)) {}

  void enqueue() override {
    cuda::use(stream_.ordinal());
    launch_(stream_.get());
  }
  TaskInfo info() const override { return {.author = Author::plugin}; }

 private:
  const cuda::Stream& stream_;
  Launch launch_;
};

template <class Launch>
std::unique_ptr<Task> kernel_task(const cuda::Stream& stream, Launch launch) {
  return std::make_unique<KernelTask<Launch>>(stream, std::move(launch));
}

class NormTask final : public Task {
 public:
  NormTask(const Norm& norm, const cuda::Stream& stream, Handle& handle)
      : n_(static_cast<int>(norm.n)),
        type_(norm.type == Type::f64 ? CUDA_R_64F : CUDA_R_32F),
        x_(cuda::address_of(norm.x)),
        out_(cuda::address_of(norm.out)),
        stream_(stream),
        handle_(handle),
        cublas_(library()) {}

  void enqueue() override {
    cuda::use(stream_.ordinal());
    check(cublas_.norm(handle_.with_device_results(), n_, x_, type_, 1, out_, type_, type_),
          "cublasNrm2Ex");
  }
  TaskInfo info() const override { return {.author = Author::library, .routine = "cublasNrm2Ex"}; }

 private:
  int n_;
  cudaDataType type_;
  const std::byte* x_;
  std::byte* out_;
  const cuda::Stream& stream_;
  Handle& handle_;
  const Library& cublas_;
};

class NormsTask final : public Task {
 public:
  NormsTask(const Norm& norm, const cuda::NormPlan& plan, cuda::CudaDevice& device,
            const cuda::Stream& stream)
      : plan_(plan),
        x_(cuda::address_of(norm.x)),
        out_(cuda::address_of(norm.out)),
        workspace_(plan.workspace_bytes(), Memory::device, device, device.ordinal()),
        stream_(stream) {}

  void enqueue() override {
    cuda::use(stream_.ordinal());
    plan_.launch(x_, out_, workspace_.address(), stream_.get());
  }
  TaskInfo info() const override { return {.author = Author::plugin, .routine = "norm"}; }

 private:
  cuda::NormPlan plan_;
  const std::byte* x_;
  std::byte* out_;
  cuda::CudaBuffer workspace_;
  const cuda::Stream& stream_;
};

}  // namespace

std::unique_ptr<Task> prepare_nothing(const cuda::Stream& stream) {
  return kernel_task(stream, [](cudaStream_t on) { cuda::launch_nothing(on); });
}

std::unique_ptr<Task> prepare_multiply_add(const MultiplyAdd& operation,
                                           const cuda::Stream& stream) {
  const auto bytes = cuda::product({operation.n, bytes_of(operation.type)});
  if (!cuda::computable(stream.ordinal(), {{"a", operation.a, bytes},
                                           {"b", operation.b, bytes},
                                           {"c", operation.c, bytes},
                                           {"out", operation.out, bytes}}))
    return nullptr;
  return kernel_task(stream,
                     [type = operation.type, n = operation.n, a = cuda::address_of(operation.a),
                      b = cuda::address_of(operation.b), c = cuda::address_of(operation.c),
                      out = cuda::address_of(operation.out)](cudaStream_t on) {
                       cuda::launch_multiply_add(type, n, a, b, c, out, on);
                     });
}

std::unique_ptr<Task> prepare_tanh(const Tanh& operation, const cuda::Stream& stream) {
  const auto bytes = cuda::product({operation.n, bytes_of(operation.type)});
  if (!cuda::computable(stream.ordinal(),
                        {{"x", operation.x, bytes}, {"out", operation.out, bytes}}))
    return nullptr;
  return kernel_task(stream,
                     [type = operation.type, n = operation.n, x = cuda::address_of(operation.x),
                      out = cuda::address_of(operation.out)](cudaStream_t on) {
                       cuda::launch_tanh(type, n, x, out, on);
                     });
}

std::unique_ptr<Task> prepare_tanh_gradient(const TanhGradient& operation,
                                            const cuda::Stream& stream) {
  const auto bytes = cuda::product({operation.n, bytes_of(operation.type)});
  if (!cuda::computable(
          stream.ordinal(),
          {{"h", operation.h, bytes}, {"d", operation.d, bytes}, {"out", operation.out, bytes}}))
    return nullptr;
  return kernel_task(stream, [type = operation.type, n = operation.n,
                              h = cuda::address_of(operation.h), d = cuda::address_of(operation.d),
                              out = cuda::address_of(operation.out)](cudaStream_t on) {
    cuda::launch_tanh_gradient(type, n, h, d, out, on);
  });
}

std::unique_ptr<Task> prepare_rounding(const Rounding& r, const cuda::Stream& stream) {
  if (!cuda::computable(stream.ordinal(), {{"sum", r.sum, cuda::product({r.n, sizeof(float)})},
                                           {"c", r.c, cuda::product({r.n, bytes_of(r.type)})}}))
    return nullptr;
  return kernel_task(
      stream, [type = r.type, n = r.n, sum = cuda::address_of(r.sum),
               beta = static_cast<float>(r.beta), c = cuda::address_of(r.c)](cudaStream_t on) {
        cuda::launch_round_sum(type, n, sum, beta, c, on);
      });
}

std::unique_ptr<Task> prepare_norm(const Norm& operation, cuda::CudaDevice& device,
                                   const cuda::Stream& stream, const GetHandle& handle) {
  const std::size_t result = operation.type == Type::f64 ? 8 : 4;
  if (!cuda::computable(stream.ordinal(),
                        {{"x", operation.x,
                          cuda::product({operation.batch, operation.n, bytes_of(operation.type)})},
                         {"out", operation.out, cuda::product({operation.batch, result})}}))
    return nullptr;
  constexpr std::size_t most = std::numeric_limits<int>::max();
  if (operation.batch == 1 && operation.n <= most && bytes_of(operation.type) == result)
    return std::make_unique<NormTask>(operation, stream, handle());
  const cuda::NormPlan plan(operation.type, operation.n, operation.batch, device.processors());
  if (operation.batch > most) return nullptr;
  return std::make_unique<NormsTask>(operation, plan, device, stream);
}

}  // namespace breakeven::cublas
