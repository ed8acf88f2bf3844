// SPDX-License-Identifier: Apache-2.0
// One OpenCL device, or a part of one.
#pragma once

#include <atomic>
#include <breakeven/plugin.hpp>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "plugins/opencl/hardware.hpp"
#include "plugins/opencl/tiles.hpp"

namespace breakeven::opencl {

// Whose kernels do the products that both can.
enum class Products : unsigned char { clblast, own };

struct Settings {
  Products products = Products::own;
  bool tune = false;              // search for the tile of the own product where none is stored
  std::optional<Tile> tile = {};  // instead
};

class OpenClDevice final : public Device {
 public:
  OpenClDevice(Hardware& device, const Settings& chosen);
  OpenClDevice(const OpenClDevice&) = delete;
  OpenClDevice& operator=(const OpenClDevice&) = delete;

  Hardware& hardware;
  const Settings settings;
  std::atomic<std::size_t> allocated_bytes = 0;  // of device memory, through this plugin

  DeviceInfo info() const override;
  std::span<const Fact> facts() const override { return facts_; }
  std::size_t readings(std::span<Reading>) const override { return 0; }  // OpenCL has no such thing
  std::unique_ptr<Buffer> allocate(std::size_t bytes, Memory memory, std::size_t granule) override;
  std::unique_ptr<Queue> queue() override;
  bool reaches(const Device& peer) const override;
  void bind_thread() override {}  // any thread feeds it equally well

 private:
  void add_fact(std::string key, std::string value);

  std::string made_of_;
  std::deque<std::string> text_;
  std::vector<Fact> facts_;
};

}  // namespace breakeven::opencl
