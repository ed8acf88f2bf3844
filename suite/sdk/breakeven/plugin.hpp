// SPDX-License-Identifier: Apache-2.0
// The contract between the suite and a backend plugin. A plugin implements the five classes below
// and exports one symbol, `breakeven_plugin`.
//
// Outcomes. Null: not supported here. std::bad_alloc: out of memory. std::invalid_argument: the
// operands do not go together (names both devices when they differ). DeviceLost: nothing more can
// be asked of this process. std::runtime_error naming the failed call: everything else. Destructors
// never throw.
//
// Threads. Backend and Device may be used from any thread at any time. A Queue, with its tasks and
// events, is used by one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <span>
#include <stdexcept>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>

namespace breakeven {

// Raised whenever the layout or the meaning of anything in this header changes. An operation, or a
// field at the end of the manifest, is added without that.
inline constexpr std::uint32_t api_number = 2;

// An accelerator computes and is neither; a node is another machine, with all that it has.
enum class Kind : std::uint8_t { cpu, gpu, accelerator, node };
enum class Memory : std::uint8_t { pageable, pinned, device };
enum class Type : std::uint8_t { f32, f64, f16, bf16 };  // what is stored
enum class Math : std::uint8_t { native, tf32 };         // how f32 products are formed
enum class Transpose : std::uint8_t { no, yes };

// Numbers that are set aside: nothing asks for them yet, and a plugin answers null.
namespace reserved {
inline constexpr Type f8_e4m3{4}, f8_e5m2{5};
inline constexpr Math bf16x9{2};  // f32 products out of products of bf16
inline constexpr Math int8{3};    // f64 products out of products of whole numbers
}  // namespace reserved

constexpr std::size_t bytes_of(Type type) noexcept {
  return type == Type::f64 ? 8 : type == Type::f32 ? 4 : type <= Type::bf16 ? 2 : 1;
}

class [[gnu::visibility("default")]] DeviceLost : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class Device;

// Owns one allocation, aligned to at least 64 bytes; freed by the destructor after all queued work
// that uses it has been waited for.
class Buffer {
 public:
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  virtual ~Buffer() = default;

  void* data() const noexcept { return data_; }  // null where the host cannot touch the memory
  std::size_t bytes() const noexcept { return bytes_; }
  Memory memory() const noexcept { return memory_; }
  Device& device() const noexcept { return *device_; }

 protected:
  Buffer(void* data, std::size_t bytes, Memory memory, Device& device) noexcept
      : data_(data), bytes_(bytes), device_(&device), memory_(memory) {}

