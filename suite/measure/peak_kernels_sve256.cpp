// SPDX-License-Identifier: Apache-2.0
// Compiled for SVE with vectors of 32 bytes.
#include "suite/measure/peak_loops.hpp"

namespace breakeven {

extern const PeakKernels peaks_of_sve256;
const PeakKernels peaks_of_sve256 = PeakLoops<32>::named("sve256");

}  // namespace breakeven
