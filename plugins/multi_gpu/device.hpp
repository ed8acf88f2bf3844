// SPDX-License-Identifier: Apache-2.0
// One device made of several.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include <breakeven/plugin.hpp>

#include "plugins/cuda_common/fact_list.hpp"

namespace breakeven::multi_gpu {

// A part and what it is made of: parts with the same `gpu` share one.
struct Part {
  std::unique_ptr<Device> device;
  int gpu = 0;
  double weight = 1;
};

class SpreadDevice final : public Device {
 public:
  SpreadDevice(std::vector<Part> parts, std::size_t overlap_from);

  DeviceInfo info() const override;
  std::span<const Fact> facts() const override { return facts_.view(); }
  // Counters as the sum over the GPUs, everything else per GPU: `gpu1_sm_clock_mhz`.
  std::size_t readings(std::span<Reading> into) const override;

  std::unique_ptr<Buffer> allocate(std::size_t bytes, Memory memory, std::size_t granule) override;
  std::unique_ptr<Queue> queue() override;
  bool reaches(const Device& peer) const override { return &peer == this; }
  void bind_thread() override { devices_.front()->bind_thread(); }

  // True where parts share a GPU: right results, but no speed-up to be had.
  bool logical() const noexcept { return firsts_.size() < parts_.size(); }

 private:
  // At one address and cut like device memory: each stretch lies beside the GPU that copies it.
  std::unique_ptr<Buffer> pinned_beside_parts(std::size_t bytes, std::size_t granule);

  std::vector<Part> parts_;
  std::size_t overlap_from_;
  std::vector<Device*> devices_;
  std::vector<double> weights_;
  std::vector<const Part*> firsts_;  // one part per GPU
  bool are_apart_ = false;           // at several sockets
  std::vector<std::map<std::string, std::string, std::less<>>>
      shown_;  // names of readings, per GPU
  std::string name_, hardware_;
  cuda::FactList facts_;
};

}  // namespace breakeven::multi_gpu
