// SPDX-License-Identifier: Apache-2.0
#include "contender.hpp"

#include <dlfcn.h>
#include <sched.h>

#include <bit>
#include <cstdint>
#include <random>

namespace breakeven {

namespace {

template <class T, class Convert>
void fill_with(void* data, std::size_t bytes, unsigned seed, Convert convert) {
  std::minstd_rand random(seed);
  std::uniform_real_distribution<T> uniform(-1, 1);
  using Stored = decltype(convert(T()));
  auto* const values = static_cast<Stored*>(data);
  for (std::size_t i = 0; i < bytes / sizeof(Stored); ++i) values[i] = convert(uniform(random));
}

// Memory of another device on the host.
class Lent final : public Buffer {
 public:
  Lent(const Buffer& of, Device& device) : Buffer(of.data(), of.bytes(), of.memory(), device) {}
};

}  // namespace

void fill(Type type, void* data, std::size_t bytes, unsigned seed) {
  if (type == Type::f64)
    fill_with<double>(data, bytes, seed, [](double value) { return value; });
  else if (type == Type::f16)
    fill_with<float>(data, bytes, seed, [](float value) {  // subnormal numbers are zero
      const auto bits = std::bit_cast<std::uint32_t>(value);
      const std::uint32_t sign = (bits >> 16) & 0x8000, size = bits & 0x7fffffff;
      return std::uint16_t(sign | (size < 0x38800000 ? 0 : (size - 0x38000000) >> 13));
    });
  else if (type == Type::bf16)
    fill_with<float>(data, bytes, seed, [](float value) {
      return std::uint16_t(std::bit_cast<std::uint32_t>(value) >> 16);
    });
  else
    fill_with<float>(data, bytes, seed, [](float value) { return value; });
}

Contender::Contender(const char* plugin, std::span<const Variable> settings) : name_(plugin) {
  for (const auto& [key, value] : settings)
    if (!std::string_view(value).empty())
      name_ += ", " + std::string(key) + "=" + std::string(value);
  // A runtime of OpenMP that it brings binds this thread where OMP_PROC_BIND is set.
  cpu_set_t processors;
  const bool known = sched_getaffinity(0, sizeof processors, &processors) == 0;
  void* library = dlopen(plugin, RTLD_NOW | RTLD_LOCAL);
  if (known) sched_setaffinity(0, sizeof processors, &processors);
  if (!library) throw std::runtime_error(dlerror());
  backend_ = static_cast<const Manifest*>(dlsym(library, "breakeven_plugin"))->create(settings);
  device_ = backend_->devices().front();
  queue_ = device_->queue();
}

void Contender::prepare(Gemm gemm, const Contender* lender) {
  task_.reset();
  const std::size_t element = bytes_of(gemm.type) * gemm.batch;
  constexpr std::size_t page = 4096, line = 64;
  std::size_t place = 0;
  const auto slice = [&](std::unique_ptr<Buffer>& buffer, std::size_t elements, unsigned seed,
                         const Buffer* lent = nullptr) {
    const std::size_t bytes = elements * element;
    buffer.reset();
    buffer = lent ? std::make_unique<Lent>(*lent, *device_)
                  : device_->allocate(bytes + page, Memory::device);
    auto* const data = static_cast<std::byte*>(buffer->data());
    const std::size_t offset = (place - reinterpret_cast<std::uintptr_t>(data)) % page;
    if (!lent) fill(gemm.type, data + offset, bytes, seed);
    place += (bytes + line - 1) / line * line;
    return Slice{buffer.get(), offset, bytes};
  };
  gemm.a = slice(a_, gemm.m * gemm.k, 1, lender ? lender->a_.get() : nullptr);
  gemm.b = slice(b_, gemm.k * gemm.n, 2, lender ? lender->b_.get() : nullptr);
  gemm.c = slice(c_, gemm.m * gemm.n, 3);
  task_ = queue_->prepare(gemm);
  if (!task_) throw std::runtime_error(name_ + " does not multiply what is of this --type");
}

}  // namespace breakeven
