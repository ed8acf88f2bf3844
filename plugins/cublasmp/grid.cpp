// SPDX-License-Identifier: Apache-2.0
// Products by cuBLASMp, on a grid of one row of all ranks that compute, whose memory is that of the
// plugin cublas.
#include "plugins/mpi/grid.hpp"

#include <cublasmp.h>
#include <cuda_runtime_api.h>
#include <mpi.h>
#include <nccl.h>

#include <algorithm>
#include <type_traits>
#include <vector>

#include "plugins/cuda_common/buffer.hpp"
#include "plugins/cuda_common/check.hpp"

namespace breakeven::mpi {

namespace {

int gpu = 0;
cudaStream_t stream = nullptr;
cublasMpHandle_t handle = nullptr;
cublasMpGrid_t grid = nullptr;

[[noreturn]] void raise(const char* call, const std::string& why) {
  throw std::runtime_error(std::string(call) + " on GPU " + std::to_string(gpu) + ": " + why);
}

void check(cublasMpStatus_t status, const char* call) {
  if (status == CUBLASMP_STATUS_ALLOCATION_FAILED) throw std::bad_alloc();
  if (status != CUBLASMP_STATUS_SUCCESS)
    raise(call, "cublasMpStatus_t " + std::to_string(int(status)));
}

void check(ncclResult_t result, const char* call) {
  if (result != ncclSuccess) raise(call, ncclGetErrorString(result));
}

struct Free {
  void operator()(std::remove_pointer_t<cublasMpMatrixDescriptor_t>* descriptor) const {
    cublasMpMatrixDescriptorDestroy(descriptor);
  }
  void operator()(std::byte* of_gpu) const { cudaFree(of_gpu); }
};
using Descriptor = std::unique_ptr<std::remove_pointer_t<cublasMpMatrixDescriptor_t>, Free>;
using Workspace = std::unique_ptr<std::byte, Free>;

std::byte* address_of(const Dealt& matrix) {
  const Buffer* const buffer = reinterpret_cast<const Buffer*>(matrix.buffer);
  return static_cast<const cuda::CudaBuffer*>(buffer)->address();
}

template <class Number>
class Product final : public Task {
 public:
  explicit Product(const GridWork& work)
      : work_(work),
        rows_a_(work.transpose_a ? work.k : work.m),
        rows_b_(work.transpose_b ? work.n : work.k),
        alpha_(Number(work.alpha)),
        beta_(Number(work.beta)),
        a_(descriptor(work.a, rows_a_, work.transpose_a ? work.c.block : work.b.block)),
        b_(descriptor(work.b, rows_b_,
                      work.transpose_a && work.transpose_b ? work.a.block : work.b.block)),
        c_(descriptor(work.c, work.m, work.b.block)) {}

  // What cublasmp.h asks for beyond that: every matrix begins with a block, and what is multiplied
  // or added up has the same blocks.
  bool is_aligned() const {
    const auto begins = [&](const Dealt& matrix, std::uint64_t rows) {
      return matrix.first % matrix.block == 0 && (work_.batch < 2 || rows % matrix.block == 0);
    };
    return begins(work_.a, rows_a_) && begins(work_.b, rows_b_) && begins(work_.c, work_.m) &&
           (work_.transpose_a ? work_.transpose_b || work_.a.block == work_.b.block
                              : work_.a.block == work_.c.block);
  }

  // False: the library does not do it.
  bool make_workspaces() {
    std::size_t of_gpu = 0, of_host = 0;
    const cublasMpStatus_t status = call(0, [&](auto... operands) {
      return cublasMpGemm_bufferSize(operands..., &of_gpu, &of_host);
    });
    if (status == CUBLASMP_STATUS_NOT_SUPPORTED) return false;
    check(status, "cublasMpGemm_bufferSize");
    void* memory = nullptr;
    CUDA_TRY(cudaMalloc(&memory, std::max<std::size_t>(of_gpu, 1)));
    of_gpu_.reset(static_cast<std::byte*>(memory));
    of_gpu_bytes_ = of_gpu;
    of_host_.resize(of_host);
    return true;
  }

