// SPDX-License-Identifier: Apache-2.0
// The question: what does the first of everything cost? Every sample is the first in a process of
// its own.
//
// Inside the clock: the one step that the mode names. Outside: all steps that it needs before it.
//   create      asking the plugin whether it is usable here, and making the backend; its library is
//               loaded already, and the column `creation` has the parts
//   context     the first question to the device, for which a GPU's context is made
//   queue       making a queue
//   allocate    `bytes` of `memory`
//   prepare     a product of n×n matrices, on operands that are there
//   first-run   handing that product over and waiting for it
//
// Work: none, a rate would mean nothing.
#include <array>

#include <fmt/format.h>

#include "suite/cases/device_setup.hpp"
#include "suite/cases/sweeps.hpp"
#include "suite/model/case.hpp"
#include "suite/verify/gemm_check.hpp"

namespace breakeven {

namespace {

constexpr std::array<std::string_view, 6> first_use_modes{"create",   "context", "queue",
                                                          "allocate", "prepare", "first-run"};

bool multiplies(std::string_view mode) {
  return mode == "prepare" || mode == "first-run";
}

Sample elapsed(std::int64_t start, std::int64_t done) {
  const auto wall = static_cast<double>(done - start);
  return {wall, wall};
}

class FirstUse final : public PreparedCase {
 public:
  FirstUse(const Key& key, Session& session)
      : key_(key),
        seed_(session.seed),
        create_ns_(session.create_ns),
        device_(device_of(session, key.device)),
        making_(session.making) {}

  Work work() const override { return {0, 0, 0}; }
  bool repeatable() const override { return false; }

  // Every sample is the only one of its process; `repetitions` is 1.
  Sample run(std::size_t, Clock& clock) override {
    if (key_.mode == "create") return {create_ns_, create_ns_};
    if (key_.mode == "context") {
      const std::int64_t start = clock.now();
      static_cast<void>(device_.info());
      return elapsed(start, clock.now());
    }
    static_cast<void>(device_.info());
    if (key_.mode == "allocate") return allocate(clock);
    if (key_.mode == "queue") {
      const std::int64_t start = clock.now();
      queue_ = device_.queue();
      return elapsed(start, clock.now());
    }
    return multiply(clock);
  }

  std::optional<double> run_on_device_clock(std::size_t) override { return std::nullopt; }

  // Using anything now would make it the second use: all is checked after the run.
  Verification verify() override { return {true, "after-the-run", 0, 1, ""}; }

  Verification verify_last() override {
    if (!multiplies(key_.mode)) return {true, "after-the-run", 0, 1, ""};
    if (!is_written_) return {false, "after-the-run", 0, 1, "it was waited for and not there yet"};
    if (key_.mode == "prepare") {
      product_->enqueue();
      setup_->queue().synchronize();
    }
    const std::vector<std::byte> c = setup_->download(gemm_.c);
    return check_exact(gemm_, {a_, b_, {}, c}, seed_);
  }

 private:
  Sample allocate(Clock& clock) {
    const Memory memory = memory_named(key_.memory);
    const std::int64_t start = clock.now();
    buffer_ = device_.allocate(key_.bytes, memory);
    const std::int64_t done = clock.now();
    if (!buffer_) throw Unsupported{"no " + key_.memory + " memory"};
    return elapsed(start, done);
  }

  Sample multiply(Clock& clock) {
    const std::size_t bytes = key_.n * key_.n * bytes_of(key_.type);
    setup_ = std::make_unique<DeviceSetup>(device_, making_);
    gemm_ = {.type = key_.type, .m = key_.n, .n = key_.n, .k = key_.n};
    gemm_.a = setup_->allocate(bytes);
    gemm_.b = setup_->allocate(bytes);
    gemm_.c = setup_->allocate(bytes);
    a_.resize(bytes);
    b_.resize(bytes);
    fill_exact(gemm_, seed_, a_, b_);
    setup_->upload(a_, gemm_.a);
    setup_->upload(b_, gemm_.b);
    setup_->poison(gemm_.c);

    const std::int64_t start = clock.now();
    product_ = setup_->queue().prepare_any(gemm_);
    const std::int64_t prepared = clock.now();
    if (!product_)
      throw Unsupported{fmt::format("a product in {}", type_name(key_.type, key_.math))};
    if (key_.mode == "prepare") return elapsed(start, prepared);

    if (making_) making_->add(product_->info());
    setup_->poison_places_unseen(gemm_.c);
    const std::int64_t begin = clock.now();
    product_->enqueue();
    const std::int64_t handed_over = clock.now();
    setup_->queue().synchronize();
    const std::int64_t done = clock.now();
    is_written_ = setup_->is_poison_gone();  // before anybody reads it
    return {static_cast<double>(done - begin), static_cast<double>(handed_over - begin)};
  }

  Key key_;
  std::uint64_t seed_;
  double create_ns_;
  Device& device_;
  Making* making_;
  std::unique_ptr<Buffer> buffer_;
  std::unique_ptr<Queue> queue_;
  std::unique_ptr<DeviceSetup> setup_;
  Gemm gemm_;
  std::vector<std::byte> a_, b_;
  bool is_written_ = true;  // as far as the host can see
  std::unique_ptr<Task> product_;
};

class FirstUseCase final : public Case {
 public:
  std::string_view name() const override { return "first-use"; }
  std::string_view question() const override { return "What does the first of everything cost?"; }
  std::span<const std::string_view> modes() const override { return first_use_modes; }
  bool needs_fresh_worker() const override { return true; }

  // A size is n of the product, or the bytes to allocate.
  std::vector<Key> keys(const Selection& selection) const override {
    static constexpr std::array types{f32, f64};
    const auto make = [&](std::string_view mode, const Shape& shape) {
      Key key;
      if (multiplies(mode)) key.m = key.n = key.k = shape.n;
      std::vector<Key> keys;
      if (mode != "allocate") return keys = {key};
      key.bytes = shape.n;
      for (const std::string_view memory : {"pageable", "pinned", "device"}) {
        key.memory = memory;
        if (selection.preset != Preset::quick || memory == "device") keys.push_back(key);
      }
      return keys;
    };
    return keys_of(*this, selection, types, preset(selection.preset), make,
                   [](const Key&) { return false; });
  }

  std::size_t footprint(const Key& key) const override {
    return key.bytes + 6 * key.n * key.n * bytes_of(key.type);
  }

  std::unique_ptr<PreparedCase> prepare(const Key& key, Session& session) const override {
    return std::make_unique<FirstUse>(key, session);
  }

 private:
  static std::vector<Sweep> preset(Preset which) {
    constexpr std::size_t mebi = std::size_t{1} << 20;
    switch (which) {
      case Preset::quick:
        return {{{"create"}, {f32}, squares({1})},
                {{"allocate"}, {f32}, squares({mebi})},
                {{"first-run"}, {f32}, squares({100})}};
      case Preset::course:
        return {{{"create", "context", "queue"}, {f32}, squares({1})},
                {{"allocate"}, {f32}, squares({mebi, 64 * mebi})},
                {{"prepare", "first-run"}, {f32}, squares({100})}};
      case Preset::full:
        return {{{"create", "context", "queue"}, {f32}, squares({1})},
                {{"allocate"}, {f32}, squares({4, mebi, 64 * mebi, 1024 * mebi})},
                {{"prepare", "first-run"}, {f32, f64}, squares({100, 1000})}};
    }
    return {};
  }
};

}  // namespace

const Case& first_use_case() {
  static const FirstUseCase instance;
  return instance;
}

}  // namespace breakeven
