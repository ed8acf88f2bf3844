// SPDX-License-Identifier: Apache-2.0
// kokkos-openmp: all cores as one device. Work runs inside enqueue, so queues keep their order by
// themselves, need no waiting and have no clock of their own.
#include "backend.hpp"

#include <omp.h>
#include <sched.h>
#include <sys/mman.h>
#include <unistd.h>

#include <Kokkos_SIMD.hpp>
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <limits>
#include <new>
#include <string>
#include <vector>

#include "../range.hpp"
#include "../task.hpp"
#include "past_caches.hpp"

namespace breakeven::kokkos {
namespace {

// Owns its text; the contract's facts are views of it.
class Facts {
 public:
  void add(std::string key, std::string value) {
    texts_.emplace_back(std::move(key), std::move(value));
    facts_.clear();
    for (const auto& [name, text] : texts_) facts_.push_back({name, text});
  }
  std::span<const Fact> view() const { return facts_; }

 private:
  std::vector<std::pair<std::string, std::string>> texts_;
  std::vector<Fact> facts_;
};

std::string processor_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("model name")) return line.substr(line.find(": ") + 2);
  }
  return "unknown processor";
}

// Where the threads are allowed to run, as they see it themselves: "0:{0} 1:{1}".
std::string observed_binding() {
  std::vector<std::string> places(static_cast<std::size_t>(Space().concurrency()));
  Kokkos::parallel_for(
      Kokkos::RangePolicy<Space, Kokkos::Schedule<Kokkos::Static>>(0, Space().concurrency()),
      [&](int thread) {
        cpu_set_t set;
        CPU_ZERO(&set);
        sched_getaffinity(0, sizeof set, &set);
        std::string& place = places[static_cast<std::size_t>(thread)];
        for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
          if (CPU_ISSET(cpu, &set))
            place.append(place.empty() ? "" : ",").append(std::to_string(cpu));
        }
      });
  std::string text;
  for (std::size_t thread = 0; thread < places.size(); ++thread) {
    text.append(thread == 0 ? "" : " ").append(std::to_string(thread));
    text.append(":{").append(places[thread]).append("}");
  }
  return text;
}

// Pages of its own, so that each can lie where its thread is; huge ones where they are filled well
// enough, because looking up the others costs large products a few percent.
class HostBuffer final : public Buffer {
 public:
  HostBuffer(std::size_t bytes, Memory memory, Device& device)
      : Buffer(take(bytes), bytes, memory, device) {}
  ~HostBuffer() override { ::operator delete(data(), alignment(bytes())); }

 private:
  static constexpr std::size_t huge_page = std::size_t{2} << 20;
  static std::align_val_t alignment(std::size_t bytes) {
    return std::align_val_t{bytes >= huge_page / 4 ? huge_page : 4096};
  }
  static void* take(std::size_t bytes) {
    const auto page = static_cast<std::size_t>(alignment(bytes));
    if (bytes > std::numeric_limits<std::size_t>::max() - page) throw std::bad_alloc();
    const std::size_t rounded = std::max<std::size_t>((bytes + page - 1) / page * page, page);
    void* const data = ::operator new(rounded, alignment(bytes));
    if (page == huge_page)
      madvise(data, rounded, MADV_HUGEPAGE);  // a wish: its failure is no error
    return data;
  }
};

class HostQueue final : public Queue {
 public:
  HostQueue(Device& device, const std::optional<Way>& way) : target_{device, Space(), way} {}
  std::unique_ptr<Task> prepare_any(const AnyOperation& operation) override {
    return kokkos::prepare_any(operation, target_);
  }
  std::unique_ptr<Task> sequence(std::span<Task* const> tasks) override {
    return make_task([all = std::vector<Task*>(tasks.begin(), tasks.end())] {
      for (Task* const task : all) task->enqueue();
    });
  }
  std::unique_ptr<Event> event() override { return nullptr; }
  void record(Event&) override {}
  void wait(const Event&) override {}
  void synchronize() override {}

 private:
  Target target_;
};

class HostDevice final : public Device {
 public:
  explicit HostDevice(const std::optional<Way>& way) : way_(way) {
    const Space space;
    facts_.add("threads", std::to_string(space.concurrency()));
    cpu_set_t before;
    const bool known = sched_getaffinity(0, sizeof before, &before) == 0;
    HostDevice::bind_thread();
    facts_.add("openmp_binding", observed_binding());
    if (known) sched_setaffinity(0, sizeof before, &before);
  }

  DeviceInfo info() const override {
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    return {name_, Kind::cpu, page * static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)),
            page * static_cast<std::size_t>(sysconf(_SC_AVPHYS_PAGES)), "host"};
  }
  std::span<const Fact> facts() const override { return facts_.view(); }
  std::size_t readings(std::span<Reading>) const override { return 0; }

  // Ordinary memory, whatever it is called. Each thread touches first what it will work on.
  std::unique_ptr<Buffer> allocate(std::size_t bytes, Memory memory, std::size_t) override {
    if (memory == Memory::pinned) return nullptr;
    auto buffer = std::make_unique<HostBuffer>(bytes, memory, *this);
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    auto* const data = static_cast<std::byte*>(buffer->data());
    Kokkos::parallel_for(Kokkos::RangePolicy<Space, Kokkos::Schedule<Kokkos::Static>, std::size_t>(
                             0, (bytes + page - 1) / page),
                         [=](std::size_t i) { data[i * page] = std::byte{}; });
    return buffer;
  }
  std::unique_ptr<Queue> queue() override { return std::make_unique<HostQueue>(*this, way_); }
  bool reaches(const Device& peer) const override { return &peer == this; }
  // The OpenMP runtime places a thread once, with the team it makes for it, and does not notice
  // that the program has since given the thread all processors back. Then the system may put it on
  // the processor of another thread of the team, which can go nowhere else: all wait a millisecond.
  void bind_thread() override {
    Kokkos::parallel_for(Kokkos::RangePolicy<Space>(0, Space().concurrency()), [](int) {});
    const int place = omp_get_place_num();
    if (place < 0) return;  // OMP_PROC_BIND is false or not set
    std::vector<int> processors(static_cast<std::size_t>(omp_get_place_num_procs(place)));
    omp_get_place_proc_ids(place, processors.data());
    cpu_set_t set;
    CPU_ZERO(&set);
    for (const int processor : processors) CPU_SET(processor, &set);
    sched_setaffinity(0, sizeof set, &set);
  }

 private:
  std::optional<Way> way_;
  std::string name_ = processor_name();
  Facts facts_;
};

