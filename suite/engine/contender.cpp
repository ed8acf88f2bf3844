// SPDX-License-Identifier: Apache-2.0
#include "suite/engine/contender.hpp"

#include "reports/statistics/order_statistics.hpp"

namespace breakeven {

double Contender::claimed_ns() const {
  std::vector<double> claimed, all;
  for (std::size_t i = 0; i < visits.size(); ++i)
    for (const double ns : visits[i].wall) {
      all.push_back(ns);
      if (!audited[i]) claimed.push_back(ns);
    }
  return median(claimed.empty() ? all : claimed);
}

}  // namespace breakeven
