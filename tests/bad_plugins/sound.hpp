// SPDX-License-Identifier: Apache-2.0
// A backend that does everything right: two devices, queues that work in a thread of their own,
// events, sequences, products of f32 and copies. The plugins of the zoo override one thing each.
#pragma once

#include <breakeven/plugin.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <functional>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace breakeven::zoo {

class SoundBuffer : public Buffer {
 public:
  SoundBuffer(std::size_t bytes, Memory memory, Device& device)
      : Buffer(::operator new(std::max<std::size_t>(bytes, 1), alignment), bytes, memory, device) {}
  ~SoundBuffer() override { ::operator delete(data(), alignment); }

 private:
  static constexpr std::align_val_t alignment{64};
};

using Work = std::function<void()>;

// A thread that does what it is given, in order. Adding allocates nothing.
class Lane {
 public:
  Lane() : thread_([this] { work_until_closed(); }) {}
  Lane(const Lane&) = delete;
  Lane& operator=(const Lane&) = delete;
  ~Lane() {
    {
      const std::lock_guard lock(mutex_);
      closed_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }

  void add(const Work& work) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return added_ - done_ < ring_.size(); });
    ring_[added_++ % ring_.size()] = &work;
    changed_.notify_all();
  }

  void drain() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return done_ == added_; });
  }
  void drain_for(std::chrono::milliseconds longest) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, longest, [this] { return done_ == added_; });
  }

 private:
  void work_until_closed() {
    std::unique_lock lock(mutex_);
    for (;;) {
      changed_.wait(lock, [this] { return closed_ || done_ < added_; });
      if (done_ == added_) return;
      const Work& work = *ring_[done_ % ring_.size()];
      lock.unlock();
      work();
      lock.lock();
      ++done_;
      changed_.notify_all();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::array<const Work*, 256> ring_{};
  std::size_t added_ = 0, done_ = 0;
  bool closed_ = false;
  std::thread thread_;
};

class SoundEvent : public Event {
 public:
  double since(const Event& start) const override {
    const auto& from = static_cast<const SoundEvent&>(start);
    return std::chrono::duration<double>(time_ - from.time_).count();
  }

  const Work arrive = [this] {
    const std::lock_guard lock(mutex_);
    time_ = std::chrono::steady_clock::now();
    ++arrived_;
    changed_.notify_all();
  };
  const Work wait = [this] {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return arrived_ == recorded_; });
  };
  void expect_arrival() {
    const std::lock_guard lock(mutex_);
    ++recorded_;
  }

 private:
  std::mutex mutex_;
  mutable std::condition_variable changed_;
  std::chrono::steady_clock::time_point time_{};
  std::size_t recorded_ = 0, arrived_ = 0;
};

class SoundTask : public Task {
 public:
  SoundTask(Lane& lane, Work work) : lane_(lane), work_(std::move(work)) {}
  void enqueue() override { lane_.add(work_); }
  const Work& work() const { return work_; }

 private:
  Lane& lane_;
  const Work work_;
};

class SoundQueue : public Queue {
 public:
  explicit SoundQueue(Device& device) : device_(device) {}

  std::unique_ptr<Task> prepare_any(const AnyOperation& operation) override {
    return dispatch(
        operation, [this](const Copy& copy) { return prepare_copy(copy); },
        [this](const Gemm& gemm) { return prepare_gemm(gemm); });
  }

  std::unique_ptr<Task> sequence(std::span<Task* const> tasks) override {
    return make_task([all = std::vector<Task*>(tasks.begin(), tasks.end())] {
      for (const Task* task : all) static_cast<const SoundTask*>(task)->work()();
    });
  }

  std::unique_ptr<Event> event() override { return std::make_unique<SoundEvent>(); }
  void record(Event& event) override {
    auto& own = static_cast<SoundEvent&>(event);
    own.expect_arrival();
    lane_.add(own.arrive);
  }
  void wait(const Event& event) override { lane_.add(static_cast<const SoundEvent&>(event).wait); }
  void synchronize() override { lane_.drain(); }

 protected:
  virtual std::unique_ptr<Task> make_task(Work work) {
    return std::make_unique<SoundTask>(lane_, std::move(work));
  }

