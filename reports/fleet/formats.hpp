// SPDX-License-Identifier: Apache-2.0
// A judged fleet as text: for a terminal, as CSV, JSON or a page.
#pragma once

#include <cstddef>
#include <string>

#include "reports/fleet/judgement.hpp"

namespace breakeven::fleet {

// `slow ×1.092 [1.080, 1.104] in elementwise/blas:0`, `wrong in 3 cases: ...`: each a line.
std::vector<std::string> findings(const Fleet& fleet, const Verdict& verdict);
// What could have been seen, or why nothing is judged.
std::string limits(const Group& group);
// That one group is two.
std::string told(const Judgement& judgement, const Split& split);
// `--exclude=n[17,203]`; empty: no node is out.
std::string exclude_line(const Fleet& fleet, const Judgement& judgement);
int exit_status(const Fleet& fleet, const Judgement& judgement);

std::string as_text(const Fleet& fleet, const Judgement& judgement, std::size_t columns,
                    bool in_colour);
std::string as_csv(const Fleet& fleet, const Judgement& judgement);  // a row for each node
std::string as_json(const Fleet& fleet, const Judgement& judgement);
std::string as_page(const Fleet& fleet, const Judgement& judgement);

}  // namespace breakeven::fleet
