// SPDX-License-Identifier: Apache-2.0
#include "suite/measure/device_ceilings.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <deque>
#include <iterator>
#include <memory>
#include <new>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "reports/statistics/order_statistics.hpp"
#include "suite/measure/steady_clock_rate.hpp"
#include "suite/model/type_names.hpp"

namespace breakeven {
namespace {

constexpr double enough_ns = 2e6;    // a piece of work this long shows the rate
constexpr double patience_ns = 3e8;  // no second try for work that takes longer
constexpr int tries = 5;             // the best counts
constexpr std::size_t launches = 1000;
constexpr std::size_t largest_product = 8192;
constexpr std::size_t random_bytes = std::size_t{4} << 20;  // then they are repeated
// Of copies between host and device, which no cache shortens: more takes long to allocate.
constexpr std::size_t largest_host_copy = std::size_t{64} << 20;

// What a power limit or heat leaves shows after tenths of a second: no sooner than after the first,
// and the last of the parts are alike, or it took the second.
constexpr double soonest_ns = 1e9, latest_ns = 3e9, tenth_ns = 1e8;
constexpr std::ptrdiff_t last_parts = 5;
constexpr double alike = 0.98;  // the lowest, of the median

// Everything of one device; buffers die after the queue has been waited for.
class Bench {
 public:
  Bench(Device& device, Clock& clock) : device_(device), clock_(clock), queue_(device.queue()) {}

  std::unique_ptr<Buffer> allocate(std::size_t bytes, Memory memory = Memory::device) {
    const std::size_t free = device_.info().free_bytes;
    if (free > 0 && bytes > free / 8) return nullptr;
    try {
      if (auto buffer = device_.allocate(bytes, memory)) return buffer;
    } catch (const std::bad_alloc&) {
    }
    if (memory == Memory::device && free > 0) throw std::bad_alloc();
    return nullptr;
  }

  std::unique_ptr<Task> prepare(const AnyOperation& operation) {
    try {
      return queue_->prepare_any(operation);
    } catch (const std::bad_alloc&) {
      return nullptr;
    }
  }

  std::unique_ptr<Task> sequence(std::span<Task* const> tasks) { return queue_->sequence(tasks); }

  // Nanoseconds of so many repetitions, waited for once.
  double run(Task& task, std::size_t repetitions = 1) {
    const std::int64_t start = clock_.now();
    for (std::size_t i = 0; i < repetitions; ++i) task.enqueue();
    wait();
    return static_cast<double>(clock_.now() - start);
  }
  void wait() { queue_->synchronize(); }

  // Of one repetition: the best of some tries after the first, which warms up.
  double best(Task& task, std::size_t repetitions = 1) {
    double shortest = run(task, repetitions);
    for (int i = 0; i < tries && shortest < patience_ns; ++i) {
      const double ns = run(task, repetitions);
      shortest = i == 0 ? ns : std::min(shortest, ns);
    }
    return shortest / static_cast<double>(repetitions);
  }

  // Makes it work until its clock stands. False: it tells none, and nothing was done.
  bool get_ready(Task& task) {
    rate_.reach([&] { run(task); }, [&] { return mhz(); });
    return mhz().has_value();
  }
  std::optional<double> mhz() { return sm_clock_mhz(device_); }

  // Random reals of both signs below 1: constants would let a device compute faster.
  bool fill(Buffer& buffer, Type type) {
    const std::size_t bytes = std::min(buffer.bytes(), random_bytes);
    if (!random_ || random_type_ != type || random_->bytes() < bytes) {
      auto made = allocate(bytes, Memory::pageable);
      if (!made || !made->data()) return false;
      randomise(*made, type);
      random_ = std::move(made), random_type_ = type;
    }
    for (std::size_t at = 0; at < buffer.bytes(); at += bytes) {
      const std::size_t part = std::min(bytes, buffer.bytes() - at);
      const auto copy = prepare(Copy{{&buffer, at, part}, {random_.get(), 0, part}});
      if (!copy) return false;
      run(*copy);
    }
    return true;
  }

  Device& device() { return device_; }
  Clock& clock() { return clock_; }

 private:
  struct Layout {
    unsigned mantissa_bits, exponent_bias;
  };
  static Layout layout(Type type) {
    switch (type) {
      case Type::f16:
        return {10, 15};
      case Type::bf16:
        return {7, 127};
      case Type::f32:
        return {23, 127};
      case Type::f64:
        return {52, 1023};
    }
    return {23, 127};
  }