 private:
  void* data_;
  std::size_t bytes_;
  Device* device_;
  Memory memory_;
};

// A part of a buffer; offset and bytes in bytes, the offset a multiple of the element.
struct Slice {
  Buffer* buffer = nullptr;
  std::size_t offset = 0;
  std::size_t bytes = 0;
};

// Operations. Sizes are in elements; matrices are row-major and packed, the matrices of a batch
// follow one another. Operands of computing operations lie in device memory of the queue's device
// (on a CPU any host memory will do). Outputs do not overlap inputs, except that an elementwise
// output may be exactly one of the inputs.

struct Nothing {};  // what asking costs

// The kind of copy is read off the slices, which are equally long: any memory, any device of the
// backend. Slices may be the same place.
struct Copy {
  Slice to = {}, from = {};
};

// c = alpha op(a) op(b) + beta c, where op(a) is m×k, op(b) k×n and c m×n: 2mnk flops per matrix.
// With beta = 0 the old c is not read (it may be NaN). 16-bit types accumulate in f32.
struct Gemm {
  Type type = Type::f32;
  Math math = Math::native;
  Transpose transpose_a = Transpose::no, transpose_b = Transpose::no;
  std::size_t m = 0, n = 0, k = 0, batch = 1;
  double alpha = 1, beta = 0;
  Slice a = {}, b = {}, c = {};
};

// out[i] = sqrt(sum of squares of the n elements of x_i) for i < batch; x_i follow one another.
// `out` lies on the device and has the type of x, f32 for 16-bit types.
struct Norm {
  Type type = Type::f32;
  std::size_t n = 0, batch = 1;
  Slice x = {}, out = {};
};

struct MultiplyAdd {  // out = a b + c, elementwise
  Type type = Type::f32;
  std::size_t n = 0;
  Slice a = {}, b = {}, c = {}, out = {};
};

struct Tanh {  // out = tanh(x), elementwise
  Type type = Type::f32;
  std::size_t n = 0;
  Slice x = {}, out = {};
};

struct TanhGradient {  // out = d (1 - h h), elementwise, where h = tanh(x)
  Type type = Type::f32;
  std::size_t n = 0;
  Slice h = {}, d = {}, out = {};
};

// out[i] = sum of the n elements of x_i for i < batch, laid out as for Norm: rows of a matrix.
struct Sum {
  Type type = Type::f32;
  std::size_t n = 0, batch = 1;
  Slice x = {}, out = {};
};

// All operations. The place is the number, so the list grows at its end only.
using EveryOperation = std::tuple<Nothing, Copy, Gemm, Norm, MultiplyAdd, Tanh, TanhGradient, Sum>;

// Those of API 1, for plugins that list them one by one. Never grows.
using Operation = std::variant<Nothing, Copy, Gemm, Norm, MultiplyAdd, Tanh, TanhGradient>;

template <class One, std::size_t place = 0>
constexpr std::size_t number_of() {  // as many as there are: it is none
  if constexpr (place < std::tuple_size_v<EveryOperation>) {
    if constexpr (!std::is_same_v<One, std::tuple_element_t<place, EveryOperation>>)
      return number_of<One, place + 1>();
  }
  return place;
}

template <class One>
concept IsOperation = number_of<One>()
!= std::tuple_size_v<EveryOperation>;

// One of all operations, by value. Its layout does not depend on how many there are: a plugin may
// be asked for what its header did not have yet.
class AnyOperation {
 public:
  template <IsOperation One>
  AnyOperation(const One& one) noexcept : number_(number_of<One>()) {
    static_assert(sizeof(One) <= sizeof bytes_ && std::is_trivially_copyable_v<One>);
    new (bytes_) One(one);
  }
  AnyOperation(const Operation& one)
      : AnyOperation(std::visit([](const auto& held) { return AnyOperation(held); }, one)) {}

  // Null: it is another one.
  template <IsOperation One>
  const One* as() const noexcept {
    if (number_ != number_of<One>()) return nullptr;
    return std::launder(reinterpret_cast<const One*>(bytes_));
  }

 private:
  std::uint64_t number_;
  alignas(16) std::byte bytes_[240]{};
};

// Who wrote what computes: somebody's library, the plugin, or both in one task.
enum class Author : std::uint8_t { untold, library, plugin, both };

struct TaskInfo {
  Author author = Author::untold;
  std::size_t threads = 0;        // of the host that compute; 0: it does not say
  std::string_view routine = {};  // what computes: `cublasGemmEx`; lives as long as the task
  double exchanged_bytes = 0;     // between the memories that one device is made of, each time
};

// An operation bound to its operands and its queue. Buffers and queue outlive it.
class Task {
 public:
  virtual ~Task() = default;
  // Hands the work over; may also do it. Repeatable; allocates no memory of an operand's size.
  virtual void enqueue() = 0;
  // How it is made, the same at all times.
  virtual TaskInfo info() const { return {}; }
};

// Calls the handler of the operation; null where there is none, as for all that is added later. A
// handler is a lambda that takes one operation, or a class with an operator() for several:
//   return dispatch(operation, [&](const Gemm& gemm) { ... }, [&](const Copy& copy) { ... });
template <class... Handlers>
std::unique_ptr<Task> dispatch(const AnyOperation& operation, Handlers... handlers) {
  struct All : Handlers... {
    using Handlers::operator()...;
  };
  All all{std::move(handlers)...};
  std::unique_ptr<Task> task;
  const auto try_as = [&]<class One>(const One*) {
    if constexpr (std::is_invocable_v<All&, const One&>) {
      if (const One* const one = operation.as<One>()) {
        task = all(*one);
        return true;
      }
    }
    return false;
  };
  [&]<class... Each>(const std::tuple<Each...>*) {
    static_cast<void>((try_as(static_cast<const Each*>(nullptr)) || ...));
  }(static_cast<const EveryOperation*>(nullptr));
  return task;
}

// A point in a queue's order.
class Event {
 public:
  virtual ~Event() = default;
  // Seconds on the device between two points of one queue, both recorded and waited for; negative
  // where the device cannot tell.
  virtual double since(const Event& start) const = 0;
};

// Work in order on one device.
class Queue {
 public:
  virtual ~Queue() = default;

