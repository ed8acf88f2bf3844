// SPDX-License-Identifier: Apache-2.0
// The functions of the CUDA driver that Kokkos calls. Linked to libcuda, the plugin could not even
// be loaded on a machine without a driver; asked of the CUDA runtime when they are called, it can,
// and answers "no NVIDIA driver".
#include <cuda.h>
#include <cuda_runtime_api.h>

namespace {

template <class Function>
Function* driver_function(const char* name, Function*) {
  void* address = nullptr;
  cudaDriverEntryPointQueryResult result{};
#if CUDART_VERSION >= 12050
  const cudaError_t status =
      cudaGetDriverEntryPointByVersion(name, &address, 12000, cudaEnableDefault, &result);
#else
  const cudaError_t status = cudaGetDriverEntryPoint(name, &address, cudaEnableDefault, &result);
#endif
  const bool found = status == cudaSuccess && result == cudaDriverEntryPointSuccess;
  return found ? reinterpret_cast<Function*>(address) : nullptr;
}

template <class Function, class... Arguments>
CUresult call(Function* function, Arguments... arguments) {
  return function != nullptr ? function(arguments...) : CUDA_ERROR_NOT_SUPPORTED;
}

}  // namespace

extern "C" {

CUresult cuStreamGetCtx(CUstream stream, CUcontext* context) {
  static const auto function = driver_function("cuStreamGetCtx", &cuStreamGetCtx);
  return call(function, stream, context);
}

// Kokkos pushes one for every instance and takes none back. Made current instead, they do not heap
// up on the thread.
CUresult cuCtxPushCurrent(CUcontext context) {
  static const auto function = driver_function("cuCtxSetCurrent", &cuCtxPushCurrent);
  return call(function, context);
}

CUresult cuCtxGetDevice(CUdevice* device) {
  static const auto function = driver_function("cuCtxGetDevice", &cuCtxGetDevice);
  return call(function, device);
}

}  // extern "C"
