// SPDX-License-Identifier: Apache-2.0
// The part of cuBLASMp and NCCL that the plugin uses: ScaLAPACK on memory of the fake GPUs, when
// the stream comes to it. Who joins a communicator are all ranks of MPI but the first.
#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include <cublasmp.h>
#include <mpi.h>
#include <nccl.h>

#include "faults.hpp"
#include "memory.hpp"
#include "stream.hpp"

using namespace fake_cuda;

extern "C" {
int Csys2blacs_handle(MPI_Comm);
void Cblacs_gridinit(int* context, const char* order, int rows, int columns);
void psgemm_(const char*, const char*, const int*, const int*, const int*, const float*,
             const float*, const int*, const int*, const int*, const float*, const int*, const int*,
             const int*, const float*, float*, const int*, const int*, const int*);
void pdgemm_(const char*, const char*, const int*, const int*, const int*, const double*,
             const double*, const int*, const int*, const int*, const double*, const int*,
             const int*, const int*, const double*, double*, const int*, const int*, const int*);
}

struct ncclComm {
  MPI_Comm ranks = MPI_COMM_NULL;
  int parts = 0, part = 0;
};
struct cublasMpHandle {
  int device = 0;
  cudaStream_t stream = nullptr;
};
struct cublasMpGrid {
  int context = -1, parts = 0, part = 0;
};
struct cublasMpMatrixDescriptor {
  std::array<int, 9> numbers{};
  cudaDataType_t type = CUDA_R_32F;
  std::size_t bytes = 0;  // on this rank
};

namespace {

constexpr std::size_t workspace_of_gpu = 512, workspace_of_host = 64;

struct Matrix {
  Range range;
  int row = 1, column = 1;
  std::array<int, 9> numbers{};
};

Matrix matrix_of(const void* address, std::int64_t row, std::int64_t column,
                 const cublasMpMatrixDescriptor& descriptor) {
  return {range_of(address, descriptor.bytes), int(row), int(column), descriptor.numbers};
}

// What cublasmp.h says that a product has to keep to: blocks of mb x nb are numbers 4 and 5 of a
// descriptor.
bool keeps_contract(cublasOperation_t a_is, cublasOperation_t b_is, const Matrix& a,
                    const Matrix& b, const Matrix& c) {
  for (const Matrix* one : {&a, &b, &c})
    if ((one->row - 1) % one->numbers[4] != 0 || (one->column - 1) % one->numbers[5] != 0)
      return false;
  const auto blocks = [](const Matrix& one, cublasOperation_t is) {
    return is == CUBLAS_OP_N ? std::array{one.numbers[4], one.numbers[5]}
                             : std::array{one.numbers[5], one.numbers[4]};
  };
  const auto of_a = blocks(a, a_is), of_b = blocks(b, b_is), of_c = blocks(c, CUBLAS_OP_N);
  return of_a[1] == of_b[0] && of_a[0] == of_c[0] && of_b[1] == of_c[1];
}

const char* letter(cublasOperation_t operation) {
  return operation == CUBLAS_OP_N ? "N" : "T";
}

template <class Number, class Function>
void multiply(Function gemm, cublasOperation_t a_is, cublasOperation_t b_is,
              std::array<int, 3> sizes, Number alpha, const Matrix& a, const Matrix& b, Number beta,
              const Matrix& c) {
  const auto data = [](const Matrix& one) { return reinterpret_cast<Number*>(one.range.bytes); };
  gemm(letter(a_is), letter(b_is), &sizes[0], &sizes[1], &sizes[2], &alpha, data(a), &a.row,
       &a.column, a.numbers.data(), data(b), &b.row, &b.column, b.numbers.data(), &beta, data(c),
       &c.row, &c.column, c.numbers.data());
}

}  // namespace

