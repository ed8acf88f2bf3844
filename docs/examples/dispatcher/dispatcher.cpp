// SPDX-License-Identifier: Apache-2.0
// dispatcher SMALL.so LARGE.so [PASSES]: sends each product to the backend that is faster at its
// size, and measures what that is worth. From which size on LARGE is, `breakeven find --export`
// found out: the environment variable BREAKEVEN_MATMUL_F32_N.
#include <dlfcn.h>
#include <breakeven/plugin.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using namespace breakeven;

constexpr std::array<std::size_t, 10> sizes{8, 16, 32, 48, 64, 96, 128, 256, 384, 512};

// So many products that every size has about the same work.
std::size_t products_of(std::size_t n) {
  return std::max<std::size_t>(1, 100'000'000 / (2 * n * n * n));
}

// A backend with a product of each size ready to be asked for.
class Products {
 public:
  explicit Products(const char* file) {
    void* const library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (!library) throw std::runtime_error(dlerror());
    const auto* manifest = static_cast<const Manifest*>(dlsym(library, "breakeven_plugin"));
    if (!manifest) throw std::runtime_error(std::string(file) + " is no plugin of Breakeven");
    name = manifest->name;
    if (const char* why = manifest->probe ? manifest->probe() : nullptr)
      throw std::runtime_error(name + " cannot be used here: " + why);
    backend_ = manifest->create({});
    Device& device = *backend_->devices()[0];
    queue_ = device.queue();
    for (const std::size_t n : sizes) {
      const auto operand = [&] {
        buffers_.push_back(device.allocate(n * n * sizeof(float), Memory::device, n));
        return Slice{buffers_.back().get(), 0, buffers_.back()->bytes()};
      };
      const Slice a = operand(), b = operand(), c = operand();
      fill(a), fill(b);
      tasks_.push_back(queue_->prepare_any(Gemm{.m = n, .n = n, .k = n, .a = a, .b = b, .c = c}));
      if (!tasks_.back()) throw std::runtime_error(name + " has no f32 product");
    }
  }

  void multiply(std::size_t which) {
    tasks_[which]->enqueue();
    queue_->synchronize();
  }

  std::vector<float> result(std::size_t which) const {
    const std::size_t count = sizes[which] * sizes[which];
    std::vector<float> values(count);
    std::memcpy(values.data(), buffers_[3 * which + 2]->data(), count * sizeof(float));
    return values;
  }

  std::string name;

 private:
  // Whole numbers: every order of summation gives the same bits.
  static void fill(const Slice& slice) {
    float* const values = static_cast<float*>(slice.buffer->data());
    if (!values) throw std::runtime_error("this example is for memory that the host can touch");
    for (std::size_t i = 0; i < slice.bytes / sizeof(float); ++i) values[i] = float(i % 5) - 2;
  }

  std::unique_ptr<Backend> backend_;
  std::unique_ptr<Queue> queue_;
  std::vector<std::unique_ptr<Buffer>> buffers_;
  std::vector<std::unique_ptr<Task>> tasks_;
};

// All that a dispatcher is.
class Dispatcher {
 public:
  Dispatcher(Products& small, Products& large, std::size_t from)
      : small_(small), large_(large), from_(from) {}
  Products& choice(std::size_t n) const { return n < from_ ? small_ : large_; }

 private:
  Products &small_, &large_;
  std::size_t from_;
};

double milliseconds(const Dispatcher& dispatcher) {
  const auto start = std::chrono::steady_clock::now();
  for (std::size_t i = 0; i < sizes.size(); ++i)
    for (std::size_t product = products_of(sizes[i]); product > 0; --product)
      dispatcher.choice(sizes[i]).multiply(i);
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
      .count();
}

int run(const char* small_file, const char* large_file, int passes) {
  constexpr auto never = std::numeric_limits<std::size_t>::max();
  const char* const set = std::getenv("BREAKEVEN_MATMUL_F32_N");
  const std::size_t from = set ? std::strtoull(set, nullptr, 10) : never;

  Products small(small_file), large(large_file);
  const std::array ways{Dispatcher(small, large, never), Dispatcher(small, large, 0),
                        Dispatcher(small, large, from)};
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    small.multiply(i), large.multiply(i);
    if (small.result(i) != large.result(i)) throw std::runtime_error("the results differ");
    std::printf("n = %zu: %s\n", sizes[i], ways[2].choice(sizes[i]).name.c_str());
  }
  std::array<std::vector<double>, 3> times;
  for (std::size_t turn = 0; turn < std::size_t(passes) * ways.size(); ++turn) {
    const std::size_t way = (turn + turn / ways.size()) % ways.size();  // each follows each
    times[way].push_back(milliseconds(ways[way]));
  }
  const std::array names{small.name + " alone", large.name + " alone", std::string("dispatched")};
  for (std::size_t way = 0; way < ways.size(); ++way) {
    std::sort(times[way].begin(), times[way].end());
    std::printf("%-20s %8.2f ms\n", names[way].c_str(), times[way][times[way].size() / 2]);
  }
  return 0;
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 3 || count > 4) {
    std::fprintf(stderr, "usage: dispatcher SMALL.so LARGE.so [PASSES]\n");
    return 2;
  }
  try {
    return run(arguments[1], arguments[2], count > 3 ? std::max(1, std::atoi(arguments[3])) : 31);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "dispatcher: %s\n", error.what());
    return 1;
  }
}
