// SPDX-License-Identifier: Apache-2.0
// A small but complete backend: packed matrix products in plain C++, on one device, done inside
// enqueue. Everything else is answered with null, which the suite reports as unsupported.
#include <breakeven/plugin.hpp>

#include <algorithm>
#include <array>
#include <cstring>
#include <new>
#include <string>

namespace {

using namespace breakeven;

constexpr std::align_val_t alignment{64};

class HostBuffer final : public Buffer {
 public:
  HostBuffer(std::size_t bytes, Memory memory, Device& device)
      : Buffer(::operator new(std::max<std::size_t>(bytes, 1), alignment), bytes, memory, device) {}
  ~HostBuffer() override { ::operator delete(data(), alignment); }
};

// Where the operand starts. Operands of other devices, or too small ones, are the caller's mistake.
template <class Number>
Number* operand(const Slice& slice, std::size_t count, const Device& device) {
  if (&slice.buffer->device() != &device)
    throw std::invalid_argument("an operand lies on " +
                                std::string(slice.buffer->device().info().name) +
                                ", the queue works on " + std::string(device.info().name));
  if (slice.bytes < count * sizeof(Number)) throw std::invalid_argument("an operand is too small");
  return reinterpret_cast<Number*>(static_cast<char*>(slice.buffer->data()) + slice.offset);
}

// A task is made once and enqueued many times: what it needs is worked out in its constructor.
template <class Number>
class Product final : public Task {
 public:
  Product(const Gemm& gemm, const Device& device)
      : gemm_(gemm),
        a_(operand<Number>(gemm.a, gemm.batch * gemm.m * gemm.k, device)),
        b_(operand<Number>(gemm.b, gemm.batch * gemm.k * gemm.n, device)),
        c_(operand<Number>(gemm.c, gemm.batch * gemm.m * gemm.n, device)) {}

  void enqueue() override {
    const auto [m, n, k] = std::array{gemm_.m, gemm_.n, gemm_.k};
    for (std::size_t row = 0; row < gemm_.batch * m; ++row) {
      Number* const c = c_ + row * n;
      const Number* const b = b_ + row / m * k * n;
      // With beta = 0 the old c is not read: it may be NaN.
      for (std::size_t j = 0; j < n; ++j) c[j] = gemm_.beta == 0 ? 0 : Number(gemm_.beta) * c[j];
      for (std::size_t l = 0; l < k; ++l) {
        const Number factor = Number(gemm_.alpha) * a_[row * k + l];
        for (std::size_t j = 0; j < n; ++j) c[j] += factor * b[l * n + j];
      }
    }
  }
  TaskInfo info() const override {
    return {.author = Author::plugin, .threads = 1, .routine = "three loops"};
  }

 private:
  Gemm gemm_;
  const Number* a_;
  const Number* b_;
  Number* c_;
};

class HostCopy final : public Task {
 public:
  explicit HostCopy(const Copy& copy)
      : to_(start(copy.to)), from_(start(copy.from)), bytes_(copy.to.bytes) {}
  void enqueue() override { std::memmove(to_, from_, bytes_); }

 private:
  static char* start(const Slice& slice) {
    return static_cast<char*>(slice.buffer->data()) + slice.offset;
  }

  char *to_, *from_;
  std::size_t bytes_;
};

class HostQueue final : public Queue {
 public:
  explicit HostQueue(const Device& device) : device_(device) {}

  // What has no handler here is not supported, and neither is what later versions add.
  std::unique_ptr<Task> prepare_any(const AnyOperation& operation) override {
    return dispatch(
        operation, [](const Copy& copy) { return std::make_unique<HostCopy>(copy); },
        [this](const Gemm& gemm) { return product(gemm); });
  }

  std::unique_ptr<Task> sequence(std::span<Task* const>) override { return nullptr; }
  std::unique_ptr<Event> event() override { return nullptr; }
  void record(Event&) override {}
  void wait(const Event&) override {}
  void synchronize() override {}  // enqueue has already done the work

 private:
  std::unique_ptr<Task> product(const Gemm& gemm) const {
    if (gemm.transpose_a == Transpose::yes || gemm.transpose_b == Transpose::yes ||
        gemm.math != Math::native)
      return nullptr;
    if (gemm.type == Type::f32) return std::make_unique<Product<float>>(gemm, device_);
    if (gemm.type == Type::f64) return std::make_unique<Product<double>>(gemm, device_);
    return nullptr;
  }

  const Device& device_;
};

class HostDevice final : public Device {
 public:
  DeviceInfo info() const override { return {.name = "one processor", .hardware = "host"}; }
  std::span<const Fact> facts() const override { return {}; }
  std::size_t readings(std::span<Reading>) const override { return 0; }
  std::unique_ptr<Buffer> allocate(std::size_t bytes, Memory memory, std::size_t) override {
    if (memory == Memory::pinned) return nullptr;
    return std::make_unique<HostBuffer>(bytes, memory, *this);
  }
  std::unique_ptr<Queue> queue() override { return std::make_unique<HostQueue>(*this); }
  bool reaches(const Device&) const override { return false; }
  void bind_thread() override {}
};

class HostBackend final : public Backend {
 public:
  std::span<Device* const> devices() override { return {&device_, 1}; }
  std::span<const Fact> facts() const override { return {}; }
  std::string_view advice() const override { return {}; }

 private:
  HostDevice only_;
  Device* device_ = &only_;
};

std::unique_ptr<Backend> create(std::span<const Variable>) {
  return std::make_unique<HostBackend>();
}

}  // namespace

extern "C" const Manifest breakeven_plugin = {
    .name = "example",
    .version = "0.1.0",
    .description = "matrix products in three plain loops",
    .create = create,
};
