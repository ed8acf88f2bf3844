// SPDX-License-Identifier: Apache-2.0
#include "plugins/cublas/device.hpp"

#include "plugins/cuda_common/copy.hpp"
#include "plugins/cuda_common/sequence.hpp"

namespace breakeven::cublas {

CublasDevice::CublasDevice(int ordinal, std::size_t workspace_bytes)
    : CudaDevice(ordinal),
      workspace_bytes_(workspace_bytes ? workspace_bytes : recommended_workspace(capability())) {
  add_fact("cublas_workspace_bytes", std::to_string(workspace_bytes_));
}

std::unique_ptr<Queue> CublasDevice::queue() {
  return std::make_unique<CublasQueue>(*this);
}

Handle& CublasQueue::handle() {
  if (!handle_) handle_ = std::make_unique<Handle>(stream_, device_, device_.workspace_bytes());
  return *handle_;
}

std::unique_ptr<Task> CublasQueue::prepare_any(const AnyOperation& operation) {
  return dispatch(
      operation, [&](const Nothing&) { return prepare_nothing(stream_); },
      [&](const Copy& copy) { return cuda::prepare_copy(copy, stream_); },
      [&](const Gemm& gemm) {
        return prepare_in_layout(gemm, Layout{gemm.k, gemm.type});
      },
      [&](const Norm& norm) {
        return prepare_norm(norm, device_, stream_, [this]() -> Handle& { return handle(); });
      },
      [&](const MultiplyAdd& one) { return prepare_multiply_add(one, stream_); },
      [&](const Tanh& one) { return prepare_tanh(one, stream_); },
      [&](const TanhGradient& one) { return prepare_tanh_gradient(one, stream_); });
}

std::unique_ptr<Task> CublasQueue::prepare_in_layout(const Gemm& gemm, const Layout& layout) {
  return prepare_gemm(gemm, layout, device_, stream_, [this]() -> Handle& { return handle(); });
}

std::unique_ptr<Task> CublasQueue::prepare_rounding(const Rounding& rounding) {
  return cublas::prepare_rounding(rounding, stream_);
}

std::unique_ptr<Task> CublasQueue::sequence(std::span<Task* const> tasks) {
  return cuda::record_sequence(tasks, stream_);
}

std::unique_ptr<Event> CublasQueue::event() {
  return std::make_unique<cuda::CudaEvent>(stream_.ordinal());
}

}  // namespace breakeven::cublas