  // Workspaces, handles and heuristics are made here, so that enqueue costs only the asking. Null:
  // this operation, with these types, sizes or operands, is not supported. This is the only
  // statement of what a backend can do. A plugin overrides one of the two, either with dispatch();
  // the suite calls the first.
  virtual std::unique_ptr<Task> prepare_any(const AnyOperation& operation) {
    return dispatch(operation, ThoseOfApi1{*this});
  }
  virtual std::unique_ptr<Task> prepare(const Operation& operation) {
    return prepare_any(operation);
  }

  // The tasks, all of this queue and outliving the result, as one launch. Null: not supported.
  virtual std::unique_ptr<Task> sequence(std::span<Task* const> tasks) = 0;

  // Null: the device has no clock and no order across queues.
  virtual std::unique_ptr<Event> event() = 0;
  virtual void record(Event& event) = 0;
  // Later work of this queue starts after the event. Returns at once, also for an event that was
  // never recorded, which orders nothing.
  virtual void wait(const Event& event) = 0;

  // Blocks until all work handed over so far is done, and throws what went wrong in it.
  virtual void synchronize() = 0;

 private:
  struct ThoseOfApi1 {
    Queue& queue;
    template <class One>
    std::unique_ptr<Task> operator()(const One& one) const {
      if constexpr (std::is_constructible_v<Operation, const One&>) return queue.prepare(one);
      return nullptr;
    }
  };
};

// Keys are lower case with the unit last: `memory_bytes`, `sm_clock_mhz`. The text lives as long as
// the object it was asked of.
//
// Theoretical peaks of a device, by its maker's figures or worked out from clock and units, are
// facts of it: `peak_f32_flop_per_s`, with tf32, f64, f16, bf16 or the name of a reserved math in
// the place of f32 (products of matrices, 16-bit types summed in f32, by the units that are best at
// it), and `peak_memory_byte_per_s`; plain numbers. `most_processes` `1`: only one process at a
// time may use the device, so backends on its hardware take turns.
struct Fact {
  std::string_view key, value;
};

// What a device says about this moment. The suite acts on `energy_joules`, `thermal_throttle_ns`,
// `power_throttle_ns` (counters that only grow) and records every other key as it is.
struct Reading {
  std::string_view key;
  double value = 0;
};

struct DeviceInfo {
  std::string_view name;  // as its maker calls it
  Kind kind = Kind::cpu;
  std::size_t memory_bytes = 0, free_bytes = 0;
  // What it is made of, words separated by spaces: `GPU-0f1e…` as the driver writes it,
  // `pci:0000:65:00.0`, `host` for the machine itself, `host:NAME` for another. Devices of any
  // backends with a word in common share that hardware: what it has is there once. The text lives
  // as long as the device. Empty: not told.
  std::string_view hardware = {};
};

class Device {
 public:
  virtual ~Device() = default;
  virtual DeviceInfo info() const = 0;
  virtual std::span<const Fact> facts() const = 0;
  // Fills `into` from the front and returns how many there are (never more than fit).
  virtual std::size_t readings(std::span<Reading> into) const = 0;

