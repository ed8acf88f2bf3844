// SPDX-License-Identifier: Apache-2.0
// Libraries that end the whole program.
#pragma once

#include <functional>
#include <string>

namespace breakeven {

// Calls `work` in a process of its own and returns the program's exit status, which it returns.
// Where a crash or an exit in a library ends that process, a line says who was at work.
int run_apart(const char* program, const std::function<int()>& work);

// Calls `work`. An exception comes out as a std::runtime_error that starts with the name.
void at_work(const std::string& name, const std::function<void()>& work);

}  // namespace breakeven
