// SPDX-License-Identifier: Apache-2.0
// A worker is the program itself, started again: here the test, which answers what it is told in
// the environment of its plugin and writes down what it was asked.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "suite/registry/registry.hpp"

namespace breakeven::scripted {

// One request: `visit`, the case's id (-1: none), and the process that answered.
struct Asked {
  std::string what;
  int id = -1;
  int process = 0;
};

class Script {
 public:
  Script();  // a new empty record, in a temporary file
  ~Script();

  // Ids of cases: whose last result is wrong, whose device is hot, whose first visit in a worker
  // ends the worker. -1: none.
  struct Faults {
    int wrong = -1, hot = -1, dies = -1;
    int lies = -1;           // its audits take 219 ns + its id, and what is beside them
    int lies_until = -1;     // so many audits of a worker; -1: for ever
    int audits_end = -1;     // after so many that lie a worker answers with none; -1: never
    int beside = 105;        // ns
    int milliseconds = -1;   // its audits take so long instead, and so does what is beside them
    int unchanged = -1;      // ms that it takes before them with nothing new
    int others = -1;         // processors that others have meanwhile
    int behind = -1;         // what a repetition behind them takes, ns
    int quick_visits = -1;   // so many of a worker; later ones take `slower_visit`
    int slower_visit = 150;  // ns
    int forgets = -1;        // 1: whose case is dropped begins with quick visits again
    int ends_at_look = -1;   // the worker, when its ceilings are measured so often
  };

  // What SCRIPT_MOST says in the environment of the test, in 1e9 per second, a worker without a
  // plugin answers of every ceiling that is named; SCRIPT_HIDDEN to the first SCRIPT_LOOKS_HIDDEN.
  // Where none is named it knows `gemm_f32`.

  // A usable plugin with one device, whose workers answer by this script. Visits take
  // {109, 103, 101} ns + the case's id.
  Plugin plugin(const std::string& name, const Faults& faults) const;
  Plugin plugin(const std::string& name) const { return plugin(name, Faults()); }

  std::vector<Asked> asked() const;  // in order, of all workers
  std::vector<int> visited() const;  // the ids of the visits

 private:
  std::filesystem::path record_;
};

// What main does where the program was started as a worker; does not return.
[[noreturn]] void play(int requests, int answers);

}  // namespace breakeven::scripted