  void enqueue() override {
    cuda::use(gpu);
    for (std::uint64_t i = 0; i < work_.batch; ++i)
      check(call(i,
                 [&](auto... operands) {
                   return cublasMpGemm(operands..., of_gpu_.get(), of_gpu_bytes_, of_host_.data(),
                                       of_host_.size());
                 }),
            "cublasMpGemm");
    CUDA_TRY(cudaStreamSynchronize(stream));
  }
  TaskInfo info() const override { return {.author = Author::library, .routine = "cublasMpGemm"}; }

 private:
  static constexpr bool is_float = std::is_same_v<Number, float>;

  // The transpose: a column for each row. How long blocks are within a column moves nothing where
  // there is one row of ranks, but has to fit those of the other matrices.
  Descriptor descriptor(const Dealt& matrix, std::uint64_t rows, std::uint64_t within) const {
    const auto row = std::int64_t(std::max<std::uint64_t>(matrix.row, 1));
    const auto columns = std::int64_t(matrix.first + rows * work_.batch);
    cublasMpMatrixDescriptor_t made = nullptr;
    check(cublasMpMatrixDescriptorCreate(row, columns, std::int64_t(within),
                                         std::int64_t(matrix.block), 0, 0, row,
                                         is_float ? CUDA_R_32F : CUDA_R_64F, grid, &made),
          "cublasMpMatrixDescriptorCreate");
    return Descriptor(made);
  }

  // Of matrix i of the batch.
  template <class Function>
  cublasMpStatus_t call(std::uint64_t i, Function function) const {
    const auto column = [i](const Dealt& matrix, std::uint64_t rows) {
      return std::int64_t(matrix.first + i * rows) + 1;
    };
    const auto operation = [](bool transpose) { return transpose ? CUBLAS_OP_T : CUBLAS_OP_N; };
    const std::int64_t one = 1, m = std::int64_t(work_.m), n = std::int64_t(work_.n),
                       k = std::int64_t(work_.k);
    return function(handle, operation(work_.transpose_b), operation(work_.transpose_a), n, m, k,
                    &alpha_, address_of(work_.b), one, column(work_.b, rows_b_), b_.get(),
                    address_of(work_.a), one, column(work_.a, rows_a_), a_.get(), &beta_,
                    address_of(work_.c), one, column(work_.c, work_.m), c_.get(),
                    is_float ? CUBLAS_COMPUTE_32F : CUBLAS_COMPUTE_64F);
  }

  GridWork work_;
  std::uint64_t rows_a_, rows_b_;
  Number alpha_, beta_;
  Descriptor a_, b_, c_;
  Workspace of_gpu_;
  std::size_t of_gpu_bytes_ = 0;
  std::vector<std::byte> of_host_;
};

template <class Number>
std::unique_ptr<Task> product(const GridWork& work) {
  cuda::use(gpu);
  auto made = std::make_unique<Product<Number>>(work);
  return made->is_aligned() && made->make_workspaces() ? std::move(made) : nullptr;
}

}  // namespace

std::string join_grid(std::size_t device) {
  int rank = 0, part = 0, parts = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm all = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, rank == int(seat) ? MPI_UNDEFINED : 0, rank, &all);
  int version = 0;
  check(cublasMpGetVersion(&version), "cublasMpGetVersion");
  const std::string name = "cuBLASMp " + std::to_string(version / 10000) + "." +
                           std::to_string(version / 100 % 100) + "." +
                           std::to_string(version % 100);
  if (rank == int(seat)) return name;
  MPI_Comm_rank(all, &part);
  MPI_Comm_size(all, &parts);
  gpu = int(device);  // the plugin cublas has them in CUDA's order
  cuda::use(gpu);
  ncclUniqueId id{};
  if (part == 0) check(ncclGetUniqueId(&id), "ncclGetUniqueId");
  MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, all);
  ncclComm_t network = nullptr;
  check(ncclCommInitRank(&network, parts, id, part), "ncclCommInitRank");
  CUDA_TRY(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  check(cublasMpCreate(&handle, stream), "cublasMpCreate");
  check(cublasMpGridCreate(1, parts, CUBLASMP_GRID_LAYOUT_ROW_MAJOR, network, &grid),
        "cublasMpGridCreate");
  return name;
}

// cuBLASMp has no norm.
std::unique_ptr<Task> grid_task(const GridWork& work) {
  if (work.norm) return nullptr;
  if (work.type == Type::f32) return product<float>(work);
  if (work.type == Type::f64) return product<double>(work);
  return nullptr;
}

}  // namespace breakeven::mpi
