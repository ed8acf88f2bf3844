// SPDX-License-Identifier: Apache-2.0
// The best that a machine or a device was seen to do in this run, and the share of it that a case
// reaches.
//
// Names. Of the machine: `fma_f32_core`, `fma_f32_all` (flop/s; f64, bf16 with an instruction for
// it), `triad_core_l2`, `triad_all_memory`, `read_core_l1` … (byte/s; a + s b, and a sum, at
// working sets that fit into a cache; bytes as the program sees them). Of a device, through the
// contract: `gemm_f32`, `gemm_tf32` … (flop/s; bursts of 2 ms at the clock that stands),
// `gemm_f32_sustained` … (flop/s; the same without a rest for 1 to 3 s, its last half a second,
// where `_low` is the lowest tenth of a second and `_clock` the MHz at the end; `_sustained*2` is
// of two devices that work at the same time, the lower MHz of both), `multiply_add` (byte/s),
// `copy_h2d`, `copy_d2h`, `copy_d2d` (byte/s, pinned where the device has it) with
// `copy_h2d_latency` … (ns), `launch` (ns; one empty operation, waited for) and `launch_amortised`
// (ns; many, waited for once). Of a device made of several `exchange` (byte/s, all of them to the
// next one at once). Of a node: instead of copies `network_eager`, `network_rendezvous` (byte/s, of
// messages to and fro, without handing over) with `network_eager_latency` … (ns), and `peer_eager`
// … to the next node.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <breakeven/plugin.hpp>

#include "suite/model/key.hpp"
#include "suite/model/prepared_case.hpp"

namespace breakeven {

struct Ceiling {
  std::string name;
  double value = 0;
  std::string unit;  // `flop/s`, `byte/s`, `ns`
  double bytes = 0;  // of the working set, where that matters; the largest stands for all beyond
};

using Ceilings = std::vector<Ceiling>;

void to_json(nlohmann::json& json, const Ceiling& ceiling);
void from_json(const nlohmann::json& json, Ceiling& ceiling);

const Ceiling* find(const Ceilings& ceilings, std::string_view name);

// Of so many devices together: `gemm_f32_sustained`, `gemm_f32_sustained*2`.
std::string sustained_name(std::string_view burst, std::size_t devices);

// What devices keep up together for seconds of what they do in a burst, in the unit of the ceiling.
struct Sustained {
  double value = 0;
  double low = 0;  // clearly below: it was not steady
  double mhz = 0;  // of the multiprocessors that were slowest then; 0: they tell none
};

// What a row says: the columns ceiling_source, ceiling, ceiling_unit and ceiling_share.
struct CeilingShare {
  // `fma_f32_core`; with `*2` where it counts twice, `/2` for half, `+` for one after the other,
  // `triad_core_l3~memory` for what lies between the two
  std::string source;
  double value = 0;
  std::string unit;
  double share = 0;  // 1 is the ceiling; above it where a cache beats the ceiling's working set
  std::vector<std::string>
      measured;  // the ceilings it was made from: `fma_f32_core`, `fma_f32_all`
  std::optional<Sustained> sustained = {};  // where a product's burst is the ceiling
};

// What computes: from the device's info, and what its tasks say, or its or its backend's facts.
struct Computes {
  Kind kind = Kind::cpu;
  std::size_t threads = 1;  // of one device
};

// The roofline: of the times that flops, bytes, copies and the launch need at their ceilings, the
// longest one binds, and the ceiling is the one it stands for. On a CPU, flops are held against the
// FMA peak (of f32 for types of 16 bits without a peak of their own) and bytes against the triad of
// as many cores as compute, at the smallest measured working set that holds the operands (the
// largest for a cold cache); between the last cache and memory, at a rate between the two. What is
// read beyond a triad's two bytes for each written is held against the read; a copy moves each byte
// twice. On a GPU against the best product, multiply-add and pinned copy each way of the device; on
// a node, copies against its network by the size of their messages, and they alone by nothing else.
// None where the run has no such ceiling, nor where a CPU computes and its FMA peak is unknown.
std::optional<CeilingShare> ceiling_of(const Key& key, const Work& work, double median_ns,
                                       const Computes& computes, const Ceilings& machine,
                                       const Ceilings& device);

}  // namespace breakeven
