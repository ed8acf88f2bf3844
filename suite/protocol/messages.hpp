// SPDX-License-Identifier: Apache-2.0
// What parent and worker say to one another: one struct a message, each request with its answer; to
// and from JSON in message_json.hpp. Reading is strict, since a plugin shares the worker's memory:
// what is missing or of another type is a BadAnswer.
//
// On the line a request is {"do": name, ...} and an answer {"status", "reason", "lost", "value"}.
// An answer that is not ok may still have a value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "reports/schema/schema.hpp"
#include "suite/measure/ceilings.hpp"
#include "suite/model/key.hpp"
#include "suite/model/prepared_case.hpp"
#include "suite/model/verification.hpp"
#include "suite/model/visit.hpp"

namespace breakeven {

using Texts = std::vector<std::pair<std::string, std::string>>;

// The answer is not what the protocol says.
struct BadAnswer : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// How a request ended: `ok`, or another status of the reports with its reason.
struct Outcome {
  Status status = Status::ok;
  std::string reason;
  bool lost = false;  // the device is lost: the worker has left
};

template <typename Value>
struct Reply {
  Outcome outcome;
  Value value = {};

  bool ok() const { return outcome.status == Status::ok; }
};

template <typename Value>
Reply<Value> reply_with(Value value) {
  Reply<Value> reply;
  reply.value = std::move(value);
  return reply;
}

// Raised when a program of before could not speak with one of after: the worker may be another
// build (`run --program`). A field that the other side may lack needs no new number, and is read
// with a default.
inline constexpr unsigned protocol_number = 2;

// Loads the plugin and creates its backend.
struct Opened {
  std::size_t devices = 0;
  unsigned protocol = 0;  // of a program that does not say
};
struct Open {
  static constexpr std::string_view name = "open";
  using Answer = Opened;
};

// Bytes that are free just now on that device; 0: it does not tell.
struct FreeMemory {
  double bytes = 0;
};
struct AskFreeMemory {
  static constexpr std::string_view name = "free_memory";
  using Answer = FreeMemory;
  std::size_t device = 0;
};

// Makes a case ready, verifies it, warms it up.
struct Prepared {
  Work work = {};
  Verification verification = {};
  std::size_t repetitions = 1, samples = 1;  // of the work in a sample, of samples in a visit
  double sample_ns = 0;
  bool steady = true;       // false: the warm-up ended at its limit
  std::size_t threads = 0;  // of the host that compute, as its tasks say; 0: they do not
};
struct Prepare {
  static constexpr std::string_view name = "prepare";
  using Answer = Prepared;
  int id = 0;  // what the parent calls the case from here on
  Key key;
  std::uint64_t seed = 0;
  double budget_ns = 0;  // a sample that takes longer is over budget
};

// A block of samples.
struct Visited {
  Visit visit = {};
  std::optional<double> thermal_throttle_ns =
      {};                                        // that the device was held back by its temperature
  std::optional<double> power_throttle_ns = {};  // or by its power limit
  Audit audit = {};                         // if it was asked for and there is something to audit
  std::optional<double> sm_clock_mhz = {};  // of the device, when it was over
  bool stood = true;                        // that clock did when it began
};
struct TakeVisit {
  static constexpr std::string_view name = "visit";
  using Answer = Visited;
  int id = 0;
  std::size_t samples = 0;  // 0: as many as fill a visit
  bool audited = false;
  bool is_visit = true;  // false: nothing but the audit
};

// Joules of so many repetitions, in a stretch of its own; none: there is no counter, or nothing
// that can be repeated.
struct Metered {
  std::optional<double> joules = {};
  double repetitions = 0;
};
struct Meter {
  static constexpr std::string_view name = "meter";
  using Answer = Metered;
  int id = 0;
};

// Checks the last timed output and drops the case.
struct Finished {
  Verification verification;
  Texts details;
  std::string base;     // the full name of the row that ratios in the details are taken to
  std::string binding;  // where the worker's threads run
  Texts columns = {};   // that the worker fills in itself, by their names in the report
};
struct Finish {
  static constexpr std::string_view name = "finish";
  using Answer = Finished;
  int id = 0;
};

// Of a request that has nothing to answer.
struct Done {};

struct Drop {
  static constexpr std::string_view name = "drop";
  using Answer = Done;
  int id = 0;
};

// Until the next request nothing of the backend runs outside of the worker's process; then the
// parent stops that.
struct Rest {
  static constexpr std::string_view name = "rest";
  using Answer = Done;
};

// What the device, the host and the timer say about this moment.
struct Readings {
  std::vector<std::pair<std::string, double>> values;
};
struct AskReadings {
  static constexpr std::string_view name = "readings";
  using Answer = Readings;
  std::size_t device = 0;
};

// What the device can reach; of a worker without a plugin, what the machine can. With names, those
// alone as they are just now, in about 10 ms each; without, all there are.
struct MeasuredCeilings {
  Ceilings ceilings;
};
struct MeasureCeilings {
  static constexpr std::string_view name = "ceilings";
  using Answer = MeasuredCeilings;
  std::size_t device = 0;
  std::vector<std::string> names = {};
  double budget_ns = 0;  // for the machine's, beyond a first pass
};

}  // namespace breakeven
