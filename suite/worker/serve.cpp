// SPDX-License-Identifier: Apache-2.0
#include "suite/worker/serve.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <exception>
#include <map>
#include <memory>
#include <new>
#include <optional>
#include <span>

#include <fmt/format.h>

#include "reports/schema/schema.hpp"
#include "suite/machine/binding.hpp"
#include "suite/machine/energy.hpp"
#include "suite/measure/device_ceilings.hpp"
#include "suite/measure/host_ceilings.hpp"
#include "suite/measure/noise.hpp"
#include "suite/registry/loader.hpp"
#include "suite/registry/refusal.hpp"
#include "suite/worker/line_channel.hpp"
#include "suite/worker/prepared_case.hpp"

namespace breakeven {

namespace {

using nlohmann::json;

json outcome(Status status, std::string_view reason) {
  return {{"status", name(status)}, {"reason", reason}};
}

json over_budget(double needed_ns, double budget_ns) {
  return outcome(Status::over_budget,
                 fmt::format("one run takes about {:.2g} s, a case may take {:.2g} s",
                             needed_ns * 1e-9, budget_ns * 1e-9));
}

json to_json(const Verification& verification) {
  return {{"passed", verification.passed},
          {"method", verification.method},
          {"error", verification.error},
          {"tolerance", verification.tolerance},
          {"message", verification.message}};
}

class Worker {
 public:
  explicit Worker(const ServeOptions& options)
      : options_(options), timer_(measure_timer(steady_clock())) {}

  json answer(const json& request) {
    try {
      return dispatch(request);
    } catch (const Unsupported& unsupported) {
      return outcome(Status::unsupported, unsupported.reason);
    } catch (const Refusal& refusal) {
      return outcome(Status::unavailable, refusal.reason());
    } catch (const std::bad_alloc&) {
      return outcome(Status::out_of_memory, "an allocation was refused");
    } catch (const DeviceLost& lost) {
      json message = outcome(Status::failed, one_line(lost.what()));
      message["lost"] = true;
      return message;
    } catch (const std::exception& error) {
      return outcome(Status::failed, one_line(error.what()));
    } catch (...) {
      return outcome(Status::failed, "the plugin threw something that is no std::exception");
    }
  }

 private:
  json dispatch(const json& request) {
    const std::string& what = request.at("do").get_ref<const std::string&>();
    if (what == "open") return open();
    if (what == "prepare") return prepare(request);
    if (what == "visit") return visit(request);
    if (what == "finish") return finish(request);
    if (what == "noise") return {{"status", "ok"}, {"noise", noise_.read()}};
    if (what == "readings") return readings(request);
    if (what == "ceilings") return ceilings(request);
    if (what == "drop") {
      cases_.erase(request.at("id").get<int>());
      return {{"status", "ok"}};
    }
    throw std::logic_error("unknown request '" + what + "'");
  }

  json open() {
    if (options_.plugin.empty()) return {{"status", "ok"}};
    const Manifest& manifest = load_plugin(options_.plugin);
    if (const char* reason = probe(manifest)) return outcome(Status::unavailable, reason);
    const std::int64_t start = steady_clock().now();
    backend_ = create_backend(manifest, options_.settings);
    create_ns_ = static_cast<double>(steady_clock().now() - start);
    return {{"status", "ok"}, {"devices", backend_->devices().size()}};
  }

  Device& device(std::size_t index) {
    const auto devices = backend_->devices();
    if (index >= devices.size())
      throw Unsupported{
          fmt::format("device {} asked for, the backend has {}", index, devices.size())};
    return *devices[index];
  }

  // What the case would take at the best rate seen so far here; 0 where nothing is known yet.
  double expected_ns(const Work& work) const {
    double longest = 0;
    if (best_flops_per_ns_ > 0) longest = work.flops / best_flops_per_ns_;
    if (best_bytes_per_ns_ > 0 && work.flops == 0) longest = work.bytes / best_bytes_per_ns_;
    return longest;
  }

  json prepare(const json& request) {
    const Key key = request.at("key").get<Key>();
    const double budget_ns = request.at("budget_ns").get<double>();
    const auto definitions = all_cases();
    const auto definition = std::find_if(definitions.begin(), definitions.end(),
                                         [&](const Case* c) { return c->name() == key.case_name; });
    if (definition == definitions.end()) throw std::logic_error("unknown case " + key.case_name);
    device(key.device).bind_thread();

    Session session{*backend_, request.at("seed").get<std::uint64_t>(), create_ns_};
    auto prepared = std::make_unique<PreparedCase>(**definition, key, session, timer_);
    const Work work = prepared->workload().work();
    json answer = {{"status", "ok"},
                   {"flops", work.flops},
                   {"bytes", work.bytes},
                   {"launches", work.launches},
                   {"bytes_read", work.bytes_read},
                   {"operands", work.operands},
                   {"copied_h2d", work.copied.h2d},
                   {"copied_d2h", work.copied.d2h},
                   {"copied_d2d", work.copied.d2d},
                   {"copied_peer", work.copied.peer},
                   {"copies_waited", work.copied.waits}};
    if (const double expected = expected_ns(work); expected > budget_ns) {
      answer.update(over_budget(expected, budget_ns));
      return answer;
    }
    const Verification verification = prepared->workload().verify();
    answer["verification"] = to_json(verification);
    if (!verification.passed) {
      answer.update(outcome(Status::wrong, one_line(verification.message)));
      return answer;
    }
    const Calibration& calibration = prepared->calibrate();
    if (!calibration.reason.empty()) {
      answer.update(outcome(Status::unsupported, calibration.reason));
      return answer;
    }
    if (calibration.sample_ns > budget_ns) {
      answer.update(over_budget(calibration.sample_ns, budget_ns));
      return answer;
    }
    if (calibration.sample_ns > 0) {
      const double repetition_ns =
          calibration.sample_ns / static_cast<double>(calibration.repetitions);
      best_flops_per_ns_ = std::max(best_flops_per_ns_, work.flops / repetition_ns);
      best_bytes_per_ns_ = std::max(best_bytes_per_ns_, work.bytes / repetition_ns);
    }
    answer["repetitions"] = calibration.repetitions;
    answer["samples"] = calibration.samples;
    answer["sample_ns"] = calibration.sample_ns;
    answer["steady"] = calibration.steady;
    cases_[request.at("id").get<int>()] = std::move(prepared);
    return answer;
  }

