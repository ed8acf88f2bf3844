// SPDX-License-Identifier: Apache-2.0
// A case on a backend, and what was measured of it in one round: what becomes a row.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "reports/schema/schema.hpp"
#include "suite/measure/stop_rule.hpp"
#include "suite/model/case.hpp"
#include "suite/protocol/messages.hpp"
#include "suite/registry/registry.hpp"

namespace breakeven {

struct PlannedCase {
  const Case* definition = nullptr;
  const Plugin* plugin = nullptr;  // may be one that is not usable: the row says why
  Key key;
  std::string name;              // full, as filters see it
  std::string device_requested;  // as the user wrote it; empty: nothing
};

// Why not all backends of its key are measured beside it.
enum class Unpaired : std::uint8_t {
  no,
  memory,    // they do not fit together
  exclusive  // one process at a time may use the device
};

struct Contender {
  const PlannedCase* planned = nullptr;
  int id = 0;  // unique in the run: what the worker knows it by
  std::size_t match =
      0;  // contenders of one match are visited next to one another, and stop as one
  unsigned round = 1;
  std::string line_up;  // unique in the report: only what shares it was measured side by side
  Unpaired unpaired = Unpaired::no;

  bool ready = false;  // prepared in a live worker
  bool done = false;   // has what its row needs
  Status status = Status::ok;
  std::string reason;
  std::string output;              // what the plugin printed, of a case that is not ok
  std::optional<StopReason> stop;  // of a case over budget too: whose budget it was

  Prepared prepared;
  Finished finished;
  Readings readings_before, readings_after;

  // One entry a visit.
  std::vector<Visit> visits;
  std::vector<double> visit_medians;     // wall, nanoseconds
  std::vector<std::size_t> sweeps;       // of the line-up, counted from 0
  std::vector<std::size_t> processes;    // of the worker that it was in, counted from 0
  std::vector<std::size_t> visit_noise;  // the reading before it, in the run's log; none: unwatched
  std::vector<bool> slowed_by_temperature;  // the device said so
  std::vector<std::string> disturbances;    // of the visits that were disturbed
  std::vector<bool> audited;                // nothing but audited repetitions

  std::vector<Audit> audits;
  std::size_t slow_audits = 0;
  double audits_ns = 0;            // what they cost
  std::string undecided;           // why they told nothing; empty: they did
  bool is_second_attempt = false;  // those of the first, or of a partner's, told nothing

  std::size_t samples = 0;                  // of the next visit; 0: as many as were calibrated
  Metered metered;                          // energy, in a stretch of its own
  std::vector<double> sm_clocks_mhz = {};   // of the device after each visit, if it tells
  std::size_t unsteady_visits = 0;          // that began before its clock stood
  double power_throttle_ns = 0;             // the device's power limit held it back, in all visits
  double sampled_ns = 0;                    // of the work, in all visits
  double opening_ns = 0;                    // what making it ready last took
  double spent_ns = 0;                      // in visits
  std::int64_t began_ns = 0, ended_ns = 0;  // on the parent's clock: made ready, last visit

  // The budget of the run was spent before its turn: a resumed run measures it.
  bool awaits_resume() const { return status == Status::over_budget && stop == StopReason::budget; }
  bool going_on() const { return !done && !stop; }

  // A visit is one repetition, and so may be an audited one.
  bool is_long() const { return prepared.samples == 1 && prepared.repetitions == 1; }
  // The median of the samples that are no audits, or of all where there are no others.
  double claimed_ns() const;

  // Ends the case without a time.
  void end(Status how, std::string why) {
    restart();
    done = true;
    status = how;
    reason = std::move(why);
  }

  // Back to before it was prepared: its worker is gone.
  void restart() {
    ready = false;
    visits.clear();
    visit_medians.clear();
    sweeps.clear();
    processes.clear();
    visit_noise.clear();
    slowed_by_temperature.clear();
    audited.clear();
    audits.clear();
    slow_audits = 0;
    undecided.clear();
    samples = unsteady_visits = 0;
    sm_clocks_mhz.clear();
    metered = {};
    audits_ns = power_throttle_ns = sampled_ns = spent_ns = 0;
    stop.reset();
  }
};

}  // namespace breakeven
