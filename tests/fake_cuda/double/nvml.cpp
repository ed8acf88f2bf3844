// SPDX-License-Identifier: Apache-2.0
// The part of NVML that the plugins use: a GPU whose joules and throttled time grow with every
// look.
#include <atomic>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "profile.hpp"
#include "time.hpp"

namespace {

struct FakeDevice {
  std::atomic<unsigned long long> looks = 0;
};

FakeDevice devices[16];

int index_of(const void* device) {
  return static_cast<int>(static_cast<const FakeDevice*>(device) - devices);
}

constexpr int not_supported = 3;

// nvmlFieldValue_t as NVIDIA's bindings for Python (nvidia-ml-py) lay it out.
struct FieldValue {
  unsigned field, scope;
  long long timestamp, latency_us;
  int type, status;
  unsigned long long value;
};
static_assert(offsetof(FieldValue, status) == 28 && offsetof(FieldValue, value) == 32 &&
              sizeof(FieldValue) == 40);

}  // namespace

extern "C" {

int nvmlInit_v2() {
  fake_cuda::spend_once("nvml", fake_cuda::profile().nvml_ms);
  return 0;
}

int nvmlSystemGetDriverVersion(char* text, unsigned length) {
  std::snprintf(text, length, "580.00");
  return 0;
}

int nvmlDeviceGetHandleByPciBusId_v2(const char* text, void** device) {
  unsigned index = 0;
  if (std::sscanf(text, "FA4E:%02X:00.0", &index) != 1 || index >= 16) return 2;
  *device = &devices[index];
  return 0;
}

int nvmlDeviceGetClockInfo(void* device, unsigned sort, unsigned* mhz) {
  *mhz = sort == 1 ? static_cast<unsigned>(fake_cuda::clock_mhz(index_of(device)))
                   : static_cast<unsigned>(fake_cuda::profile().memory_mhz);
  return 0;
}

int nvmlDeviceGetTemperature(void*, unsigned, unsigned* celsius) {
  *celsius = 40;
  return 0;
}

int nvmlDeviceGetPowerUsage(void*, unsigned* milliwatts) {
  *milliwatts = 250500;
  return 0;
}

int nvmlDeviceGetEnforcedPowerLimit(void*, unsigned* milliwatts) {
  *milliwatts = static_cast<unsigned>(1000 * fake_cuda::profile().limit_watts);
  return 0;
}

int nvmlDeviceGetTotalEnergyConsumption(void* device, unsigned long long* millijoules) {
  *millijoules = fake_cuda::has_time()
                     ? static_cast<unsigned long long>(1000 * fake_cuda::joules(index_of(device)))
                     : 1000 * ++static_cast<FakeDevice*>(device)->looks;
  return 0;
}

int nvmlDeviceGetEccMode(void*, unsigned* current, unsigned* pending) {
  *current = *pending = 1;
  return 0;
}

int nvmlDeviceGetViolationStatus(void* device, unsigned policy, unsigned long long* times) {
  times[0] = 0;
  times[1] =
      policy == 1 || fake_cuda::has_time() ? 0 : static_cast<FakeDevice*>(device)->looks.load();
  return 0;
}

int nvmlDeviceGetNvLinkState(void*, unsigned link, unsigned* active) {
  *active = link < 4;
  return 0;
}

int nvmlDeviceGetMaxClockInfo(void*, unsigned sort, unsigned* mhz) {
  *mhz = sort == 1 ? static_cast<unsigned>(fake_cuda::profile().most_mhz) : 3201;
  return 0;
}

int nvmlDeviceGetPersistenceMode(void*, unsigned* on) {
  *on = 1;
  return 0;
}

int nvmlDeviceGetMigMode(void*, unsigned* current, unsigned* pending) {
  const char* const mig = std::getenv("FAKE_CUDA_MIG");
  if (!fake_cuda::profile().mig && !mig) return not_supported;
  *current = *pending = 1;
  return 0;
}

int nvmlDeviceGetCurrPcieLinkGeneration(void*, unsigned* generation) {
  *generation = 4;
  return 0;
}

int nvmlDeviceGetCurrPcieLinkWidth(void*, unsigned* lanes) {
  *lanes = 8;
  return 0;
}

int nvmlDeviceGetMaxPcieLinkGeneration(void*, unsigned* generation) {
  *generation = 5;
  return 0;
}

int nvmlDeviceGetMaxPcieLinkWidth(void*, unsigned* lanes) {
  *lanes = 16;
  return 0;
}

int nvmlDeviceGetCurrentClocksEventReasons(void*, unsigned long long* reasons) {
  *reasons = 4;
  return 0;
}

int nvmlDeviceGetTotalEccErrors(void*, unsigned error, unsigned counter,
                                unsigned long long* count) {
  *count = error == 1 && counter == 0 ? 2 : 1000;  // uncorrected since the driver was loaded
  return 0;
}

int nvmlDeviceGetFieldValues(void*, int count, FieldValue* fields) {
  for (int i = 0; i < count; ++i) {
    fields[i].status = fields[i].field == 82 ? 0 : not_supported;
    const unsigned celsius = 45;
    std::memcpy(&fields[i].value, &celsius, sizeof celsius);
  }
  return 0;
}

}  // extern "C"