class HostBackend final : public Backend {
 public:
  HostBackend(double runtime_seconds, const std::optional<Way>& way)
      : device_(way), stages_{{{"runtime", runtime_seconds}}} {
    facts_.add("kokkos_version", std::to_string(KOKKOS_VERSION / 10000) + "." +
                                     std::to_string(KOKKOS_VERSION / 100 % 100) + "." +
                                     std::to_string(KOKKOS_VERSION % 100));
    facts_.add("kokkos_processor", KOKKOS_PROCESSOR);
    facts_.add("simd_width_bytes",
               std::to_string(sizeof(float) * Kokkos::Experimental::simd<float>::size()));
    if (std::getenv("OMP_PROC_BIND") == nullptr) {
      advice_ =
          "set OMP_PROC_BIND=close and OMP_PLACES=cores, because threads that move lose their "
          "caches";
    }
  }
  std::span<Device* const> devices() override { return devices_; }
  std::span<const Fact> facts() const override { return facts_.view(); }
  std::string_view advice() const override { return advice_; }
  std::span<const Stage> stages() const override { return stages_; }

 private:
  HostDevice device_;
  std::array<Device*, 1> devices_{&device_};
  Facts facts_;
  std::string advice_;
  std::array<Stage, 1> stages_;
};

}  // namespace

namespace {

// A block of cache lines at a time, to the beginning of one.
struct CopyPastCaches {
  using Line = std::array<std::byte, 64>;
  static constexpr std::size_t block_bytes = 512 * sizeof(Line);

  std::byte* to;
  const std::byte* from;
  std::size_t bytes;

  std::size_t blocks() const { return (bytes + block_bytes - 1) / block_bytes; }

  void operator()(std::size_t block) const {
    const std::size_t end = std::min((block + 1) * block_bytes, bytes);
    std::size_t i = block * block_bytes;
    for (; i + sizeof(Line) <= end; i += sizeof(Line)) {
      Line line;
      std::memcpy(&line, from + i, sizeof line);
      store_past_caches(to + i, line);
    }
    finish_stores_past_caches();
    std::memcpy(to + i, from + i, end - i);
  }
};

bool is_for_past_caches(const CopyPastCaches& copy) {
  const auto to = reinterpret_cast<std::uintptr_t>(copy.to);
  const auto from = reinterpret_cast<std::uintptr_t>(copy.from);
  const bool overlap = (to < from ? from - to : to - from) < copy.bytes;
  return 2 * copy.bytes >= past_caches_bytes && to % sizeof(CopyPastCaches::Line) == 0 && !overlap;
}

}  // namespace

std::byte* address_of(const Slice& slice, std::size_t bytes, const Target& target) {
  const Device& home = slice.buffer->device();
  if (&home != &target.device) {
    throw std::invalid_argument("operand on another device (" + std::string(home.info().name) +
                                ") than kokkos-openmp:0; copy it there first");
  }
  if (slice.bytes < bytes || slice.offset + slice.bytes > slice.buffer->bytes()) {
    throw std::invalid_argument("operand of " + std::to_string(slice.bytes) + " bytes at " +
                                std::to_string(slice.offset) + " where " + std::to_string(bytes) +
                                " are needed; give a longer slice");
  }
  return static_cast<std::byte*>(slice.buffer->data()) + slice.offset;
}

void expect_launched() {}

std::unique_ptr<Task> prepare(const Copy& copy, const Target& target) {
  const std::size_t bytes = copy.to.bytes;
  if (copy.from.bytes != bytes) {
    throw std::invalid_argument("copy: " + std::to_string(copy.from.bytes) + " bytes to " +
                                std::to_string(bytes) + "; make the slices equally long");
  }
  using Bytes = Kokkos::View<std::byte*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>;
  const Bytes to(address_of(copy.to, bytes, target), bytes);
  const Bytes from(address_of(copy.from, bytes, target), bytes);
  const CopyPastCaches past{to.data(), from.data(), bytes};
  if (is_for_past_caches(past)) {
    return make_task(
        [=, space = target.space] { for_range(space, past.blocks(), 2 * bytes, past); });
  }
  return make_task([=, space = target.space] { Kokkos::deep_copy(space, to, from); });
}

std::unique_ptr<Backend> make_backend(const std::optional<Way>& way) {
  const Kokkos::Timer runtime;
  if (!Kokkos::is_initialized()) {
    Kokkos::initialize(Kokkos::InitializationSettings().set_disable_warnings(true));
  }
  return std::make_unique<HostBackend>(runtime.seconds(), way);
}

}  // namespace breakeven::kokkos