  virtual std::unique_ptr<Task> prepare_copy(const Copy& copy) {
    return make_task([to = start(copy.to), from = start(copy.from), bytes = copy.to.bytes] {
      std::memmove(to, from, bytes);
    });
  }

  virtual std::unique_ptr<Task> prepare_gemm(const Gemm& gemm) {
    if (gemm.type != Type::f32 || gemm.math != Math::native) return nullptr;
    for (const Slice& slice : {gemm.a, gemm.b, gemm.c}) require_own(slice);
    return make_task([this, gemm] {
      product(gemm, reinterpret_cast<const float*>(start(gemm.a)),
              reinterpret_cast<const float*>(start(gemm.b)),
              reinterpret_cast<float*>(start(gemm.c)));
    });
  }

  virtual void product(const Gemm& gemm, const float* a, const float* b, float* c) {
    const auto [m, n, k] = std::array{gemm.m, gemm.n, gemm.k};
    const bool a_turned = gemm.transpose_a == Transpose::yes;
    const bool b_turned = gemm.transpose_b == Transpose::yes;
    for (std::size_t matrix = 0; matrix < gemm.batch; ++matrix, a += m * k, b += k * n, c += m * n)
      for (std::size_t i = 0; i < m; ++i)
        for (std::size_t j = 0; j < n; ++j) {
          float sum = 0;
          for (std::size_t l = 0; l < k; ++l)
            sum += a[a_turned ? l * m + i : i * k + l] * b[b_turned ? j * k + l : l * n + j];
          c[i * n + j] = static_cast<float>(gemm.alpha) * sum +
                         (gemm.beta == 0 ? 0 : static_cast<float>(gemm.beta) * c[i * n + j]);
        }
  }

  virtual void require_own(const Slice& slice) {
    if (&slice.buffer->device() == &device_) return;
    throw std::invalid_argument("an operand lies on " +
                                std::string(slice.buffer->device().info().name) +
                                ", the queue works on " + std::string(device_.info().name));
  }

  static char* start(const Slice& slice) {
    return static_cast<char*>(slice.buffer->data()) + slice.offset;
  }

  Lane lane_;

 private:
  Device& device_;
};

template <class ItsQueue = SoundQueue>
class SoundDevice : public Device {
 public:
  explicit SoundDevice(std::size_t index) : name_("cage " + std::to_string(index)) {}

  DeviceInfo info() const override { return {.name = name_, .memory_bytes = 1 << 30}; }
  std::span<const Fact> facts() const override { return facts_; }
  std::size_t readings(std::span<Reading> into) const override {
    if (into.empty()) return 0;
    into[0] = {.key = "visitors", .value = 0};
    return 1;
  }
  std::unique_ptr<Buffer> allocate(std::size_t bytes, Memory memory, std::size_t) override {
    if (memory == Memory::pinned) return nullptr;
    return std::make_unique<SoundBuffer>(bytes, memory, *this);
  }
  std::unique_ptr<Queue> queue() override { return std::make_unique<ItsQueue>(*this); }
  bool reaches(const Device&) const override { return true; }
  void bind_thread() override {}

 private:
  std::string name_;
  std::array<Fact, 1> facts_{{{.key = "bars", .value = "steel"}}};
};

template <class ItsDevice = SoundDevice<>>
class SoundBackend : public Backend {
 public:
  std::span<Device* const> devices() override { return pointers_; }
  std::span<const Fact> facts() const override { return {}; }
  std::string_view advice() const override { return {}; }

 private:
  std::array<ItsDevice, 2> devices_{ItsDevice(0), ItsDevice(1)};
  std::array<Device*, 2> pointers_{&devices_[0], &devices_[1]};
};

template <class ItsBackend>
std::unique_ptr<Backend> create(std::span<const Variable>) {
  return std::make_unique<ItsBackend>();
}

// A backend whose queues are of this class.
template <class ItsQueue>
inline constexpr auto create_with_queue = create<SoundBackend<SoundDevice<ItsQueue>>>;

// A backend whose devices are of this class.
template <class ItsDevice>
inline constexpr auto create_with_device = create<SoundBackend<ItsDevice>>;

}  // namespace breakeven::zoo
