// SPDX-License-Identifier: Apache-2.0
#include "plugins/cublas/gemm.hpp"

#include <algorithm>
#include <limits>

#include "plugins/cuda_common/check.hpp"
#include "plugins/cuda_common/operands.hpp"

namespace breakeven::cublas {

namespace {

cudaDataType stored_as(Type type) {
  switch (type) {
    case Type::f64:
      return CUDA_R_64F;
    case Type::f16:
      return CUDA_R_16F;
    case Type::bf16:
      return CUDA_R_16BF;
    case Type::f32:
      break;
  }
  return CUDA_R_32F;
}

cublasComputeType_t computed_in(Type type, Math math) {
  if (type == Type::f64) return CUBLAS_COMPUTE_64F;
  return math == Math::tf32 ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F;
}

// CUDA C++ programming guide, table of arithmetic per compute capability.
bool has(int capability, Type type, Math math) {
  if (type > Type::bf16 || math > Math::tf32) return false;  // numbers that are set aside
  if (math == Math::tf32) return type == Type::f32 && capability >= 80;
  if (type == Type::bf16) return capability >= 80;
  return type != Type::f16 || capability >= 53;
}

// A scalar in the type that the library reads it in.
class Scalar {
 public:
  Scalar(double value, Type type) : wide_(value), narrow_(static_cast<float>(value)), type_(type) {}
  const void* get() const {
    return type_ == Type::f64 ? static_cast<const void*>(&wide_) : &narrow_;
  }

 private:
  double wide_;
  float narrow_;
  Type type_;
};

// Column-major a is the contract's b, and the other way round.
struct Shape {
  cublasOperation_t transpose_a, transpose_b;
  int m, n, k, lda, ldb, ldc, batch;
  long long stride_a, stride_b, stride_c;
};

class GemmTask final : public Task {
 public:
  GemmTask(const Gemm& gemm, Type type_of_c, const Shape& shape, const cuda::Stream& stream,
           Handle& handle)
      : shape_(shape),
        from_(stored_as(gemm.type)),
        to_(stored_as(type_of_c)),
        computed_(computed_in(gemm.type, gemm.math)),
        alpha_(gemm.alpha, gemm.type),
        beta_(gemm.beta, gemm.type),
        a_(cuda::address_of(gemm.b)),
        b_(cuda::address_of(gemm.a)),
        c_(cuda::address_of(gemm.c)),
        stream_(stream),
        handle_(handle),
        cublas_(library()) {}

  void enqueue() override {
    cuda::use(stream_.ordinal());
    const Shape& s = shape_;
    const cublasHandle_t handle = handle_.with_host_scalars();
    if (s.batch == 1) {
      check(cublas_.gemm(handle, s.transpose_a, s.transpose_b, s.m, s.n, s.k, alpha_.get(), a_,
                         from_, s.lda, b_, from_, s.ldb, beta_.get(), c_, to_, s.ldc, computed_,
                         CUBLAS_GEMM_DEFAULT),
            "cublasGemmEx");
    } else {
      check(cublas_.gemm_batched(handle, s.transpose_a, s.transpose_b, s.m, s.n, s.k, alpha_.get(),
                                 a_, from_, s.lda, s.stride_a, b_, from_, s.ldb, s.stride_b,
                                 beta_.get(), c_, to_, s.ldc, s.stride_c, s.batch, computed_,
                                 CUBLAS_GEMM_DEFAULT),
            "cublasGemmStridedBatchedEx");
    }
  }

  TaskInfo info() const override {
    return {.author = Author::library,
            .routine = shape_.batch == 1 ? "cublasGemmEx" : "cublasGemmStridedBatchedEx"};
  }

 private:
  Shape shape_;
  cudaDataType from_, to_;
  cublasComputeType_t computed_;
  Scalar alpha_, beta_;
  const std::byte *a_, *b_;
  std::byte* c_;
  const cuda::Stream& stream_;
  Handle& handle_;
  const Library& cublas_;
};

class NoWork final : public Task {
  void enqueue() override {}
};

cublasOperation_t operation(Transpose transpose) {
  return transpose == Transpose::yes ? CUBLAS_OP_T : CUBLAS_OP_N;
}

Shape shape_of(const Gemm& gemm, std::size_t row_of_a) {
  const auto number = [](std::size_t size) { return static_cast<int>(size); };
  const auto columns = [&](Transpose transpose, std::size_t plain, std::size_t transposed) {
    return std::max(1, number(transpose == Transpose::yes ? transposed : plain));
  };
  const auto stride = [](std::size_t rows, std::size_t length) {
    return static_cast<long long>(rows) * static_cast<long long>(length);
  };
  return {.transpose_a = operation(gemm.transpose_b),
          .transpose_b = operation(gemm.transpose_a),
          .m = number(gemm.n),
          .n = number(gemm.m),
          .k = number(gemm.k),
          .lda = columns(gemm.transpose_b, gemm.n, gemm.k),
          .ldb = columns(gemm.transpose_a, row_of_a, gemm.m),
          .ldc = number(gemm.n),
          .batch = number(gemm.batch),
          .stride_a = stride(gemm.k, gemm.n),
          .stride_b = stride(gemm.m, gemm.k),
          .stride_c = stride(gemm.m, gemm.n)};
}

}  // namespace

std::unique_ptr<Task> prepare_gemm(const Gemm& gemm, const Layout& layout,
                                   const cuda::CudaDevice& device, const cuda::Stream& stream,
                                   const GetHandle& handle) {
  const std::size_t element = bytes_of(gemm.type), row_of_a = layout.row_of_a;
  const auto bytes = [&](std::size_t rows, std::size_t length, std::size_t of_element) {
    return cuda::product({gemm.batch, rows, length, of_element});
  };
  const std::size_t beyond = (row_of_a - gemm.k) * element;  // of the last row, which ends with k
  auto bytes_of_a = bytes(gemm.m, row_of_a, element);
  if (bytes_of_a && gemm.m > 0) *bytes_of_a -= beyond;
  if (!cuda::computable(stream.ordinal(),
                        {{"a", gemm.a, bytes_of_a},
                         {"b", gemm.b, bytes(gemm.k, gemm.n, element)},
                         {"c", gemm.c, bytes(gemm.m, gemm.n, bytes_of(layout.type_of_c))}}))
    return nullptr;
  if (!has(device.capability(), gemm.type, gemm.math)) return nullptr;
  constexpr std::size_t most = std::numeric_limits<int>::max();
  if (std::max({gemm.m, gemm.n, row_of_a, gemm.batch}) > most) return nullptr;
  if (gemm.m == 0 || gemm.n == 0 || gemm.batch == 0) return std::make_unique<NoWork>();
  return std::make_unique<GemmTask>(gemm, layout.type_of_c, shape_of(gemm, row_of_a), stream,
                                    handle());
}

}  // namespace breakeven::cublas
