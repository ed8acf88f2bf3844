// SPDX-License-Identifier: Apache-2.0
#include "plugins/cuda_common/check.hpp"

#include <new>
#include <stdexcept>
#include <string>

#include <breakeven/plugin.hpp>

namespace breakeven::cuda {

// CUDA Runtime API manual, "cudaError": the errors that "leave the process in an inconsistent
// state"; and those of a device that fell out.
bool is_sticky(cudaError_t status) noexcept {
  constexpr int contained = 226, tensor_memory_leak = 721;  // not in every toolkit's header
  if (status == contained || status == tensor_memory_leak) return true;
  switch (status) {
    case cudaErrorECCUncorrectable:
    case cudaErrorNvlinkUncorrectable:
    case cudaErrorIllegalAddress:
    case cudaErrorLaunchTimeout:
    case cudaErrorContextIsDestroyed:
    case cudaErrorAssert:
    case cudaErrorHardwareStackError:
    case cudaErrorIllegalInstruction:
    case cudaErrorMisalignedAddress:
    case cudaErrorInvalidAddressSpace:
    case cudaErrorInvalidPc:
    case cudaErrorLaunchFailure:
    case cudaErrorExternalDevice:
    case cudaErrorDevicesUnavailable:
    case cudaErrorMpsClientTerminated:
      return true;
    default:
      return false;
  }
}

// CUDA Runtime API manual, "cudaError": all that begins cudaErrorStreamCapture.
bool is_of_recording(cudaError_t status) noexcept {
  return status >= cudaErrorStreamCaptureUnsupported && status <= cudaErrorStreamCaptureWrongThread;
}

void raise(cudaError_t status, const char* call) {
  int ordinal = -1;
  if (cudaGetDevice(&ordinal) != cudaSuccess) ordinal = -1;
  raise(status, call, ordinal);
}

void raise(cudaError_t status, const char* call, int ordinal) {
  cudaGetLastError();
  if (status == cudaErrorMemoryAllocation) throw std::bad_alloc();
  const std::string text(call);
  std::string message = text.substr(0, text.find('('));
  if (ordinal >= 0) message += " on GPU " + std::to_string(ordinal);
  message += std::string(": ") + cudaGetErrorString(status) + " (" + cudaGetErrorName(status) + ")";
  if (is_sticky(status)) throw DeviceLost(message);
  if (is_of_recording(status)) throw NotRecordable(message);
  throw std::runtime_error(message);
}

void use(int ordinal) {
  int current = -1;
  CUDA_TRY(cudaGetDevice(&current));
  if (current == ordinal) return;
  if (const cudaError_t status = cudaSetDevice(ordinal); status != cudaSuccess)
    raise(status, "cudaSetDevice", ordinal);
}

}  // namespace breakeven::cuda
