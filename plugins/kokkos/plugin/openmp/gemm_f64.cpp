// SPDX-License-Identifier: Apache-2.0
#include "chosen_way.hpp"

namespace breakeven::kokkos {

// In tiles_f64.cpp.
extern template void list_calls(const Steps<OneStep<double>>&, const Part&, std::size_t, bool,
                                std::size_t, std::vector<Call<OneStep<double>>>&);
extern template void run_panel(const Steps<OneStep<double>>&, const Part&, std::size_t, std::size_t,
                               const Strips<double>&, const StripRange&, const double*, double*,
                               bool, const double*);

template std::unique_ptr<Task> launch(const Product<double>&, const Target&);

}  // namespace breakeven::kokkos
