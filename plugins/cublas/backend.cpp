// SPDX-License-Identifier: Apache-2.0
#include "plugins/cublas/backend.hpp"

#include <cstdlib>
#include <string>

#include "plugins/cublas/library.hpp"
#include "plugins/cuda_common/availability.hpp"
#include "plugins/cuda_common/device.hpp"

namespace breakeven::cublas {

namespace {

std::string environment(const char* variable) {
  const char* value = std::getenv(variable);
  return value ? value : "unset";
}

std::string version() {
  int major = 0, minor = 0, patch = 0;
  check(library().property(MAJOR_VERSION, &major), "cublasGetProperty");
  check(library().property(MINOR_VERSION, &minor), "cublasGetProperty");
  check(library().property(PATCH_LEVEL, &patch), "cublasGetProperty");
  return std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(patch);
}

}  // namespace

const char* probe() {
  const char* reason = cuda::reason_unusable();
  return reason ? reason : reason_missing();
}

void add_library_facts(cuda::FactList& facts) {
  cuda::add_runtime_facts(facts);
  facts.add("cublas", version());
  facts.add("cublas_math_mode", "default, 16-bit products summed in f32");
  facts.add("nvidia_tf32_override", environment("NVIDIA_TF32_OVERRIDE"));
  // From cuBLAS 12.9 on: f32 out of bf16, f64 out of whole numbers.
  facts.add("cublas_emulate_single_precision", environment("CUBLAS_EMULATE_SINGLE_PRECISION"));
  facts.add("cublas_emulate_double_precision", environment("CUBLAS_EMULATE_DOUBLE_PRECISION"));
}

}  // namespace breakeven::cublas
