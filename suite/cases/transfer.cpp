// SPDX-License-Identifier: Apache-2.0
// The question: what does it take to move bytes, from where to where, in one piece or in many?
//
// Inside the clock: handing over and waiting until the bytes have arrived. Outside: memory (pinned
// or not) and preparation.
//   single      one copy of `bytes`
//   pieces      the same bytes in `count` copies of equal size, waited for once
//   same-place  a copy of a buffer onto itself: what forcing a copy costs, where keeping the data
//               allocates nothing and moves 0 bytes
// Directions: h2d and d2h between host memory (`memory`) and the device, d2d within its memory,
// peer to the memory of the next device, both: h2d and d2h at the same time on two queues. On a
// CPU, device memory is memory first written by that device's thread: d2d stays with one core, peer
// crosses to another core or NUMA node.
//
// Work: the bytes that arrive; `both` counts those of both directions, same-place none.
#include <array>
#include <future>

#include <fmt/format.h>

#include "suite/cases/audited.hpp"
#include "suite/cases/device_setup.hpp"
#include "suite/cases/routine.hpp"
#include "suite/cases/sweeps.hpp"
#include "suite/model/case.hpp"
#include "suite/verify/random.hpp"
#include "suite/verify/vector_check.hpp"

namespace breakeven {

namespace {

constexpr std::array<std::string_view, 3> transfer_modes{"single", "pieces", "same-place"};
constexpr std::size_t pieces = 1024;

// One way that bytes take.
struct Way {
  Slice from, to;
  Queue* queue;
};

class Transfer final : public AuditedCase {
 public:
  Transfer(const Key& key, Session& session)
      : key_(key), setup_(device_of(session, key.device), session.making) {
    Queue& first = setup_.queue();
    if (key.mode == "same-place") {
      const Slice place = setup_.allocate(key.bytes);
      ways_ = {{place, place, &first}};
    } else if (key.direction == "d2d") {
      ways_ = {{setup_.allocate(key.bytes), setup_.allocate(key.bytes), &first}};
    } else if (key.direction == "peer") {
      ways_ = {{setup_.allocate(key.bytes), peer_slice(session), &first}};
    } else {
      const Memory memory = memory_named(key.memory);
      if (key.direction != "d2h")
        ways_.push_back({setup_.allocate(key.bytes, memory), setup_.allocate(key.bytes), &first});
      if (key.direction != "h2d")
        ways_.push_back({setup_.allocate(key.bytes), setup_.allocate(key.bytes, memory),
                         key.direction == "both" ? &setup_.add_queue() : &first});
    }

    const std::size_t count = std::max<std::size_t>(key.count, 1), bytes = key.bytes / count;
    for (std::size_t i = 0; i < count; ++i)
      for (const Way& way : ways_)
        routine_.tasks.push_back(&setup_.prepare(
            Copy{{way.to.buffer, i * bytes, bytes}, {way.from.buffer, i * bytes, bytes}},
            *way.queue));
    for (const Way& way : ways_) routine_.queues.push_back(way.queue);
    for (std::size_t i = 0; i < ways_.size(); ++i)
      inputs_.emplace_back(ways_[i].from, random_bits(session.seed, 40 + i), fill_bytes);
    clock_.emplace(first);
  }

  Work work() const override {
    if (key_.mode == "same-place") return {};
    const auto bytes = static_cast<double>(key_.bytes);
    Work work;
    work.bytes = bytes * static_cast<double>(ways_.size());
    if (key_.direction == "h2d" || key_.direction == "both") work.copied.h2d = bytes;
    if (key_.direction == "d2h" || key_.direction == "both") work.copied.d2h = bytes;
    if (key_.direction == "d2d") work.copied.d2d = bytes;
    if (key_.direction == "peer") work.copied.peer = bytes;
    return work;
  }

  Sample run(std::size_t repetitions, Clock& clock) override {
    return time(routine_, repetitions, clock);
  }

  std::optional<double> run_on_device_clock(std::size_t repetitions) override {
    return clock_->time(routine_, repetitions);
  }

  Verification verify() override {
    for (const RandomInput& input : inputs_) input.place(setup_);
    poison_results();
    run_once(routine_);
    Verification found = check();
    poison_results();
    return found;
  }

  Verification verify_last() override { return check(); }

  std::vector<std::pair<std::string, std::string>> details() const override {
    if (key_.direction != "peer") return {};
    const bool direct = setup_.device().reaches(peer_->device());
    return {{"direct", direct ? "yes" : "no"}};
  }

 private:
  // Allocated and first written by a thread in the peer's place.
  Slice peer_slice(Session& session) {
    const std::size_t devices = session.backend.devices().size();
    if (devices < 2) throw Unsupported{"one device"};
    Device& device = device_of(session, (key_.device + 1) % devices);
    return std::async(std::launch::async,
                      [&] {
                        device.bind_thread();
                        peer_ = std::make_unique<DeviceSetup>(device);
                        const Slice slice = peer_->allocate(key_.bytes);
                        peer_->poison(slice);
                        return slice;
                      })
        .get();
  }

