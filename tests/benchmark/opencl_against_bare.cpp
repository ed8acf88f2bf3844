// SPDX-License-Identifier: Apache-2.0
// What the plugin opencl costs beside the bare calls, and what its own kernels reach:
//
//   opencl_against_bare [--turns N] [--processor-time] [--set NAME=VALUE]... [product] [enqueue]
//   [copy] [elementwise] [own]
//
// All in one process, in turns of some milliseconds, in shuffled order. Ratios are medians over the
// turns of the plugin's time to the bare one's of the same turn, with the 95 % rank interval of the
// median, and with their quartiles. The bare
// calls use a queue of their own on the first device; run it on PoCL or on a machine whose first
// platform has the device of opencl:0. `own` and `elementwise` are held against all processors, so
// that they mean something on PoCL only.
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <clblast.h>
#include <dlfcn.h>
#include <fmt/format.h>
#include <sched.h>
#include <time.h>

#include <algorithm>
#include <breakeven/plugin.hpp>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "fma_peak.hpp"

namespace {

using namespace breakeven;
using Work = std::function<void()>;

bool processor_time = false;  // count what the process used instead of what passed

double now() {
  timespec time{};
  clock_gettime(processor_time ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

double seconds_of(const Work& work) {
  const double start = now();
  work();
  return now() - start;
}

double quantile(std::vector<double> values, double share) {
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(share * static_cast<double>(values.size() - 1))];
}

struct Pair {
  double ratio, low, high;  // of the median
  double quartile_low, quartile_high;
  double best, best_bare;  // seconds of one
};

std::size_t turns = 41;

// Each turn repeats both until they take about 3 ms.
Pair compare(const Work& plugin, const Work& bare) {
  plugin(), bare();
  const double once = std::min(seconds_of(plugin), seconds_of(bare));
  const auto repetitions = static_cast<std::size_t>(std::max(1.0, 3e-3 / once));
  const auto timed = [&](const Work& work) {
    return seconds_of([&] {
             for (std::size_t i = 0; i < repetitions; ++i) work();
           }) /
           static_cast<double>(repetitions);
  };
  std::minstd_rand random(7);
  std::vector<double> ratios, first, second;
  for (std::size_t turn = 0; turn < turns; ++turn) {
    const bool swapped = random() / 8 % 2 != 0;
    double a = 0, b = 0;
    if (swapped) b = timed(bare);
    a = timed(plugin);
    if (!swapped) b = timed(bare);
    first.push_back(a), second.push_back(b), ratios.push_back(a / b);
  }
  const double off = std::min(0.5, 0.98 / std::sqrt(static_cast<double>(turns)));
  return {quantile(ratios, 0.5),  quantile(ratios, 0.5 - off), quantile(ratios, 0.5 + off),
          quantile(ratios, 0.25), quantile(ratios, 0.75),      quantile(first, 0),
          quantile(second, 0)};
}

void print(const std::string& what, const Pair& pair) {
  fmt::print(
      "{:40} plugin/bare {:6.3f} [{:.3f}, {:.3f}], quartiles {:.3f}, {:.3f}   best {:.2f} us, bare "
      "{:.2f} us\n",
      what, pair.ratio, pair.low, pair.high, pair.quartile_low, pair.quartile_high, pair.best * 1e6,
      pair.best_bare * 1e6);
  std::fflush(stdout);
}

// The bare side.
struct Bare {
  cl_device_id device = nullptr;
  cl_context context = nullptr;
  cl_command_queue queue = nullptr;

  Bare() {
    cl_platform_id platform = nullptr;
    clGetPlatformIDs(1, &platform, nullptr);
    clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, nullptr);
    context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, nullptr);
    queue = clCreateCommandQueue(context, device, CL_QUEUE_PROFILING_ENABLE, nullptr);
  }
  cl_mem buffer(std::size_t bytes, const void* contents) const {
    const cl_mem made = clCreateBuffer(context, CL_MEM_READ_WRITE, bytes, nullptr, nullptr);
    clEnqueueWriteBuffer(queue, made, CL_TRUE, 0, bytes, contents, 0, nullptr, nullptr);
    return made;
  }
};

std::vector<float> reals(std::size_t count) {
  std::minstd_rand random(3);
  std::uniform_real_distribution<float> uniform(-1, 1);
  std::vector<float> made(count);
  for (float& value : made) value = uniform(random);
  return made;
}

Slice whole(Buffer& buffer) {
  return {&buffer, 0, buffer.bytes()};
}

// The plugin's side.
struct Plugin {
  const Manifest* manifest;
  std::unique_ptr<Backend> backend;
  Device* device;
  std::unique_ptr<Queue> queue;
  std::vector<std::unique_ptr<Buffer>> buffers;

