// SPDX-License-Identifier: Apache-2.0
// The backend `serial`: every core is a device, and works in the thread that asks.
#include <array>
#include <breakeven/plugin.hpp>
#include <deque>

#include "plugins/cpu_common/host_device.hpp"
#include "plugins/serial/queue.hpp"

namespace breakeven::serial {

namespace {

class CoreDevice final : public cpu::HostDevice {
 public:
  CoreDevice(const cpu::Processors& processors, std::size_t core, const Variant& variant,
             bool tries_plans)
      : HostDevice(processors, core), variant_(variant), tries_plans_(tries_plans) {}

  std::unique_ptr<Queue> queue() override {
    return std::make_unique<SerialQueue>(*this, variant_, tries_plans_);
  }

 private:
  const Variant& variant_;
  bool tries_plans_;
};

class SerialBackend final : public Backend {
 public:
  SerialBackend(const Variant& variant, bool tries_plans)
      : facts_{{{"gemm_variant", variant.name}}} {
    for (std::size_t core = 0; core < processors_.cores(); ++core)
      pointers_.push_back(&devices_.emplace_back(processors_, core, variant, tries_plans));
  }

  std::span<Device* const> devices() override { return pointers_; }
  std::span<const Fact> facts() const override { return facts_; }
  std::string_view advice() const override { return {}; }

 private:
  cpu::Processors processors_;
  std::deque<CoreDevice> devices_;
  std::vector<Device*> pointers_;
  std::array<Fact, 1> facts_;
};

constexpr Option options[] = {
#if defined(__aarch64__)
    {"variant", "kernels to use: auto, sve256, neon_bf16, neon or plain", "auto", ""},
#else
    {"variant", "kernels to use: auto, amx_bf16, avx512_bf16, avx512, avx2 or plain", "auto", ""},
#endif
    {"plan", "how shapes are cut: tried, the fastest way found, or by rules alone", "tried", ""},
};

const Variant& variant_from(std::string_view name) {
  if (name.empty() || name == "auto") return best_variant();
  std::string usable = "auto";
  for (const Variant* variant : variants()) {
    if (!variant->usable()) continue;
    if (variant->name == name) return *variant;
    usable += ", " + std::string(variant->name);
  }
  throw std::runtime_error("option serial.variant is '" + std::string(name) +
                           "'; this processor can use " + usable);
}

bool are_tried(std::string_view plans) {
  if (plans == "tried" || plans == "rules") return plans == "tried";
  throw std::runtime_error("option serial.plan is '" + std::string(plans) +
                           "'; it can be tried or rules");
}

const char* probe() {
  return nullptr;
}

std::unique_ptr<Backend> create(std::span<const Variable> settings) {
  const Variant* variant = &best_variant();
  bool tries_plans = true;
  for (const Variable& setting : settings)
    if (setting.name == "variant")
      variant = &variant_from(setting.value);
    else if (setting.name == "plan")
      tries_plans = are_tried(setting.value);
  return std::make_unique<SerialBackend>(*variant, tries_plans);
}

}  // namespace

}  // namespace breakeven::serial

extern "C" const breakeven::Manifest breakeven_plugin = {
    .name = "serial",
    .version = "0.1.0",
    .description = "one core, in the calling thread, with the suite's own kernels",
    .options = breakeven::serial::options,
    .probe = breakeven::serial::probe,
    .create = breakeven::serial::create,
};
