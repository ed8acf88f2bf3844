// SPDX-License-Identifier: Apache-2.0
#include "plugins/multi_gpu/spread_buffer.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

#include "plugins/multi_gpu/split.hpp"

namespace breakeven::multi_gpu {

SpreadBuffer::SpreadBuffer(std::size_t bytes, std::size_t granule, Device& whole,
                           std::span<Device* const> parts, std::span<const double> weights)
    : Buffer(nullptr, bytes, Memory::device, whole) {
  const std::vector<std::size_t> ends = split_bytes(bytes, granule, weights);
  std::size_t begin = 0;
  for (std::size_t part = 0; part < parts.size(); ++part) {
    const std::size_t end = ends[part];
    if (end == begin) continue;
    stretches_.push_back({part, begin, parts[part]->allocate(end - begin, Memory::device)});
    begin = end;
  }
}

SpreadBuffer::SpreadBuffer(std::unique_ptr<Buffer> memory, Device& whole)
    : Buffer(memory->data(), memory->bytes(), memory->memory(), whole) {
  stretches_.push_back({host, 0, std::move(memory)});
}

Pieces SpreadBuffer::pieces(std::size_t offset, std::size_t bytes) const {
  Pieces result;
  for (const Stretch& stretch : stretches_) {
    const std::size_t begin = std::max(offset, stretch.begin);
    const std::size_t end = std::min(offset + bytes, stretch.begin + stretch.memory->bytes());
    if (begin >= end) continue;
    result.push_back({stretch.part, begin - offset,
                      Slice{stretch.memory.get(), begin - stretch.begin, end - begin}});
  }
  return result;
}

Pieces pieces_of(const Slice& slice, std::size_t bytes, const Device& whole, const char* name) {
  if (!slice.buffer) throw std::invalid_argument(std::string(name) + " has no buffer");
  const Buffer& buffer = *slice.buffer;
  if (&buffer.device() != &whole)
    throw std::invalid_argument(std::string(name) + " lies on " +
                                std::string(buffer.device().info().name) + ", the queue works on " +
                                std::string(whole.info().name));
  if (slice.offset > buffer.bytes() || slice.bytes > buffer.bytes() - slice.offset)
    throw std::invalid_argument(std::string(name) + " ends beyond its buffer of " +
                                std::to_string(buffer.bytes()) + " bytes");
  if (slice.bytes < bytes)
    throw std::invalid_argument(std::string(name) + " has " + std::to_string(slice.bytes) +
                                " bytes, the operation needs " + std::to_string(bytes));
  return static_cast<const SpreadBuffer&>(buffer).pieces(slice.offset, bytes);
}

std::optional<std::vector<Share>> shares_of(const Pieces& pieces, std::size_t unit) {
  std::vector<Share> shares;
  for (const Piece& piece : pieces) {
    if (piece.part == host || piece.begin % unit != 0 || piece.inner.bytes % unit != 0)
      return std::nullopt;
    shares.push_back({piece.part, piece.begin / unit, piece.inner.bytes / unit, piece.inner});
  }
  return shares;
}

bool meet(const std::vector<Share>& one, const std::vector<Share>& other) {
  return std::equal(one.begin(), one.end(), other.begin(), other.end(),
                    [](const Share& a, const Share& b) {
                      return a.part == b.part && a.first == b.first && a.count == b.count;
                    });
}

}  // namespace breakeven::multi_gpu
