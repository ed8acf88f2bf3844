// SPDX-License-Identifier: Apache-2.0
// How the tasks that compute a case are made, all of them together.
#pragma once

#include <breakeven/plugin.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace breakeven {

struct Making {
  Author author = Author::untold;
  std::size_t threads = 0;            // the most of any task; 0: none says
  std::vector<std::string> routines;  // each once, in the order prepared
  double exchanged_bytes = 0;         // of each task once

  void add(const TaskInfo& task) {
    if (author == Author::untold)
      author = task.author;
    else if (task.author != author && task.author != Author::untold)
      author = Author::both;
    threads = std::max(threads, task.threads);
    exchanged_bytes += task.exchanged_bytes;
    if (!task.routine.empty() &&
        std::find(routines.begin(), routines.end(), task.routine) == routines.end())
      routines.emplace_back(task.routine);
  }
};

}  // namespace breakeven
