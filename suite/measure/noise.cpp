// SPDX-License-Identifier: Apache-2.0
#include "suite/measure/noise.hpp"

#include <fmt/format.h>
#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <limits>
#include <system_error>

#include "reports/statistics/order_statistics.hpp"
#include "suite/machine/binding.hpp"

namespace breakeven {
namespace {

constexpr std::uint64_t kernel_steps = 2'000'000;  // 4 cycles each on current processors
constexpr double smallest_difference = 0.02;
constexpr double largest_steal = 0.02;       // of the time since the reading before
constexpr double mad_to_deviation = 1.4826;  // for a normal distribution

// A chain of dependent multiplications: nothing but the core's clock and who else uses it matters.
std::uint64_t fixed_kernel(std::uint64_t value) {
  for (std::uint64_t i = 0; i < kernel_steps; ++i) {
    value = value * 6364136223846793005u + 1442695040888963407u;
  }
  return value;
}

// Nanoseconds each.
struct ProcessorTimes {
  double user = 0, nice = 0, system = 0, idle = 0, iowait = 0, irq = 0, softirq = 0, steal = 0;
};

// proc(5): the line of /proc/stat that begins with the label, `cpu` for all or `cpu7`.
std::optional<ProcessorTimes> next_processor_times(std::istream& file, std::string& label) {
  ProcessorTimes times;
  file >> label;
  const double tick_ns = 1e9 / static_cast<double>(::sysconf(_SC_CLK_TCK));
  for (double* field : {&times.user, &times.nice, &times.system, &times.idle, &times.iowait,
                        &times.irq, &times.softirq, &times.steal}) {
    file >> *field;
    *field *= tick_ns;
  }
  file.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
  if (!file || !label.starts_with("cpu")) return std::nullopt;
  return times;
}

std::optional<double> steal_ns() {
  std::ifstream file("/proc/stat");
  std::string label;
  const auto times = next_processor_times(file, label);
  return times ? std::optional(times->steal) : std::nullopt;
}

double own_ns() {
  timespec spent{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &spent);
  return static_cast<double>(spent.tv_sec) * 1e9 + static_cast<double>(spent.tv_nsec);
}

std::optional<double> involuntary_switches() {
  rusage usage{};
  if (::getrusage(RUSAGE_SELF, &usage) != 0) return std::nullopt;
  return static_cast<double>(usage.ru_nivcsw);
}

std::optional<double> frequency_mhz() {
  std::ifstream file(
      fmt::format("/sys/devices/system/cpu/cpu{}/cpufreq/scaling_cur_freq", ::sched_getcpu()));
  double khz = 0;
  if (!(file >> khz)) return std::nullopt;
  return khz / 1e3;
}

// What lies between a reading and the one before it.
std::string happened(const NoiseReading& after) {
  if (after.throttled_ns.value_or(0) > 0) {
    return fmt::format("throttled {:.3g} ms", *after.throttled_ns / 1e6);
  }
  if (after.since_ns > 0 && after.steal_ns.value_or(0) > largest_steal * after.since_ns) {
    return fmt::format("steal {:.0f} %", 100 * *after.steal_ns / after.since_ns);
  }
  return {};
}

}  // namespace

std::optional<double> growth(std::optional<double> before, std::optional<double> after) {
  if (!before || !after) return std::nullopt;
  return std::max(0.0, *after - *before);
}

std::optional<double> Others::now_ns() {
  const cpu_set_t usable = processors_of_process();
  std::ifstream file("/proc/stat");
  std::string label;
  if (!next_processor_times(file, label)) return std::nullopt;  // of all
  double busy_ns = -own_ns();
  while (const auto times = next_processor_times(file, label))
    if (const int number = std::atoi(label.c_str() + 3); CPU_ISSET(number, &usable))
      busy_ns +=
          times->user + times->nice + times->system + times->irq + times->softirq + times->steal;
  return busy_ns;
}

double Others::busy_ns() const {
  const auto after_ns = now_ns();
  return before_ns_ && after_ns ? *after_ns - *before_ns_ : 0;
}

NoiseWatch::NoiseWatch(Clock& clock) : clock_(clock) {}

NoiseWatch::Counters NoiseWatch::counters() const {
  return {steal_ns(), control_group_.throttled_ns()};
}

NoiseReading NoiseWatch::read() {
  NoiseReading reading;
  const Counters now = counters();
  const std::int64_t start = clock_.now();
  // What a kernel suffers belongs to the visit after it: the counters are read before it.
  if (before_ns_ != 0) {
    reading.since_ns = static_cast<double>(start - before_ns_);
    reading.steal_ns = growth(before_.steal_ns, now.steal_ns);
    reading.throttled_ns = growth(before_.throttled_ns, now.throttled_ns);
  }
  before_ = now;
  before_ns_ = start;
  volatile std::uint64_t value = static_cast<std::uint64_t>(start);
  value = fixed_kernel(value);
  reading.kernel_ns = static_cast<double>(clock_.now() - start);
  return reading;
}

std::vector<std::pair<std::string, double>> NoiseWatch::host() const {
  const Counters now = counters();
  std::vector<std::pair<std::string, double>> known;
  const auto add = [&](const char* name, std::optional<double> value) {
    if (value) known.emplace_back(name, *value);
  };
  add("host_steal_ns", now.steal_ns);
  add("host_throttled_ns", now.throttled_ns);
  add("host_involuntary_switches", involuntary_switches());
  add("host_frequency_mhz", frequency_mhz());
  return known;
}

std::vector<std::string> disturbances(std::span<const NoiseReading> readings) {
  if (readings.size() < 2) return {};
  std::vector<double> kernels;
  for (const NoiseReading& reading : readings) kernels.push_back(reading.kernel_ns);
  const double usual = median(kernels);
  std::vector<double> deviations;
  for (const double kernel : kernels) deviations.push_back(std::abs(kernel / usual - 1));
  const double spread = mad_to_deviation * median(deviations);
  const double limit = std::max(smallest_difference, 3 * spread);

  std::vector<std::string> result;
  for (std::size_t visit = 0; visit + 1 < readings.size(); ++visit) {
    std::string text = happened(readings[visit + 1]);
    if (text.empty() && std::max(deviations[visit], deviations[visit + 1]) > limit) {
      const std::size_t worse = deviations[visit] > deviations[visit + 1] ? visit : visit + 1;
      text = fmt::format("kernel {:+.0f} %", 100 * (kernels[worse] / usual - 1));
    }
    result.push_back(std::move(text));
  }
  return result;
}

}  // namespace breakeven
