// SPDX-License-Identifier: Apache-2.0
// The tiles of products: most of what there is to compile.
#include "in_place.hpp"

namespace breakeven::kokkos {

template void list_calls(const Steps<OneStep<double>>&, const Part&, std::size_t, bool, std::size_t,
                         std::vector<Call<OneStep<double>>>&);
template void run_panel(const Steps<OneStep<double>>&, const Part&, std::size_t, std::size_t,
                        const Strips<double>&, const StripRange&, const double*, double*, bool,
                        const double*);

}  // namespace breakeven::kokkos