  explicit Plugin(std::vector<Variable> settings) {
    void* const library = dlopen(OPENCL_PLUGIN, RTLD_NOW | RTLD_LOCAL);
    if (!library) throw std::runtime_error(dlerror());
    manifest = static_cast<const Manifest*>(dlsym(library, "breakeven_plugin"));
    if (const char* reason = manifest->probe()) throw std::runtime_error(reason);
    backend = manifest->create(settings);
    device = backend->devices().front();
    queue = device->queue();
  }
  Slice buffer(const std::vector<float>& contents) {
    buffers.push_back(device->allocate(contents.size() * 4, Memory::device));
    const auto host = device->allocate(contents.size() * 4, Memory::pageable);
    std::memcpy(host->data(), contents.data(), host->bytes());
    const auto task = queue->prepare(Copy{whole(*buffers.back()), whole(*host)});
    task->enqueue();
    queue->synchronize();
    return whole(*buffers.back());
  }
  std::unique_ptr<Task> product(std::size_t n, const std::vector<float>& a) {
    return queue->prepare(
        Gemm{.m = n, .n = n, .k = n, .a = buffer(a), .b = buffer(a), .c = buffer(a)});
  }
};

void products(const std::vector<Variable>& settings, const Bare& bare) {
  auto all = settings;
  all.push_back({"products", "clblast"});
  Plugin plugin(all);
  for (const std::size_t n : {64u, 256u, 512u, 768u}) {
    const auto data = reals(n * n);
    const auto task = plugin.product(n, data);
    const cl_mem a = bare.buffer(n * n * 4, data.data()), b = bare.buffer(n * n * 4, data.data()),
                 c = bare.buffer(n * n * 4, data.data());
    cl_command_queue queue = bare.queue;
    print(fmt::format("CLBlast product f32 {}", n),
          compare([&] { task->enqueue(), plugin.queue->synchronize(); },
                  [&] {
                    clblast::Gemm(clblast::Layout::kRowMajor, clblast::Transpose::kNo,
                                  clblast::Transpose::kNo, n, n, n, 1.0f, a, 0, n, b, 0, n, 0.0f, c,
                                  0, n, &queue);
                    clFinish(queue);
                  }));
    for (const cl_mem memory : {a, b, c}) clReleaseMemObject(memory);
  }
}

void enqueues(Plugin& plugin, const Bare& bare) {
  const char* source = "kernel void nothing(ulong n) {}";
  const cl_program program = clCreateProgramWithSource(bare.context, 1, &source, nullptr, nullptr);
  clBuildProgram(program, 1, &bare.device, "", nullptr, nullptr);
  const cl_kernel kernel = clCreateKernel(program, "nothing", nullptr);
  const cl_ulong none = 0;
  clSetKernelArg(kernel, 0, sizeof none, &none);
  const std::size_t one[] = {1, 1, 1};
  const auto task = plugin.queue->prepare(Nothing{});
  const auto bare_one = [&] {
    clEnqueueNDRangeKernel(bare.queue, kernel, 3, nullptr, one, one, 0, nullptr, nullptr);
    clFlush(bare.queue);
  };
  const auto repeat = [](const Work& work, const Work& wait) {
    for (int i = 0; i < 200; ++i) work();
    wait();
  };
  print("200 enqueues, one wait",
        compare([&] { repeat([&] { task->enqueue(); }, [&] { plugin.queue->synchronize(); }); },
                [&] { repeat(bare_one, [&] { clFinish(bare.queue); }); }));
  print("the same, bare without clFlush",
        compare([&] { repeat([&] { task->enqueue(); }, [&] { plugin.queue->synchronize(); }); },
                [&] {
                  repeat(
                      [&] {
                        clEnqueueNDRangeKernel(bare.queue, kernel, 3, nullptr, one, one, 0, nullptr,
                                               nullptr);
                      },
                      [&] { clFinish(bare.queue); });
                }));
  print("enqueue and wait", compare([&] { task->enqueue(), plugin.queue->synchronize(); },
                                    [&] { bare_one(), clFinish(bare.queue); }));
}

void copies(Plugin& plugin, const Bare& bare) {
  for (const std::size_t bytes :
       {std::size_t{4} << 10, std::size_t{1} << 20, std::size_t{64} << 20}) {
    const auto data = reals(bytes / 4);
    const Slice there = plugin.buffer(data);
    const auto host = plugin.device->allocate(bytes, Memory::pageable);
    std::memset(host->data(), 1, bytes);
    const auto up = plugin.queue->prepare(Copy{there, whole(*host)});
    const auto down = plugin.queue->prepare(Copy{whole(*host), there});
    const cl_mem memory = bare.buffer(bytes, data.data());
    void* const own = host->data();  // the same pages, since those of other sizes cost otherwise
    print(fmt::format("copy h2d {} KiB", bytes >> 10),
          compare([&] { up->enqueue(), plugin.queue->synchronize(); },
                  [&] {
                    clEnqueueWriteBuffer(bare.queue, memory, CL_FALSE, 0, bytes, own, 0, nullptr,
                                         nullptr);
                    clFinish(bare.queue);
                  }));
    print(fmt::format("copy d2h {} KiB", bytes >> 10),
          compare([&] { down->enqueue(), plugin.queue->synchronize(); },
                  [&] {
                    clEnqueueReadBuffer(bare.queue, memory, CL_FALSE, 0, bytes, own, 0, nullptr,
                                        nullptr);
                    clFinish(bare.queue);
                  }));
    clReleaseMemObject(memory);
  }
}

