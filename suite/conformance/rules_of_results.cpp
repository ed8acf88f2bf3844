// SPDX-License-Identifier: Apache-2.0
// Every supported operation against float64: odd shapes, offsets, batches, untouched surroundings.
#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <functional>
#include <tuple>
#include <utility>

#include "suite/conformance/bench.hpp"
#include "suite/conformance/operations.hpp"
#include "suite/conformance/rule.hpp"
#include "suite/verify/gemm_check.hpp"
#include "suite/verify/numbers.hpp"
#include "suite/verify/random.hpp"
#include "suite/verify/vector_operations.hpp"

namespace breakeven::conformance::rules {
namespace {

constexpr std::uint64_t seed = 20;

void require_passed(const Verification& found, const std::string& what) {
  if (!found.passed) throw Broken(fmt::format("{}: {} ({})", what, found.message, found.method));
}

void require_unchanged(Bench& bench, const Operand& operand, const Bytes& contents,
                       const char* name) {
  // A library's comparison: that of bytes one by one takes minutes under ThreadSanitizer.
  const Bytes now = bench.read(operand);
  if (now.size() != contents.size() || std::memcmp(now.data(), contents.data(), now.size()) != 0)
    throw Broken(fmt::format("it changed its input {}", name));
  bench.require_guards(operand, name);
}

void require_some(std::size_t supported, const char* what) {
  if (supported == 0) throw NotApplicable(fmt::format("it has no {}", what));
}

std::string text_of(const Gemm& gemm, std::size_t offset) {
  return fmt::format(
      "{} {}x{}x{} batch {}{}{} alpha {} beta {} offset {}", type_name(gemm.type, gemm.math),
      gemm.m, gemm.n, gemm.k, gemm.batch, gemm.transpose_a == Transpose::yes ? " aT" : "",
      gemm.transpose_b == Transpose::yes ? " bT" : "", gemm.alpha, gemm.beta, offset);
}

// False: not supported.
bool try_product(Bench& bench, Gemm gemm, std::size_t offset_elements) {
  const std::size_t element = bytes_of(gemm.type), offset = offset_elements * element;
  const std::string text = text_of(gemm, offset_elements);
  for (const bool exact : {true, false}) {
    Bytes a(gemm.batch * gemm.m * gemm.k * element), b(gemm.batch * gemm.k * gemm.n * element);
    Bytes c_before(gemm.batch * gemm.m * gemm.n * element);
    if (exact) {
      fill_exact(gemm, seed, a, b);
      fill(gemm.type, Values::small_integers, seed + 2, c_before);
    } else {
      fill(gemm.type, Values::signed_unit, seed, a);
      fill(gemm.type, Values::signed_unit, seed + 1, b);
      fill(gemm.type, Values::signed_unit, seed + 2, c_before);
    }
    if (gemm.beta == 0) poison(c_before);
    const Operand a_operand = bench.operand(a, offset, a.size() / gemm.batch);
    const Operand b_operand = bench.operand(b, offset, b.size() / gemm.batch);
    const Operand c_operand = bench.operand(c_before, offset, c_before.size() / gemm.batch);
    gemm.a = a_operand.slice;
    gemm.b = b_operand.slice;
    gemm.c = c_operand.slice;
    if (!bench.run(gemm)) return false;
    const Bytes c = bench.read(c_operand);
    const GemmOperands operands{.a = a, .b = b, .c_before = c_before, .c = c};
    require_passed((exact ? check_exact : check_elementwise)(gemm, operands, seed), text);
    require_unchanged(bench, a_operand, a, "a");
    require_unchanged(bench, b_operand, b, "b");
    bench.require_guards(c_operand, "c");
  }
  return true;
}

std::string text_of(const VectorOperation& operation, Type type, std::size_t n, std::size_t batch,
                    std::size_t offset, bool in_place) {
  return fmt::format("{} {} of {}{} offset {}{}", operation.name, type_name(type), n,
                     operation.reduces ? fmt::format(" batch {}", batch) : "", offset,
                     in_place ? " in place" : "");
}

// False: not supported.
bool try_vectors(Bench& bench, const VectorOperation& operation, Type type, std::size_t n,
                 std::size_t batch, std::size_t offset, bool in_place) {
  const std::size_t element = bytes_of(type), result = bytes_of(operation.type_of_result(type));
  std::vector<Bytes> inputs;
  std::vector<Operand> operands;
  std::vector<Slice> slices;
  for (std::size_t i = 0; i < operation.inputs; ++i) {
    fill(type, Values::signed_unit, seed + i, inputs.emplace_back(n * batch * element));
    slices.push_back(
        operands.emplace_back(bench.operand(inputs[i], offset * element, n * element)).slice);
  }
  Bytes nothing(operation.reduces ? batch * result : n * result);
  poison(nothing);
  const Operand separate =
      bench.operand(nothing, offset * result, operation.reduces ? result : nothing.size());
  const Operand& output = in_place ? operands[0] : separate;
  if (!bench.run(operation.make(type, n, batch, slices, output.slice))) return false;
  require_passed(operation.check(type, n, inputs, bench.read(output)),
                 text_of(operation, type, n, batch, offset, in_place));
  for (std::size_t i = in_place ? 1 : 0; i < operands.size(); ++i)
    require_unchanged(bench, operands[i], inputs[i], "of the operation");
  bench.require_guards(output, "the output");
  return true;
}

}  // namespace

void gemm(Subject& subject) {
  using Shape = std::array<std::size_t, 3>;
  constexpr std::array<Shape, 6> shapes = {
      {{1, 1, 1}, {7, 5, 3}, {1, 17, 33}, {33, 1, 9}, {64, 64, 64}, {65, 127, 31}}};
  // Off the beaten path: primes, one more than a power of two, a long row, a long column.
  constexpr std::array<Shape, 4> odd_shapes = {
      {{257, 257, 257}, {131, 61, 257}, {1, 1021, 263}, {1031, 1, 127}}};
  constexpr std::array<std::pair<double, double>, 3> factors = {{{1, 0}, {2, -1}, {-1, 1}}};
  const auto backend = subject.create();
  Bench bench(*backend->devices()[0]);
  std::size_t supported = 0;
  for (const Type type : all_types) {
    for (const Math math : {Math::native, Math::tf32}) {
      if (math == Math::tf32 && type != Type::f32) continue;
      for (const int transposes : {0, 1, 2, 3}) {
        Gemm gemm{.type = type,
                  .math = math,
                  .transpose_a = transposes & 1 ? Transpose::yes : Transpose::no,
                  .transpose_b = transposes & 2 ? Transpose::yes : Transpose::no};
        for (const Shape& shape : shapes) {
          std::tie(gemm.m, gemm.n, gemm.k) = std::tie(shape[0], shape[1], shape[2]);
          for (const std::size_t batch : {1u, 3u})
            for (const auto& [alpha, beta] : factors)
              for (const std::size_t offset : {0u, 3u}) {
                gemm.batch = batch;
                gemm.alpha = alpha;
                gemm.beta = beta;
                supported += try_product(bench, gemm, offset);
              }
        }
        if (gemm.transpose_a != gemm.transpose_b) continue;
        gemm.batch = 1;
        gemm.alpha = 1;
        gemm.beta = 0;
        for (const Shape& shape : odd_shapes) {
          std::tie(gemm.m, gemm.n, gemm.k) = std::tie(shape[0], shape[1], shape[2]);
          supported += try_product(bench, gemm, 0);
        }
      }
    }
  }
  require_some(supported, "product");
}

// What reduces may have a batch; the others may write over their first input.
void vector_operation(const VectorOperation& operation, Subject& subject) {
  const auto backend = subject.create();
  Bench bench(*backend->devices()[0]);
  std::size_t supported = 0;
  for (const Type type : all_types)
    for (const std::size_t n : {1u, 2u, 7u, 64u, 257u, 1000u, 4097u, 65537u})
      for (const std::size_t offset : {0u, 3u})
        for (const bool other : {false, true})
          supported += try_vectors(bench, operation, type, n, operation.reduces && other ? 3 : 1,
                                   offset, !operation.reduces && other);
  require_some(supported, std::string(operation.name).c_str());
}

}  // namespace breakeven::conformance::rules
