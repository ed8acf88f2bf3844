// SPDX-License-Identifier: Apache-2.0
// What a multiprocessor can do in a clock, by its maker's figures.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace breakeven::cuda {

// By type, `f32`, `tf32` and so on, by the units that are best at it, none of them sparse: two for
// each multiply-add. Of capabilities that are not known: nothing. Sources: CUDA C++ Programming
// Guide, throughput of arithmetic instructions; NVIDIA's architecture whitepapers for tensor cores,
// of which GeForce has half the rate where sums are f32.
std::vector<std::pair<std::string, double>> flops_per_clock(int capability, std::string_view name);

}  // namespace breakeven::cuda
