// SPDX-License-Identifier: Apache-2.0
// A library as SciPy ships OpenBLAS: with a prefix, and a suffix that says that integers have 64
// bits. It has no product in f64.
#include <cstdint>

extern "C" [[gnu::visibility("default")]] void scipy_cblas_sgemm64_(
    int order, int transpose_a, int transpose_b, std::int64_t m, std::int64_t n, std::int64_t k,
    float alpha, const float*, std::int64_t row_a, const float*, std::int64_t row_b, float beta,
    float* c, std::int64_t row_c) {
  const std::int64_t seen[] = {order,      transpose_a, transpose_b, m,         n,    k,
                               int(alpha), row_a,       row_b,       int(beta), row_c};
  for (const std::int64_t value : seen) *c++ = float(value);
}

extern "C" [[gnu::visibility("default")]] const char* scipy_openblas_get_config64_() {
  return "OpenBLAS 9.8.7 USE64BITINT";
}

static int threads = 1;
extern "C" [[gnu::visibility("default")]] void scipy_openblas_set_num_threads64_(int number) {
  threads = number;
}
// It was built for two.
extern "C" [[gnu::visibility("default")]] int scipy_openblas_get_num_threads64_() {
  return threads < 2 ? threads : 2;
}
