// SPDX-License-Identifier: Apache-2.0
// A rank as a device: memory there and here, and queues that reach both.
#pragma once

#include <breakeven/plugin.hpp>
#include <chrono>
#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "plugins/mpi/team.hpp"

namespace breakeven::mpi {

class Facts {
 public:
  void add(std::string_view key, std::string value) {
    facts_.push_back({key, texts_.emplace_back(std::move(value))});
  }
  std::span<const Fact> all() const noexcept { return facts_; }

 private:
  std::deque<std::string> texts_;
  std::vector<Fact> facts_;
};

// A backend that is made of ranks. What it adds has its devices.
class TeamBackend : public Backend {
 public:
  std::span<const Fact> facts() const override { return facts_.all(); }
  std::string_view advice() const override { return {}; }
  std::span<const Stage> stages() const override { return {&stage_, 1}; }
  void rest() override { team_.ask_all({.what = Do::rest}); }
  void wake() override { team_.ask_all({.what = Do::wake}); }

 protected:
  explicit TeamBackend(const Wish& wish);

 private:
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();

 protected:
  Team team_;
  Facts facts_;

 private:
  Stage stage_{"ranks", 0};
};

// Memory that a rank knows by an address of its own. The worker's is a file in memory that rank 0
// has mapped as well.
class RankBuffer final : public Buffer {
 public:
  static std::unique_ptr<RankBuffer> on_rank(Team& team, std::uint32_t rank, std::size_t bytes,
                                             Device& device);
  static std::unique_ptr<RankBuffer> on_host(Team& team, std::size_t bytes, Device& device);
  ~RankBuffer() override;

  std::uint32_t rank() const noexcept { return rank_; }
  std::uint64_t address() const noexcept { return address_; }

 private:
  RankBuffer(Team& team, std::uint32_t rank, std::uint64_t address, void* data, std::size_t bytes,
             Memory memory, Device& device) noexcept
      : Buffer(data, bytes, memory, device), team_(team), rank_(rank), address_(address) {}

  Team& team_;
  std::uint32_t rank_;
  std::uint64_t address_;
};

class RankDevice final : public Device {
 public:
  // `team` outlives the device.
  RankDevice(Team& team, std::uint32_t rank);

  std::uint32_t rank() const noexcept { return rank_; }

  DeviceInfo info() const override;
  std::span<const Fact> facts() const override { return facts_.all(); }
  std::size_t readings(std::span<Reading>) const override { return 0; }
  std::unique_ptr<Buffer> allocate(std::size_t bytes, Memory memory, std::size_t granule) override;
  std::unique_ptr<Queue> queue() override;
  bool reaches(const Device& peer) const override;
  void bind_thread() override {}

 private:
  Team& team_;
  std::uint32_t rank_;
  std::string name_, hardware_;
  Facts facts_;
};

}  // namespace breakeven::mpi
