// SPDX-License-Identifier: Apache-2.0
#include "time.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <limits>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <string_view>

#include <dlfcn.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "profile.hpp"
#include "settings.hpp"

namespace fake_cuda {
namespace {

constexpr double us = 1e3, ms = 1e6, reading_ns = 25;

struct Gpu {
  double free = 0;    // when its multiprocessors are done
  double awake = 0;   // when it was idle last
  double worked = 0;  // since then
  // Of work, one after the other, with what was worked until its end.
  struct Stretch {
    double begin, end, until_end;
  };
  std::vector<Stretch> stretches = {};
};

// GB/s that are taken of it, from each moment on.
using Link = std::map<double, double>;

struct State {
  std::mutex mutex;
  double first_thread = 0, latest = 0;
  std::vector<Gpu> gpus = std::vector<Gpu>(static_cast<std::size_t>(settings().devices));
  std::map<std::string, Link> links;
  std::set<std::string> spent;
};

State& state() {
  static State& once = *new State;
  return once;
}

thread_local double own = 0;

bool is_first_thread() {
  return syscall(SYS_gettid) == getpid();
}

// With the lock.
void advance(State& now, double time) {
  own = time;
  now.latest = std::max(now.latest, own);
}

double at(State& now) {
  return std::max(own, is_first_thread() ? now.latest : now.first_thread);
}

// What is left of the power, which may be less while others work or have just worked.
double limited_mhz(const State& now, const Gpu& gpu, double time) {
  const Profile& p = profile();
  const bool works_alone = std::none_of(now.gpus.begin(), now.gpus.end(), [&](const Gpu& other) {
    return &other != &gpu && other.worked > 0 && time - other.free <= p.idle_after_ms * ms;
  });
  return works_alone ? p.sustained_mhz : p.together_mhz;
}

double mhz_after(double awake, double worked, double limited) {
  const Profile& p = profile();
  if (worked >= p.sustained_after_ms * ms) return limited;
  if (awake >= p.ramp_ms * ms) return p.boost_mhz;
  return p.idle_mhz + (p.boost_mhz - p.idle_mhz) * awake / (p.ramp_ms * ms);
}

double per_clock(Cost::Unit unit) {
  const Profile& p = profile();
  switch (unit) {
    case Cost::Unit::f64:
      return p.f64_per_clock;
    case Cost::Unit::f16:
      return p.f16_per_clock;
    case Cost::Unit::tf32:
      return p.tf32_per_clock;
    default:
      return p.f32_per_clock;
  }
}

// In steps as long as the clock may be taken to stand.
double computing_ns(const State& all, const Gpu& gpu, const Cost& cost, double start) {
  const Profile& p = profile();
  constexpr double step = 1 * ms;
  double left = cost.flops / (per_clock(cost.unit) * p.multiprocessors);  // clocks
  double took = 0;
  while (left > 0) {
    const double clocks_per_ns = 1e-3 * mhz_after(start + took - gpu.awake, gpu.worked + took,
                                                  limited_mhz(all, gpu, start + took));
    const double needs = left / clocks_per_ns;
    const bool is_settled = gpu.worked + took >= std::max(p.ramp_ms, p.sustained_after_ms) * ms;
    const double now = is_settled ? needs : std::min(needs, step);
    left -= now * clocks_per_ns;
    took += now;
    if (left < 1e-6) break;
  }
  return took;
}

// What it has to go over, with GB/s, which are bytes a nanosecond.
std::vector<std::pair<std::string, double>> links_of(const Cost& cost) {
  const Profile& p = profile();
  const auto gpu = [](int device) { return std::to_string(device); };
  std::vector<std::pair<std::string, double>> links;
  if (cost.from >= 0 && cost.to >= 0 && p.peer_gbs > 0)
    return {{"out " + gpu(cost.from), p.peer_gbs}, {"in " + gpu(cost.to), p.peer_gbs}};
  if (cost.from >= 0) {
    links.emplace_back("up " + gpu(cost.from), p.pcie_gbs);
    links.emplace_back("to host", p.host_gbs);
  }
  if (cost.to >= 0) {
    links.emplace_back("down " + gpu(cost.to), p.pcie_gbs);
    links.emplace_back("from host", p.host_gbs);
  }
  return links;
}

double taken_at(const Link& link, double time) {
  const auto next = link.upper_bound(time);
  return next == link.begin() ? 0 : std::prev(next)->second;
}

void take(Link& link, double begin, double end, double rate) {
  auto first = link.emplace(begin, taken_at(link, begin)).first;
  const auto last = link.emplace(end, taken_at(link, end)).first;
  for (; first != last; ++first) first->second += rate;
}

// With the lock. At each moment as fast as what is left of the links that it goes over.
double copy_over_links(State& now, const Cost& cost, double time) {
  constexpr double hardly_any = 1e-3, least_ns = 0.1, kept_ns = 1e9;
  const auto links = links_of(cost);
  for (double left = cost.moved; left > 0;) {
    double rate = std::numeric_limits<double>::infinity(), until = rate;
    for (const auto& [name, most] : links) {
      const Link& link = now.links[name];
      rate = std::min(rate, most - taken_at(link, time));
      if (const auto next = link.upper_bound(time); next != link.end())
        until = std::min(until, next->first);
    }
    if (rate > hardly_any) {
      until = std::min(until, time + std::max(least_ns, left / rate));  // else it would not move
      for (const auto& [name, most] : links) take(now.links[name], time, until, rate);
      left -= rate * (until - time);
    }
    time = until;
  }
  for (const auto& [name, most] : links) {  // nobody asks for what is long past
    Link& link = now.links[name];
    if (const auto past = link.upper_bound(now.latest - kept_ns); past != link.begin())
      link.erase(link.begin(), std::prev(past));
  }
  return time + profile().copy_us * us;
}

// With the lock.
double place(State& now, int device, const Cost& cost, double start) {
  if (cost.moved > 0) return copy_over_links(now, cost, start);
  const Profile& p = profile();
  Gpu& gpu = now.gpus[static_cast<std::size_t>(device)];
  start = std::max(start, gpu.free);
  if (start - gpu.free > p.idle_after_ms * ms) {
    gpu.awake = start;
    gpu.worked = 0;
  }
  const double took = std::max(computing_ns(now, gpu, cost, start), cost.bytes / p.memory_gbs) +
                      p.operation_us * us;
  const double worked = gpu.stretches.empty() ? 0 : gpu.stretches.back().until_end;
  gpu.worked += took;
  gpu.free = start + took;
  if (!gpu.stretches.empty() && gpu.stretches.back().end == start) {
    gpu.stretches.back().end = gpu.free;
    gpu.stretches.back().until_end = worked + took;
  } else {
    gpu.stretches.push_back({start, gpu.free, worked + took});
  }
  return gpu.free;
}

std::int64_t clock_of_process() {
  return static_cast<std::int64_t>(host_now());
}

// Whoever loaded fake_clock.so before all others gets this clock for his own. It goes on from where
// the real one is.
[[gnu::constructor]] void offer_clock() {
  using Use = std::int64_t(std::int64_t(*)());
  auto* const use = reinterpret_cast<Use*>(dlsym(RTLD_DEFAULT, "fake_clock_use"));
  if (use && has_time()) {
    const std::lock_guard lock(state().mutex);
    state().first_thread = state().latest = own = static_cast<double>(use(clock_of_process));
  }
}

}  // namespace

bool has_time() {
  return profile().has_time;
}

double host_now() {
  State& now = state();
  const std::lock_guard lock(now.mutex);
  advance(now, at(now) + reading_ns);
  if (is_first_thread()) now.first_thread = own;
  return own;
}

void spend(double nanoseconds) {
  if (!has_time()) return;
  State& now = state();
  const std::lock_guard lock(now.mutex);
  advance(now, at(now) + nanoseconds);
}

void wait_until(double time) {
  if (!has_time()) return;
  State& now = state();
  const std::lock_guard lock(now.mutex);
  advance(now, std::max(at(now), time) + profile().call_us * us);
}

void spend_once(const char* what, double milliseconds) {
  if (!has_time()) return;
  State& now = state();
  const std::lock_guard lock(now.mutex);
  if (now.spent.insert(what).second) advance(now, at(now) + milliseconds * ms);
}

void compile_once(int device) {
  if (profile().compile_ms <= 0) return;
  const char* const keeps_nothing = std::getenv("CUDA_CACHE_DISABLE");
  if (keeps_nothing && std::string_view(keeps_nothing) == "1")
    spend_once(("compile " + std::to_string(device)).c_str(), profile().compile_ms);
}

void hand_over_all(StreamTime& stream, int device, const std::vector<Cost>& costs) {
  if (!has_time()) return;
  State& now = state();
  const std::lock_guard lock(now.mutex);
  double host = at(now) + profile().call_us * us;
  while (!stream.ends.empty() && stream.ends.front() <= host) stream.ends.pop_front();
  if (stream.ends.size() >= profile().queue) {
    host = stream.ends.front();
    stream.ends.pop_front();
  }
  advance(now, host);
  for (const Cost& cost : costs)
    stream.ready = place(now, device, cost, std::max(host, stream.ready));
  stream.ends.push_back(stream.ready);
}

void hand_over(StreamTime& stream, int device, const Cost& cost) {
  if (has_time()) hand_over_all(stream, device, {cost});
}

double clock_mhz(int device) {
  if (!has_time()) return 1500;
  State& now = state();
  const std::lock_guard lock(now.mutex);
  const Gpu& gpu = now.gpus[static_cast<std::size_t>(device)];
  if (at(now) - gpu.free > profile().idle_after_ms * ms) return profile().idle_mhz;
  return mhz_after(at(now) - gpu.awake, gpu.worked, limited_mhz(now, gpu, at(now)));
}

double joules(int device) {
  State& now = state();
  const std::lock_guard lock(now.mutex);
  const Profile& p = profile();
  const double every = p.energy_every_ms * ms, shown = std::floor(at(now) / every) * every;
  const auto& all = now.gpus[static_cast<std::size_t>(device)].stretches;
  const auto next = std::partition_point(all.begin(), all.end(),
                                         [&](const auto& one) { return one.end <= shown; });
  double worked = next == all.begin() ? 0 : std::prev(next)->until_end;
  if (next != all.end()) worked += std::max(0.0, shown - next->begin);
  return 1e-9 * (p.idle_watts * shown + (p.busy_watts - p.idle_watts) * worked);
}

}  // namespace fake_cuda

extern "C" double fake_cuda_now() {
  return fake_cuda::host_now();
}
