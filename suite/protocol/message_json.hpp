// SPDX-License-Identifier: Apache-2.0
// The messages of messages.hpp to and from JSON, for both ends of the line; apart from them, since
// it takes long to compile.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>

#include "suite/protocol/messages.hpp"

namespace nlohmann {

// None is null.
template <>
struct adl_serializer<std::optional<double>> {
  static void to_json(json& message, const std::optional<double>& value) {
    message = value ? json(*value) : json();
  }
  static void from_json(const json& message, std::optional<double>& value) {
    value = message.is_null() ? std::nullopt : std::optional(message.get<double>());
  }
};

}  // namespace nlohmann

namespace breakeven {

// Parts of messages that belong to the model. What is not finite is null in JSON, and read back as
// infinite where that is a finding, refused where it is a time.
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(Copied, h2d, d2h, d2d, peer, exchanged, waits)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Work, flops, bytes, launches, bytes_read, operands, copied)
void to_json(nlohmann::json& json, const Verification& found);
void from_json(const nlohmann::json& json, Verification& found);
void to_json(nlohmann::json& json, const Visit& visit);
void from_json(const nlohmann::json& json, Visit& visit);
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(Audit, repetitions, shortest_ns, beside_ns,
                                                behind_ns, unchanged_ns, took_ns, watched_ns,
                                                others_ns)

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(Opened, devices, protocol)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(FreeMemory, bytes)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(AskFreeMemory, device)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Prepared, work, verification, repetitions, samples, sample_ns,
                                   steady, threads)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Prepare, id, key, seed, budget_ns)
void to_json(nlohmann::json& json, const Visited& visited);
void from_json(const nlohmann::json& json, Visited& visited);
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(TakeVisit, id, samples, audited, is_visit)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Metered, joules, repetitions)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Meter, id)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Finished, verification, details, base, binding, columns)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Finish, id)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Drop, id)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Readings, values)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(AskReadings, device)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(MeasuredCeilings, ceilings)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(MeasureCeilings, device, names, budget_ns)

// Without a field.
inline void to_json(nlohmann::json& json, const Open&) {
  json = nlohmann::json::object();
}
inline void from_json(const nlohmann::json&, Open&) {}
inline void to_json(nlohmann::json& json, const Done&) {
  json = nlohmann::json::object();
}
inline void from_json(const nlohmann::json&, Done&) {}
inline void to_json(nlohmann::json& json, const Rest&) {
  json = nlohmann::json::object();
}
inline void from_json(const nlohmann::json&, Rest&) {}

// Throws BadAnswer.
Outcome outcome_from(const nlohmann::json& answer);

nlohmann::json answer_of(const Outcome& outcome);

template <typename Value>
nlohmann::json answer_of(const Reply<Value>& reply) {
  nlohmann::json answer = answer_of(reply.outcome);
  answer["value"] = reply.value;
  return answer;
}

// Throws BadAnswer: an answer that is ok has a value.
template <typename Value>
Reply<Value> reply_from(const nlohmann::json& answer) {
  Reply<Value> reply{outcome_from(answer), {}};
  try {
    if (reply.ok() || answer.contains("value")) answer.at("value").get_to(reply.value);
  } catch (const nlohmann::json::exception& error) {
    throw BadAnswer(error.what());
  }
  return reply;
}

template <typename Request>
nlohmann::json request_of(const Request& request) {
  nlohmann::json message = request;
  message["do"] = Request::name;
  return message;
}

}  // namespace breakeven
