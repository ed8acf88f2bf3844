// SPDX-License-Identifier: Apache-2.0
// libxsmm under names that `serial_against_blas --library xsmm=FILE` asks for. It makes a product's
// code when a shape comes first, and is asked for it again only when the shape changes.
//
// With Debian's libxsmm-dev:
//   cc -O2 -shared -fPIC tests/benchmark/libxsmm_as_cblas.c -lxsmm -lxsmmnoblas -ldl -o xsmm.so
#include <libxsmm.h>
#include <stdlib.h>

// Row-major products without transposes and with alpha = 1, beta = 0, which is what is compared. To
// libxsmm, which thinks in columns, that is b times a.
#define PRODUCT(name, T, Code, dispatch)                                                           \
  void name(int order, int transpose_a, int transpose_b, int m, int n, int k, T alpha, const T* a, \
            int row_a, const T* b, int row_b, T beta, T* c, int row_c) {                           \
    static Code code = NULL;                                                                       \
    static int of[6];                                                                              \
    if (order != 101 || transpose_a != 111 || transpose_b != 111 || alpha != 1 || beta != 0)       \
      abort();                                                                                     \
    if (!code || of[0] != m || of[1] != n || of[2] != k || of[3] != row_a || of[4] != row_b ||     \
        of[5] != row_c) {                                                                          \
      code = dispatch(n, m, k, &row_b, &row_a, &row_c, &alpha, &beta, NULL, NULL);                 \
      if (!code) abort();                                                                          \
      of[0] = m, of[1] = n, of[2] = k, of[3] = row_a, of[4] = row_b, of[5] = row_c;                \
    }                                                                                              \
    code(b, a, c);                                                                                 \
  }

PRODUCT(cblas_sgemm, float, libxsmm_smmfunction, libxsmm_smmdispatch)
PRODUCT(cblas_dgemm, double, libxsmm_dmmfunction, libxsmm_dmmdispatch)
