// SPDX-License-Identifier: Apache-2.0
#include "plugins/multi_gpu/device.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "plugins/cuda_common/buffer.hpp"
#include "plugins/cuda_common/device.hpp"
#include "plugins/multi_gpu/queue.hpp"
#include "plugins/multi_gpu/split.hpp"
#include "plugins/multi_gpu/spread_buffer.hpp"

namespace breakeven::multi_gpu {

namespace {

std::string list_of(const std::vector<Part>& parts, auto member) {
  std::string text;
  for (const Part& part : parts) {
    if (!text.empty()) text += ',';
    std::string number = std::to_string(part.*member);
    if (number.find('.') != number.npos) {
      number.erase(number.find_last_not_of('0') + 1);
      if (number.back() == '.') number.pop_back();
    }
    text += number;
  }
  return text;
}

const cuda::CudaDevice& gpu_of(const Device* part) {
  return static_cast<const cuda::CudaDevice&>(*part);
}

// Not all have the same processors beside them, and each can be given memory beside them.
bool are_apart(const std::vector<Device*>& parts) {
  const auto is_apart_from_one = [&](const Device* part) {
    return std::any_of(parts.begin(), parts.end(), [&](const Device* other) {
      return gpu_of(part).placement().is_apart_from(gpu_of(other).placement());
    });
  };
  const auto can_be_given = [](const Device* part) {
    return cuda::registers_host_memory(gpu_of(part).ordinal());
  };
  return std::any_of(parts.begin(), parts.end(), is_apart_from_one) &&
         std::all_of(parts.begin(), parts.end(), can_be_given);
}

bool is_counter(std::string_view key) {
  return key == "energy_joules" || key == "thermal_throttle_ns" || key == "power_throttle_ns";
}

}  // namespace

SpreadDevice::SpreadDevice(std::vector<Part> parts, std::size_t overlap_from)
    : parts_(std::move(parts)), overlap_from_(overlap_from) {
  for (const Part& part : parts_) {
    devices_.push_back(part.device.get());
    weights_.push_back(part.weight);
    if (std::none_of(firsts_.begin(), firsts_.end(),
                     [&](const Part* first) { return first->gpu == part.gpu; }))
      firsts_.push_back(&part);
  }
  are_apart_ = are_apart(devices_);
  name_ = std::to_string(firsts_.size()) + " x " + std::string(devices_.front()->info().name);
  if (logical()) name_ += " as " + std::to_string(parts_.size()) + " logical devices";

  facts_.add("gpus", list_of(parts_, &Part::gpu));
  facts_.add("weights", list_of(parts_, &Part::weight));
  facts_.add("logical", logical() ? "yes" : "no");
  if (std::any_of(firsts_.begin(), firsts_.end(),
                  [](const Part* part) { return cuda::is_exclusive(part->gpu); }))
    facts_.add("most_processes", "1");
  std::map<std::string, std::pair<std::size_t, double>> peaks;
  for (const Part* part : firsts_) {
    if (!hardware_.empty()) hardware_ += ' ';
    hardware_ += part->device->info().hardware;
    const std::string before = "gpu" + std::to_string(part->gpu) + "_";
    for (const Fact& fact : part->device->facts()) {
      facts_.add(before + std::string(fact.key), std::string(fact.value));
      if (fact.key.starts_with("peak_")) {
        auto& [gpus, sum] = peaks[std::string(fact.key)];
        ++gpus;
        sum += std::strtod(std::string(fact.value).c_str(), nullptr);
      }
    }
    std::array<Reading, 32> readings;
    auto& shown = shown_.emplace_back();
    const std::size_t count = part->device->readings(readings);
    for (std::size_t i = 0; i < count; ++i) {
      const std::string key(readings[i].key);
      shown[key] = before + key;
    }
  }
  for (const auto& [key, peak] : peaks) {
    if (peak.first != firsts_.size()) continue;
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.0f", peak.second);
    facts_.add(key, text.data());
  }
}

DeviceInfo SpreadDevice::info() const {
  DeviceInfo whole{.name = name_, .kind = Kind::gpu, .hardware = hardware_};
  for (const Part* part : firsts_) {
    const DeviceInfo one = part->device->info();
    whole.memory_bytes += one.memory_bytes;
    whole.free_bytes += one.free_bytes;
  }
  return whole;
}

std::size_t SpreadDevice::readings(std::span<Reading> into) const {
  std::size_t count = 0;
  const auto add = [&](Reading reading) {
    if (count < into.size()) into[count++] = reading;
  };
  const auto add_to_sum = [&](const Reading& reading) {
    const auto end = into.begin() + static_cast<std::ptrdiff_t>(count);
    const auto sum =
        std::find_if(into.begin(), end, [&](const Reading& one) { return one.key == reading.key; });
    if (sum == end) {
      add(reading);
    } else {
      sum->value += reading.value;
    }
  };
  for (std::size_t i = 0; i < firsts_.size(); ++i) {
    std::array<Reading, 32> readings;
    const std::size_t found = firsts_[i]->device->readings(readings);
    for (std::size_t j = 0; j < found; ++j) {
      if (is_counter(readings[j].key)) {
        add_to_sum(readings[j]);
      } else if (const auto key = shown_[i].find(readings[j].key); key != shown_[i].end()) {
        add({key->second, readings[j].value});
      }
    }
  }
  return count;
}

std::unique_ptr<Buffer> SpreadDevice::allocate(std::size_t bytes, Memory memory,
                                               std::size_t granule) {
  if (memory == Memory::device)
    return std::make_unique<SpreadBuffer>(bytes, granule, *this, devices_, weights_);
  if (memory == Memory::pinned && are_apart_)
    return std::make_unique<SpreadBuffer>(pinned_beside_parts(bytes, granule), *this);
  return std::make_unique<SpreadBuffer>(devices_.front()->allocate(bytes, memory), *this);
}

std::unique_ptr<Buffer> SpreadDevice::pinned_beside_parts(std::size_t bytes, std::size_t granule) {
  const std::vector<std::size_t> ends = split_bytes(bytes, granule, weights_);
  std::vector<cuda::PlacedStretch> stretches;
  for (std::size_t part = 0; part < ends.size(); ++part)
    stretches.push_back({ends[part], &gpu_of(devices_[part]).placement()});
  return std::make_unique<cuda::CudaBuffer>(bytes, stretches, *devices_.front(),
                                            parts_.front().gpu);
}

std::unique_ptr<Queue> SpreadDevice::queue() {
  return std::make_unique<SpreadQueue>(*this, devices_, overlap_from_);
}

}  // namespace breakeven::multi_gpu
