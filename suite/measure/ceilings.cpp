// SPDX-License-Identifier: Apache-2.0
#include "suite/measure/ceilings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

namespace breakeven {
namespace {

// One term of the roofline.
struct Bound {
  double ns = 0;
  std::string source;
  double value = 0;
  std::string unit;
  std::vector<std::string> measured;
};

// What is made of one measured ceiling or several.
struct Rate {
  std::string source;
  double per_second = 0;
  std::string unit;
  std::vector<std::string> measured;
};

class Roofline {
 public:
  void rate(double amount, const std::optional<Rate>& rate) {
    if (!rate || amount <= 0 || rate->per_second <= 0) return;
    add({amount / rate->per_second * 1e9, rate->source, rate->per_second, rate->unit,
         rate->measured});
  }
  void latency(const Ceiling* ceiling, double times = 1) {
    if (ceiling && ceiling->value > 0 && times > 0) {
      add({times * ceiling->value, ceiling->name, ceiling->value, ceiling->unit, {ceiling->name}});
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

std::optional<Rate> rate_of(const Ceiling* ceiling) {
  if (!ceiling) return std::nullopt;
  return Rate{ceiling->name, ceiling->value, ceiling->unit, {ceiling->name}};
}

std::optional<Rate> of_devices(std::optional<Rate> one, std::size_t count) {
  if (!one) return std::nullopt;
  one->source = times(one->source, count);
  one->per_second *= static_cast<double>(count);
  return one;
}

// So many cores together: no more than each alone, nor than all together.
std::optional<Rate> of_cores(const std::optional<Rate>& core, std::optional<Rate> all,
                             std::size_t threads) {
  std::optional<Rate> sum = of_devices(core, threads);
  if (!sum || threads == 1 || !all) return sum;
  sum->measured.insert(sum->measured.end(), all->measured.begin(), all->measured.end());
  if (all->per_second >= sum->per_second) return sum;
  all->measured = std::move(sum->measured);
  return all;
}

// Between the last cache and memory: the cache keeps a part of what does not fit, less of more.
Rate between(const Ceiling& cache, const Ceiling& memory, std::string_view prefix, double bytes) {
  const double beyond = std::log(bytes / cache.bytes) / std::log(memory.bytes / cache.bytes);
  return {fmt::format("{}~{}", cache.name, memory.name.substr(prefix.size())),
          1 / ((1 - beyond) / cache.value + beyond / memory.value),
          memory.unit,
          {cache.name, memory.name}};
}

// The smallest working set that holds `bytes`; the largest for more.
std::optional<Rate> memory_rate(const Ceilings& ceilings, std::string_view prefix, double bytes) {
  std::vector<const Ceiling*> sets;
  for (const Ceiling& ceiling : ceilings)
    if (ceiling.name.starts_with(prefix)) sets.push_back(&ceiling);
  if (sets.empty()) return std::nullopt;
  std::sort(sets.begin(), sets.end(), [](auto* a, auto* b) { return a->bytes < b->bytes; });
  const auto holds = std::find_if(sets.begin(), sets.end(),
                                  [&](const Ceiling* set) { return set->bytes >= bytes; });
  if (holds == sets.end()) return rate_of(sets.back());
  if (holds == sets.begin() || holds + 1 != sets.end()) return rate_of(*holds);
  return between(**(holds - 1), **holds, prefix, bytes);
}

// A triad reads two bytes for each that it writes: these go at its rate, what is read beyond them
// at that of a sum.
std::optional<Rate> of_reads_and_writes(const Work& work, const std::optional<Rate>& triad,
                                        const std::optional<Rate>& read) {
  const double written = work.bytes - work.bytes_read;
  const double beyond = work.bytes_read - 2 * written;
  if (work.bytes_read <= 0 || beyond <= 0 || !triad || !read) return triad;
  if (beyond > 0.99 * work.bytes) return read;
  Rate both = *triad;
  both.source += "+" + read->source;
  both.per_second =
      work.bytes / ((work.bytes - beyond) / triad->per_second + beyond / read->per_second);
  both.measured.insert(both.measured.end(), read->measured.begin(), read->measured.end());
  return both;
}

void bound_cpu(Roofline& roofline, const Key& key, const Work& work, const Ceilings& machine,
               std::size_t threads) {
  // Numbers of 16 bits are computed with in f32 where there is no instruction for them.
  std::string fma = fmt::format("fma_{}", type_name(key.type, key.math));
  if (bytes_of(key.type) == 2 && !find(machine, fma + "_core")) fma = "fma_f32";
  const std::optional<Rate> peak = of_cores(rate_of(find(machine, fma + "_core")),
                                            rate_of(find(machine, fma + "_all")), threads);
  // Its threads may not have got the processor once: what moves bytes is no ceiling of a product.
  if (work.flops > 0 && !peak) return;
  roofline.rate(work.flops, peak);

  // Each core has caches of its own, and its share of the operands in them.
  const double moved = work.bytes + work.copied.all() - 2 * work.copied.exchanged;
  const double operands = work.operands > 0 ? work.operands : moved;
  const double share = key.cache == "cold"
                           ? 1e300
                           : operands / static_cast<double>(std::max<std::size_t>(1, threads));
  const auto at = [&](const std::string& kernel) {
    return of_cores(memory_rate(machine, kernel + "_core_", share),
                    memory_rate(machine, kernel + "_all_", share), threads);
  };
  std::optional<Rate> rate = of_reads_and_writes(work, at("triad"), at("read"));
  const bool only_copies = work.bytes > 0 && work.copied.all() == work.bytes;
  if (rate && only_copies) {
    rate->source += "/2";
    rate->per_second /= 2;
  }
  roofline.rate(only_copies ? work.bytes : moved, rate);
}

bool on_network(const Ceilings& device) {
  return find(device, "network_eager") != nullptr;
}

void bound_gpu(Roofline& roofline, const Key& key, const Work& work, const Ceilings& device) {
  const std::string product = fmt::format("gemm_{}", type_name(key.type, key.math));
  roofline.rate(work.flops, of_devices(rate_of(find(device, product)), key.devices));
  roofline.rate(work.bytes - work.copied.all(),
                of_devices(rate_of(find(device, "multiply_add")), key.devices));
  const auto copies = [&](const std::string& way, double bytes) {
    if (bytes <= 0) return;
    roofline.rate(bytes, rate_of(find(device, way)));
    roofline.latency(find(device, way + "_latency"), work.copied.waits);
  };
  if (!on_network(device)) {
    copies("copy_h2d", work.copied.h2d);
    copies("copy_d2h", work.copied.d2h);
  }
  copies("copy_d2d", work.copied.d2d);
  roofline.rate(work.copied.exchanged, rate_of(find(device, "exchange")));
  const auto messages = [&](const std::string& way, double bytes) {
    const Ceiling* const eager = find(device, way + "_eager");
    if (eager)
      copies(way + (bytes <= eager->bytes * work.copied.waits ? "_eager" : "_rendezvous"), bytes);
  };
  messages("network", work.copied.h2d + work.copied.d2h);
  messages("peer", work.copied.peer);
}

std::optional<Sustained> sustained_of(const Bound& bound, const Ceilings& device,
                                      std::size_t devices) {
  const std::string name = sustained_name(bound.measured.front(), devices);
  const auto value = [&](std::string_view piece) {
    const Ceiling* const known = find(device, name + std::string(piece));
    return known ? known->value : 0;
  };
  const Sustained found{value(""), value("_low"), value("_clock")};
  return found.value > 0 ? std::optional(found) : std::nullopt;
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

const Ceiling* find(const Ceilings& ceilings, std::string_view name) {
  const auto found = std::find_if(ceilings.begin(), ceilings.end(),
                                  [&](const Ceiling& ceiling) { return ceiling.name == name; });
  return found == ceilings.end() ? nullptr : &*found;
}

std::string sustained_name(std::string_view burst, std::size_t devices) {
  return times(fmt::format("{}_sustained", burst), devices);
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
  // Launching bounds what does nothing; what does something, only beside what that needs.
  if (!roofline.longest() && (work.flops > 0 || work.bytes > 0)) return std::nullopt;
  const bool only_messages =
      on_network(device) && work.bytes > 0 && work.copied.all() == work.bytes;
  if (!only_messages) roofline.latency(find(device, "launch_amortised"), work.launches);
  const auto& bound = roofline.longest();
  if (!bound) return std::nullopt;
  return CeilingShare{bound->source,   bound->value,
                      bound->unit,     bound->ns / median_ns,
                      bound->measured, sustained_of(*bound, device, key.devices)};
}

}  // namespace breakeven
