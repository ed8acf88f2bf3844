// SPDX-License-Identifier: Apache-2.0
// Devices, their memory and what they refuse.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstdint>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "suite/conformance/bench.hpp"
#include "suite/conformance/operations.hpp"
#include "suite/conformance/rule.hpp"
#include "suite/measure/device_ceilings.hpp"

namespace breakeven::conformance {

void require_key(std::string_view key) {
  const bool good = !key.empty() && std::ranges::all_of(key, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  });
  if (!good) throw Broken(fmt::format("the key '{}' is not lower case with underscores", key));
}

namespace rules {
namespace {

void require_readings_that_fit(const Device& device) {
  std::array<Reading, 64> readings;
  for (const std::size_t room : {std::size_t{0}, std::size_t{1}, readings.size() - 1}) {
    const Reading untouched{.key = "untouched", .value = -1};
    readings.fill(untouched);
    const std::size_t count = device.readings({readings.data(), room});
    if (count > room) throw Broken(fmt::format("readings said {} where {} fit", count, room));
    if (readings[room].key != untouched.key)
      throw Broken(fmt::format("readings wrote beyond the {} that fit", room));
    for (std::size_t i = 0; i < count; ++i) require_key(readings[i].key);
  }
}

void bind_in_a_thread(Device& device) {
  std::string failure;
  std::thread([&] {
    try {
      device.bind_thread();
    } catch (const std::exception& error) {
      failure = error.what();
    }
  }).join();
  if (!failure.empty()) throw Broken(fmt::format("bind_thread threw: {}", failure));
}

// `peak_f32_flop_per_s`, and the others that plugin.hpp names.
void require_peak(const Fact& fact) {
  std::string_view what = fact.key;
  if (!what.starts_with("peak_")) return;
  what.remove_prefix(5);
  constexpr std::array<std::string_view, 8> known = {"f32",  "tf32",   "f64",  "f16",
                                                     "bf16", "bf16x9", "int8", "memory"};
  const auto end = what.find('_');
  const std::string_view unit = what.substr(0, end) == "memory" ? "_byte_per_s" : "_flop_per_s";
  if (std::ranges::find(known, what.substr(0, end)) == known.end() ||
      what.substr(std::min(end, what.size())) != unit)
    throw Broken(fmt::format("the peak '{}' is none that is known", fact.key));
  double value = 0;
  const char* const last = fact.value.data() + fact.value.size();
  const auto [stop, error] = std::from_chars(fact.value.data(), last, value);
  if (error != std::errc() || stop != last || !(value >= 1e6 && value <= 1e21))
    throw Broken(fmt::format("the peak {} is '{}', which no device has", fact.key, fact.value));
}

void require_hardware(std::string_view hardware) {
  for (const char c : hardware)
    if (c < ' ' || c > '~')
      throw Broken(fmt::format("the hardware '{}' is not words separated by spaces", hardware));
}

}  // namespace

void devices(Subject& subject) {
  const auto backend = subject.create();
  for (const Fact& fact : backend->facts()) require_key(fact.key);
  for (Device* const device : backend->devices()) {
    if (device->info().name.empty()) throw Broken("a device has no name");
    require_hardware(device->info().hardware);
    for (const Fact& fact : device->facts()) {
      require_key(fact.key);
      require_peak(fact);
    }
    require_readings_that_fit(*device);
    bind_in_a_thread(*device);
  }
}

void memory(Subject& subject) {
  const auto backend = subject.create();
  for (Device* const device : backend->devices()) {
    for (std::size_t i = 0; i < memory_kinds.size(); ++i) {
      for (const std::size_t bytes : {std::size_t{1}, std::size_t{4096}, std::size_t{1000001}}) {
        const auto buffer = device->allocate(bytes, memory_kinds[i], bytes);
        if (!buffer) {
          if (memory_kinds[i] == Memory::pinned) break;
          throw Broken(fmt::format("there is no {} memory", memory_names[i]));
        }
        if (buffer->bytes() != bytes || buffer->memory() != memory_kinds[i] ||
            &buffer->device() != device)
          throw Broken(fmt::format("a buffer of {} bytes of {} memory says it is something else",
                                   bytes, memory_names[i]));
        if (!buffer->data() && memory_kinds[i] != Memory::device)
          throw Broken(fmt::format("{} memory has a null data()", memory_names[i]));
        if (reinterpret_cast<std::uintptr_t>(buffer->data()) % 64 != 0)
          throw Broken(fmt::format("{} memory at {} is not aligned to 64 bytes", memory_names[i],
                                   buffer->data()));
      }
    }
  }
}

// As much as the ceilings of a run ask for.
void free_memory(Subject& subject) {
  constexpr std::size_t arrays = 4;
  const auto backend = subject.create();
  bool told = false;
  for (Device* const device : backend->devices()) {
    const std::size_t free = device->info().free_bytes;
    const std::size_t bytes = std::min(largest_array_bytes(*device), free / 8);
    if (bytes == 0) continue;
    told = true;
    std::vector<std::unique_ptr<Buffer>> held;
    try {
      while (held.size() < arrays && (held.empty() || held.back()))
        held.push_back(device->allocate(bytes, Memory::device));
    } catch (const std::bad_alloc&) {
      held.push_back(nullptr);
    }
    if (!held.back())
      throw Broken(
          fmt::format("{} bytes of device memory were refused where {} were free", bytes, free));
  }
  if (!told) throw NotApplicable("its devices do not say what is free");
}

void out_of_memory(Subject& subject) {
  constexpr std::size_t more_than_there_is = std::size_t{1} << 60;
  const auto backend = subject.create();
  Device& device = *backend->devices()[0];
  for (std::size_t i = 0; i < memory_kinds.size(); ++i) {
    if (!device.allocate(64, memory_kinds[i], 64)) continue;
    try {
      const auto buffer = device.allocate(more_than_there_is, memory_kinds[i], 64);
      throw Broken(fmt::format("2^60 bytes of {} memory gave {} instead of std::bad_alloc",
                               memory_names[i], buffer ? "a buffer" : "null"));
    } catch (const std::bad_alloc&) {
    }
    use_after_failure(device);
  }
}

void unsupported(Subject& subject) {
  const auto backend = subject.create();
  Bench bench(*backend->devices()[0]);
  std::size_t supported = 0;
  for (const Question& question : one_of_each(bench)) {
    const bool first = question.asked(bench), again = question.asked(bench);
    if (first != again)
      throw Broken(fmt::format("{} is supported once and not the next time", question.name));
    supported += first;
  }
  if (supported == 0) throw Broken("it supports no operation at all");
}

// An operation with a number that no header has yet.
void unheard_of(Subject& subject) {
  struct Later {
    std::uint64_t number = 1 << 20;
    alignas(16) std::byte rest[sizeof(AnyOperation) - 16]{};
  };
  const auto backend = subject.create();
  Bench bench(*backend->devices()[0]);
  if (bench.queue().prepare_any(std::bit_cast<AnyOperation>(Later{})))
    throw Broken("it accepted an operation that there is not yet");
}

void set_aside(Subject& subject) {
  const auto backend = subject.create();
  Bench bench(*backend->devices()[0]);
  constexpr std::size_t n = 8;
  const Operand a = bench.operand(n * n * 8), b = bench.operand(n * n * 8),
                c = bench.operand(n * n * 8);
  for (const auto& [type, math] : {std::pair(reserved::f8_e4m3, Math::native),
                                   {reserved::f8_e5m2, Math::native},
                                   {Type::f32, reserved::bf16x9},
                                   {Type::f64, reserved::int8}}) {
    const Gemm gemm{.type = type,
                    .math = math,
                    .m = n,
                    .n = n,
                    .k = n,
                    .a = a.slice,
                    .b = b.slice,
                    .c = c.slice};
    if (bench.queue().prepare_any(gemm))
      throw Broken(
          fmt::format("it accepted a product of type {} and math {}, which mean nothing yet",
                      static_cast<int>(type), static_cast<int>(math)));
  }
}

void making(Subject& subject) {
  const auto backend = subject.create();
  Bench bench(*backend->devices()[0]);
  for (const Question& question : one_of_each(bench)) {
    if (!question.is_supported(bench)) continue;
    const auto task = bench.queue().prepare_any(question.operation);
    const TaskInfo info = task->info();
    const std::string routine(info.routine);
    if (info.author > Author::both)
      throw Broken(fmt::format("the author of {} is none that there is", question.name));
    if (info.threads > 1 << 20)
      throw Broken(fmt::format("{} has {} threads", question.name, info.threads));
    if (!(info.exchanged_bytes >= 0 && info.exchanged_bytes < 1e18))
      throw Broken(fmt::format("{} exchanges {} bytes", question.name, info.exchanged_bytes));
    const auto other = bench.queue().prepare_any(question.operation);
    task->enqueue();
    bench.queue().synchronize();
    const TaskInfo again = task->info();
    if (again.author != info.author || again.threads != info.threads || again.routine != routine)
      throw Broken(fmt::format("{} was said to be made otherwise once it had run", question.name));
  }
}

void two_devices(Subject& subject) {
  const auto backend = subject.create();
  if (backend->devices().size() < 2) throw NotApplicable("it has one device here");
  Bench here(*backend->devices()[0]), there(*backend->devices()[1]);
  const std::string names[] = {std::string(here.device().info().name),
                               std::string(there.device().info().name)};
  bool tried = false;
  for (const Type type : {Type::f32, Type::f64}) {
    const std::size_t bytes = 16 * bytes_of(type);
    const Operand a = here.operand(bytes), b = here.operand(bytes), c = here.operand(bytes);
    const Operand elsewhere = there.operand(bytes);
    const Gemm own{.type = type, .m = 4, .n = 4, .k = 4, .a = a.slice, .b = b.slice, .c = c.slice};
    if (!here.queue().prepare_any(own)) continue;
    tried = true;
    Gemm mixed = own;
    mixed.b = elsewhere.slice;
    try {
      const auto task = here.queue().prepare_any(mixed);
      throw Broken(fmt::format("a product with an operand of another device was {}",
                               task ? "accepted" : "called unsupported"));
    } catch (const std::invalid_argument& error) {
      const std::string_view text = error.what();
      for (const std::string& name : names)
        if (text.find(name) == text.npos)
          throw Broken(fmt::format("the error does not name '{}': {}", name, text));
    }
  }
  if (!tried) throw NotApplicable("it has no product of f32 or f64 to try this with");
}

}  // namespace rules

}  // namespace breakeven::conformance
