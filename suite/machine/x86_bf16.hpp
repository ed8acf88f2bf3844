// SPDX-License-Identifier: Apache-2.0
// What multiplies bf16 on an x86-64: the tiles of a thread (AMX), and whether there are any.
#pragma once

#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>

namespace breakeven {

// Whether the processor multiplies tiles of bf16 and has AVX-512 for what surrounds them, which a
// virtual machine may hide, and the system, which is asked for it, lets this process keep tiles.
inline bool may_use_amx() {
  static const bool may = [] {
    constexpr unsigned bf16 = 1U << 22, tiles = 1U << 24;
    constexpr int ask_for_state = 0x1023, state_of_tiles = 18;  // arch_prctl(2)
    unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bf16") &&
           __get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) && (edx & bf16) && (edx & tiles) &&
           syscall(SYS_arch_prctl, ask_for_state, state_of_tiles) == 0;
  }();
  return may;
}

// Whether one instruction (VDPBF16PS) multiplies pairs of bf16 faster than two numbers of f32 are
// multiplied: on an Emerald Rapids it has a quarter of the rate of a multiply-add of f32.
inline bool vdpbf16ps_is_fast() {
  __builtin_cpu_init();
  return __builtin_cpu_supports("avx512bf16") && !__builtin_cpu_is("intel");
}

// Written as assembly: compilers' own functions do not say that they read and write memory.
struct AmxTiles {
  // Eight tiles of 16 rows of 64 bytes.
  static void begin() {
    struct alignas(64) {
      std::uint8_t palette = 1, start = 0, reserved[14] = {};
      std::uint16_t row_bytes[16] = {64, 64, 64, 64, 64, 64, 64, 64};
      std::uint8_t rows[16] = {16, 16, 16, 16, 16, 16, 16, 16};
    } static constexpr shapes;
    asm volatile("ldtilecfg %0" : : "m"(shapes));
  }
  static void end() { asm volatile("tilerelease"); }

  template <int tile>
  [[gnu::always_inline]] static void zero() {
    asm volatile("tilezero %%tmm%c0" : : "i"(tile));
  }
  template <int tile>
  [[gnu::always_inline]] static void load(const void* from, std::size_t stride) {
    asm volatile("tileloadd (%0,%1,1), %%tmm%c2" : : "r"(from), "r"(stride), "i"(tile) : "memory");
  }
  template <int tile>
  [[gnu::always_inline]] static void store(void* to, std::size_t stride) {
    asm volatile("tilestored %%tmm%c2, (%0,%1,1)" : : "r"(to), "r"(stride), "i"(tile) : "memory");
  }
  template <int sum, int left, int right>
  [[gnu::always_inline]] static void multiply() {
    asm volatile("tdpbf16ps %%tmm%c2, %%tmm%c1, %%tmm%c0" : : "i"(sum), "i"(left), "i"(right));
  }
};

}  // namespace breakeven
