// SPDX-License-Identifier: Apache-2.0
#include "suite/cases/audited.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "suite/verify/vector_check.hpp"

namespace breakeven {

namespace {
constexpr std::size_t renewed_whole = std::size_t{1} << 20, renewed_piece = std::size_t{1} << 16;
constexpr std::size_t most_cached = std::size_t{1} << 25;
constexpr std::size_t checked_piece = std::size_t{1} << 18;
}  // namespace

std::vector<std::byte> RandomInput::content(std::size_t from, std::size_t bytes) const {
  std::vector<std::byte> data(bytes);
  fill_(seed_, data, from);
  for (const Piece& piece : pieces_) {
    const std::size_t begin = std::max(from, piece.offset);
    const std::size_t end = std::min(from + bytes, piece.offset + piece.bytes);
    if (begin < end)
      fill_(piece.seed, std::span(data).subspan(begin - from, end - begin), begin - piece.offset);
  }
  return data;
}

void RandomInput::place(DeviceSetup& setup) const {
  for (std::size_t at = 0; at < where_.bytes; at += checked_piece) {
    const std::size_t bytes = std::min(checked_piece, where_.bytes - at);
    setup.upload(content(at, bytes), {where_.buffer, where_.offset + at, bytes});
  }
}

Verification RandomInput::check_copy_at(const Slice& copy, DeviceSetup& setup) const {
  Verification found = check_copy({}, {});
  for (std::size_t at = 0; at < where_.bytes; at += checked_piece) {
    const std::size_t bytes = std::min(checked_piece, where_.bytes - at);
    found = both(
        std::move(found),
        check_copy(content(at, bytes), setup.download({copy.buffer, copy.offset + at, bytes}), at));
  }
  return found;
}

void RandomInput::renew(DeviceSetup& setup) {
  const std::uint64_t seed = setup.random();
  Piece piece{0, where_.bytes, seed};
  if (where_.bytes > renewed_whole) {
    if (where_.bytes <= most_cached) setup.bring_to_caches(where_);
    piece = {setup.random() % ((where_.bytes - renewed_piece) / 64 + 1) * 64, renewed_piece, seed};
  }
  std::vector<std::byte> data(piece.bytes);
  fill_(piece.seed, data, 0);
  setup.write(data, {where_.buffer, where_.offset + piece.offset, piece.bytes});
  if (piece.bytes == where_.bytes) {
    seed_ = seed;
    pieces_.clear();
  } else {
    pieces_.push_back(piece);
  }
}

Verification check_in_pieces(std::span<const RandomInput> inputs, const Slice& out,
                             DeviceSetup& setup, const PieceCheck& check) {
  std::optional<Verification> all;
  std::vector<std::vector<std::byte>> contents(inputs.size());
  for (std::size_t at = 0; at < out.bytes; at += checked_piece) {
    const std::size_t bytes = std::min(checked_piece, out.bytes - at);
    for (std::size_t i = 0; i < inputs.size(); ++i) contents[i] = inputs[i].content(at, bytes);
    Verification piece = check(contents, setup.download({out.buffer, out.offset + at, bytes}), at);
    if (!piece.passed) piece.message = fmt::format("from byte {} on, {}", at, piece.message);
    all = all ? both(std::move(*all), piece) : std::move(piece);
  }
  return all.value();
}

void AuditedCase::before_visit() {
  for (const Result& result : results()) result.setup->poison_places(result.slice);
}

bool AuditedCase::poison_unseen() {
  bool any = false;
  for (const Result& result : results())
    any = result.setup->poison_places_unseen(result.slice) || any;
  return any;
}

bool AuditedCase::is_poison_gone() {
  bool gone = true;
  for (DeviceSetup* setup : setups()) gone = setup->is_poison_gone() && gone;
  return gone;
}

void AuditedCase::poison_results() {
  for (const Result& result : results()) result.setup->poison(result.slice);
}

// Several devices have a setup each, and one may have several results.
std::vector<DeviceSetup*> AuditedCase::setups() {
  std::vector<DeviceSetup*> all;
  for (const Result& result : results())
    if (std::find(all.begin(), all.end(), result.setup) == all.end()) all.push_back(result.setup);
  return all;
}

bool AuditedCase::renew() {
  const std::vector<DeviceSetup*> all = setups();
  for (DeviceSetup* setup : all) setup->begin_renewal();
  poison_results();
  renew_inputs();
  for (DeviceSetup* setup : all) setup->end_renewal();
  bring_to_caches();
  return !all.empty();
}

bool AuditedCase::touch() {
  bool touched = true;
  for (DeviceSetup* setup : setups()) touched = setup->touch() && touched;
  return touched;
}

// Those that they were in. Where the host can, by the same means as before a repetition beside the
// audited one: whose core has them makes a factor of three.
void AuditedCase::bring_to_caches() {
  const auto is_cached = [](const Result& result) { return result.slice.bytes <= most_cached; };
  const std::vector<Result> all = results();
  if (std::all_of(all.begin(), all.end(), is_cached)) touch();
  for (const Result& result : all)
    if (is_cached(result)) result.setup->bring_to_caches(result.slice);
}

bool AuditedCase::read_results() {
  bool written = true;
  for (const Result& result : results()) written = result.setup->read(result.slice) && written;
  return written;
}

}  // namespace breakeven
