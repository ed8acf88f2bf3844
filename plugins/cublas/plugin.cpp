// SPDX-License-Identifier: Apache-2.0
// The backend `cublas`: every GPU is a device, NVIDIA's library does the products.
#include <array>
#include <charconv>
#include <deque>
#include <stdexcept>
#include <string>
#include <vector>

#include <breakeven/plugin.hpp>

#include "plugins/cublas/device.hpp"
#include "plugins/cublas/library.hpp"

namespace breakeven::cublas {

namespace {

class CublasBackend final : public Backend {
 public:
  explicit CublasBackend(std::size_t workspace_bytes) {
    for (int ordinal = 0; ordinal < cuda::device_count(); ++ordinal)
      pointers_.push_back(&devices_.emplace_back(ordinal, workspace_bytes));
    add_library_facts(facts_);
    stages_ = stages_of_library();
  }

  std::span<Device* const> devices() override { return pointers_; }
  std::span<const Fact> facts() const override { return facts_.view(); }
  std::span<const Stage> stages() const override { return stages_; }
  std::string_view advice() const override { return {}; }

 private:
  std::deque<CublasDevice> devices_;
  std::vector<Device*> pointers_;
  cuda::FactList facts_;
  std::array<Stage, 3> stages_{};
};

std::unique_ptr<Backend> create(std::span<const Variable> settings) {
  std::size_t mebibytes = 0;
  for (const Variable& setting : settings) {
    const std::string_view text = setting.value;
    if (setting.name != "workspace_mib" || text == "auto") continue;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), mebibytes);
    if (error != std::errc() || end != text.data() + text.size() || mebibytes > 1 << 20)
      throw std::runtime_error("workspace_mib is '" + std::string(text) +
                               "': give a whole number of MiB, or auto");
  }
  return std::make_unique<CublasBackend>(mebibytes << 20);
}

constexpr std::array<Option, 2> options{{
    {"workspace_mib", "memory for cuBLAS in every queue, in MiB; auto: what its manual recommends",
     "auto", ""},
    {"compile_anew", "1: the driver compiles what it has no machine code for at every start", "0",
     "CUDA_CACHE_DISABLE"},
}};

}  // namespace

}  // namespace breakeven::cublas

extern "C" const breakeven::Manifest breakeven_plugin = {
    .name = "cublas",
    .version = "0.1.0",
    .description = "NVIDIA GPUs through cuBLAS",
    .options = breakeven::cublas::options,
    .probe = breakeven::cublas::probe,
    .create = breakeven::cublas::create,
};