// The same work on every processor, one thread each.
void on_all(const std::function<void(std::size_t index, std::size_t count)>& work) {
  const std::size_t count = std::thread::hardware_concurrency();
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < count; ++i) {
    threads.emplace_back([&, i] {
      cpu_set_t set;
      CPU_ZERO(&set);
      CPU_SET(i, &set);
      sched_setaffinity(0, sizeof set, &set);
      work(i, count);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

void elementwise(Plugin& plugin) {
  constexpr std::size_t n = std::size_t{8} << 20;
  const auto data = reals(n);
  const Slice a = plugin.buffer(data), b = plugin.buffer(data), c = plugin.buffer(data),
              out = plugin.buffer(data);
  std::vector<float> x = data, y = data, z = data;
  const Work triad = [&] {
    on_all([&](std::size_t index, std::size_t count) {
      const std::size_t begin = n / count * index;
      float* const to = z.data() + begin;
      const float *const from = x.data() + begin, *const other = y.data() + begin;
      for (std::size_t i = 0; i < n / count; ++i) to[i] = from[i] + 3 * other[i];
    });
  };
  const auto against = [&](const char* name, const AnyOperation& operation, double streams) {
    const auto task = plugin.queue->prepare_any(operation);
    const Pair pair = compare([&] { task->enqueue(), plugin.queue->synchronize(); }, triad);
    const double rate = streams * n * 4, bare = 3.0 * n * 4;
    fmt::print(
        "{:40} {:5.1f} % of the triad's rate [{:.1f}, {:.1f}]   best {:.2f} GB/s, triad {:.2f} "
        "GB/s\n",
        name, 100 * rate / bare / pair.ratio, 100 * rate / bare / pair.high,
        100 * rate / bare / pair.low, rate / pair.best * 1e-9, bare / pair.best_bare * 1e-9);
    std::fflush(stdout);
  };
  against("multiply-add f32 8 Mi", MultiplyAdd{.n = n, .a = a, .b = b, .c = c, .out = out}, 4);
  against("tanh f32 8 Mi", Tanh{.n = n, .x = a, .out = out}, 2);
  against("tanh gradient f32 8 Mi", TanhGradient{.n = n, .h = a, .d = b, .out = out}, 3);
  against("norm f32 8 Mi", Norm{.n = n, .x = a, .out = out}, 1);
  against("sum f32 8 Mi", Sum{.n = n, .x = a, .out = out}, 1);
}

void own_products(const std::vector<Variable>& settings) {
  auto all = settings;
  all.push_back({"products", "own"});
  Plugin plugin(all);
  constexpr std::size_t steps = 400000;
  double flops = 0;
  const Work peak = [&] {
    std::vector<double> of_each(std::thread::hardware_concurrency());
    on_all([&](std::size_t index, std::size_t) { of_each[index] = run_fma_f32(steps); });
    flops = 0;
    for (const double one : of_each) flops += one;
  };
  peak();
  for (const std::size_t n : {256u, 512u, 1024u, 2048u}) {
    const auto task = plugin.product(n, reals(n * n));
    const Pair pair = compare([&] { task->enqueue(), plugin.queue->synchronize(); }, peak);
    const double work = 2.0 * static_cast<double>(n * n * n);
    fmt::print(
        "{:40} {:5.1f} % of all cores' peak [{:.1f}, {:.1f}]   best {:.1f} GFLOP/s, peak {:.1f}\n",
        fmt::format("own product f32 {}", n), 100 * work / flops / pair.ratio,
        100 * work / flops / pair.high, 100 * work / flops / pair.low, work / pair.best * 1e-9,
        flops / pair.best_bare * 1e-9);
    std::fflush(stdout);
  }
}

}  // namespace

int main(int count, char** arguments) {
  std::vector<std::string> names, values, wanted;
  for (int i = 1; i < count; ++i) {
    const std::string word = arguments[i];
    if (word == "--turns" && i + 1 < count) {
      turns = std::max(1ul, std::strtoul(arguments[++i], nullptr, 10));
    } else if (word == "--processor-time") {
      processor_time = true;
    } else if (word == "--set" && i + 1 < count) {
      const std::string setting = arguments[++i];
      names.push_back(setting.substr(0, setting.find('=')));
      values.push_back(setting.substr(setting.find('=') + 1));
    } else {
      wanted.push_back(word);
    }
  }
  std::vector<Variable> settings;
  for (std::size_t i = 0; i < names.size(); ++i) settings.push_back({names[i], values[i]});
  const auto asked = [&](const char* part) {
    return wanted.empty() || std::find(wanted.begin(), wanted.end(), part) != wanted.end();
  };
  Plugin plugin(settings);
  const Bare bare;
  if (asked("product")) products(settings, bare);
  if (asked("enqueue")) enqueues(plugin, bare);
  if (asked("copy")) copies(plugin, bare);
  if (asked("elementwise")) elementwise(plugin);
  if (asked("own")) own_products(settings);
  std::fflush(stdout);
  std::_Exit(0);  // runtimes do not like to be unloaded
}