  // Null: no such memory here. One made of several memories may spread a buffer over them, only at
  // multiples of `granule` bytes (a row, a matrix of a batch); on a device data() is null then.
  virtual std::unique_ptr<Buffer> allocate(std::size_t bytes, Memory memory,
                                           std::size_t granule = 1) = 0;
  virtual std::unique_ptr<Queue> queue() = 0;
  virtual bool reaches(const Device& peer) const = 0;  // copies go directly, not through the host
  virtual void bind_thread() = 0;  // puts the calling thread where it feeds this device best
};

// A part of making a backend: `driver`, `runtime`, `context`.
struct Stage {
  std::string_view name;  // lower case
  double seconds = 0;
};

class Backend {
 public:
  virtual ~Backend() = default;
  virtual std::span<Device* const> devices() = 0;   // the order gives the index
  virtual std::span<const Fact> facts() const = 0;  // libraries, versions, variants chosen
  virtual std::string_view advice() const = 0;      // "set X, because Y"; empty: none

  // What probe and create did, in order. The rest of their time needs no name.
  virtual std::span<const Stage> stages() const { return {}; }

  // Between the two nothing of the backend runs: this process is stopped by the suite, and what it
  // started (other processes, ranks on other machines) by the backend. Nothing is queued then, and
  // nothing is asked of it but wake. Both block until it is so, and may come from any thread.
  virtual void rest() {}
  virtual void wake() {}
};

struct Variable {
  std::string_view name, value;
};

// Set by the user as `--option backend.name=value`.
struct Option {
  std::string_view name, help, default_value;
  // Not empty: set as this variable before the library is loaded, and not passed to create.
  std::string_view environment_variable;
};

// The C++ library and ABI that both sides must share.
inline constexpr std::string_view toolchain =
#if defined(_LIBCPP_VERSION)
    "libc++";
#elif defined(_GLIBCXX_USE_CXX11_ABI) && _GLIBCXX_USE_CXX11_ABI
    "libstdc++ cxx11";
#else
    "libstdc++ old";
#endif

// Only recorded, never compared.
inline constexpr std::string_view compiler_name =
#if defined(__clang__)
    "clang " __clang_version__;
#elif defined(__VERSION__)
    "gcc " __VERSION__;
#else
    "unknown";
#endif

// Only recorded, never compared: what CMake's CXX flags are. breakeven_add_plugin defines it.
inline constexpr std::string_view build_flags =
#if defined(BREAKEVEN_BUILD_FLAGS)
    BREAKEVEN_BUILD_FLAGS;
#else
    "";
#endif

// A constant: it is read before anything in the plugin is called. `name` may be what the file is
// called, with dashes. Grows at its end only: what a plugin has beyond what the program knows is
// not read, and what it lacks has its default.
struct Manifest {
  std::uint32_t api = api_number;
  std::uint32_t bytes = sizeof(Manifest);
  std::string_view toolchain = breakeven::toolchain;
  std::string_view compiler = compiler_name, flags = build_flags;
  std::string_view name = {}, version = {}, description = {};
  std::span<const Variable> environment = {};  // set before loading, unless the user set it
  std::span<const Option> options = {};
  const char* (*probe)() = nullptr;  // null: usable here; else the reason, in a few words
  // One setting per option without an environment variable that the user or its default gave.
  std::unique_ptr<Backend> (*create)(std::span<const Variable> settings) = nullptr;
};

}  // namespace breakeven

// What a plugin defines, and all that it exports.
extern "C" {
[[gnu::visibility("default")]] extern const breakeven::Manifest breakeven_plugin;
}
