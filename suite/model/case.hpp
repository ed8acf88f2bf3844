// SPDX-License-Identifier: Apache-2.0
// A case is one question. It lists its keys (in the parent, which knows no plugin) and makes one of
// them ready to run (in the worker). Adding a case is one file here and one line in CMakeLists.txt.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <breakeven/plugin.hpp>

#include "suite/model/key.hpp"
#include "suite/model/making.hpp"
#include "suite/model/prepared_case.hpp"

namespace breakeven {

struct Shape {
  std::size_t m = 0, n = 0, k = 0, batch = 1;
  bool operator==(const Shape&) const = default;
};

struct NumberType {
  Type type = Type::f32;
  Math math = Math::native;
  bool operator==(const NumberType&) const = default;
};

enum class Preset { quick, course, full };

// What the user asked for. An empty list means: what the preset has for this case.
struct Selection {
  Preset preset = Preset::quick;
  std::vector<Shape> sizes;  // a plain number n is {n, n, n}, a fourth one the batch
  std::vector<NumberType> types;
  std::vector<std::string> modes;
  std::vector<std::string> caches;
  std::vector<std::size_t> counts;  // of steps, where a mode repeats one and leaves open how often
  std::size_t devices = 1;          // how many the backend has
  Kind kind = Kind::cpu;            // of the device: what is too long for a CPU is scaled down
};

// What a worker has: one backend, and the devices that the key counts from `key.device` on.
struct Session {
  Backend& backend;
  std::uint64_t seed;
  double create_ns = 0;      // what making the backend took, nanoseconds
  Making* making = nullptr;  // where prepared tasks are noted; outlives the case; null: nowhere
};

// The backend cannot do this: becomes a row `unsupported` with this reason.
struct Unsupported {
  std::string reason;
};

class Case {
 public:
  virtual ~Case() = default;
  virtual std::string_view name() const = 0;
  virtual std::string_view question() const = 0;
  virtual std::span<const std::string_view> modes() const = 0;

  // Keys without backend and device, in the order that a reader expects.
  virtual std::vector<Key> keys(const Selection& selection) const = 0;

  // Bytes that the case allocates on host and device together: groups are sized by it.
  virtual std::size_t footprint(const Key& key) const = 0;

  // Throws Unsupported, and what the contract's calls throw.
  virtual std::unique_ptr<PreparedCase> prepare(const Key& key, Session& session) const = 0;

  // True: every sample wants a worker of its own (what happens first happens once).
  virtual bool needs_fresh_worker() const { return false; }
  // True: the mode is a device as users ask for it (`try-gpu`), and is looked for once in a run
  // instead of measuring the case on every device.
  virtual bool modes_are_devices() const { return false; }
  // The experiment that a key of the course preset answers: `Q3`; else empty.
  virtual std::string_view course_question(const Key&) const { return {}; }
};

}  // namespace breakeven
