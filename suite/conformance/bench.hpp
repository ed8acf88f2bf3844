// SPDX-License-Identifier: Apache-2.0
// Where a rule tries operations: a queue, operands between guards, and ways to write and read them.
#pragma once

#include <breakeven/plugin.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace breakeven::conformance {

using Bytes = std::vector<std::byte>;

inline constexpr std::array memory_kinds = {Memory::pageable, Memory::pinned, Memory::device};
inline constexpr std::array<std::string_view, 3> memory_names = {"pageable", "pinned", "device"};

// A slice in the middle of a buffer; what lies around it must stay as it was.
struct Operand {
  std::unique_ptr<Buffer> buffer;
  Slice slice;
};

class Bench {
 public:
  explicit Bench(Device& device);

  Device& device() { return device_; }
  Queue& queue() { return *queue_; }

  // `offset` bytes into a buffer of device memory, filled with guards. Throws Broken where the
  // device has none.
  Operand operand(std::size_t bytes, std::size_t offset = 0, std::size_t granule = 1);
  Operand operand(const Bytes& contents, std::size_t offset = 0, std::size_t granule = 1);
  void write(Operand& operand, const Bytes& contents);
  Bytes read(const Operand& operand);
  // Throws Broken, naming the operand, where something around the slice has changed.
  void require_guards(const Operand& operand, const char* name);

  // True where it is supported; then it has been done once.
  bool run(const AnyOperation& operation);

 private:
  void transfer(const Slice& to, const Slice& from);
  Bytes read_all(const Operand& operand);

  Device& device_;
  std::unique_ptr<Queue> queue_;
};

// A product small enough for any machine, with whole numbers, so that every order of summation
// gives the same bits.
class ExactProduct {
 public:
  // Throws NotApplicable where the backend has no such product.
  ExactProduct(Bench& bench, std::size_t n, std::uint64_t seed);

  Task& task() { return *task_; }
  const Operand& output() const { return c_; }
  void poison_output();
  // Another number at one place of an input, or none at one of the output: says which.
  std::string_view change_a_place(std::uint64_t random);
  // Throws Broken, with `when`, where these are not the elements of the product.
  void require_right(const Bytes& output, const char* when) const;
  void require_right(const char* when) { require_right(bench_.read(c_), when); }

 private:
  Bench& bench_;
  Gemm gemm_;
  std::uint64_t seed_;
  Bytes a_data_, b_data_;
  Operand a_, b_, c_;
  std::unique_ptr<Task> task_;
};

}  // namespace breakeven::conformance
