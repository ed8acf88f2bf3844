// SPDX-License-Identifier: Apache-2.0
// The CBLAS that was linked, or any other by its file. CBLAS itself cannot be asked what it is;
// each library has functions of its own for it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace breakeven::blas {

// Sizes are passed in 64 bits also to libraries whose integers have 32: on the 64-bit systems that
// there are, these read the lower half of the same registers and stack slots.
using Integer = std::int64_t;
static_assert(sizeof(void*) == 8);

template <class T>
using GemmRoutine = void (*)(int order, int transpose_a, int transpose_b, Integer m, Integer n,
                             Integer k, T alpha, const T* a, Integer row_a, const T* b,
                             Integer row_b, T beta, T* c, Integer row_c);
template <class T>
using NormRoutine = T (*)(Integer n, const T* x, Integer step);

// Null where the library has no such routine.
template <class T>
struct Routines {
  GemmRoutine<T> gemm = nullptr;
  NormRoutine<T> norm = nullptr;
};

struct Library {
  std::string name;       // `OpenBLAS`; `unknown` where it does not say
  std::string version;    // `0.3.21`
  std::string build;      // what it says of its own build, one line
  std::string core_type;  // the kernels that it runs: `SkylakeX`, `Haswell`
  bool wide = false;      // its integers are known to have 64 bits
  Routines<float> f32 = {};
  Routines<double> f64 = {};
  void* handle = nullptr;
};

// In place of the path of the one that the plugin was linked with.
inline constexpr char linked_library[] = "linked";

// Symbols may have OpenBLAS's or MKL's suffix for 64-bit integers, and SciPy's prefix. Libraries
// stay loaded. Throws std::runtime_error where the file cannot be loaded or has no product.
Library load_library(const std::string& path);

// How many threads a product may use from now on: so many, or as many as the library can. 0: it
// cannot be told.
std::size_t set_threads(const Library& library, std::size_t threads);

// Empty where the library runs kernels for everything that the processor can do.
// `asked_for` is the core type that the user set, or empty.
std::string advice_on(const Library& library, const std::string& asked_for);

}  // namespace breakeven::blas
