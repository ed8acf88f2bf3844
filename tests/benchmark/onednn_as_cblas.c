// SPDX-License-Identifier: Apache-2.0
// oneDNN's product of f32 under the name that `serial_against_blas --library onednn=FILE` asks for.
//
// With Debian's libdnnl-dev:
//   cc -O2 -shared -fPIC tests/benchmark/onednn_as_cblas.c -ldnnl -o onednn.so
#include <oneapi/dnnl/dnnl.h>
#include <stdlib.h>

// Row-major, as oneDNN's own.
void cblas_sgemm(int order, int transpose_a, int transpose_b, int m, int n, int k, float alpha,
                 const float* a, int row_a, const float* b, int row_b, float beta, float* c,
                 int row_c) {
  if (order != 101 || dnnl_sgemm(transpose_a == 111 ? 'N' : 'T', transpose_b == 111 ? 'N' : 'T', m,
                                 n, k, alpha, a, row_a, b, row_b, beta, c, row_c) != dnnl_success)
    abort();
}
