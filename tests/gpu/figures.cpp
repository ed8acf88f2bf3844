// SPDX-License-Identifier: Apache-2.0
// gpu_figures: the promises that only a GPU can keep, each measured beside what a person would
// write by hand, in turn, block by block.
//   gpu_figures PLUGINS CLAIMS.csv [--small]   the claims; exit 1 where one fails
//   gpu_figures PLUGINS --serve                one request a line, for programs that measure the
//                                              plugin's side: `TYPE N COUNT` answers seconds
// PLUGINS is the folder of cublas.so and kokkos-cuda.so. --small: sizes for a double of CUDA;
// nothing is judged then.
#include <algorithm>
#include <array>
#include <cstdio>
#include <exception>
#include <iostream>
#include <map>
#include <optional>
#include <string>
#include <thread>

#include <unistd.h>

#include "tests/gpu/bare.hpp"
#include "tests/gpu/claims.hpp"
#include "tests/gpu/contract.hpp"

namespace breakeven::gpu {
namespace {

struct Number {
  std::string name;
  Type type;
  Math math;
};

const std::vector<Number> numbers{{"f32", Type::f32, Math::native},
                                  {"f64", Type::f64, Math::native},
                                  {"tf32", Type::f32, Math::tf32},
                                  {"bf16", Type::bf16, Math::native},
                                  {"f16", Type::f16, Math::native}};

struct Scale {
  std::vector<std::size_t> large{4096, 8192};
  std::size_t tiny = 100, course = 5000, count = 1000, pair = 8192;
  std::size_t copied = std::size_t{1} << 30, blocks = 21;
};

double product_flops(std::size_t n) {
  return 2.0 * static_cast<double>(n * n) * static_cast<double>(n);
}

std::string sized(const std::string& what, std::size_t n) {
  return what + " n=" + std::to_string(n);
}

// `3.7 s`
std::string in_seconds(Seconds seconds) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.2g s", seconds);
  return text.data();
}

// Why a product would take the time of all other figures, as f64 does where it is 1/64 of f32;
// empty: it would not. The first one may wait for its kernels to be loaded.
std::string too_long(const Block& product) {
  constexpr Seconds longest = 0.5;
  Seconds once = product(1);
  if (once > longest) once = std::min(once, product(1));
  return once > longest ? "a single product takes " + in_seconds(once) : std::string();
}

void against_bare_products(Backend& backend, const Scale& scale, Claims& claims) {
  for (const Number& number : numbers)
    for (const std::size_t n : scale.large) {
      Bench bench(*backend.devices().front());
      const Block ours = run(bench, bench.product(number.type, number.math, n));
      const std::string claim = sized("gemm " + number.name, n) + ": plugin / bare cuBLAS";
      if (const std::string why = too_long(ours); !why.empty()) {
        claims.cannot(claim, why);
        continue;
      }
      BareProduct bare(number.type, number.math, n);
      const Comparison c = compare(
          ours, [&](std::size_t count) { return bare.run(count); }, scale.blocks);
      claims.at_most(claim, c.ratio, 1.01);
      claims.show(sized("gemm " + number.name, n) + ": TFLOP/s",
                  product_flops(n) / c.first * 1e-12);
    }
  Bench bench(*backend.devices().front());
  Task& task = bench.product(Type::f32, Math::native, scale.tiny);
  BareProduct bare(Type::f32, Math::native, scale.tiny);
  const Comparison c = compare(
      enqueue(bench, task), [&](std::size_t count) { return bare.enqueue(count); }, scale.blocks,
      0.002);
  claims.at_most(sized("enqueue f32", scale.tiny) + ": plugin / bare cuBLAS", c.ratio, 1.10);
  claims.show(sized("enqueue f32", scale.tiny) + ": microseconds", c.first * 1e6);
}

void against_bare_copies(Backend& backend, const Scale& scale, Claims& claims) {
  for (const bool down : {false, true}) {
    Bench bench(*backend.devices().front());
    const Slice device = bench.memory(scale.copied);
    const Slice host = bench.memory(scale.copied, Memory::pinned);
    Task& task = bench.prepare(down ? Copy{host, device} : Copy{device, host});
    BareCopy bare(scale.copied, down ? cudaMemcpyDeviceToHost : cudaMemcpyHostToDevice);
    const Comparison c = compare(
        run(bench, task), [&](std::size_t count) { return bare.run(count); }, scale.blocks);
    const std::string name = down ? "pinned copy to host" : "pinned copy to device";
    claims.at_least(name + ": plugin / bare bandwidth", 1 / c.ratio, 0.95);
    claims.show(name + ": GB/s", static_cast<double>(scale.copied) / c.first * 1e-9);
  }
}

// A thousand products of 100×100: one by one, as one sequence, as one batch.
void many_products(Backend& backend, const Scale& scale, Claims& claims) {
  Bench bench(*backend.devices().front());
  Task& one = bench.product(Type::f32, Math::native, scale.tiny);
  Task& batch = bench.product(Type::f32, Math::native, scale.tiny, scale.count);
  const std::vector<Task*> repeated(scale.count, &one);
  const auto sequence = bench.queue().sequence(repeated);
  if (!sequence) throw std::runtime_error("a sequence of products is not supported");
  const auto all = [&](const Block& block) -> Block {
    return [&scale, block](std::size_t count) { return block(count * scale.count); };
  };
  const Comparison wall = compare(run(bench, *sequence), all(run(bench, one)), scale.blocks);
  const Comparison host =
      compare(all(enqueue(bench, one)), enqueue(bench, *sequence), scale.blocks, 0.002);
  const Comparison batched = compare(all(run(bench, one)), run(bench, batch), scale.blocks);
  claims.at_most("products as a sequence / one by one: wall", wall.ratio, 1.0);
  claims.at_least("products one by one / as a sequence: host time", host.ratio, 5);
  claims.at_least("products one by one / as a batch: wall", batched.ratio, 10);
  claims.show("products one by one: microseconds each",
              wall.second / static_cast<double>(scale.count) * 1e6);
}

// Why 1 ms was wrong: both clocks of one product.
void two_clocks(Backend& backend, const Scale& scale, Claims& claims) {
  Bench bench(*backend.devices().front());
  Task& task = bench.product(Type::f32, Math::native, scale.course);
  const Comparison c = compare(enqueue(bench, task), run(bench, task), scale.blocks, 0);
  claims.show(sized("Q1 f32", scale.course) + ": milliseconds to hand over", c.first * 1e3);
  claims.show(sized("Q1 f32", scale.course) + ": milliseconds until done", c.second * 1e3);
}

// Two products on two GPUs at once, each fed by its thread, against both on one.
void two_gpus(Backend& backend, const Scale& scale, Claims& claims) {
  const std::string claim = sized("two products on two GPUs: efficiency", scale.pair);
  if (backend.devices().size() < 2) return claims.cannot(claim, "one GPU");
  Bench first(*backend.devices()[0]), second(*backend.devices()[1]);
  Task& on_first = first.product(Type::f32, Math::native, scale.pair);
  Task& on_second = second.product(Type::f32, Math::native, scale.pair);
  const auto both = [&](std::size_t count) {
    const Seconds start = now();
    std::thread other([&] { run(second, on_second)(count); });
    run(first, on_first)(count);
    other.join();
    return now() - start;
  };
  const Comparison against_first = compare(run(first, on_first), both, scale.blocks);
  const Comparison against_second = compare(run(second, on_second), both, scale.blocks);
  claims.at_least(claim, std::min(against_first.ratio, against_second.ratio), 0.95);
}

void kokkos(const std::string& plugin, Backend& cublas, const Scale& scale, Claims& claims) {
  std::unique_ptr<Backend> backend;
  try {
    backend = load(plugin);
  } catch (const std::exception& error) {
    return claims.cannot("kokkos-cuda / cuBLAS", error.what());
  }
  const auto share = [&](Type type, std::size_t n, std::size_t batch) {
    Bench ours(*backend->devices().front()), theirs(*cublas.devices().front());
    Task& task = ours.product(type, Math::native, n, batch);
    Task& reference = theirs.product(type, Math::native, n, batch);
    return compare(run(theirs, reference), run(ours, task), scale.blocks).ratio;
  };
  for (const std::size_t n : {scale.large.front() / 2, scale.large.front()})
    claims.at_least(sized("gemm f32", n) + ": kokkos-cuda / cuBLAS", share(Type::f32, n, 1), 0.80);
  claims.at_least("batch of products: kokkos-cuda / cuBLAS",
                  share(Type::f32, scale.tiny, scale.count), 0.50);
  // By tensor cores; f64 takes long where it is 1/64 of f32.
  for (const Number& number : numbers) {
    if (number.math != Math::native || number.type == Type::f32) continue;
    claims.show(sized("gemm " + number.name, scale.large.front()) + ": kokkos-cuda / cuBLAS",
                share(number.type, scale.large.front(), 1));
  }
}

// One figure must not take the others along.
template <class Figure>
void attempt(const char* name, Claims& claims, Figure figure) {
  try {
    figure();
  } catch (const DeviceLost&) {
    throw;
  } catch (const std::exception& error) {
    claims.broke(name, error.what());
  }
}

int claims(const std::string& plugins, const std::string& path, const Scale& scale) {
  Claims all(path);
  if (!all.writable()) throw std::runtime_error(path + " cannot be written");
  const auto backend = load(plugins + "/cublas.so");
  attempt("products", all, [&] { against_bare_products(*backend, scale, all); });
  attempt("copies", all, [&] { against_bare_copies(*backend, scale, all); });
  attempt("many products", all, [&] { many_products(*backend, scale, all); });
  attempt("Q1", all, [&] { two_clocks(*backend, scale, all); });
  attempt("two GPUs", all, [&] { two_gpus(*backend, scale, all); });
  attempt("kokkos-cuda", all, [&] { kokkos(plugins + "/kokkos-cuda.so", *backend, scale, all); });
  return all.held() ? 0 : 1;
}

int serve(const std::string& plugins) {
  const auto backend = load(plugins + "/cublas.so");
  std::string type;
  std::size_t n = 0, count = 0;
  struct Held {
    std::string key;
    Bench bench;
    Task* task;
  };
  std::unique_ptr<Held> held;
  while (std::cin >> type >> n >> count) {
    if (!held || held->key != sized(type, n)) {
      held.reset();
      for (const Number& number : numbers) {
        if (number.name != type) continue;
        held.reset(new Held{sized(type, n), Bench(*backend->devices().front()), nullptr});
        held->task = &held->bench.product(number.type, number.math, n);
      }
      if (!held) throw std::runtime_error("unknown type '" + type + "'");
    }
    std::cout << run(held->bench, *held->task)(count) << std::endl;
  }
  return 0;
}

int answer(const std::vector<std::string>& words) {
  try {
    if (words.size() == 2 && words[1] == "--serve") return serve(words[0]);
    if (words.size() == 2) return claims(words[0], words[1], {});
    if (words.size() == 3 && words[2] == "--small") {
      const Scale small{{48}, 10, 50, 20, 32, 1 << 16, 3};
      claims(words[0], words[1], small);
      return 0;
    }
    std::cerr << "usage: gpu_figures PLUGINS CLAIMS.csv [--small] | gpu_figures PLUGINS --serve\n";
  } catch (const std::exception& error) {
    std::cerr << "gpu_figures: " << error.what() << '\n';
  }
  return 2;
}

}  // namespace
}  // namespace breakeven::gpu

int main(int count, char** arguments) {
  const int status = breakeven::gpu::answer({arguments + 1, arguments + count});
  std::cout.flush();
  std::fflush(nullptr);
  _exit(status);  // runtimes that live as long as the process do not survive its destructors
}
