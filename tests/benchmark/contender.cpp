// SPDX-License-Identifier: Apache-2.0
#include "contender.hpp"

#include <dlfcn.h>
#include <sched.h>
#include <sys/mman.h>

#include <bit>
#include <cstdint>
#include <new>
#include <random>

namespace breakeven {

namespace {

constexpr std::size_t page = 4096;

template <class T, class Convert>
void fill_with(void* data, std::size_t bytes, unsigned seed, Convert convert) {
  std::minstd_rand random(seed);
  std::uniform_real_distribution<T> uniform(-1, 1);
  using Stored = decltype(convert(T()));
  auto* const values = static_cast<Stored*>(data);
  for (std::size_t i = 0; i < bytes / sizeof(Stored); ++i) values[i] = convert(uniform(random));
}

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

// Memory of the host, as if of a device.
class Lent final : public Buffer {
 public:
  Lent(std::byte* data, std::size_t bytes, Device& device)
      : Buffer(data, bytes, Memory::device, device) {}
};

}  // namespace

Operands::Operands(const Gemm& gemm) {
  constexpr std::size_t line = 64, huge_page = std::size_t(2) << 20;
  const std::size_t element = bytes_of(gemm.type) * gemm.batch;
  const std::size_t a_bytes = gemm.m * gemm.k * element, b_bytes = gemm.k * gemm.n * element;
  const auto in_lines = [](std::size_t bytes) { return (bytes + line - 1) / line * line; };
  const std::size_t bytes = in_lines(a_bytes) + in_lines(b_bytes);
  const std::size_t pages = (bytes / huge_page + 1) * huge_page;
  data_.reset(static_cast<std::byte*>(std::aligned_alloc(huge_page, pages)));
  if (!data_) throw std::bad_alloc();
  madvise(data_.get(), pages, MADV_HUGEPAGE);  // a wish
  b_ = a() + in_lines(a_bytes), place_of_c_ = bytes % page;
  fill(gemm.type, a(), a_bytes, 1), fill(gemm.type, b(), b_bytes, 2);
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

void Contender::prepare(Gemm gemm, const Operands& operands) {
  task_.reset();
  const std::size_t element = bytes_of(gemm.type) * gemm.batch;
  const std::size_t a_bytes = gemm.m * gemm.k * element, b_bytes = gemm.k * gemm.n * element;
  a_ = std::make_unique<Lent>(operands.a(), a_bytes, *device_);
  b_ = std::make_unique<Lent>(operands.b(), b_bytes, *device_);
  const std::size_t bytes = gemm.m * gemm.n * element;
  c_ = device_->allocate(bytes + page, Memory::device);
  auto* const data = static_cast<std::byte*>(c_->data());
  const std::size_t offset =
      (operands.place_of_c() - reinterpret_cast<std::uintptr_t>(data)) % page;
  fill(gemm.type, data + offset, bytes, 3);
  gemm.a = {a_.get(), 0, a_bytes}, gemm.b = {b_.get(), 0, b_bytes};
  gemm.c = {c_.get(), offset, bytes};
  task_ = queue_->prepare(gemm);
  if (!task_) throw std::runtime_error(name_ + " does not multiply what is of this --type");
}

}  // namespace breakeven
