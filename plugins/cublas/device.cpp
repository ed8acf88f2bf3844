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

std::unique_ptr<Task> CublasQueue::prepare(const Operation& operation) {
  const GetHandle get_handle = [this]() -> Handle& { return handle(); };
  struct Visitor {
    CublasDevice& device;
    const cuda::Stream& stream;
    const GetHandle& handle;

    std::unique_ptr<Task> operator()(const Nothing&) { return prepare_nothing(stream); }
    std::unique_ptr<Task> operator()(const Copy& o) { return cuda::prepare_copy(o, stream); }
    std::unique_ptr<Task> operator()(const Gemm& o) {
      return prepare_gemm(o, device, stream, handle);
    }
    std::unique_ptr<Task> operator()(const Norm& o) {
      return prepare_norm(o, device, stream, handle);
    }
    std::unique_ptr<Task> operator()(const MultiplyAdd& o) {
      return prepare_multiply_add(o, stream);
    }
    std::unique_ptr<Task> operator()(const Tanh& o) { return prepare_tanh(o, stream); }
    std::unique_ptr<Task> operator()(const TanhGradient& o) {
      return prepare_tanh_gradient(o, stream);
    }
  };
  return std::visit(Visitor{device_, stream_, get_handle}, operation);
}

std::unique_ptr<Task> CublasQueue::sequence(std::span<Task* const> tasks) {
  return cuda::record_sequence(tasks, stream_);
}

std::unique_ptr<Event> CublasQueue::event() {
  return std::make_unique<cuda::TimedEvent>(stream_.ordinal());
}

}  // namespace breakeven::cublas
