// SPDX-License-Identifier: Apache-2.0
// Which BLAS was loaded, and what it chose. CBLAS itself cannot be asked; each library has
// functions of its own for it, looked up in whatever was loaded.
#pragma once

#include <cstddef>
#include <string>

namespace breakeven::blas {

struct Library {
  std::string name;       // `OpenBLAS`; `unknown` where it does not say
  std::string version;    // `0.3.21`
  std::string build;      // what it says of its own build, one line
  std::string core_type;  // the kernels that it runs: `SkylakeX`, `Haswell`
};

Library loaded_library();

// How many threads a product may use from now on. False: the library cannot be told.
bool set_threads(std::size_t threads);

// Empty where the library runs kernels for everything that the processor can do.
// `asked_for` is the core type that the user set, or empty.
std::string advice_on(const Library& library, const std::string& asked_for);

}  // namespace breakeven::blas
