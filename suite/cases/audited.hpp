// SPDX-License-Identifier: Apache-2.0
// What an audit needs of a case: inputs that can be renewed, and results that can be poisoned and
// read. Nothing here is for use inside the clock.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "suite/cases/device_setup.hpp"
#include "suite/model/prepared_case.hpp"
#include "suite/verify/random.hpp"

namespace breakeven {

// Random numbers that lie on a device; the host makes them again where it needs them.
class RandomInput {
 public:
  using Fill = std::function<void(std::uint64_t seed, std::span<std::byte>, std::size_t first)>;

  RandomInput(const Slice& where, std::uint64_t seed, Fill fill)
      : where_(where), seed_(seed), fill_(std::move(fill)) {}
  RandomInput(const Slice& where, std::uint64_t seed, Type type)
      : RandomInput(where, seed,
                    [type](std::uint64_t bits, std::span<std::byte> data, std::size_t first) {
                      breakeven::fill(type, Values::signed_unit, bits, data, first);
                    }) {}

  const Slice& where() const { return where_; }
  std::vector<std::byte> content() const { return content(0, where_.bytes); }
  std::vector<std::byte> content(std::size_t from, std::size_t bytes) const;
  void place(DeviceSetup& setup) const;
  // Whether a copy of it lies there, of which no second one is made: it may be a gigabyte.
  Verification check_copy_at(const Slice& copy, DeviceSetup& setup) const;

  // Other numbers in its place: all of them, or 64 KiB at a random place of what is larger than
  // 1 MiB, so that what the caches hold stays as it was.
  void renew(DeviceSetup& setup);

 private:
  struct Piece {
    std::size_t offset, bytes;
    std::uint64_t seed;
  };

  Slice where_;
  std::uint64_t seed_;
  Fill fill_;
  std::vector<Piece> pieces_;  // that were renewed since
};

// Checks `out`, each byte of which comes from those of the inputs at its place, in pieces that lie
// in caches.
using PieceCheck = std::function<Verification(std::span<const std::vector<std::byte>> inputs,
                                              std::span<const std::byte> out, std::size_t first)>;
Verification check_in_pieces(std::span<const RandomInput> inputs, const Slice& out,
                             DeviceSetup& setup, const PieceCheck& check);

// What a run has to write, and by which setup it is reached.
struct Result {
  DeviceSetup* setup;
  Slice slice;
};

class AuditedCase : public PreparedCase {
 public:
  void before_visit() override;
  bool poison_unseen() final;
  bool is_poison_gone() final;
  bool renew() final;
  bool touch() final;
  bool read_results() final;

 protected:
  virtual std::vector<Result> results() = 0;
  virtual void renew_inputs() = 0;
  void poison_results();

 private:
  std::vector<DeviceSetup*> setups();
  void bring_to_caches();
};

}  // namespace breakeven
