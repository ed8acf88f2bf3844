// SPDX-License-Identifier: Apache-2.0
#include "suite/cases/audited.hpp"

#include <algorithm>

namespace breakeven {

namespace {
constexpr std::size_t renewed_whole = std::size_t{1} << 20, renewed_piece = std::size_t{1} << 16;
constexpr std::size_t most_cached = std::size_t{1} << 25;
}  // namespace

std::vector<std::byte> RandomInput::content() const {
  std::vector<std::byte> data(where_.bytes);
  fill_(seed_, data);
  for (const Piece& piece : pieces_)
    fill_(piece.seed, std::span(data).subspan(piece.offset, piece.bytes));
  return data;
}

void RandomInput::renew(DeviceSetup& setup) {
  const std::uint64_t seed = setup.random();
  Piece piece{0, where_.bytes, seed};
  if (where_.bytes > renewed_whole) {
    if (where_.bytes <= most_cached) setup.read(where_);
    piece = {setup.random() % ((where_.bytes - renewed_piece) / 64 + 1) * 64, renewed_piece, seed};
  }
  std::vector<std::byte> data(piece.bytes);
  fill_(piece.seed, data);
  setup.write(data, {where_.buffer, where_.offset + piece.offset, piece.bytes});
  if (piece.bytes == where_.bytes) {
    seed_ = seed;
    pieces_.clear();
  } else {
    pieces_.push_back(piece);
  }
}

void AuditedCase::before_visit() {
  for (const Result& result : results()) result.setup->poison_places(result.slice);
}

void AuditedCase::poison_results() {
  for (const Result& result : results()) result.setup->poison(result.slice);
}

// Reading brings the results back into the caches that they were in.
bool AuditedCase::renew() {
  const std::vector<Result> all = results();
  if (all.empty()) return false;
  poison_results();
  for (const Result& result : all)
    if (result.slice.bytes <= most_cached) result.setup->read(result.slice);
  renew_inputs();
  return true;
}

bool AuditedCase::read_results() {
  bool written = true;
  for (const Result& result : results()) written = result.setup->read(result.slice) && written;
  return written;
}

}  // namespace breakeven
