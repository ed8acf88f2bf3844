// SPDX-License-Identifier: Apache-2.0
#include "plugins/cublas/library.hpp"

#include <cstdlib>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

#include "plugins/cuda_common/availability.hpp"
#include "plugins/cuda_common/check.hpp"
#include "plugins/cuda_common/device.hpp"
#include "plugins/cuda_common/dynamic_library.hpp"
#include "plugins/cuda_common/nvml.hpp"
#include "plugins/cuda_common/stopwatch.hpp"

namespace breakeven::cublas {

namespace {

const std::string file_name = "libcublas.so." + std::to_string(CUBLAS_VER_MAJOR);

// Where the loader looks, then where the toolkit's installer puts it.
std::vector<std::string> places() {
  std::vector<std::string> files{file_name};
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"}) {
    if (const char* folder = std::getenv(variable); folder && *folder)
      files.push_back(std::string(folder) + "/lib64/" + file_name);
  }
  const int major = CUDART_VERSION / 1000, minor = CUDART_VERSION % 1000 / 10;
  files.push_back("/usr/local/cuda-" + std::to_string(major) + "." + std::to_string(minor) +
                  "/lib64/" + file_name);
  files.push_back("/usr/local/cuda-" + std::to_string(major) + "/lib64/" + file_name);
  files.push_back("/usr/local/cuda/lib64/" + file_name);
  return files;
}

struct Loaded {
  Library functions;
  std::string reason;
  double seconds = 0;

  Loaded() {
    const cuda::Stopwatch watch;
    load();
    seconds = watch.seconds();
  }

 private:
  void load() {
    const cuda::DynamicLibrary file(places());
    if (!file) {
      reason = "no " + file_name + " (" + file.error() + "): install cuBLAS of CUDA " +
               std::to_string(CUDART_VERSION / 1000) + " or add its folder to LD_LIBRARY_PATH";
      return;
    }
    const auto find = [&](auto*& function, const char* name) {
      file.find(function, name);
      if (!function && reason.empty())
        reason = file_name + " has no function " + name + ": install a newer cuBLAS";
    };
    find(functions.create, "cublasCreate_v2");
    find(functions.destroy, "cublasDestroy_v2");
    find(functions.set_stream, "cublasSetStream_v2");
    find(functions.set_workspace, "cublasSetWorkspace_v2");
    find(functions.set_math_mode, "cublasSetMathMode");
    find(functions.set_pointer_mode, "cublasSetPointerMode_v2");
    find(functions.status_string, "cublasGetStatusString");
    find(functions.property, "cublasGetProperty");
    find(functions.gemm, "cublasGemmEx");
    find(functions.gemm_batched, "cublasGemmStridedBatchedEx");
    find(functions.norm, "cublasNrm2Ex");
  }
};

const Loaded& loaded() {
  static const Loaded once;
  return once;
}

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

const char* reason_missing() {
  return loaded().reason.empty() ? nullptr : loaded().reason.c_str();
}

const char* probe() {
  const char* reason = cuda::reason_unusable();
  return reason ? reason : reason_missing();
}

std::array<Stage, 3> stages_of_library() {
  return {{{"driver", cuda::driver_seconds()},
           {"library", loaded().seconds},
           {"nvml", cuda::nvml_seconds()}}};
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

const Library& library() {
  if (const char* reason = reason_missing()) throw std::runtime_error(reason);
  return loaded().functions;
}

void raise(cublasStatus_t status, const char* function) {
  // An error that nothing survives hides behind the status. cuBLAS brings a runtime of its own, so
  // that it is not the last error here; but every call that asks the context answers with it.
  std::size_t free_bytes = 0, total_bytes = 0;
  const cudaError_t below = cudaMemGetInfo(&free_bytes, &total_bytes);
  if (cuda::is_sticky(below)) cuda::raise(below, function);
  cudaGetLastError();
  if (status == CUBLAS_STATUS_ALLOC_FAILED) throw std::bad_alloc();
  std::string message(function);
  int ordinal = 0;
  if (cudaGetDevice(&ordinal) == cudaSuccess) message += " on GPU " + std::to_string(ordinal);
  throw std::runtime_error(message + ": " + library().status_string(status));
}

}  // namespace breakeven::cublas
