// SPDX-License-Identifier: Apache-2.0
// A GPU driven through cuBLAS.
#pragma once

#include <memory>

#include "plugins/cublas/handle.hpp"
#include "plugins/cublas/operations.hpp"
#include "plugins/cuda_common/device.hpp"
#include "plugins/cuda_common/stream.hpp"

namespace breakeven::cublas {

class CublasDevice final : public cuda::CudaDevice {
 public:
  // workspace_bytes: of every queue; 0 takes what the library's manual recommends.
  CublasDevice(int ordinal, std::size_t workspace_bytes);

  std::size_t workspace_bytes() const noexcept { return workspace_bytes_; }
  std::unique_ptr<Queue> queue() override;

 private:
  std::size_t workspace_bytes_;
};

class CublasQueue final : public Queue {
 public:
  explicit CublasQueue(CublasDevice& device) : device_(device), stream_(device.ordinal()) {}

  std::unique_ptr<Task> prepare_any(const AnyOperation& operation) override;
  // What is no operation of the contract.
  std::unique_ptr<Task> prepare_in_layout(const Gemm& gemm, const Layout& layout);
  std::unique_ptr<Task> prepare_rounding(const Rounding& rounding);
  std::unique_ptr<Task> sequence(std::span<Task* const> tasks) override;
  std::unique_ptr<Event> event() override;
  void record(Event& event) override { stream_.record(event); }
  void wait(const Event& event) override { stream_.wait(event); }
  void synchronize() override { stream_.synchronize(); }

 private:
  // Made with the first operation that needs it: a queue that only copies has none.
  Handle& handle();

  CublasDevice& device_;
  cuda::Stream stream_;
  std::unique_ptr<Handle> handle_;
};

}  // namespace breakeven::cublas
