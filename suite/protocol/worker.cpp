// SPDX-License-Identifier: Apache-2.0
#include "suite/protocol/worker.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <exception>
#include <new>
#include <optional>
#include <span>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "reports/schema/samples.hpp"
#include "suite/cases/all_cases.hpp"
#include "suite/machine/binding.hpp"
#include "suite/measure/device_ceilings.hpp"
#include "suite/measure/host_ceilings.hpp"
#include "suite/protocol/line_channel.hpp"
#include "suite/protocol/message_json.hpp"
#include "suite/registry/loader.hpp"
#include "suite/registry/refusal.hpp"

namespace breakeven {

namespace {

using nlohmann::json;

Outcome over_budget(double needed_ns, double budget_ns) {
  return {Status::over_budget, fmt::format("one run takes about {:.2g} s, a case may take {:.2g} s",
                                           needed_ns * 1e-9, budget_ns * 1e-9)};
}

Outcome wrong(const Verification& found) {
  return {Status::wrong, one_line(found.message)};
}

constexpr std::size_t most_readings = 64;

std::span<const Reading> readings_of(Device& place, std::span<Reading> into) {
  return into.first(std::min(place.readings(into), into.size()));
}

}  // namespace

struct Worker::DeviceCounters {
  std::optional<double> thermal_throttle_ns, power_throttle_ns;  // these only grow
  std::optional<double> sm_clock_mhz;                            // the lowest
};

Worker::Worker(std::filesystem::path plugin, std::vector<Setting> settings)
    : plugin_(std::move(plugin)),
      settings_(std::move(settings)),
      timer_(measure_timer(steady_clock())),
      noise_(steady_clock()) {}

// Plugins are never unloaded, and what they keep for the process lives until it ends.
Worker::~Worker() {
  cases_.clear();
  static_cast<void>(backend_.release());
}

json Worker::answer(const json& request) {
  try {
    return dispatch(request);
  } catch (const Unsupported& unsupported) {
    return answer_of(Outcome{Status::unsupported, unsupported.reason});
  } catch (const Refusal& refusal) {
    return answer_of(Outcome{Status::unavailable, refusal.reason()});
  } catch (const CaseFixture::Wrong& wrong) {
    return answer_of(Outcome{Status::wrong, one_line(wrong.why)});
  } catch (const std::bad_alloc&) {
    return answer_of(Outcome{Status::out_of_memory, "an allocation was refused"});
  } catch (const DeviceLost& lost) {
    return answer_of(Outcome{Status::failed, one_line(lost.what()), true});
  } catch (const std::exception& error) {
    return answer_of(Outcome{Status::failed, one_line(error.what())});
  } catch (...) {
    return answer_of(
        Outcome{Status::failed, "the plugin threw something that is no std::exception"});
  }
}

json Worker::dispatch(const json& request) {
  const std::string& what = request.at("do").get_ref<const std::string&>();
  json answer;
  const auto is = [&]<typename Request>(const Request&) {
    if (what != Request::name) return false;
    if (what != Rest::name && std::exchange(rests_, false)) backend_->wake();
    answer = answer_of(handle(request.get<Request>()));
    return true;
  };
  if (is(TakeVisit()) || is(Prepare()) || is(Finish()) || is(Drop()) || is(Meter()) ||
      is(AskReadings()) || is(AskFreeMemory()) || is(MeasureCeilings()) || is(Rest()) || is(Open()))
    return answer;
  throw std::logic_error("unknown request '" + what + "'");
}

// Before its rows are believed: a plugin that rounds otherwise, or goes before others, is measured
// as another machine would be.
void Worker::require_same_computing() const {
  if (const auto changed = changes(computing_, computing_surroundings()); !changed.empty())
    throw std::runtime_error("the plugin changed " + changed);
}

Reply<Opened> Worker::handle(const Open&) {
  if (plugin_.empty()) return {{}, {0, protocol_number}};
  const auto stage = [this](const std::string& name, double nanoseconds) {
    creation_.emplace_back(name + "_ns", fmt::format("{:.0f}", nanoseconds));
  };
  std::int64_t begin = steady_clock().now();
  const auto since_before = [&begin] {
    const std::int64_t before = std::exchange(begin, steady_clock().now());
    return static_cast<double>(begin - before);
  };
  const Manifest manifest = load_plugin(plugin_);
  stage("load", since_before());
  if (const char* reason = probe(manifest)) return {{Status::unavailable, reason}, {}};
  const double probe_ns = since_before();
  stage("probe", probe_ns);
  backend_ = create_backend(manifest, settings_);
  const double create_ns = since_before();
  stage("create", create_ns);
  create_ns_ = probe_ns + create_ns;  // a runtime may start in either
  for (const Stage& one : backend_->stages())
    stage("create_" + std::string(one.name), one.seconds * 1e9);
  return {{}, {backend_->devices().size(), protocol_number}};
}

Device& Worker::device(std::size_t index) {
  const std::span<Device* const> devices =
      backend_ ? backend_->devices() : std::span<Device* const>();
  if (index >= devices.size())
    throw Unsupported{
        fmt::format("device {} asked for, the backend has {}", index, devices.size())};
  return *devices[index];
}

Reply<FreeMemory> Worker::handle(const AskFreeMemory& request) {
  return {{}, {static_cast<double>(device(request.device).info().free_bytes)}};
}

Reply<Prepared> Worker::handle(const Prepare& request) {
  const Case* const definition = case_named(request.key.case_name);
  if (!definition) throw std::logic_error("unknown case " + request.key.case_name);
  device(request.key.device).bind_thread();

  Session session{*backend_, request.seed, create_ns_};
  auto fixture = std::make_unique<CaseFixture>(*definition, request.key, session, timer_);
  Reply<Prepared> reply;
  Prepared& prepared = reply.value;
  Work& work = prepared.work = fixture->prepared_case().work();
  // What a device made of several gathers from its parts is work, too.
  work.copied.exchanged = fixture->making().exchanged_bytes;
  work.bytes += work.copied.exchanged;
  if (const double least = rates_seen_.least_ns(work); least > request.budget_ns) {
    reply.outcome = over_budget(least, request.budget_ns);
    return reply;
  }
  prepared.verification = fixture->prepared_case().verify();
  if (!prepared.verification.passed) {
    reply.outcome = wrong(prepared.verification);
    return reply;
  }
  const Calibration& calibration = fixture->calibrate();
  if (!calibration.reason.empty()) {
    reply.outcome = {Status::unsupported, calibration.reason};
    return reply;
  }
  if (calibration.sample_ns > request.budget_ns) {
    reply.outcome = over_budget(calibration.sample_ns, request.budget_ns);
    return reply;
  }
  const double repetition_ns = calibration.sample_ns / static_cast<double>(std::max<std::size_t>(
                                                           calibration.repetitions, 1));
  rates_seen_.add(request.key, work, repetition_ns);
  require_same_computing();
  prepared.repetitions = calibration.repetitions;
  prepared.samples = calibration.samples;
  prepared.sample_ns = calibration.sample_ns;
  prepared.steady = calibration.steady;
  prepared.threads = fixture->making().threads;
  cases_[request.id] = std::move(fixture);
  return reply;
}

Reply<Visited> Worker::handle(const TakeVisit& request) {
  CaseFixture& subject = fixture(request.id);
  Device& place = device(subject.key().device);
  const DeviceCounters before = counters(place);
  Reply<Visited> reply;
  Visited& visited = reply.value;
  if (request.audited) visited.audit = subject.audit(request.is_visit ? &visited.visit : nullptr);
  const bool is_complete =
      !visited.visit.wall.empty() || (!request.is_visit && visited.audit.repetitions > 0);
  if (!is_complete) visited.visit = subject.visit(request.samples);
  const DeviceCounters after = counters(place);
  reply.value.thermal_throttle_ns = growth(before.thermal_throttle_ns, after.thermal_throttle_ns);
  reply.value.power_throttle_ns = growth(before.power_throttle_ns, after.power_throttle_ns);
  reply.value.sm_clock_mhz = after.sm_clock_mhz;
  reply.value.stood = subject.stood();
  return reply;
}

Worker::DeviceCounters Worker::counters(Device& place) {
  DeviceCounters now;
  std::array<Reading, most_readings> read;
  for (const Reading& reading : readings_of(place, read)) {
    if (reading.key.ends_with("sm_clock_mhz"))
      now.sm_clock_mhz = std::min(now.sm_clock_mhz.value_or(reading.value), reading.value);
    if (reading.key == "thermal_throttle_ns") now.thermal_throttle_ns = reading.value;
    if (reading.key == "power_throttle_ns") now.power_throttle_ns = reading.value;
  }
  return now;
}

// By the counters of the devices, or by that of the processors for devices made of them.
Reply<Metered> Worker::handle(const Meter& request) {
  CaseFixture& subject = fixture(request.id);
  const Key& key = subject.key();
  const auto joules = [&]() -> std::optional<double> {
    if (device(key.device).info().kind == Kind::cpu) return energy_.joules();
    double sum = 0;
    for (std::size_t i = 0; i < std::max<std::size_t>(key.devices, 1); ++i) {
      std::array<Reading, most_readings> read;
      const auto all = readings_of(device(key.device + i), read);
      const auto found = std::find_if(
          all.begin(), all.end(), [](const Reading& one) { return one.key == "energy_joules"; });
      if (found == all.end()) return std::nullopt;
      sum += found->value;
    }
    return sum;
  };
  Reply<Metered> reply;
  if (const auto metered = subject.meter(joules))
    reply.value = {metered->joules, metered->repetitions};
  return reply;
}

Reply<Finished> Worker::handle(const Finish& request) {
  CaseFixture& subject = fixture(request.id);
  PreparedCase& prepared_case = subject.prepared_case();
  require_same_computing();
  Reply<Finished> reply;
  reply.value = {prepared_case.verify_last(), prepared_case.details(), prepared_case.base(),
                 observed_binding(), columns_of(subject)};
  if (!reply.value.verification.passed) reply.outcome = wrong(reply.value.verification);
  cases_.erase(request.id);
  return reply;
}

// A column that is measured here has its value here, and its place in the schema.
Texts Worker::columns_of(const CaseFixture& subject) const {
  const Making& made = subject.making();
  Texts columns = {{"made_by", std::string(author_name(made.author))},
                   {"routines", fmt::format("{}", fmt::join(made.routines, ", "))},
                   {"creation", format_pairs(creation_)}};
  if (made.threads > 0) columns.emplace_back("compute_threads", std::to_string(made.threads));
  if (made.exchanged_bytes > 0)
    columns.emplace_back("exchanged_bytes", fmt::format("{}", made.exchanged_bytes));
  return columns;
}

Reply<Done> Worker::handle(const Drop& request) {
  cases_.erase(request.id);
  return {};
}

Reply<Done> Worker::handle(const Rest&) {
  if (backend_ && !std::exchange(rests_, true)) backend_->rest();
  return {};
}

Reply<Readings> Worker::handle(const AskReadings& request) {
  std::array<Reading, most_readings> read;
  Reply<Readings> reply;
  for (const Reading& reading : readings_of(device(request.device), read))
    reply.value.values.emplace_back(reading.key, reading.value);
  for (auto& value : noise_.host()) reply.value.values.push_back(std::move(value));
  reply.value.values.emplace_back("timer_resolution_ns", timer_.resolution_ns);
  reply.value.values.emplace_back("timer_overhead_ns", timer_.overhead_ns);
  return reply;
}

Reply<MeasuredCeilings> Worker::handle(const MeasureCeilings& request) {
  if (plugin_.empty())
    return {{},
            {request.names.empty() ? host_ceilings(request.budget_ns)
                                   : host_ceilings_now(request.names)}};
  Device& place = device(request.device);
  place.bind_thread();
  std::vector<Device*> others;  // after the last comes the first
  for (std::size_t i = 1; i <= backend_->devices().size(); ++i)
    others.push_back(&device((request.device + i) % backend_->devices().size()));
  return {{}, {device_ceilings(place, steady_clock(), request.names, others)}};
}

void serve(Worker& worker, int requests, int answers) {
  int status = 0;
  try {
    LineReader reader;
    while (reader.fill(requests))
      while (const auto request = reader.next()) {
        const json answer = worker.answer(*request);
        write_line(answers, answer);
        if (answer.at("lost").get<bool>()) _exit(0);
      }
  } catch (const std::exception& error) {
    fmt::print(stderr, "worker: {}\n", error.what());
    status = 1;
  }
  _exit(status);
}

}  // namespace breakeven
