// SPDX-License-Identifier: Apache-2.0
// The backend `multi-gpu`: all GPUs of the machine as one device.
#include <array>
#include <charconv>
#include <cstdlib>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include <breakeven/plugin.hpp>

#include "plugins/cublas/device.hpp"
#include "plugins/cublas/library.hpp"
#include "plugins/multi_gpu/device.hpp"

namespace breakeven::multi_gpu {

namespace {

template <class Number>
std::vector<Number> numbers_in(const Variable& setting) {
  std::vector<Number> numbers;
  const char* at = setting.value.data();
  const char* const end = at + setting.value.size();
  while (true) {
    Number number{};
    const auto [next, error] = std::from_chars(at, end, number);
    if (error != std::errc() || (next != end && *next != ','))
      throw std::runtime_error(std::string(setting.name) + " is '" + std::string(setting.value) +
                               "': give numbers with commas between them, as 0,1");
    numbers.push_back(number);
    if (next == end) return numbers;
    at = next + 1;
  }
}

// Gathering in steps takes more calls: four for each two parts, a few microseconds each, all by one
// thread. What is gained for them grows with the parts, and they with their square.
constexpr std::size_t default_overlap_for_each_gpu = std::size_t{2} << 20;

constexpr const char* devices_variable = "BREAKEVEN_MULTI_GPU_DEVICES";

// What the user chose instead of all.
std::optional<Variable> chosen_devices() {
  const char* const text = std::getenv(devices_variable);
  if (!text || std::string_view(text) == "all") return std::nullopt;
  return Variable{"devices", text};
}

std::optional<Variable> chosen_weights(std::span<const Variable> settings) {
  for (const Variable& setting : settings)
    if (setting.name == "weights" && setting.value != "equal") return setting;
  return std::nullopt;
}

std::size_t overlap_from(std::span<const Variable> settings, std::size_t gpus) {
  for (const Variable& setting : settings) {
    if (setting.name != "overlap_from_mib" || setting.value == "auto") continue;
    if (setting.value == "never") return std::numeric_limits<std::size_t>::max();
    const auto mebibytes = numbers_in<std::size_t>(setting);
    if (mebibytes.size() != 1 || mebibytes.front() > 1 << 20)
      throw std::runtime_error("overlap_from_mib is '" + std::string(setting.value) +
                               "': give a whole number of MiB, auto or never");
    return mebibytes.front() << 20;
  }
  return gpus * default_overlap_for_each_gpu;
}

const char* probe() {
  if (const char* reason = cublas::probe()) return reason;
  if (cuda::device_count() > 1 || chosen_devices()) return nullptr;
  return "one GPU; --option multi-gpu.devices=0,0 makes two logical devices of it, to check "
         "results";
}

std::vector<int> chosen_gpus() {
  const int count = cuda::device_count();
  std::vector<int> gpus;
  if (const auto setting = chosen_devices()) {
    gpus = numbers_in<int>(*setting);
    for (const int gpu : gpus)
      if (gpu < 0 || gpu >= count)
        throw std::runtime_error("devices names GPU " + std::to_string(gpu) + ", there are " +
                                 std::to_string(count) + " (from 0)");
    return gpus;
  }
  for (int gpu = 0; gpu < count; ++gpu) gpus.push_back(gpu);
  return gpus;
}

std::vector<Part> parts_of(std::span<const Variable> settings) {
  const std::vector<int> gpus = chosen_gpus();
  std::vector<double> weights(gpus.size(), 1);
  if (const auto setting = chosen_weights(settings)) weights = numbers_in<double>(*setting);
  if (weights.size() != gpus.size())
    throw std::runtime_error("weights has " + std::to_string(weights.size()) + " numbers for " +
                             std::to_string(gpus.size()) + " devices");
  std::vector<Part> parts;
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    if (!(weights[i] > 0 && weights[i] < 1e9))
      throw std::runtime_error("weights has " + std::to_string(weights[i]) +
                               ": give numbers above 0");
    parts.push_back({std::make_unique<cublas::CublasDevice>(gpus[i], 0), gpus[i], weights[i]});
  }
  return parts;
}

class MultiGpuBackend final : public Backend {
 public:
  explicit MultiGpuBackend(std::span<const Variable> settings)
      : device_(parts_of(settings), overlap_from(settings, chosen_gpus().size())) {
    cublas::add_library_facts(facts_);
  }

  std::span<Device* const> devices() override { return pointers_; }
  std::span<const Fact> facts() const override { return facts_.view(); }
  std::span<const Stage> stages() const override { return stages_; }
  std::string_view advice() const override {
    if (!device_.logical()) return {};
    return "set multi-gpu.devices to different GPUs, because logical devices on one GPU only check "
           "results: their times are no speed-up";
  }

 private:
  SpreadDevice device_;
  std::array<Device*, 1> pointers_{&device_};
  cuda::FactList facts_;
  std::array<Stage, 3> stages_ = cublas::stages_of_library();  // after the device
};

std::unique_ptr<Backend> create(std::span<const Variable> settings) {
  return std::make_unique<MultiGpuBackend>(settings);
}

constexpr std::array<Option, 3> options{{
    // A variable, so that probe knows it too.
    {"devices", "GPUs to use, as 0,1; 0,0 makes two logical devices of one", "all",
     devices_variable},
    {"weights", "how much each of them gets, as 1,2", "equal", ""},
    {"overlap_from_mib",
     "MiB of b on each GPU from which b is gathered while it is multiplied; never: all of it "
     "before; auto: 2 for each GPU there is",
     "auto", ""},
}};

}  // namespace

}  // namespace breakeven::multi_gpu

extern "C" const breakeven::Manifest breakeven_plugin = {
    .name = "multi-gpu",
    .version = "0.1.0",
    .description = "all GPUs as one device, operands spread over their memories",
    .options = breakeven::multi_gpu::options,
    .probe = breakeven::multi_gpu::probe,
    .create = breakeven::multi_gpu::create,
};
