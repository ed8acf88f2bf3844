// SPDX-License-Identifier: Apache-2.0
// One case made ready on one backend: what the worker verifies and times.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "suite/model/clock.hpp"
#include "suite/model/verification.hpp"

namespace breakeven {

// Bytes by the way they go.
struct Copied {
  double h2d = 0, d2h = 0, d2d = 0, peer = 0;
  double exchanged = 0;  // between the parts of one device, inside an operation
  double waits = 1;      // how often a copy is waited for before the next begins

  double all() const { return h2d + d2h + d2d + peer + exchanged; }
};

// Of one repetition. Zero where the quantity has no meaning for the case.
struct Work {
  double flops = 0;
  double bytes = 0;       // read and written by the operations, and copied
  double launches = 1;    // that the work needs at least
  double bytes_read = 0;  // of `bytes`; 0: about two for each written
  double operands = 0;    // distinct bytes, where `bytes` has some of them several times
  Copied copied = {};     // of `bytes`: on a CPU each of them is read and written
};

// Nanoseconds for all repetitions together.
struct Sample {
  double wall = 0;     // from the first call until everything is done
  double enqueue = 0;  // from the first call until everything is handed over
  // How often the time between two readings of the clock is counted in `enqueue`: the clock's own
  // cost is counted as often.
  double enqueue_readings = 1;
};

class PreparedCase {
 public:
  virtual ~PreparedCase() = default;

  virtual Work work() const = 0;

  // Called before every visit, outside the clock. Poisons random places of every result, so that
  // the last check sees what this visit computed and not what an earlier one left; and what
  // details() compares is measured here, spread over the run as the samples are. Leaves the inputs
  // in place.
  virtual void before_visit() {}

  // Between two runs of a visit. Poison at random places of every result that the host can touch,
  // without the backend, which has had no rest then and knows of no other inputs. False: of none.
  virtual bool poison_unseen() { return false; }
  // After the run that followed. False: some is left.
  virtual bool is_poison_gone() { return true; }

  // An audit, outside the clock. New inputs where they were, poison on every result; the next run
  // is of ring() repetitions, and all results are read after it. False: nothing can be audited.
  virtual bool renew() { return false; }
  // Every cache line that the last renewal wrote is written by the host with what is there, so
  // that nothing is new and the caches are as after a renewal; the backend is not told. False: the
  // host cannot.
  virtual bool touch() { return false; }
  // Blocks until every result was read. False: poison is left, it was not written.
  virtual bool read_results() { return true; }

  // How many successive repetitions have operands of their own, so that short work cannot be left
  // out where it was just done. A run is of a multiple of it, but for an audit of cold caches.
  virtual std::size_t ring() const { return 1; }

  // Runs `repetitions` of the work back to back between two readings of `clock`; nothing is queued
  // before or after. Allocates nothing and takes no lock.
  virtual Sample run(std::size_t repetitions, Clock& clock) = 0;

  // Nanoseconds of `repetitions` on the device's own clock, in a run of their own so that recording
  // events costs the other clocks nothing. None: the device has no clock.
  virtual std::optional<double> run_on_device_clock(std::size_t repetitions) = 0;

  // Checks the result on a poisoned output, with inputs that make every error visible; leaves the
  // inputs that will be timed in place.
  virtual Verification verify() = 0;

  // Checks the output that the last run left behind.
  virtual Verification verify_last() = 0;
  // The same in the middle of a visit, where nothing else may be run.
  virtual Verification verify_audited() { return verify_last(); }

  // What the mode adds to the row, as `upload_share=0.31`: names lower case, values without spaces.
  virtual std::vector<std::pair<std::string, std::string>> details() const { return {}; }
  // The full name of the row that ratios among the details are taken to; empty: none.
  virtual std::string base() const { return {}; }

  // False: one repetition is one observation and must not be batched (a first use, a cold cache).
  virtual bool repeatable() const { return true; }
};

}  // namespace breakeven
