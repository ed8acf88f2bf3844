// SPDX-License-Identifier: Apache-2.0
#include "plugins/cuda_common/stream.hpp"

#include "plugins/cuda_common/check.hpp"

namespace breakeven::cuda {

CudaEvent::CudaEvent(int ordinal, Timing timing) {
  use(ordinal);
  CUDA_TRY(cudaEventCreateWithFlags(
      &event_, timing == Timing::device ? cudaEventDefault : cudaEventDisableTiming));
}

CudaEvent::~CudaEvent() {
  cudaEventDestroy(event_);
}

double CudaEvent::since(const Event& start) const {
  float milliseconds = 0;
  const cudaEvent_t from = static_cast<const CudaEvent&>(start).event_;
  const cudaError_t status = cudaEventElapsedTime(&milliseconds, from, event_);
  if (is_sticky(status)) raise(status, "cudaEventElapsedTime");
  if (status != cudaSuccess) {
    cudaGetLastError();
    return -1;
  }
  return milliseconds * 1e-3;
}

Stream::Stream(int ordinal) : ordinal_(ordinal) {
  use(ordinal);
  CUDA_TRY(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
}

Stream::~Stream() {
  cudaStreamDestroy(stream_);
}

void Stream::record(Event& event) {
  use(ordinal_);
  CUDA_TRY(cudaEventRecord(static_cast<CudaEvent&>(event).get(), stream_));
}

void Stream::wait(const Event& event) {
  use(ordinal_);
  CUDA_TRY(cudaStreamWaitEvent(stream_, static_cast<const CudaEvent&>(event).get(), 0));
}

void Stream::synchronize() {
  use(ordinal_);
  CUDA_TRY(cudaStreamSynchronize(stream_));
}

}  // namespace breakeven::cuda
