// SPDX-License-Identifier: Apache-2.0
// mpirun -n P bare_pgemm N BLOCK SECONDS: the median time in nanoseconds of one f32 product of N x
// N by psgemm itself, of blocks of products that take 5 ms, on a grid of one row of all ranks as
// the plugin scalapack has it.
#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <vector>

// Netlib's ScaLAPACK has no headers.
extern "C" {
int Csys2blacs_handle(MPI_Comm);
void Cblacs_gridinit(int* context, const char* order, int rows, int columns);
void psgemm_(const char*, const char*, const int*, const int*, const int*, const float*,
             const float*, const int*, const int*, const int*, const float*, const int*, const int*,
             const int*, const float*, float*, const int*, const int*, const int*);
}

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr, "usage: mpirun -n P bare_pgemm N BLOCK SECONDS\n");
    return 2;
  }
  const int n = std::atoi(argv[1]), block = std::atoi(argv[2]);
  const double seconds = std::atof(argv[3]);
  MPI_Init(&argc, &argv);
  int rank = 0, ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  int context = Csys2blacs_handle(MPI_COMM_WORLD);
  Cblacs_gridinit(&context, "Row", 1, ranks);
  const std::array<int, 9> descriptor{1, context, n, n, n, block, 0, 0, n};
  const std::size_t columns = std::size_t(n / block / ranks + 1) * std::size_t(block);
  std::vector<float> a(columns * std::size_t(n), 0.5F), b(a), c(a);
  const float alpha = 1, beta = 0;
  const int one = 1;
  const auto time_of = [&](int products) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = MPI_Wtime();
    for (int i = 0; i < products; ++i)
      psgemm_("N", "N", &n, &n, &n, &alpha, b.data(), &one, &one, descriptor.data(), a.data(), &one,
              &one, descriptor.data(), &beta, c.data(), &one, &one, descriptor.data());
    MPI_Barrier(MPI_COMM_WORLD);
    return (MPI_Wtime() - begin) / products;
  };
  time_of(3);
  double once = time_of(3);
  MPI_Bcast(&once, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  const int products = std::max(1, int(5e-3 / once) + 1);
  std::vector<double> times;
  const double end = MPI_Wtime() + seconds;
  for (int going_on = 1; going_on;) {
    times.push_back(time_of(products));
    going_on = MPI_Wtime() < end;
    MPI_Bcast(&going_on, 1, MPI_INT, 0, MPI_COMM_WORLD);
  }
  std::sort(times.begin(), times.end());
  if (rank == 0) std::printf("%.0f\n", times[times.size() / 2] * 1e9);
  MPI_Finalize();
}
