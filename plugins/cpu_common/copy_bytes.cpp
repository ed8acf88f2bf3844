// SPDX-License-Identifier: Apache-2.0
#include "plugins/cpu_common/copy_bytes.hpp"

#include <cstdint>
#include <cstring>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace breakeven::cpu {

namespace {

constexpr std::size_t line = 64;
// Both sides together, as for the operands of a multiply-add.
constexpr std::size_t past_caches_bytes = std::size_t{32} << 20;

// Whole lines, `to` at the beginning of one.
using CopyLines = void (*)(std::byte* to, const std::byte* from, std::size_t lines);

#if defined(__x86_64__)
[[gnu::target("avx512f")]] void avx512_lines(std::byte* to, const std::byte* from,
                                             std::size_t lines) {
  for (std::size_t i = 0; i < lines * line; i += line)
    _mm512_stream_si512(reinterpret_cast<__m512i*>(to + i), _mm512_loadu_si512(from + i));
  _mm_sfence();
}

void sse2_lines(std::byte* to, const std::byte* from, std::size_t lines) {
  for (std::size_t i = 0; i < lines * line; i += sizeof(__m128i))
    _mm_stream_si128(reinterpret_cast<__m128i*>(to + i),
                     _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i)));
  _mm_sfence();
}

CopyLines best_lines() {
  return __builtin_cpu_supports("avx512f") ? avx512_lines : sse2_lines;
}
#else
CopyLines best_lines() {
  return nullptr;
}
#endif

bool overlap(const std::byte* a, const std::byte* b, std::size_t bytes) {
  const auto x = reinterpret_cast<std::uintptr_t>(a), y = reinterpret_cast<std::uintptr_t>(b);
  return (x < y ? y - x : x - y) < bytes;
}

}  // namespace

void copy_bytes(std::byte* to, const std::byte* from, std::size_t bytes) noexcept {
  static const CopyLines copy_lines = best_lines();
  if (!copy_lines || 2 * bytes < past_caches_bytes || overlap(to, from, bytes)) {
    if (bytes > 0) std::memmove(to, from, bytes);
    return;
  }
  const std::size_t head = (line - reinterpret_cast<std::uintptr_t>(to) % line) % line;
  std::memcpy(to, from, head);
  const std::size_t lines = (bytes - head) / line, done = head + lines * line;
  copy_lines(to + head, from + head, lines);
  std::memcpy(to + done, from + done, bytes - done);
}

}  // namespace breakeven::cpu
