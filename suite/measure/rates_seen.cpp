// SPDX-License-Identifier: Apache-2.0
#include "suite/measure/rates_seen.hpp"

#include <algorithm>

namespace breakeven {

namespace {

constexpr double longest_latency_ns = 1e8;
constexpr double shortest_evidence_ns = 1e6;

}  // namespace

void RatesSeen::add(const Key& key, const Work& work, double repetition_ns) {
  Key of = key;
  of.m = of.n = of.k = of.batch = of.count = of.bytes = 0;
  const Shortest seen{of, work.flops, work.bytes, repetition_ns};
  auto known = std::find_if(shortest_.begin(), shortest_.end(),
                            [&](const Shortest& one) { return one.of == of; });
  if (known == shortest_.end()) known = shortest_.insert(known, seen);
  if (seen.ns < known->ns) *known = seen;

  const Shortest base = repetition_ns > longest_latency_ns ? Shortest() : *known;
  const double more_ns = repetition_ns - base.ns;
  // It may be that much longer by chance.
  if (more_ns <= std::max(base.ns, shortest_evidence_ns)) return;
  flops_per_ns_ = std::max(flops_per_ns_, (work.flops - base.flops) / more_ns);
  bytes_per_ns_ = std::max(bytes_per_ns_, (work.bytes - base.bytes) / more_ns);
}

double RatesSeen::least_ns(const Work& work) const {
  if (work.flops > 0) return flops_per_ns_ > 0 ? work.flops / flops_per_ns_ : 0;
  return bytes_per_ns_ > 0 ? work.bytes / bytes_per_ns_ : 0;
}

}  // namespace breakeven
