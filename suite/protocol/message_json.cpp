// SPDX-License-Identifier: Apache-2.0
#include "suite/protocol/message_json.hpp"

#include <limits>

namespace breakeven {

using nlohmann::json;

void to_json(json& message, const Verification& found) {
  message = {{"passed", found.passed},
             {"method", found.method},
             {"error", found.error},
             {"tolerance", found.tolerance},
             {"message", found.message}};
}

void from_json(const json& message, Verification& found) {
  const auto number = [&](const char* name) {
    const json& value = message.at(name);
    return value.is_null() ? std::numeric_limits<double>::infinity() : value.get<double>();
  };
  message.at("passed").get_to(found.passed);
  message.at("method").get_to(found.method);
  found.error = number("error");
  found.tolerance = number("tolerance");
  message.at("message").get_to(found.message);
}

void to_json(json& message, const Visit& visit) {
  message = {{"wall", visit.wall}, {"enqueue", visit.enqueue}, {"device", visit.device}};
}

void from_json(const json& message, Visit& visit) {
  message.at("wall").get_to(visit.wall);
  message.at("enqueue").get_to(visit.enqueue);
  message.at("device").get_to(visit.device);
  if (visit.wall.empty() || visit.wall.size() != visit.enqueue.size())
    throw BadAnswer("a visit without samples of both clocks");
}

void to_json(json& message, const Visited& visited) {
  message = {{"visit", visited.visit},
             {"joules", nullptr},  // what a program of before MeteredEnergy asks for
             {"thermal_throttle_ns", visited.thermal_throttle_ns},
             {"power_throttle_ns", visited.power_throttle_ns},
             {"audit", visited.audit},
             {"sm_clock_mhz", visited.sm_clock_mhz},
             {"stood", visited.stood}};
}

void from_json(const json& message, Visited& visited) {
  visited.audit = message.value("audit", Audit{});
  const json& visit = message.at("visit");
  if (visited.audit.repetitions == 0 || !visit.at("wall").empty()) visit.get_to(visited.visit);
  if (message.contains("sm_clock_mhz")) message.at("sm_clock_mhz").get_to(visited.sm_clock_mhz);
  visited.stood = message.value("stood", true);
  message.at("thermal_throttle_ns").get_to(visited.thermal_throttle_ns);
  message.at("power_throttle_ns").get_to(visited.power_throttle_ns);
}

json answer_of(const Outcome& outcome) {
  return {{"status", name(outcome.status)}, {"reason", outcome.reason}, {"lost", outcome.lost}};
}

Outcome outcome_from(const json& answer) {
  try {
    const auto& text = answer.at("status").get_ref<const std::string&>();
    const auto status = status_named(text);
    if (!status) throw BadAnswer("unknown status '" + text + "'");
    return {*status, answer.at("reason").get<std::string>(), answer.at("lost").get<bool>()};
  } catch (const json::exception& error) {
    throw BadAnswer(error.what());
  }
}

}  // namespace breakeven
