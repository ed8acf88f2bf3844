// SPDX-License-Identifier: Apache-2.0
// Compiled for SVE with vectors of 64 bytes.
#include "suite/measure/peak_loops.hpp"

namespace breakeven {

extern const PeakKernels peaks_of_sve512;
const PeakKernels peaks_of_sve512 = PeakLoops<64>::named("sve512");

}  // namespace breakeven
