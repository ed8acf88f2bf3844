// SPDX-License-Identifier: Apache-2.0
#include "suite/worker/answers.hpp"

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include <fmt/format.h>

namespace breakeven {

namespace {

using nlohmann::json;

// Turns what the JSON library says of a missing or mistyped member into BadAnswer.
template <typename Read>
auto checked(Read read) {
  try {
    return read();
  } catch (const json::exception& error) {
    throw BadAnswer(error.what());
  }
}

Verification verification_from(const json& answer) {
  // What is not finite is null in JSON.
  const auto number = [&](const char* key) {
    const json& value = answer.at(key);
    return value.is_null() ? std::numeric_limits<double>::infinity() : value.get<double>();
  };
  return {answer.at("passed").get<bool>(), answer.at("method").get<std::string>(), number("error"),
          number("tolerance"), answer.at("message").get<std::string>()};
}

std::vector<double> times_from(const json& answer) {
  auto times = answer.get<std::vector<double>>();
  for (const double nanoseconds : times)
    if (!std::isfinite(nanoseconds)) throw BadAnswer("a time is not finite");
  return times;
}

}  // namespace

Status status_of(WorkerEnded::How how) {
  switch (how) {
    case WorkerEnded::How::hung:
      return Status::hung;
    case WorkerEnded::How::out_of_memory:
      return Status::out_of_memory;
    case WorkerEnded::How::crashed:
      break;
  }
  return Status::crashed;
}

Outcome outcome_from(const json& answer) {
  return checked([&] {
    const auto text = answer.at("status").get<std::string>();
    const auto status = status_named(text);
    if (!status) throw BadAnswer("unknown status '" + text + "'");
    return Outcome{*status, answer.value("reason", std::string()), answer.value("lost", false)};
  });
}

PrepareAnswer prepare_from(const json& answer) {
  return checked([&] {
    PrepareAnswer read;
    read.work.flops = answer.value("flops", 0.0);
    read.work.bytes = answer.value("bytes", 0.0);
    read.work.launches = answer.value("launches", 1.0);
    read.work.bytes_read = answer.value("bytes_read", 0.0);
    read.work.operands = answer.value("operands", 0.0);
    read.work.copied = {
        .h2d = answer.value("copied_h2d", 0.0),
        .d2h = answer.value("copied_d2h", 0.0),
        .d2d = answer.value("copied_d2d", 0.0),
        .peer = answer.value("copied_peer", 0.0),
        .waits = answer.value("copies_waited", 1.0),
    };
    read.repetitions = answer.value("repetitions", std::size_t{1});
    if (answer.contains("verification"))
      read.verification = verification_from(answer.at("verification"));
    if (read.repetitions == 0) throw BadAnswer("a sample of no repetitions");
    return read;
  });
}

VisitAnswer visit_from(const json& answer) {
  return checked([&] {
    VisitAnswer read{{times_from(answer.at("wall")), times_from(answer.at("enqueue")),
                      times_from(answer.at("device"))},
                     answer.at("noise").get<NoiseReading>(),
                     std::nullopt,
                     std::nullopt};
    if (answer.contains("joules")) read.joules = answer.at("joules").get<double>();
    if (answer.contains("power_throttle_ns"))
      read.power_throttle_ns = answer.at("power_throttle_ns").get<double>();
    if (read.visit.wall.empty() || read.visit.wall.size() != read.visit.enqueue.size())
      throw BadAnswer("a visit without samples of both clocks");
    return read;
  });
}

NoiseReading noise_from(const json& answer) {
  return checked([&] { return answer.at("noise").get<NoiseReading>(); });
}

FinishAnswer finish_from(const json& answer) {
  return checked([&] {
    FinishAnswer read;
    read.verification = verification_from(answer.at("verification"));
    answer.at("details").get_to(read.details);
    read.binding = answer.at("binding").get<std::string>();
    return read;
  });
}

std::vector<std::pair<std::string, std::string>> readings_from(const json& answer) {
  return checked([&] {
    std::vector<std::pair<std::string, std::string>> readings;
    for (const auto& [key, value] : answer.at("readings").items())
      if (value.is_number()) readings.emplace_back(key, fmt::format("{}", value.get<double>()));
    return readings;
  });
}

Ceilings ceilings_from(const json& answer) {
  return checked([&] { return answer.at("ceilings").get<Ceilings>(); });
}

}  // namespace breakeven
