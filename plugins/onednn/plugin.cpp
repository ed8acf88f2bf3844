// SPDX-License-Identifier: Apache-2.0
// The backend `onednn`: products of f32 and of 16 bits on all cores by oneDNN.
#include <breakeven/plugin.hpp>
#include <oneapi/dnnl/dnnl.hpp>
#include <optional>
#include <string>
#include <vector>

#include "plugins/cpu_common/host_device.hpp"
#include "plugins/onednn/product.hpp"

namespace breakeven::onednn {

namespace {

constexpr Option options[] = {
    {"threads", "threads of a product; all means one for every core that may be used", "all", ""},
};

class OneDnnDevice final : public cpu::HostDevice {
 public:
  OneDnnDevice(const cpu::Processors& processors, std::optional<std::size_t> core,
               std::size_t threads)
      : HostDevice(processors, core), threads_(threads) {}
  std::unique_ptr<Queue> queue() override { return std::make_unique<OneDnnQueue>(*this, threads_); }

 private:
  std::size_t threads_;
};

class OneDnnBackend final : public Backend {
 public:
  explicit OneDnnBackend(std::span<const Variable> settings) {
    dnnl::set_primitive_cache_capacity(0);  // a task has its code as long as it is there
    std::string_view asked_for = "all";
    for (const Variable& setting : settings)
      if (setting.name == "threads") asked_for = setting.value;
    const std::size_t threads = processors_.threads_from(asked_for);
    const dnnl_version_t& version = *dnnl_version();
    const bool known = version.cpu_runtime == DNNL_RUNTIME_OMP;
    version_ = std::to_string(version.major) + "." + std::to_string(version.minor) + "." +
               std::to_string(version.patch);
    told_threads_ = known ? std::to_string(threads) : "unknown";
    // One thread belongs on one core; several go wherever the process may run.
    device_ = std::make_unique<OneDnnDevice>(
        processors_, threads == 1 ? std::optional<std::size_t>(0) : std::nullopt,
        known ? threads : 0);
    pointer_ = device_.get();
    facts_ = {{"onednn_version", version_}, {"threads", told_threads_}};
  }

  std::span<Device* const> devices() override { return {&pointer_, 1}; }
  std::span<const Fact> facts() const override { return facts_; }
  std::string_view advice() const override { return {}; }

 private:
  cpu::Processors processors_;
  std::string version_, told_threads_;
  std::unique_ptr<OneDnnDevice> device_;
  Device* pointer_ = nullptr;
  std::vector<Fact> facts_;
};

const char* probe() {
  return nullptr;
}

std::unique_ptr<Backend> create(std::span<const Variable> settings) {
  return std::make_unique<OneDnnBackend>(settings);
}

}  // namespace

}  // namespace breakeven::onednn

extern "C" const breakeven::Manifest breakeven_plugin = {
    .name = "onednn",
    .version = "0.1.0",
    .description = "products of f32, bf16 and f16 on all cores by oneDNN",
    .options = breakeven::onednn::options,
    .probe = breakeven::onednn::probe,
    .create = breakeven::onednn::create,
};
