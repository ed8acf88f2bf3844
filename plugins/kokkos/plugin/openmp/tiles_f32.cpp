// SPDX-License-Identifier: Apache-2.0
// The tiles of products: most of what there is to compile.
#include "in_place.hpp"

namespace breakeven::kokkos {

template void list_calls(const Steps<OneStep<float>>&, const Part&, std::size_t, bool, std::size_t,
                         std::vector<Call<OneStep<float>>>&);
template void run_panel(const Steps<OneStep<float>>&, const Part&, std::size_t, std::size_t,
                        const Strips<float>&, const StripRange&, const float*, float*, bool,
                        const float*);

}  // namespace breakeven::kokkos