  // Random sign and mantissa, an exponent from -4 to -1, put together as IEEE 754 stores them.
  static void randomise(Buffer& buffer, Type type) {
    const auto [mantissa_bits, bias] = layout(type);
    const std::size_t width = bytes_of(type);
    auto* bytes = static_cast<unsigned char*>(buffer.data());
    std::mt19937_64 generator(1);
    for (std::size_t i = 0; i + width <= buffer.bytes(); i += width) {
      const std::uint64_t random = generator();
      const std::uint64_t exponent = bias - 4 + (random & 3);
      const std::uint64_t sign = random >> 2 & 1;
      const std::uint64_t mantissa = random >> (64 - mantissa_bits);
      const std::uint64_t bits = sign << (8 * width - 1) | exponent << mantissa_bits | mantissa;
      std::memcpy(bytes + i, &bits, width);  // the low bytes: little endian
    }
  }

  Device& device_;
  Clock& clock_;
  SteadyClockRate rate_{clock_};
  std::unique_ptr<Buffer> random_;  // what buffers are filled with: making it takes longest
  Type random_type_ = Type::f32;
  std::unique_ptr<Queue> queue_;
};

double per_second(double amount, double ns) {
  return ns > 0 ? amount / ns * 1e9 : 0;
}

void measure_launch(Bench& bench, Ceilings& ceilings) {
  const auto task = bench.prepare(Nothing{});
  if (!task) return;
  ceilings.push_back({"launch", bench.best(*task), "ns"});
  ceilings.push_back({"launch_amortised", bench.best(*task, launches), "ns"});
}

struct Product {
  std::unique_ptr<Buffer> a, b, c;
  std::unique_ptr<Task> task;
  double flops = 0;
};

// One device and what it is to do.
struct Load {
  Bench* bench;
  Task* task;
};

// Nanoseconds until each has done its task so often, handed over in turn.
double run(std::span<const Load> loads, std::size_t repetitions) {
  Clock& clock = loads.front().bench->clock();
  const std::int64_t start = clock.now();
  for (std::size_t i = 0; i < repetitions; ++i)
    for (const Load& load : loads) load.task->enqueue();
  for (const Load& load : loads) load.bench->wait();
  return static_cast<double>(clock.now() - start);
}

// Null where there is no memory for it, or it is not supported.
std::unique_ptr<Product> product_of(Bench& bench, Type type, Math math, std::size_t n) {
  const std::size_t bytes = n * n * bytes_of(type);
  auto made = std::make_unique<Product>();
  for (auto* operand : {&made->a, &made->b, &made->c})
    if (!(*operand = bench.allocate(bytes))) return nullptr;
  if (!bench.fill(*made->a, type) || !bench.fill(*made->b, type)) return nullptr;
  Gemm gemm{.type = type, .math = math, .m = n, .n = n, .k = n};
  gemm.a = {made->a.get(), 0, bytes};
  gemm.b = {made->b.get(), 0, bytes};
  gemm.c = {made->c.get(), 0, bytes};
  made->task = bench.prepare(gemm);
  made->flops = 2.0 * static_cast<double>(n * n * n);
  return made->task ? std::move(made) : nullptr;
}

// Products of so many flops that take about `ns`: the rate of the last parts of seconds, the lowest
// of them, and the lowest clock then. No rest is longer than the milliseconds that one device waits
// for the others.
void measure_sustained(std::span<const Load> loads, const std::string& name, double flops,
                       double ns, Ceilings& ceilings) {
  const auto at_once = static_cast<std::size_t>(std::max(1.0, std::ceil(enough_ns / ns)));
  const double work = flops * static_cast<double>(at_once * loads.size());
  std::vector<double> last;
  double spent = 0, typical = 0, lowest = 0;
  do {
    double took = 0, done = 0;
    for (; took < tenth_ns; done += work) took += run(loads, at_once);
    spent += took;
    last.push_back(per_second(done, took));
    if (std::ssize(last) > last_parts) last.erase(last.begin());
    typical = median(last);
    lowest = *std::min_element(last.begin(), last.end());
  } while (spent < soonest_ns || (lowest < alike * typical && spent < latest_ns));
  ceilings.push_back({name, typical, "flop/s"});
  ceilings.push_back({name + "_low", lowest, "flop/s"});
  std::vector<double> clocks;
  for (const Load& load : loads)
    if (const auto mhz = load.bench->mhz()) clocks.push_back(*mhz);
  if (!clocks.empty())
    ceilings.push_back({name + "_clock", *std::min_element(clocks.begin(), clocks.end()), "MHz"});
}

// Of growing sizes, up to the first that takes long enough: the best of bursts, or what the largest
// sustains, alone and together with others; of these what is named.
void measure_product(Bench& bench, Type type, Math math, std::span<const std::string> names,
                     std::span<Device* const> others, Ceilings& ceilings) {
  const std::string name = "gemm_" + std::string(type_name(type, math));
  const auto is_named = [&](const std::string& one) {
    return std::find(names.begin(), names.end(), one) != names.end();
  };
  const bool burst = names.empty() || is_named(name);
  std::vector<std::size_t> together;
  for (std::size_t devices = 1; devices <= 1 + others.size(); ++devices)
    if (is_named(sustained_name(name, devices))) together.push_back(devices);
  if (!burst && together.empty()) return;

  double best = 0, ns = 0;
  std::size_t n = 0;
  std::unique_ptr<Product> largest;
  for (std::size_t size = 256; size <= largest_product && ns < enough_ns; size *= 2) {
    auto product = product_of(bench, type, math, size);
    if (!product) break;
    largest = std::move(product);
    n = size;
    ns = bench.best(*largest->task);
    best = std::max(best, per_second(largest->flops, ns));
  }
  if (!largest) return;
  if (burst) {
    if (bench.get_ready(*largest->task))
      best = std::max(best, per_second(largest->flops, bench.best(*largest->task)));
    if (best > 0) ceilings.push_back({name, best, "flop/s"});
  }
  if (together.empty() || ns <= 0) return;
  std::deque<Bench> benches;
  std::vector<std::unique_ptr<Product>> products;
  std::vector<Load> loads{{&bench, largest->task.get()}};
  for (Device* const other : others.first(together.back() - 1)) {
    Bench& one = benches.emplace_back(*other, bench.clock());
    products.push_back(product_of(one, type, math, n));
    if (!products.back()) break;
    loads.push_back({&one, products.back()->task.get()});
  }
  for (const std::size_t devices : together)
    if (devices <= loads.size())
      measure_sustained(std::span(loads).first(devices), sustained_name(name, devices),
                        largest->flops, ns, ceilings);
}

void measure_multiply_add(Bench& bench, Ceilings& ceilings) {
  const std::size_t bytes = largest_array_bytes(bench.device()), n = bytes / bytes_of(Type::f32);
  const auto a = bench.allocate(bytes), b = bench.allocate(bytes), c = bench.allocate(bytes),
             out = bench.allocate(bytes);
  if (!a || !b || !c || !out) return;
  for (Buffer* input : {a.get(), b.get(), c.get()}) {
    if (!bench.fill(*input, Type::f32)) return;
  }
  MultiplyAdd operation{.type = Type::f32, .n = n};
  operation.a = {a.get(), 0, bytes};
  operation.b = {b.get(), 0, bytes};
  operation.c = {c.get(), 0, bytes};
  operation.out = {out.get(), 0, bytes};
  const auto task = bench.prepare(operation);
  if (!task) return;
  const double rate = per_second(4.0 * static_cast<double>(bytes), bench.best(*task));
  ceilings.push_back({"multiply_add", rate, "byte/s"});
}

void measure_copies(Bench& bench, const std::string& name, Memory to_memory, Memory from_memory,
                    Ceilings& ceilings) {
  const auto allocate = [&](Memory memory, std::size_t bytes) {
    auto buffer = bench.allocate(bytes, memory);
    if (!buffer && memory == Memory::pinned) buffer = bench.allocate(bytes, Memory::pageable);
    return buffer;
  };
  std::size_t largest = largest_array_bytes(bench.device());
  if (to_memory != from_memory) largest = std::min(largest, largest_host_copy);
  const auto to = allocate(to_memory, largest), from = allocate(from_memory, largest);
  if (!to || !from || !bench.fill(*from, Type::f32) || !bench.fill(*to, Type::f32)) return;
  std::vector<CopyTime> times;
  for (std::size_t bytes = 4; bytes <= largest; bytes *= 8) {
    const auto task = bench.prepare(Copy{{to.get(), 0, bytes}, {from.get(), 0, bytes}});
    if (!task) return;
    times.push_back({static_cast<double>(bytes), bench.best(*task)});
  }
  const CopyFit fit = fit_copies(times);
  ceilings.push_back({name, fit.bytes_per_ns * 1e9, "byte/s"});
  ceilings.push_back({name + "_latency", fit.latency_ns, "ns"});
}

// Each part but the last sends all that it has to the next one, all at once.
void measure_exchange(Bench& bench, Ceilings& ceilings) {
  const std::size_t parts = parts_of(bench.device()), bytes = largest_array_bytes(bench.device());
  if (parts == 1) return;
  const auto to = bench.allocate(bytes), from = bench.allocate(bytes);
  if (!to || !from || !bench.fill(*from, Type::f32)) return;
  const std::size_t share = bytes / parts, moved = bytes - share;
  const auto task = bench.prepare(Copy{{to.get(), share, moved}, {from.get(), 0, moved}});
  if (!task) return;
  ceilings.push_back(
      {"exchange", per_second(static_cast<double>(moved), bench.best(*task)), "byte/s"});
}

// Bytes to and fro, each copy after the one before, as one launch: what the way itself takes,
// without handing over. Each side sends from one half of its buffer and receives in the other, as
// programs do: what just came lies in the receiver's cache. Nothing where there are no such
// sequences.
void measure_ping_pong(Bench& bench, const std::string& name, Buffer* there, Buffer* here,
                       Ceilings& ceilings) {
  constexpr double longest_ns = 2e7;  // of one copy
  constexpr std::size_t most_rounds = 4096, fewest_sizes = 6;
  const auto nothing = bench.prepare(Nothing{});
  if (!there || !here || !nothing) return;
  const double launch_ns = bench.best(*nothing);
  struct Size {
    std::unique_ptr<Task> go, back, sequence;
    double bytes, copies;
  };
  std::vector<Size> sizes;
  std::vector<CopyTime> times;
  const auto time = [&](const Size& size) {
    return (bench.best(*size.sequence) - launch_ns) / size.copies;
  };
  const std::size_t half = here->bytes() / 2;
  for (std::size_t bytes = 4; bytes <= half; bytes *= 4) {
    Size size{bench.prepare(Copy{{there, 0, bytes}, {here, 0, bytes}}),
              bench.prepare(Copy{{here, half, bytes}, {there, half, bytes}}),
              {},
              static_cast<double>(bytes),
              0};
    if (!size.go || !size.back) return;
    for (std::size_t rounds = 1;; rounds *= 8) {
      std::vector<Task*> tasks;
      for (std::size_t i = 0; i < rounds; ++i)
        tasks.insert(tasks.end(), {size.go.get(), size.back.get()});
      size.sequence = bench.sequence(tasks);
      size.copies = 2 * static_cast<double>(rounds);
      if (!size.sequence) return;
      bench.run(*size.sequence);
      const double once = bench.run(*size.sequence);
      if (once >= std::max(enough_ns, 4 * launch_ns) || rounds >= most_rounds) break;
    }
    times.push_back({size.bytes, time(size)});
    sizes.push_back(std::move(size));
    if (times.back().ns > longest_ns && times.size() >= fewest_sizes) break;
  }
  // Once more: what disturbed one size, and by that the line, is over.
  for (std::size_t i = 0; i < sizes.size(); ++i)
    times[i].ns = std::min(times[i].ns, time(sizes[i]));
  std::erase_if(times, [](const CopyTime& one) { return one.ns <= 0; });
  if (times.size() < fewest_sizes) return;
  const PiecewiseFit fit = fit_in_pieces(times);
  const auto add = [&](const std::string& piece, const CopyFit& of, double bytes) {
    ceilings.push_back({name + piece, of.bytes_per_ns * 1e9, "byte/s", bytes});
    ceilings.push_back({name + piece + "_latency", of.latency_ns, "ns", bytes});
  };
  add("_eager", fit.small, fit.largest_small);
  add("_rendezvous", fit.large, times.back().bytes);
}

// Between the worker and a node, and between that and the next.
void measure_network(Bench& bench, Device* next, bool way_here, bool way_to_next,
                     Ceilings& ceilings) {
  constexpr std::size_t both_halves = std::size_t{32} << 20;
  if (bench.device().info().kind != Kind::node || !(way_here || way_to_next)) return;
  const auto here = bench.allocate(both_halves);
  if (!here) return;
  if (way_here)
    measure_ping_pong(bench, "network", here.get(),
                      bench.allocate(both_halves, Memory::pageable).get(), ceilings);
  if (way_to_next && next && bench.device().reaches(*next))
    measure_ping_pong(bench, "peer", next->allocate(both_halves, Memory::device, 0).get(),
                      here.get(), ceilings);
}

// How far off the line they are, in squares of shares.
double misfit(std::span<const CopyTime> times, const CopyFit& fit) {
  double sum = 0;
  for (const auto& [bytes, ns] : times) {
    const double off = (fit.latency_ns + bytes / fit.bytes_per_ns) / ns - 1;
    sum += off * off;
  }
  return sum;
}

}  // namespace

PiecewiseFit fit_in_pieces(std::span<const CopyTime> times) {
  constexpr std::size_t fewest = 3;
  PiecewiseFit best;
  double least = 0;
  for (std::size_t i = fewest; i + fewest <= times.size(); ++i) {
    const CopyFit small = fit_copies(times.first(i)), large = fit_copies(times.subspan(i));
    const double sum = misfit(times.first(i), small) + misfit(times.subspan(i), large);
    if (i > fewest && !(sum < least)) continue;
    least = sum;
    best = {small, large, times[i - 1].bytes};
  }
  return best;
}

CopyFit fit_copies(std::span<const CopyTime> times) {
  // Minimises the sum of ((latency + bytes slope - ns) / ns)^2: normal equations in 1/ns, bytes/ns.
  double uu = 0, uv = 0, vv = 0, u1 = 0, v1 = 0;
  for (const auto& [bytes, ns] : times) {
    const double u = 1 / ns, v = bytes / ns;
    uu += u * u;
    uv += u * v;
    vv += v * v;
    u1 += u;
    v1 += v;
  }
  const double determinant = uu * vv - uv * uv;
  const double latency = std::max(0.0, (u1 * vv - v1 * uv) / determinant);
  const double slope = std::max((v1 - latency * uv) / vv, 1e-6);  // larger ones came no sooner
  return {latency, 1 / slope};
}

std::size_t parts_of(const Device& device) {
  std::istringstream words{std::string(device.info().hardware)};
  const std::ptrdiff_t parts = std::distance(std::istream_iterator<std::string>(words),
                                             std::istream_iterator<std::string>());
  return std::max<std::size_t>(1, static_cast<std::size_t>(parts));
}

std::size_t largest_array_bytes(const Device& device) {
  const Kind kind = device.info().kind;
  if (kind == Kind::cpu || kind == Kind::node) return std::size_t{64} << 20;
  return parts_of(device) * (std::size_t{256} << 20);
}

Ceilings device_ceilings(Device& device, Clock& clock, std::span<const std::string> names,
                         std::span<Device* const> others) {
  device.bind_thread();
  Bench bench(device, clock);
  Ceilings ceilings;
  const auto wanted = [&](const std::string& name) {
    return names.empty() || std::any_of(names.begin(), names.end(), [&](const std::string& one) {
             return one == name || one.starts_with(name + "_");
           });
  };
  if (wanted("launch")) measure_launch(bench, ceilings);
  for (const auto& [type, math] :
       {std::pair(Type::f32, Math::native), std::pair(Type::f64, Math::native),
        std::pair(Type::f32, Math::tf32), std::pair(Type::f16, Math::native),
        std::pair(Type::bf16, Math::native)})
    measure_product(bench, type, math, names, others, ceilings);
  if (wanted("multiply_add")) measure_multiply_add(bench, ceilings);
  Device* const next = others.empty() ? nullptr : others.front();
  measure_network(bench, next, wanted("network"), wanted("peer"), ceilings);
  if (wanted("exchange") && bench.device().info().kind == Kind::gpu)
    measure_exchange(bench, ceilings);
  const bool has_network = find(ceilings, "network_eager") != nullptr;
  if (wanted("copy_h2d") && !has_network)
    measure_copies(bench, "copy_h2d", Memory::device, Memory::pinned, ceilings);
  if (wanted("copy_d2h") && !has_network)
    measure_copies(bench, "copy_d2h", Memory::pinned, Memory::device, ceilings);
  if (wanted("copy_d2d"))
    measure_copies(bench, "copy_d2d", Memory::device, Memory::device, ceilings);
  return ceilings;
}

}  // namespace breakeven
