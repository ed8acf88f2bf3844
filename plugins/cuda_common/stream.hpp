// SPDX-License-Identifier: Apache-2.0
// A stream of one GPU, and points in its order.
#pragma once

#include <cuda_runtime_api.h>

#include <breakeven/plugin.hpp>

namespace breakeven::cuda {

// Without a time an event only orders, and costs less to record and to wait for.
enum class Timing : bool { none, device };

class CudaEvent final : public Event {
 public:
  explicit CudaEvent(int ordinal, Timing timing = Timing::device);
  ~CudaEvent() override;
  CudaEvent(const CudaEvent&) = delete;
  CudaEvent& operator=(const CudaEvent&) = delete;

  double since(const Event& start) const override;
  cudaEvent_t get() const noexcept { return event_; }

 private:
  cudaEvent_t event_ = nullptr;
};

// Does not order itself with the default stream.
class Stream {
 public:
  explicit Stream(int ordinal);
  ~Stream();
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  int ordinal() const noexcept { return ordinal_; }
  cudaStream_t get() const noexcept { return stream_; }

  void record(Event& event);
  void wait(const Event& event);
  void synchronize();

 private:
  int ordinal_;
  cudaStream_t stream_ = nullptr;
};

}  // namespace breakeven::cuda
