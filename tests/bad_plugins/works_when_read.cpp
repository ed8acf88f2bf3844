// SPDX-License-Identifier: Apache-2.0
// computes a product when its result is copied to where it can be read
#include "tests/bad_plugins/sound.hpp"

namespace {

using namespace breakeven;

struct Owed {
  const Gemm* gemm;
  zoo::Work work;
};

std::mutex mutex;
std::vector<Owed> owed;  // in order, each product once

// The host cannot touch it.
class FarBuffer final : public Buffer {
 public:
  FarBuffer(std::size_t bytes, Device& device)
      : Buffer(nullptr, bytes, Memory::device, device), storage_(bytes, Memory::device, device) {}
  ~FarBuffer() override {
    const std::lock_guard lock(mutex);
    std::erase_if(owed, [this](const Owed& one) {
      return one.gemm->a.buffer == this || one.gemm->b.buffer == this || one.gemm->c.buffer == this;
    });
  }

  char* bytes_here() { return static_cast<char*>(storage_.data()); }

 private:
  zoo::SoundBuffer storage_;
};

char* place_of(const Slice& slice) {
  if (auto* const far = dynamic_cast<FarBuffer*>(slice.buffer))
    return far->bytes_here() + slice.offset;
  return static_cast<char*>(slice.buffer->data()) + slice.offset;
}

class LazyQueue final : public zoo::SoundQueue {
 public:
  using SoundQueue::SoundQueue;

  ~LazyQueue() override { work(); }

 private:
  static void work() {
    const std::lock_guard lock(mutex);
    for (const Owed& one : owed) one.work();
    owed.clear();
  }

  std::unique_ptr<Task> prepare_copy(const Copy& copy) override {
    return make_task([to = place_of(copy.to), from = place_of(copy.from), bytes = copy.to.bytes] {
      work();
      std::memmove(to, from, bytes);
    });
  }

  std::unique_ptr<Task> prepare_gemm(const Gemm& gemm) override {
    if (gemm.type != Type::f32 || gemm.math != Math::native) return nullptr;
    for (const Slice& slice : {gemm.a, gemm.b, gemm.c}) require_own(slice);
    const auto kept = std::make_shared<const Gemm>(gemm);
    return make_task([this, kept] {
      const std::lock_guard lock(mutex);
      if (std::ranges::find(owed, kept.get(), &Owed::gemm) != owed.end()) return;
      owed.push_back({kept.get(), [this, kept] {
                        product(*kept, reinterpret_cast<const float*>(place_of(kept->a)),
                                reinterpret_cast<const float*>(place_of(kept->b)),
                                reinterpret_cast<float*>(place_of(kept->c)));
                      }});
    });
  }
};

class FarDevice final : public zoo::SoundDevice<LazyQueue> {
 public:
  using SoundDevice::SoundDevice;

  std::unique_ptr<Buffer> allocate(std::size_t bytes, Memory memory, std::size_t granule) override {
    if (memory != Memory::device) return SoundDevice::allocate(bytes, memory, granule);
    return std::make_unique<FarBuffer>(bytes, *this);
  }
};

}  // namespace

extern "C" const Manifest breakeven_plugin = {
    .name = "works-when-read",
    .version = "0.1.0",
    .description = "computes a product when its result is copied to where it can be read",
    .create = zoo::create_with_device<FarDevice>,
};
