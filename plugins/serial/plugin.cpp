// SPDX-License-Identifier: Apache-2.0
// The backend `serial`: every core is a device, and works in the thread that asks.
#include <array>
#include <breakeven/plugin.hpp>
#include <deque>

#include "plugins/cpu_common/host_device.hpp"
#include "plugins/cpu_common/plan_option.hpp"
#include "plugins/serial/queue.hpp"

namespace breakeven::serial {

namespace {

class CoreDevice final : public cpu::HostDevice {
 public:
  CoreDevice(const cpu::Processors& processors, std::size_t core, const Variant& variant,
             const PlanOf& plan_of)
      : HostDevice(processors, core), variant_(variant), plan_of_(plan_of) {}

  std::unique_ptr<Queue> queue() override {
    return std::make_unique<SerialQueue>(*this, variant_, plan_of_);
  }

 private:
  const Variant& variant_;
  PlanOf plan_of_;
};

class SerialBackend final : public Backend {
 public:
  SerialBackend(const Variant& variant, const PlanOf& plan_of)
      : facts_{{{"gemm_variant", variant.name}}} {
    for (std::size_t core = 0; core < processors_.cores(); ++core)
      pointers_.push_back(&devices_.emplace_back(processors_, core, variant, plan_of));
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
    cpu::plan_option,
};

const Variant& variant_from(std::string_view name) {
  if (name == "auto") return best_variant();
  std::string usable = "auto";
  for (const Variant* variant : variants()) {
    if (!variant->usable()) continue;
    if (variant->name == name) return *variant;
    usable += ", " + std::string(variant->name);
  }
  throw std::runtime_error("option variant is '" + std::string(name) +
                           "'; this processor can use " + usable);
}

const char* probe() {
  return nullptr;
}

std::unique_ptr<Backend> create(std::span<const Variable> settings) {
  const Variant* variant = &best_variant();
  PlanOf plan_of;
  for (const Variable& setting : settings)
    if (setting.name == "variant")
      variant = &variant_from(setting.value);
    else if (setting.name == "plan")
      plan_of.way = cpu::way_of(setting.value);
  return std::make_unique<SerialBackend>(*variant, plan_of);
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
