// SPDX-License-Identifier: Apache-2.0
#include "plugins/cublas/handle.hpp"

#include "plugins/cuda_common/check.hpp"

namespace breakeven::cublas {

std::size_t recommended_workspace(int capability) {
  constexpr std::size_t mebibyte = std::size_t{1} << 20;
  if (capability >= 120) return 12 * mebibyte;
  return (capability >= 90 ? 32 : 4) * mebibyte;
}

Handle::Handle(const cuda::Stream& stream, Device& device, std::size_t workspace_bytes)
    : workspace_(workspace_bytes, Memory::device, device, stream.ordinal()) {
  cuda::use(stream.ordinal());
  const Library& cublas = library();
  check(cublas.create(&handle_), "cublasCreate");
  try {
    // The stream first: setting it takes the workspace back.
    check(cublas.set_stream(handle_, stream.get()), "cublasSetStream");
    check(cublas.set_workspace(handle_, workspace_.address(), workspace_.bytes()),
          "cublasSetWorkspace");
    // Sums of 16-bit products stay in f32 also where k is split.
    check(cublas.set_math_mode(handle_, CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION),
          "cublasSetMathMode");
  } catch (...) {
    cublas.destroy(handle_);
    throw;
  }
}

Handle::~Handle() {
  library().destroy(handle_);
}

}  // namespace breakeven::cublas