  PreparedCase& prepared(const json& request) { return *cases_.at(request.at("id").get<int>()); }

  json visit(const json& request) {
    PreparedCase& subject = prepared(request);
    Device& place = device(subject.key().device);
    place.bind_thread();
    subject.workload().before_visit();
    const DeviceCounters before = counters(place);
    const Visit visit = subject.visit(request.value("samples", std::size_t{0}));
    const DeviceCounters after = counters(place);
    NoiseReading noise = request.value("noise", true) ? noise_.read() : NoiseReading{};
    noise.thermal_throttle_ns = growth(before.thermal_throttle_ns, after.thermal_throttle_ns);
    json answer = {{"status", "ok"},
                   {"wall", visit.wall},
                   {"enqueue", visit.enqueue},
                   {"device", visit.device},
                   {"noise", noise}};
    if (const auto spent = growth(before.joules, after.joules)) answer["joules"] = *spent;
    if (const auto held = growth(before.power_throttle_ns, after.power_throttle_ns))
      answer["power_throttle_ns"] = *held;
    return answer;
  }

  // What only grows. Energy: the device's own counter, else that of the processors for a device
  // made of them.
  struct DeviceCounters {
    std::optional<double> joules, thermal_throttle_ns, power_throttle_ns;
  };
  DeviceCounters counters(Device& place) {
    DeviceCounters now;
    std::array<Reading, most_readings> read;
    for (const Reading& reading : readings_of(place, read)) {
      if (reading.key == "energy_joules") now.joules = reading.value;
      if (reading.key == "thermal_throttle_ns") now.thermal_throttle_ns = reading.value;
      if (reading.key == "power_throttle_ns") now.power_throttle_ns = reading.value;
    }
    if (!now.joules && place.info().kind == Kind::cpu) now.joules = energy_.joules();
    return now;
  }

  json finish(const json& request) {
    PreparedCase& subject = prepared(request);
    const Verification last = subject.workload().verify_last();
    json answer = {{"status", "ok"}, {"verification", to_json(last)}};
    answer["details"] = subject.workload().details();
    answer["binding"] = observed_binding();
    if (!last.passed) answer.update(outcome(Status::wrong, one_line(last.message)));
    cases_.erase(request.at("id").get<int>());
    return answer;
  }

  static constexpr std::size_t most_readings = 64;
  static std::span<const Reading> readings_of(Device& place, std::span<Reading> into) {
    return into.first(std::min(place.readings(into), into.size()));
  }

  json readings(const json& request) {
    std::array<Reading, most_readings> read;
    json values = json::object();
    for (const Reading& reading :
         readings_of(device(request.at("device").get<std::size_t>()), read))
      values[std::string(reading.key)] = reading.value;
    for (const auto& [name, value] : noise_.host()) values[name] = value;
    values["timer_resolution_ns"] = timer_.resolution_ns;
    values["timer_overhead_ns"] = timer_.overhead_ns;
    return {{"status", "ok"}, {"readings", values}};
  }

  json ceilings(const json& request) {
    if (!backend_ && request.contains("names")) {
      const auto names = request.at("names").get<std::vector<std::string>>();
      return {{"status", "ok"}, {"ceilings", host_ceilings_now(names)}};
    }
    if (!backend_) return {{"status", "ok"}, {"ceilings", host_ceilings()}};
    Device& place = device(request.at("device").get<std::size_t>());
    place.bind_thread();
    return {{"status", "ok"}, {"ceilings", device_ceilings(place, steady_clock())}};
  }

  const ServeOptions& options_;
  Timer timer_;
  NoiseWatch noise_{steady_clock()};
  EnergyCounter energy_;
  std::unique_ptr<Backend> backend_;
  double create_ns_ = 0;
  std::map<int, std::unique_ptr<PreparedCase>> cases_;
  double best_flops_per_ns_ = 0, best_bytes_per_ns_ = 0;
};

}  // namespace

void serve(const ServeOptions& options) {
  int status = 0;
  try {
    Worker worker(options);
    LineReader requests;
    while (requests.fill(options.requests))
      while (const auto request = requests.next()) {
        const json answer = worker.answer(*request);
        write_line(options.answers, answer);
        if (answer.contains("lost")) _exit(0);
      }
  } catch (const std::exception& error) {
    fmt::print(stderr, "worker: {}\n", error.what());
    status = 1;
  }
  _exit(status);
}

}  // namespace breakeven
