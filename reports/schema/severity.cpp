// SPDX-License-Identifier: Apache-2.0
#include "reports/schema/severity.hpp"

namespace breakeven {

int severity(Status status) {
  switch (status) {
    case Status::ok:
      return 0;
    case Status::unsupported:
      return 1;
    case Status::over_budget:
    case Status::abandoned:
      return 2;
    case Status::unavailable:
    case Status::out_of_memory:
      return 3;
    case Status::hung:
    case Status::crashed:
    case Status::failed:
      return 4;
    case Status::wrong:
    case Status::implausible:
      break;
  }
  return 5;
}

bool is_fault(Status status) {
  return severity(status) >= severity(Status::failed);
}

}  // namespace breakeven
