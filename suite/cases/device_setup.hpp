// SPDX-License-Identifier: Apache-2.0
// What every case needs of a backend: one queue on one device, and the memory and the tasks that
// live as long. Whatever a backend cannot give is thrown as Unsupported with what was missing.
// Nothing here is for use inside the clock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <span>
#include <string_view>
#include <vector>

#include <breakeven/plugin.hpp>

#include "suite/model/case.hpp"

namespace breakeven {

// Throws Unsupported where the backend has no device of this index.
Device& device_of(Session& session, std::size_t index);

Memory memory_named(std::string_view name);

class DeviceSetup {
 public:
  // Notes in `making`, where there is one, how the tasks that compute are made.
  explicit DeviceSetup(Device& device, Making* making = nullptr);
  DeviceSetup(const DeviceSetup&) = delete;
  DeviceSetup& operator=(const DeviceSetup&) = delete;
  // Waits for what is still queued, so that memory may go.
  ~DeviceSetup();

  Device& device() const { return device_; }
  Queue& queue() const { return *queue_; }
  Queue& add_queue();

  // Kept until the setup goes; the whole buffer.
  Slice allocate(std::size_t bytes, Memory memory = Memory::device, std::size_t granule = 1);

  Task& prepare(const AnyOperation& operation) { return prepare(operation, *queue_); }
  Task& prepare(const AnyOperation& operation, Queue& queue);
  Task& sequence(std::span<Task* const> tasks);

  // All that follows copies and blocks, in such pieces, of which there are two at most beside what
  // a case asks for: pages that are new cost more than the copy.
  static constexpr std::size_t piece_bytes = std::size_t{1} << 16;
  // Between any memory and the caller's.
  void upload(std::span<const std::byte> from, const Slice& to);
  // The same, but the backend is not told where the host can touch the memory itself.
  void write(std::span<const std::byte> from, const Slice& to);
  std::vector<std::byte> download(const Slice& from);
  // As write() does.
  void poison(const Slice& slice);
  // A few random places alone: it takes no time, and no check passes until they are written again.
  void poison_places(const Slice& slice);
  // The same, but never by the backend, which sees no rest either: a microsecond. False: the host
  // cannot touch the memory, and nothing is poisoned.
  bool poison_places_unseen(const Slice& slice);
  // Of all places that were poisoned so since this was asked last.
  bool is_poison_gone();
  // Reads all of it, in pieces. False: it holds poison.
  bool read(const Slice& slice);
  // What is written between the two is noted, and what is to be in the caches.
  void begin_renewal();
  void end_renewal() { renewing_ = false; }
  // Each line of that is written by the host with what is there. False: it cannot touch all.
  bool touch();
  // By the backend, at once, where the host cannot touch it; else touch() will.
  void bring_to_caches(const Slice& slice);
  // Bits that nobody can foretell.
  std::uint64_t random() { return random_(); }

 private:
  void copy(const Slice& to, const Slice& from);
  std::unique_ptr<Buffer> staging(std::size_t bytes);
  template <typename Work>
  void in_pieces(const Slice& slice, Work work);
  template <typename Poison>
  void at_places(const Slice& slice, Poison poison);

  Device& device_;
  Making* making_;
  std::mt19937_64 random_{std::random_device{}()};
  std::vector<std::unique_ptr<Buffer>> buffers_;
  std::unique_ptr<Buffer> poison_, piece_;      // once one is wanted
  std::vector<Slice> written_;                  // in the last renewal
  std::vector<std::span<std::byte>> poisoned_;  // unseen
  bool renewing_ = false;
  std::unique_ptr<Queue> queue_;
  std::vector<std::unique_ptr<Queue>> more_queues_;
  std::vector<std::unique_ptr<Task>> tasks_;
};

}  // namespace breakeven
