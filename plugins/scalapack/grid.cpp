// SPDX-License-Identifier: Apache-2.0
// Products and norms by ScaLAPACK, on a grid of one row of all ranks that compute.
#include "plugins/mpi/grid.hpp"

#include <dlfcn.h>
#include <mpi.h>
#include <sched.h>

#include <array>
#include <vector>

// Netlib's ScaLAPACK has no headers.
extern "C" {
int Csys2blacs_handle(MPI_Comm);
void Cblacs_gridinit(int* context, const char* order, int rows, int columns);
void Cblacs_gridinfo(int context, int* rows, int* columns, int* row, int* column);
void psgemm_(const char*, const char*, const int*, const int*, const int*, const float*,
             const float*, const int*, const int*, const int*, const float*, const int*, const int*,
             const int*, const float*, float*, const int*, const int*, const int*);
void pdgemm_(const char*, const char*, const int*, const int*, const int*, const double*,
             const double*, const int*, const int*, const int*, const double*, const int*,
             const int*, const int*, const double*, double*, const int*, const int*, const int*);
float pslange_(const char*, const int*, const int*, const float*, const int*, const int*,
               const int*, float*, std::size_t);
double pdlange_(const char*, const int*, const int*, const double*, const int*, const int*,
                const int*, double*, std::size_t);
}

namespace breakeven::mpi {

namespace {

int context = -1, parts = 0, part = 0;
std::size_t threads = 1;

using Descriptor = std::array<int, 9>;

// The transpose: a column for each row.
Descriptor descriptor(const Dealt& matrix, std::uint64_t rows) {
  const int row = int(std::max<std::uint64_t>(matrix.row, 1));
  return {1, context, row, int(matrix.first + rows), row, int(matrix.block), 0, 0, row};
}

template <class Number>
Number* data_of(const Dealt& matrix) {
  return static_cast<Number*>(reinterpret_cast<Buffer*>(matrix.buffer)->data());
}

template <class Number>
class Product final : public Task {
 public:
  explicit Product(const GridWork& work)
      : work_(work),
        rows_a_(work.transpose_a ? work.k : work.m),
        rows_b_(work.transpose_b ? work.n : work.k),
        a_(descriptor(work.a, rows_a_ * work.batch)),
        b_(descriptor(work.b, rows_b_ * work.batch)),
        c_(descriptor(work.c, work.m * work.batch)) {}

  void enqueue() override {
    const int one = 1, m = int(work_.m), n = int(work_.n), k = int(work_.k);
    const auto alpha = Number(work_.alpha), beta = Number(work_.beta);
    const char *const a = work_.transpose_a ? "T" : "N", *const b = work_.transpose_b ? "T" : "N";
    for (std::uint64_t i = 0; i < work_.batch; ++i) {
      const int at_a = int(work_.a.first + i * rows_a_) + 1;
      const int at_b = int(work_.b.first + i * rows_b_) + 1;
      const int at_c = int(work_.c.first + i * work_.m) + 1;
      const auto call = [&](auto gemm) {
        gemm(b, a, &n, &m, &k, &alpha, data_of<Number>(work_.b), &one, &at_b, b_.data(),
             data_of<Number>(work_.a), &one, &at_a, a_.data(), &beta, data_of<Number>(work_.c),
             &one, &at_c, c_.data());
      };
      if constexpr (sizeof(Number) == 4)
        call(psgemm_);
      else
        call(pdgemm_);
    }
  }
  TaskInfo info() const override {
    return {.author = Author::library,
            .threads = std::size_t(parts) * threads,
            .routine = sizeof(Number) == 4 ? "psgemm" : "pdgemm"};
  }

 private:
  GridWork work_;
  std::uint64_t rows_a_, rows_b_;
  Descriptor a_, b_, c_;
};

// The Frobenius norm of rows; the part that has the result's place keeps it.
template <class Number>
class Norm final : public Task {
 public:
  explicit Norm(const GridWork& work) : work_(work), x_(descriptor(work.a, work.m * work.batch)) {}

  void enqueue() override {
    const int one = 1, row = int(work_.a.row), rows = int(work_.m);
    for (std::uint64_t i = 0; i < work_.batch; ++i) {
      const int at = int(work_.a.first + i * work_.m) + 1;
      Number nothing = 0, norm = 0;
      if constexpr (sizeof(Number) == 4)
        norm =
            pslange_("F", &row, &rows, data_of<Number>(work_.a), &one, &at, x_.data(), &nothing, 1);
      else
        norm =
            pdlange_("F", &row, &rows, data_of<Number>(work_.a), &one, &at, x_.data(), &nothing, 1);
      const std::size_t bytes = sizeof norm;
      for_each_piece((work_.c.first + i) * bytes, bytes, work_.c.block * bytes, std::size_t(parts),
                     [&](const Piece& piece) {
                       if (piece.part == std::size_t(part))
                         data_of<Number>(work_.c)[piece.local / bytes] = norm;
                     });
    }
  }
  TaskInfo info() const override {
    return {.author = Author::library,
            .threads = std::size_t(parts),
            .routine = sizeof(Number) == 4 ? "pslange" : "pdlange"};
  }

 private:
  GridWork work_;
  Descriptor x_;
};

template <class Number>
std::unique_ptr<Task> made(const GridWork& work) {
  if (work.norm) return std::make_unique<Norm<Number>>(work);
  return std::make_unique<Product<Number>>(work);
}

}  // namespace

std::string join_grid(std::size_t) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm all = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, rank == int(seat) ? MPI_UNDEFINED : 0, rank, &all);
  const std::string name = "ScaLAPACK";
  if (rank == int(seat)) return name;
  // Its BLAS was loaded before this rank had its share of the processors.
  cpu_set_t allowed;
  sched_getaffinity(0, sizeof allowed, &allowed);
  threads = std::size_t(CPU_COUNT(&allowed));
  if (void* const set = dlsym(RTLD_DEFAULT, "openblas_set_num_threads"))
    reinterpret_cast<void (*)(int)>(set)(int(threads));
  MPI_Comm_size(all, &parts);
  context = Csys2blacs_handle(all);
  Cblacs_gridinit(&context, "Row", 1, parts);
  int rows = 0, columns = 0, row = 0;
  Cblacs_gridinfo(context, &rows, &columns, &row, &part);
  return name;
}

std::unique_ptr<Task> grid_task(const GridWork& work) {
  if (work.type == Type::f32) return made<float>(work);
  if (work.type == Type::f64) return made<double>(work);
  return nullptr;
}

}  // namespace breakeven::mpi