extern "C" {

ncclResult_t ncclGetUniqueId(ncclUniqueId* id) {
  *id = {};
  return ncclSuccess;
}

const char* ncclGetErrorString(ncclResult_t) {
  return "a failure of the fake NCCL";
}

ncclResult_t ncclCommInitRank(ncclComm_t* comm, int parts, ncclUniqueId, int part) {
  MPI_Group world = MPI_GROUP_NULL, computing = MPI_GROUP_NULL;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  const int first = 0;
  MPI_Group_excl(world, 1, &first, &computing);
  auto* const made = new ncclComm{MPI_COMM_NULL, parts, part};
  MPI_Comm_create_group(MPI_COMM_WORLD, computing, 0, &made->ranks);
  // As the original, which refuses two ranks on one GPU.
  const int own = current_device();
  std::vector<int> all(static_cast<std::size_t>(parts));
  MPI_Allgather(&own, 1, MPI_INT, all.data(), 1, MPI_INT, made->ranks);
  for (std::size_t i = 0; i < all.size(); ++i)
    if (all[i] == own && static_cast<int>(i) != part) return ncclInvalidUsage;
  *comm = made;
  return ncclSuccess;
}

cublasMpStatus_t cublasMpGetVersion(int* version) {
  *version = CUBLASMP_VERSION;
  return CUBLASMP_STATUS_SUCCESS;
}

cublasMpStatus_t cublasMpCreate(cublasMpHandle_t* handle, cudaStream_t stream) {
  *handle = new cublasMpHandle{current_device(), stream};
  return CUBLASMP_STATUS_SUCCESS;
}

cublasMpStatus_t cublasMpGridCreate(int64_t rows, int64_t columns, cublasMpGridLayout_t layout,
                                    ncclComm_t comm, cublasMpGrid_t* grid) {
  if (rows != 1 || columns != comm->parts || layout != CUBLASMP_GRID_LAYOUT_ROW_MAJOR)
    return CUBLASMP_STATUS_NOT_SUPPORTED;
  *grid = new cublasMpGrid{Csys2blacs_handle(comm->ranks), comm->parts, comm->part};
  Cblacs_gridinit(&(*grid)->context, "Row", 1, comm->parts);
  return CUBLASMP_STATUS_SUCCESS;
}

cublasMpStatus_t cublasMpMatrixDescriptorCreate(int64_t m, int64_t n, int64_t mb, int64_t nb,
                                                int64_t rsrc, int64_t csrc, int64_t lld,
                                                cudaDataType_t type, cublasMpGrid_t grid,
                                                cublasMpMatrixDescriptor_t* made) {
  if (m < 0 || n < 0 || mb < 1 || nb < 1 || rsrc != 0 || csrc != 0 || lld < m)
    return CUBLASMP_STATUS_INVALID_VALUE;
  std::int64_t columns = 0;  // of this rank
  for (std::int64_t at = grid->part * nb; at < n; at += grid->parts * nb)
    columns += std::min(nb, n - at);
  const std::size_t element = type == CUDA_R_64F ? 8 : 4;
  *made = new cublasMpMatrixDescriptor{
      {1, grid->context, int(m), int(n), int(mb), int(nb), 0, 0, int(lld)},
      type,
      static_cast<std::size_t>(columns * lld) * element};
  return CUBLASMP_STATUS_SUCCESS;
}

cublasMpStatus_t cublasMpMatrixDescriptorDestroy(cublasMpMatrixDescriptor_t descriptor) {
  delete descriptor;
  return CUBLASMP_STATUS_SUCCESS;
}

cublasMpStatus_t cublasMpGemm_bufferSize(cublasMpHandle_t, cublasOperation_t, cublasOperation_t,
                                         int64_t, int64_t, int64_t, const void*, const void*,
                                         int64_t, int64_t, cublasMpMatrixDescriptor_t, const void*,
                                         int64_t, int64_t, cublasMpMatrixDescriptor_t, const void*,
                                         void*, int64_t, int64_t, cublasMpMatrixDescriptor_t,
                                         cublasComputeType_t, size_t* of_gpu, size_t* of_host) {
  *of_gpu = workspace_of_gpu;
  *of_host = workspace_of_host;
  return CUBLASMP_STATUS_SUCCESS;
}

cublasMpStatus_t cublasMpGemm(cublasMpHandle_t handle, cublasOperation_t a_is,
                              cublasOperation_t b_is, int64_t m, int64_t n, int64_t k,
                              const void* alpha, const void* a, int64_t ia, int64_t ja,
                              cublasMpMatrixDescriptor_t desc_a, const void* b, int64_t ib,
                              int64_t jb, cublasMpMatrixDescriptor_t desc_b, const void* beta,
                              void* c, int64_t ic, int64_t jc, cublasMpMatrixDescriptor_t desc_c,
                              cublasComputeType_t type, void* of_gpu, size_t of_gpu_bytes, void*,
                              size_t of_host_bytes) {
  const Matrix left = matrix_of(a, ia, ja, *desc_a), right = matrix_of(b, ib, jb, *desc_b),
               product = matrix_of(c, ic, jc, *desc_c);
  if (!keeps_contract(a_is, b_is, left, right, product)) return CUBLASMP_STATUS_INVALID_VALUE;
  for (const Range& range :
       {left.range, right.range, product.range, range_of(of_gpu, workspace_of_gpu)})
    if (!range.inside || range.where != Where::device || range.device != handle->device)
      return CUBLASMP_STATUS_INVALID_VALUE;
  if (current_device() != handle->device || of_gpu_bytes < workspace_of_gpu ||
      of_host_bytes < workspace_of_host)
    return CUBLASMP_STATUS_INVALID_VALUE;
  const std::array<int, 3> sizes{int(m), int(n), int(k)};
  if (type == CUBLAS_COMPUTE_64F)
    handle->stream->run(
        Sort::kernel,
        [=, by = *static_cast<const double*>(alpha), old = *static_cast<const double*>(beta)] {
          multiply(pdgemm_, a_is, b_is, sizes, by, left, right, old, product);
        },
        {});
  else
    handle->stream->run(
        Sort::kernel,
        [=, by = *static_cast<const float*>(alpha), old = *static_cast<const float*>(beta)] {
          multiply(psgemm_, a_is, b_is, sizes, by, left, right, old, product);
        },
        {});
  return CUBLASMP_STATUS_SUCCESS;
}

}  // extern "C"
