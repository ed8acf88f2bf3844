// SPDX-License-Identifier: Apache-2.0
// The question: what serves where a GPU is asked for, if there is one, and else a CPU?
//
// The mode is what is asked for, as after --device, and is answered once for the whole run: the
// row names what was used, and how long a product takes there.
//   try-gpu     the first GPU, else the first CPU
//   try-gpu:1   the second GPU, else the first CPU
//   all-gpus    every GPU, one row each, else the first CPU
// Inside the clock: one product of operands that lie on the device, waited for. Outside: memory,
// preparation, first use.
//
// Work: 2 n³ flops; each matrix once.
#include <array>

#include "suite/cases/device_setup.hpp"
#include "suite/cases/product.hpp"
#include "suite/cases/routine.hpp"
#include "suite/cases/sweeps.hpp"
#include "suite/model/case.hpp"

namespace breakeven {

namespace {

constexpr std::array<std::string_view, 3> device_choice_modes{"try-gpu", "try-gpu:1", "all-gpus"};

class ProductThere final : public AuditedCase {
 public:
  ProductThere(const Key& key, Session& session)
      : setup_(device_of(session, key.device), session.making),
        product_(setup_, key.type, key.n, session.seed, 90),
        clock_(setup_.queue()),
        routine_{{&setup_.prepare(product_.gemm())}, {&setup_.queue()}, 0} {}

  Work work() const override {
    const Gemm& gemm = product_.gemm();
    const auto n = static_cast<double>(gemm.n);
    return {2 * n * n * n, static_cast<double>(gemm.a.bytes + gemm.b.bytes + gemm.c.bytes)};
  }

  Sample run(std::size_t repetitions, Clock& clock) override {
    return time(routine_, repetitions, clock);
  }

  std::optional<double> run_on_device_clock(std::size_t repetitions) override {
    return clock_.time(routine_, repetitions);
  }

  Verification verify() override {
    product_.place_exact();
    run_once(routine_);
    Verification found = product_.check_exact();
    product_.place_reals();
    run_once(routine_);
    found = both(std::move(found), product_.check_reals());
    product_.poison_result();
    return found;
  }

  Verification verify_last() override { return product_.check_reals(); }

 private:
  std::vector<Result> results() override { return {{&setup_, product_.gemm().c}}; }
  void renew_inputs() override { product_.renew(); }

  DeviceSetup setup_;
  Product product_;
  DeviceClock clock_;
  Routine routine_;
};

class DeviceChoiceCase final : public Case {
 public:
  std::string_view name() const override { return "device-choice"; }
  std::string_view question() const override {
    return "What serves where a GPU is asked for, if there is one?";
  }
  std::span<const std::string_view> modes() const override { return device_choice_modes; }

  std::vector<Key> keys(const Selection& selection) const override {
    static constexpr std::array types{f32, f64};
    const std::array preset{
        Sweep{{device_choice_modes.begin(), device_choice_modes.end()}, {f32}, squares({1000})}};
    const auto make = [](std::string_view, const Shape& shape) -> std::vector<Key> {
      if (shape.m != shape.n || shape.k != shape.n || shape.batch != 1) return {};
      Key key;
      key.m = key.n = key.k = shape.n;
      key.batch = 1;
      return {key};
    };
    return keys_of(*this, selection, types, preset, make, [](const Key&) { return false; });
  }

  std::size_t footprint(const Key& key) const override {
    return 6 * key.n * key.n * bytes_of(key.type);  // twice while it is verified
  }

  std::unique_ptr<PreparedCase> prepare(const Key& key, Session& session) const override {
    return std::make_unique<ProductThere>(key, session);
  }

  bool modes_are_devices() const override { return true; }
  std::string_view course_question(const Key&) const override { return "Q10"; }
};

}  // namespace

const Case& device_choice_case() {
  static const DeviceChoiceCase instance;
  return instance;
}

}  // namespace breakeven
