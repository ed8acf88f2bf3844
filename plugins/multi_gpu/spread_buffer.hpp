// SPDX-License-Identifier: Apache-2.0
// A buffer over the memories of several GPUs, or on the host.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <breakeven/plugin.hpp>

namespace breakeven::multi_gpu {

// The place of a piece that no GPU owns.
inline constexpr std::size_t host = static_cast<std::size_t>(-1);

// A stretch of a slice that lies in one memory.
struct Piece {
  std::size_t part = host;
  std::size_t begin = 0;  // bytes from the start of the slice
  Slice inner;
};

using Pieces = std::vector<Piece>;

class SpreadBuffer final : public Buffer {
 public:
  // Over the device memory of `parts`, cut as split_bytes says. Throws std::bad_alloc.
  SpreadBuffer(std::size_t bytes, std::size_t granule, Device& whole,
               std::span<Device* const> parts, std::span<const double> weights);

  // Host memory that every part reaches.
  SpreadBuffer(std::unique_ptr<Buffer> memory, Device& whole);

  Pieces pieces(std::size_t offset, std::size_t bytes) const;

 private:
  struct Stretch {
    std::size_t part, begin;
    std::unique_ptr<Buffer> memory;
  };
  std::vector<Stretch> stretches_;  // in order, none empty
};

// Throws std::invalid_argument for a slice of another device, one that leaves its buffer, or one
// shorter than `bytes`; of a longer one the first `bytes` count.
Pieces pieces_of(const Slice& slice, std::size_t bytes, const Device& whole, const char* name);

// The units of `unit` bytes in each piece.
struct Share {
  std::size_t part, first, count;
  Slice inner;
};

// None where a unit is cut.
std::optional<std::vector<Share>> shares_of(const Pieces& pieces, std::size_t unit);

// The same units on the same parts.
bool meet(const std::vector<Share>& one, const std::vector<Share>& other);

}  // namespace breakeven::multi_gpu
