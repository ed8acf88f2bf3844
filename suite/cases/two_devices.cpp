// SPDX-License-Identifier: Apache-2.0
// The question: what happens to an operation on operands of two devices?
//
// It is refused, in words that name both: those are the reason of a row without a time. Mode:
// refused. That it is taken, or refused in other words, is a failure.
#include <array>
#include <stdexcept>
#include <string>

#include <fmt/format.h>

#include "suite/cases/device_setup.hpp"
#include "suite/cases/sweeps.hpp"
#include "suite/model/case.hpp"

namespace breakeven {

namespace {

constexpr std::array<std::string_view, 1> two_devices_modes{"refused"};
constexpr std::size_t elements = 1024, bytes = elements * sizeof(float);

// By what its maker calls it, or by its index.
bool names(const std::string& text, Session& session, std::size_t device) {
  return text.find(device_of(session, device).info().name) != std::string::npos ||
         text.find(std::to_string(device)) != std::string::npos;
}

class TwoDevicesCase final : public Case {
 public:
  std::string_view name() const override { return "two-devices"; }
  std::string_view question() const override {
    return "What happens to an operation on operands of two devices?";
  }
  std::span<const std::string_view> modes() const override { return two_devices_modes; }

  // Has no size, and is short enough for every preset.
  std::vector<Key> keys(const Selection& selection) const override {
    static constexpr std::array types{f32};
    const std::array preset{Sweep{{"refused"}, {f32}, squares({1})}};
    const auto make = [](std::string_view, const Shape&) {
      Key key;
      key.devices = 2;
      return std::vector{key};
    };
    return keys_of(*this, selection, types, preset, make, [](const Key&) { return false; });
  }

  std::size_t footprint(const Key&) const override { return 2 * bytes; }

  std::unique_ptr<PreparedCase> prepare(const Key& key, Session& session) const override {
    const std::size_t devices = session.backend.devices().size();
    if (devices < 2) throw Unsupported{"one device"};
    const std::size_t next = (key.device + 1) % devices;
    DeviceSetup here(device_of(session, key.device)), there(device_of(session, next));
    const Slice mine = here.allocate(bytes), other = there.allocate(bytes);
    try {
      here.queue().prepare_any(MultiplyAdd{Type::f32, elements, mine, other, mine, mine});
    } catch (const std::invalid_argument& refused) {
      const std::string reason = refused.what();
      if (names(reason, session, key.device) && names(reason, session, next))
        throw Unsupported{reason};
      throw std::runtime_error(fmt::format("the refusal '{}' does not name devices {} and {}",
                                           reason, key.device, next));
    }
    throw std::runtime_error("operands of two devices were taken without an error");
  }

  std::string_view course_question(const Key&) const override { return "Q11"; }
};

}  // namespace

const Case& two_devices_case() {
  static const TwoDevicesCase instance;
  return instance;
}

}  // namespace breakeven
