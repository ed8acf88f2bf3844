// SPDX-License-Identifier: Apache-2.0
#include "contender.hpp"

#include <dlfcn.h>

#include <random>

namespace breakeven {

namespace {

template <class T>
void fill(Buffer& buffer, unsigned seed) {
  std::minstd_rand random(seed);
  std::uniform_real_distribution<T> uniform(-1, 1);
  T* values = static_cast<T*>(buffer.data());
  for (std::size_t i = 0; i < buffer.bytes() / sizeof(T); ++i) values[i] = uniform(random);
}

}  // namespace

Contender::Contender(const char* plugin, std::span<const Variable> settings) {
  void* library = dlopen(plugin, RTLD_NOW | RTLD_LOCAL);
  if (!library) throw std::runtime_error(dlerror());
  backend_ = static_cast<const Manifest*>(dlsym(library, "breakeven_plugin"))->create(settings);
  device_ = backend_->devices().front();
  queue_ = device_->queue();
}

void Contender::prepare(Gemm gemm) {
  task_.reset();
  const std::size_t element = bytes_of(gemm.type) * gemm.batch;
  const auto slice = [&](std::unique_ptr<Buffer>& buffer, std::size_t elements, unsigned seed) {
    buffer.reset();
    buffer = device_->allocate(elements * element, Memory::device);
    gemm.type == Type::f32 ? fill<float>(*buffer, seed) : fill<double>(*buffer, seed);
    return Slice{buffer.get(), 0, buffer->bytes()};
  };
  gemm.a = slice(a_, gemm.m * gemm.k, 1);
  gemm.b = slice(b_, gemm.k * gemm.n, 2);
  gemm.c = slice(c_, gemm.m * gemm.n, 3);
  task_ = queue_->prepare(gemm);
}

}  // namespace breakeven
