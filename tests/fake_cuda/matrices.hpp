// SPDX-License-Identifier: Apache-2.0
// Numbers to put in, moved by the plugin's own copies, and what must come out.
#pragma once

#include <cmath>
#include <cstring>
#include <random>
#include <span>
#include <string>
#include <vector>

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <gtest/gtest.h>

#include <breakeven/plugin.hpp>

namespace breakeven::test {

using Values = std::vector<double>;

inline Values integers(std::size_t count, unsigned seed, int most = 2) {
  std::mt19937 random(seed);
  std::uniform_int_distribution<int> pick(-most, most);
  Values values(count);
  for (double& value : values) value = pick(random);
  return values;
}

inline Values reals(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> pick(-1, 1);
  Values values(count);
  for (double& value : values) value = pick(random);
  return values;
}

inline void store(double value, Type type, std::byte* to) {
  const auto narrow = static_cast<float>(value);
  const __half half = __float2half(narrow);
  const __nv_bfloat16 brain = __float2bfloat16(narrow);
  switch (type) {
    case Type::f64:
      return void(std::memcpy(to, &value, 8));
    case Type::f32:
      return void(std::memcpy(to, &narrow, 4));
    case Type::f16:
      return void(std::memcpy(to, &half, 2));
    case Type::bf16:
      return void(std::memcpy(to, &brain, 2));
  }
}

template <class Stored>
Stored read(const std::byte* from) {
  Stored value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

inline double load(Type type, const std::byte* from) {
  switch (type) {
    case Type::f64:
      return read<double>(from);
    case Type::f32:
      return static_cast<double>(read<float>(from));
    case Type::f16:
      return static_cast<double>(__half2float(read<__half>(from)));
    case Type::bf16:
      break;
  }
  return static_cast<double>(__bfloat162float(read<__nv_bfloat16>(from)));
}

// A slice `offset` elements into a buffer of its own, with pinned memory to move it by.
class Tensor {
 public:
  Tensor(Device& device, Queue& queue, Type type, std::size_t count, std::size_t granule = 1,
         std::size_t offset = 0)
      : queue_(queue),
        type_(type),
        count_(count),
        device_(device.allocate((count + offset) * bytes_of(type), Memory::device, granule)),
        host_(device.allocate(count * bytes_of(type), Memory::pinned)),
        slice_{device_.get(), offset * bytes_of(type), count * bytes_of(type)} {}

  const Slice& slice() const { return slice_; }
  Slice host() const { return {host_.get(), 0, slice_.bytes}; }

  void put(const Values& values) {
    for (std::size_t i = 0; i < count_; ++i) store(values[i], type_, at(i));
    queue_.prepare(Copy{slice_, host()})->enqueue();
    queue_.synchronize();
  }

  void enqueue_get() {
    if (!get_) get_ = queue_.prepare(Copy{host(), slice_});
    get_->enqueue();
  }

  // What the last get brought; the queue has been synchronised.
  Values seen() const {
    Values values(count_);
    for (std::size_t i = 0; i < count_; ++i) values[i] = load(type_, at(i));
    return values;
  }

  Values get() {
    enqueue_get();
    queue_.synchronize();
    return seen();
  }

 private:
  std::byte* at(std::size_t i) const {
    return static_cast<std::byte*>(host_->data()) + i * bytes_of(type_);
  }

  Queue& queue_;
  Type type_;
  std::size_t count_;
  std::unique_ptr<Buffer> device_, host_;
  Slice slice_;
  std::unique_ptr<Task> get_;
};

inline void expect_near(const Values& found, const Values& expected, double tolerance,
                        const std::string& what) {
  ASSERT_EQ(found.size(), expected.size()) << what;
  for (std::size_t i = 0; i < found.size(); ++i)
    ASSERT_LE(std::abs(found[i] - expected[i]), tolerance) << what << ", element " << i;
}

// c = alpha op(a) op(b) + beta c for each matrix of the batch.
inline Values product(const Gemm& g, const Values& a, const Values& b, const Values& c) {
  Values result(g.batch * g.m * g.n);
  for (std::size_t matrix = 0; matrix < g.batch; ++matrix) {
    const double* a_of = a.data() + matrix * g.m * g.k;
    const double* b_of = b.data() + matrix * g.k * g.n;
    for (std::size_t i = 0; i < g.m; ++i)
      for (std::size_t j = 0; j < g.n; ++j) {
        double sum = 0;
        for (std::size_t l = 0; l < g.k; ++l)
          sum += a_of[g.transpose_a == Transpose::yes ? l * g.m + i : i * g.k + l] *
                 b_of[g.transpose_b == Transpose::yes ? j * g.k + l : l * g.n + j];
        const std::size_t at = (matrix * g.m + i) * g.n + j;
        result[at] = g.alpha * sum + (g.beta == 0 ? 0 : g.beta * c[at]);
      }
  }
  return result;
}

}  // namespace breakeven::test
