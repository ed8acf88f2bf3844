// SPDX-License-Identifier: Apache-2.0
#include "suite/measure/ceilings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace breakeven {
namespace {

// One term of the roofline.
struct Bound {
  double ns = 0;
  std::string source;
  double value = 0;
  std::string unit;
};

class Roofline {
 public:
  void rate(double amount, std::string source, double per_second, std::string unit) {
    if (amount <= 0 || per_second <= 0) return;
    add({amount / per_second * 1e9, std::move(source), per_second, std::move(unit)});
  }
  void latency(const Ceiling* ceiling, double times = 1) {
    if (ceiling && ceiling->value > 0 && times > 0) {
      add({times * ceiling->value, ceiling->name, ceiling->value, ceiling->unit});
    }
  }
  const std::optional<Bound>& longest() const { return longest_; }

 private:
  void add(Bound bound) {
    if (!longest_ || bound.ns > longest_->ns) longest_ = std::move(bound);
  }
  std::optional<Bound> longest_;
};

std::string times(const std::string& name, std::size_t count) {
  return count == 1 ? name : fmt::format("{}*{}", name, count);
}

struct Rate {
  std::string source;
  double value = 0;
};

// So many cores together: no more than each alone, nor than all together.
std::optional<Rate> of_cores(const Ceiling* core, const Ceiling* all, std::size_t threads) {
  if (!core) return std::nullopt;
  const double sum = core->value * static_cast<double>(threads);
  if (threads > 1 && all && all->value < sum) return Rate{all->name, all->value};
  return Rate{times(core->name, threads), sum};
}

// The smallest working set that holds `bytes`; the largest for more.
const Ceiling* triad(const Ceilings& ceilings, std::string_view prefix, double bytes) {
  const Ceiling* best = nullptr;
  const Ceiling* memory = nullptr;
  for (const Ceiling& ceiling : ceilings) {
    if (!ceiling.name.starts_with(prefix)) continue;
    if (ceiling.bytes == 0) {
      memory = &ceiling;
    } else if (ceiling.bytes >= bytes && (!best || ceiling.bytes < best->bytes)) {
      best = &ceiling;
    }
  }
  return best ? best : memory;
}

void bound_cpu(Roofline& roofline, const Key& key, const Work& work, const Ceilings& machine,
               std::size_t threads) {
  const std::string fma = fmt::format("fma_{}", precision_name(key.type, key.math));
  const auto flops = of_cores(find(machine, fma + "_core"), find(machine, fma + "_all"), threads);
  if (flops) roofline.rate(work.flops, flops->source, flops->value, "flop/s");

  // Each core has caches of its own, and its share of the operands in them.
  const double share = key.cache == "cold"
                           ? 1e300
                           : work.bytes / static_cast<double>(std::max<std::size_t>(1, threads));
  const auto bytes =
      of_cores(triad(machine, "triad_core_", share), triad(machine, "triad_all_", share), threads);
  if (bytes) roofline.rate(work.bytes, bytes->source, bytes->value, "byte/s");
}

void bound_gpu(Roofline& roofline, const Key& key, const Work& work, const Ceilings& device) {
  if (const Ceiling* product =
          find(device, fmt::format("gemm_{}", precision_name(key.type, key.math)))) {
    roofline.rate(work.flops, times(product->name, key.devices),
                  product->value * static_cast<double>(key.devices), product->unit);
  }
  if (!key.direction.empty()) {
    const std::string copy = "copy_" + key.direction;
    if (const Ceiling* rate = find(device, copy)) {
      roofline.rate(static_cast<double>(key.bytes), rate->name, rate->value, rate->unit);
      roofline.latency(find(device, copy + "_latency"));
    }
    return;
  }
  if (const Ceiling* memory = find(device, "multiply_add")) {
    roofline.rate(work.bytes, times(memory->name, key.devices),
                  memory->value * static_cast<double>(key.devices), memory->unit);
  }
}

}  // namespace

void to_json(nlohmann::json& json, const Ceiling& ceiling) {
  json = {{"name", ceiling.name},
          {"value", ceiling.value},
          {"unit", ceiling.unit},
          {"bytes", ceiling.bytes}};
}

void from_json(const nlohmann::json& json, Ceiling& ceiling) {
  json.at("name").get_to(ceiling.name);
  json.at("value").get_to(ceiling.value);
  json.at("unit").get_to(ceiling.unit);
  json.at("bytes").get_to(ceiling.bytes);
}

std::string_view precision_name(Type type, Math math) {
  if (math == Math::tf32) return "tf32";
  switch (type) {
    case Type::f32:
      return "f32";
    case Type::f64:
      return "f64";
    case Type::f16:
      return "f16";
    case Type::bf16:
      return "bf16";
  }
  return "";
}

const Ceiling* find(const Ceilings& ceilings, std::string_view name) {
  const auto found = std::find_if(ceilings.begin(), ceilings.end(),
                                  [&](const Ceiling& ceiling) { return ceiling.name == name; });
  return found == ceilings.end() ? nullptr : &*found;
}

std::optional<CeilingShare> ceiling_of(const Key& key, const Work& work, double median_ns,
                                       const Computes& computes, const Ceilings& machine,
                                       const Ceilings& device) {
  if (median_ns <= 0) return std::nullopt;
  Roofline roofline;
  if (computes.kind == Kind::cpu) {
    bound_cpu(roofline, key, work, machine, computes.threads * key.devices);
  } else {
    bound_gpu(roofline, key, work, device);
  }
  roofline.latency(find(device, "launch_amortised"), work.launches);
  const auto& bound = roofline.longest();
  if (!bound) return std::nullopt;
  return CeilingShare{bound->source, bound->value, bound->unit, bound->ns / median_ns};
}

}  // namespace breakeven
