// SPDX-License-Identifier: Apache-2.0
#include "suite/conformance/bench.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "suite/conformance/rule.hpp"
#include "suite/verify/gemm_check.hpp"
#include "suite/verify/numbers.hpp"

namespace breakeven::conformance {
namespace {

constexpr std::size_t guard_bytes = 64;
constexpr std::byte guard{0xa5};

std::unique_ptr<Buffer> allocated(Device& device, std::size_t bytes, Memory memory,
                                  std::size_t granule) {
  auto buffer = device.allocate(bytes, memory, granule);
  if (!buffer) {
    throw Broken(fmt::format("allocate of {} bytes of {} memory gave null", bytes,
                             memory == Memory::device ? "device" : "pageable"));
  }
  return buffer;
}

}  // namespace

Bench::Bench(Device& device) : device_(device), queue_(device.queue()) {
  if (!queue_) throw Broken("Device::queue gave null");
}

Operand Bench::operand(std::size_t bytes, std::size_t offset, std::size_t granule) {
  const std::size_t before = offset == 0 ? 0 : guard_bytes + offset;
  Operand operand;
  operand.buffer = allocated(device_, before + bytes + guard_bytes, Memory::device, granule);
  operand.slice = {.buffer = operand.buffer.get(), .offset = before, .bytes = bytes};
  Operand all;
  all.slice = {.buffer = operand.buffer.get(), .offset = 0, .bytes = operand.buffer->bytes()};
  write(all, Bytes(all.slice.bytes, guard));
  return operand;
}

Operand Bench::operand(const Bytes& contents, std::size_t offset, std::size_t granule) {
  Operand made = operand(contents.size(), offset, granule);
  write(made, contents);
  return made;
}

void Bench::write(Operand& operand, const Bytes& contents) {
  if (auto* const data = static_cast<std::byte*>(operand.slice.buffer->data())) {
    std::ranges::copy(contents, data + operand.slice.offset);
    return;
  }
  const auto host = allocated(device_, contents.size(), Memory::pageable, 1);
  std::memcpy(host->data(), contents.data(), contents.size());
  transfer(operand.slice, {.buffer = host.get(), .offset = 0, .bytes = contents.size()});
}

Bytes Bench::read(const Operand& operand) {
  Bytes contents(operand.slice.bytes);
  if (const auto* const data = static_cast<const std::byte*>(operand.slice.buffer->data())) {
    std::copy_n(data + operand.slice.offset, contents.size(), contents.begin());
    return contents;
  }
  const auto host = allocated(device_, contents.size(), Memory::pageable, 1);
  transfer({.buffer = host.get(), .offset = 0, .bytes = contents.size()}, operand.slice);
  std::memcpy(contents.data(), host->data(), contents.size());
  return contents;
}

Bytes Bench::read_all(const Operand& operand) {
  Operand all;
  all.slice = {.buffer = operand.slice.buffer, .offset = 0, .bytes = operand.slice.buffer->bytes()};
  return read(all);
}

void Bench::require_guards(const Operand& operand, const char* name) {
  const Bytes all = read_all(operand);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const bool inside = i >= operand.slice.offset && i < operand.slice.offset + operand.slice.bytes;
    if (inside || all[i] == guard) continue;
    throw Broken(fmt::format("it wrote outside of {}, at byte {} of a slice of {} bytes", name,
                             static_cast<std::ptrdiff_t>(i - operand.slice.offset),
                             operand.slice.bytes));
  }
}

bool Bench::run(const AnyOperation& operation) {
  const auto task = queue_->prepare_any(operation);
  if (!task) return false;
  task->enqueue();
  queue_->synchronize();
  return true;
}

void Bench::transfer(const Slice& to, const Slice& from) {
  if (to.bytes != 0 && !run(Copy{.to = to, .from = from}))
    throw Broken("memory that the host cannot touch cannot be reached by Copy either");
}

ExactProduct::ExactProduct(Bench& bench, std::size_t n, std::uint64_t seed)
    : bench_(bench),
      gemm_{.m = n, .n = n, .k = n},
      seed_(seed),
      a_data_(n * n * sizeof(float)),
      b_data_(n * n * sizeof(float)) {
  for (const Type type : {Type::f32, Type::f64}) {
    gemm_.type = type;
    const std::size_t bytes = n * n * bytes_of(type);
    a_data_.resize(bytes);
    b_data_.resize(bytes);
    fill_exact(gemm_, seed, a_data_, b_data_);
    a_ = bench.operand(a_data_, 0, bytes);
    b_ = bench.operand(b_data_, 0, bytes);
    c_ = bench.operand(bytes, 0, bytes);
    gemm_.a = a_.slice;
    gemm_.b = b_.slice;
    gemm_.c = c_.slice;
    task_ = bench.queue().prepare_any(gemm_);
    if (task_) return;
  }
  throw NotApplicable("it has no product of f32 or f64 to try this with");
}

void ExactProduct::poison_output() {
  Bytes nothing(c_.slice.bytes);
  poison(nothing);
  bench_.write(c_, nothing);
}

std::string_view ExactProduct::change_a_place(std::uint64_t random) {
  const std::size_t bytes = bytes_of(gemm_.type);
  const std::size_t at = random / 3 % (gemm_.m * gemm_.n);  // the three are of one size
  Bytes number(bytes);
  const auto put = [&](const Operand& operand) {
    Operand place;
    place.slice = operand.slice;
    place.slice.offset += at * bytes;
    place.slice.bytes = bytes;
    bench_.write(place, number);
  };
  if (random % 3 == 2) {
    poison(number);
    put(c_);
    return "an element of c";
  }
  const bool in_a = random % 3 == 0;
  Bytes& data = in_a ? a_data_ : b_data_;
  set_element(gemm_.type, data, at, element(gemm_.type, data, at) == 1 ? -1 : 1);
  std::memcpy(number.data(), data.data() + at * bytes, bytes);
  put(in_a ? a_ : b_);
  return in_a ? "an element of a" : "an element of b";
}

void ExactProduct::require_right(const Bytes& output, const char* when) const {
  const auto found =
      check_exact(gemm_, {.a = a_data_, .b = b_data_, .c_before = {}, .c = output}, seed_);
  if (!found.passed)
    throw Broken(fmt::format("{} a product of n = {} is wrong: {}", when, gemm_.n, found.message));
}

}  // namespace breakeven::conformance
