// SPDX-License-Identifier: Apache-2.0
// Signatures and numbers from the NVML API reference manual (its header is not in the toolkit).
#include "plugins/cuda_common/nvml.hpp"

#include <array>
#include <optional>
#include <utility>

#include "plugins/cuda_common/dynamic_library.hpp"
#include "plugins/cuda_common/stopwatch.hpp"

namespace breakeven::cuda {
namespace {

using Nvml = int;  // nvmlReturn_t: 0 is success
using Handle = void*;
using AskNumber = Nvml(Handle, unsigned*);
using AskLong = Nvml(Handle, unsigned long long*);
using AskNumberOf = Nvml(Handle, unsigned, unsigned*);
using AskPair = Nvml(Handle, unsigned*, unsigned*);

struct ViolationTime {
  unsigned long long reference_us, violation_ns;
};

// nvmlFieldValue_t, one answer of nvmlDeviceGetFieldValues.
struct FieldValue {
  unsigned field = 0, scope = 0;
  long long timestamp = 0, latency_us = 0;
  int type = 0;
  Nvml status = 0;
  union {
    unsigned number;
    unsigned long long space;
  } value{};
};

constexpr unsigned clock_sm = 1, clock_memory = 2, temperature_gpu = 0;
constexpr unsigned violation_power = 0, violation_thermal = 1;
constexpr unsigned ecc_uncorrected = 1, ecc_volatile = 0;
constexpr unsigned most_nvlinks = 18;
constexpr unsigned field_memory_temperature = 82;

}  // namespace

struct NvmlFunctions {
  Nvml (*start)() = nullptr;
  Nvml (*by_pci)(const char*, Handle*) = nullptr;
  Nvml (*driver_version)(char*, unsigned) = nullptr;
  AskNumberOf *clock = nullptr, *most_clock = nullptr, *temperature = nullptr, *nvlink = nullptr;
  AskNumber *power = nullptr, *power_limit = nullptr, *persistence = nullptr;
  AskNumber *pcie_generation = nullptr, *pcie_width = nullptr;
  AskNumber *most_pcie_generation = nullptr, *most_pcie_width = nullptr;
  AskLong *energy = nullptr, *throttle_reasons = nullptr;
  AskPair *ecc_mode = nullptr, *mig_mode = nullptr;
  Nvml (*violation)(Handle, unsigned, ViolationTime*) = nullptr;
  Nvml (*ecc_errors)(Handle, unsigned, unsigned, unsigned long long*) = nullptr;
  Nvml (*fields)(Handle, int, FieldValue*) = nullptr;
};

namespace {

std::shared_ptr<const NvmlFunctions> find_functions() {
  const std::array<std::string, 1> files{"libnvidia-ml.so.1"};
  const DynamicLibrary library(files);
  auto nvml = std::make_shared<NvmlFunctions>();
  library.find(nvml->start, "nvmlInit_v2");
  if (!nvml->start || nvml->start() != 0) return nullptr;
  library.find(nvml->by_pci, "nvmlDeviceGetHandleByPciBusId_v2");
  library.find(nvml->driver_version, "nvmlSystemGetDriverVersion");
  library.find(nvml->clock, "nvmlDeviceGetClockInfo");
  library.find(nvml->most_clock, "nvmlDeviceGetMaxClockInfo");
  library.find(nvml->temperature, "nvmlDeviceGetTemperature");
  library.find(nvml->nvlink, "nvmlDeviceGetNvLinkState");
  library.find(nvml->power, "nvmlDeviceGetPowerUsage");
  library.find(nvml->power_limit, "nvmlDeviceGetEnforcedPowerLimit");
  library.find(nvml->persistence, "nvmlDeviceGetPersistenceMode");
  library.find(nvml->pcie_generation, "nvmlDeviceGetCurrPcieLinkGeneration");
  library.find(nvml->pcie_width, "nvmlDeviceGetCurrPcieLinkWidth");
  library.find(nvml->most_pcie_generation, "nvmlDeviceGetMaxPcieLinkGeneration");
  library.find(nvml->most_pcie_width, "nvmlDeviceGetMaxPcieLinkWidth");
  library.find(nvml->energy, "nvmlDeviceGetTotalEnergyConsumption");
  library.find(nvml->throttle_reasons, "nvmlDeviceGetCurrentClocksEventReasons");
  if (!nvml->throttle_reasons)  // its name before driver 535
    library.find(nvml->throttle_reasons, "nvmlDeviceGetCurrentClocksThrottleReasons");
  library.find(nvml->ecc_mode, "nvmlDeviceGetEccMode");
  library.find(nvml->mig_mode, "nvmlDeviceGetMigMode");
  library.find(nvml->violation, "nvmlDeviceGetViolationStatus");
  library.find(nvml->ecc_errors, "nvmlDeviceGetTotalEccErrors");
  library.find(nvml->fields, "nvmlDeviceGetFieldValues");
  return nvml;
}

// One per process: starting the library twice would only cost time. Null where there is none.
struct Loaded {
  std::shared_ptr<const NvmlFunctions> functions;
  double seconds = 0;
};

const Loaded& loaded() {
  static const Loaded once = [] {
    const Stopwatch watch;
    auto functions = find_functions();
    return Loaded{std::move(functions), watch.seconds()};
  }();
  return once;
}

std::shared_ptr<const NvmlFunctions> load() {
  return loaded().functions;
}

template <class Number>
std::optional<Number> ask(Nvml (*function)(Handle, Number*), Handle device) {
  Number value{};
  if (!function || !device || function(device, &value) != 0) return std::nullopt;
  return value;
}

std::optional<unsigned> ask(AskNumberOf* function, Handle device, unsigned what) {
  unsigned value = 0;
  if (!function || !device || function(device, what, &value) != 0) return std::nullopt;
  return value;
}

std::optional<unsigned> first_of(AskPair* function, Handle device) {
  unsigned current = 0, pending = 0;
  if (!function || !device || function(device, &current, &pending) != 0) return std::nullopt;
  return current;
}

std::string text(std::optional<unsigned> value) {
  return value ? std::to_string(*value) : std::string("NA");
}

std::string on_off(std::optional<unsigned> value) {
  return value ? std::string(*value ? "on" : "off") : std::string("NA");
}

}  // namespace

NvmlDevice::NvmlDevice(const std::string& pci_bus_id) : nvml_(load()) {
  if (!nvml_) nvml_ = std::make_shared<NvmlFunctions>();
  if (nvml_->by_pci && nvml_->by_pci(pci_bus_id.c_str(), &device_) != 0) device_ = nullptr;
}

NvmlDevice::~NvmlDevice() = default;

void NvmlDevice::add_facts(FactList& facts) const {
  const auto limit = is_shared() ? std::nullopt : ask(nvml_->power_limit, device_);
  facts.add("power_limit_watts", limit ? std::to_string(*limit / 1000) : std::string("NA"));
  facts.add("max_sm_clock_mhz", text(ask(nvml_->most_clock, device_, clock_sm)));
  facts.add("max_memory_clock_mhz", text(ask(nvml_->most_clock, device_, clock_memory)));
  facts.add("max_pcie_generation", text(ask(nvml_->most_pcie_generation, device_)));
  facts.add("max_pcie_width", text(ask(nvml_->most_pcie_width, device_)));
  facts.add("persistence", on_off(ask(nvml_->persistence, device_)));
  facts.add("ecc", on_off(first_of(nvml_->ecc_mode, device_)));
  facts.add("mig", on_off(first_of(nvml_->mig_mode, device_)));
  unsigned links = 0;
  bool known = false;
  for (unsigned link = 0; link < most_nvlinks; ++link) {
    const auto active = ask(nvml_->nvlink, device_, link);
    known = known || active;
    links += active.value_or(0);
  }
  facts.add("nvlinks", known ? std::to_string(links) : std::string("NA"));
}

std::size_t NvmlDevice::readings(std::span<Reading> into) const {
  std::size_t count = 0;
  const auto add = [&](std::string_view key, const auto& value, double unit = 1) {
    if (value && count < into.size()) into[count++] = {key, static_cast<double>(*value) * unit};
  };
  const auto violation = [&](unsigned policy) -> std::optional<unsigned long long> {
    ViolationTime time{};
    if (!nvml_->violation || !device_ || nvml_->violation(device_, policy, &time) != 0) return {};
    return time.violation_ns;
  };
  if (!is_shared()) add("energy_joules", millijoules(), 1e-3);
  add("thermal_throttle_ns", violation(violation_thermal));
  add("power_throttle_ns", violation(violation_power));
  const auto memory_temperature = [&]() -> std::optional<unsigned> {
    FieldValue field;
    field.field = field_memory_temperature;
    if (!nvml_->fields || !device_ || nvml_->fields(device_, 1, &field) != 0) return {};
    if (field.status != 0) return {};
    return field.value.number;
  };
  add("throttle_reasons", ask(nvml_->throttle_reasons, device_));
  add("sm_clock_mhz", ask(nvml_->clock, device_, clock_sm));
  add("memory_clock_mhz", ask(nvml_->clock, device_, clock_memory));
  add("temperature_celsius", ask(nvml_->temperature, device_, temperature_gpu));
  add("memory_temperature_celsius", memory_temperature());
  if (!is_shared()) add("power_watts", ask(nvml_->power, device_), 1e-3);
  add("pcie_generation", ask(nvml_->pcie_generation, device_));
  add("pcie_width", ask(nvml_->pcie_width, device_));
  unsigned long long errors = 0;
  if (nvml_->ecc_errors && device_ &&
      nvml_->ecc_errors(device_, ecc_uncorrected, ecc_volatile, &errors) == 0) {
    add("ecc_uncorrected", std::optional(errors));
  }
  return count;
}

std::optional<unsigned long long> NvmlDevice::millijoules() const {
  constexpr int most_of_time = 5;  // a fifth of it
  const std::lock_guard lock(mutex_);
  const auto begin = std::chrono::steady_clock::now();
  if (begin >= ask_again_) {
    millijoules_ = ask(nvml_->energy, device_);
    const auto end = std::chrono::steady_clock::now();
    ask_again_ = end + most_of_time * (end - begin);
  }
  return millijoules_;
}

bool NvmlDevice::is_shared() const {
  return first_of(nvml_->mig_mode, device_).value_or(0) != 0;
}

double NvmlDevice::most_sm_mhz() const {
  return ask(nvml_->most_clock, device_, clock_sm).value_or(0);
}

double nvml_seconds() {
  return loaded().seconds;
}

std::string nvidia_driver_version() {
  const auto nvml = load();
  std::array<char, 96> version{};
  if (!nvml || !nvml->driver_version) return "NA";
  if (nvml->driver_version(version.data(), version.size() - 1) != 0) return "NA";
  return version.data();
}

}  // namespace breakeven::cuda