  // The bytes that a copy onto itself finds must stay.
  std::vector<Result> results() override {
    std::vector<Result> all;
    for (const Way& way : ways_)
      if (key_.mode != "same-place") all.push_back({&setup_, way.to});
    return all;
  }
  void renew_inputs() override {
    for (RandomInput& input : inputs_) input.renew(setup_);
  }

  Verification check() {
    Verification found{true, "bytes", 0, 1, ""};
    for (std::size_t i = 0; i < ways_.size(); ++i)
      found = both(std::move(found), inputs_[i].check_copy_at(ways_[i].to, setup_));
    return found;
  }

  Key key_;
  std::unique_ptr<DeviceSetup> peer_;  // goes after the tasks that use its memory
  DeviceSetup setup_;
  std::optional<DeviceClock> clock_;
  std::vector<Way> ways_;
  std::vector<RandomInput> inputs_;
  Routine routine_;
};

struct Route {
  std::string_view direction;
  std::string_view memory;
};
constexpr std::array<Route, 8> routes{{{"h2d", "pageable"},
                                       {"h2d", "pinned"},
                                       {"d2h", "pageable"},
                                       {"d2h", "pinned"},
                                       {"both", "pageable"},
                                       {"both", "pinned"},
                                       {"d2d", ""},
                                       {"peer", ""}}};

class TransferCase final : public Case {
 public:
  std::string_view name() const override { return "transfer"; }
  std::string_view question() const override {
    return "What are latency and bandwidth of every way that bytes can take?";
  }
  std::span<const std::string_view> modes() const override { return transfer_modes; }

  std::vector<Key> keys(const Selection& selection) const override {
    static constexpr std::array types{f32};
    const auto make = [&](std::string_view mode, const Shape& shape) {
      Key key;
      key.bytes = shape.n;
      std::vector<Key> keys;
      if (mode == "pieces" && (shape.n % pieces != 0 || shape.n < 4 * pieces)) return keys;
      for (const Route& route : routes) {
        key.direction = route.direction;
        key.memory = route.memory;
        key.count = mode == "pieces" ? pieces : 0;
        if (is_wanted(key, mode, selection)) keys.push_back(key);
      }
      return keys;
    };
    return keys_of(*this, selection, types, preset(selection.preset), make,
                   [](const Key& key) { return key.count == 0; });
  }

  std::size_t footprint(const Key& key) const override {
    const std::size_t buffers = key.mode == "same-place" ? 1 : key.direction == "both" ? 4 : 2;
    return buffers * key.bytes;  // checked in pieces
  }

  std::unique_ptr<PreparedCase> prepare(const Key& key, Session& session) const override {
    return std::make_unique<Transfer>(key, session);
  }

  std::string_view course_question(const Key& key) const override {
    return key.mode == "same-place" ? "Q9" : "Q8";
  }

 private:
  static constexpr std::size_t mebi = std::size_t{1} << 20;

  static bool is_wanted(const Key& key, std::string_view mode, const Selection& selection) {
    if (mode == "same-place") return key.direction == "d2d";
    const bool is_asked_for = !selection.sizes.empty() || selection.preset == Preset::full;
    if (is_asked_for) return true;
    const bool is_one_way = key.direction == "h2d" || key.direction == "d2h";
    if (selection.preset == Preset::quick) {
      if (key.memory == "pinned" || key.direction == "both") return false;
      return is_one_way ? mode != "pieces" || key.direction == "h2d" : key.bytes >= 16 * mebi;
    }
    if (mode == "pieces") return is_one_way;
    return key.bytes <= 64 * mebi || key.direction == "h2d";
  }

  static std::vector<Shape> sizes(const std::vector<std::size_t>& bytes) {
    std::vector<Shape> shapes;
    for (const std::size_t n : bytes) shapes.push_back({n, n, n});
    return shapes;
  }

  static std::vector<Sweep> preset(Preset which) {
    switch (which) {
      case Preset::quick:
        return {{{"single"}, {f32}, squares({4, 16 * mebi})},
                {{"pieces"}, {f32}, squares({mebi})},
                {{"same-place"}, {f32}, squares({mebi})}};
      case Preset::course:
        return {{{"single"}, {f32}, sizes(powers(4, 64 * mebi, 64))},
                {{"single"}, {f32}, squares({1024 * mebi})},
                {{"pieces"}, {f32}, squares({mebi})},
                {{"same-place"}, {f32}, squares({4, 16 * mebi})}};
      case Preset::full:
        return {{{"single"}, {f32}, sizes(powers(4, 1024 * mebi, 4))},
                {{"pieces"}, {f32}, squares({mebi, 16 * mebi})},
                {{"same-place"}, {f32}, squares({4, mebi, 256 * mebi})}};
    }
    return {};
  }
};

}  // namespace

const Case& transfer_case() {
  static const TransferCase instance;
  return instance;
}

}  // namespace breakeven
