// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/engine/scripted_worker.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <span>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "suite/protocol/line_channel.hpp"
#include "suite/protocol/message_json.hpp"

namespace breakeven::scripted {

namespace {

using nlohmann::json;

int number(const char* variable) {
  const char* text = std::getenv(variable);
  return text ? std::atoi(text) : -1;
}

// Whole lines of several processes, one after the other.
void write_down(const std::string& line) {
  const char* path = std::getenv("SCRIPT_RECORD");
  if (!path) return;
  const int file = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
  if (file < 0 || write(file, line.data(), line.size()) < 0) _exit(1);
  close(file);
}

Verification right() {
  return {true, "exact", 0, 1, ""};
}

class Player {
 public:
  json answer(const json& request) {
    std::string what = request.at("do");
    const bool is_audit = !request.value("is_visit", true);
    if (is_audit) what = "audit";
    const int id = request.value("id", -1);
    write_down(fmt::format("{} {} {}\n", what, id, getpid()));
    if (what == MeasureCeilings::name)
      for (const std::string name : request.at("names"))
        write_down(fmt::format("{} {} {}\n", name, id, getpid()));
    if (what == Prepare::name) {
      Prepared prepared{.verification = right(), .repetitions = 4, .samples = 3};
      prepared.work.flops = 2e3;
      prepared.work.bytes = 10;
      return answer_of(reply_with(prepared));
    }
    if (what == Meter::name) return answer_of(reply_with(Metered{20, 8}));
    if (what == TakeVisit::name || is_audit) {
      if (id == number("SCRIPT_DIES") && !std::exchange(visited_, true)) _exit(9);
      Visited seen{.power_throttle_ns = 5};
      seen.sm_clock_mhz = visits_ == number("SCRIPT_SLOW_CLOCK") ? 900 : 1000;
      seen.stood = seen.sm_clock_mhz == 1000;
      seen.visit = {{109.0 + id, 103.0 + id, 101.0 + id}, {3, 1, 2}, {}};
      visits_ += is_audit ? 0 : 1;
      if (const int quick = number("SCRIPT_QUICK_VISITS"); quick >= 0 && visits_ > quick)
        seen.visit = {{static_cast<double>(number("SCRIPT_SLOWER_VISIT"))}, {1}, {}};
      if (is_audit && id != number("SCRIPT_LIES")) seen.audit = {1, 100, 100, 1};
      if (request.value("audited", false) && id == number("SCRIPT_LIES")) {
        const int until = number("SCRIPT_LIES_UNTIL");
        const bool lies = audits_++ < until || until < 0;
        seen.audit = {.repetitions = 5,
                      .shortest_ns = lies ? 219.0 + id : 110,
                      .beside_ns = static_cast<double>(number("SCRIPT_BESIDE")),
                      .took_ns = 1e9};
        if (const int slow = number("SCRIPT_MILLISECONDS"); slow > 0)
          seen.audit.shortest_ns = seen.audit.beside_ns = lies ? slow * 1e6 : 110;
        seen.audit.behind_ns = std::max(0, number("SCRIPT_BEHIND"));
        seen.audit.unchanged_ns = std::max(0, number("SCRIPT_UNCHANGED")) * 1e6;
        seen.audit.watched_ns = 1e7;
        seen.audit.others_ns = 1e7 * std::max(0, number("SCRIPT_OTHERS"));
        if (lies && audits_ - 1 == number("SCRIPT_AUDITS_END")) seen.audit = {};
      }
      if (id == number("SCRIPT_HOT")) seen.thermal_throttle_ns = 1;
      return answer_of(reply_with(seen));
    }
    if (what == Finish::name) {
      Reply<Finished> reply = reply_with(Finished{right(), {}, "", "0"});
      if (id == number("SCRIPT_WRONG")) {
        reply.value.verification.passed = false;
        reply.outcome = {Status::wrong, "c[0,0] is nan"};
      }
      return answer_of(reply);
    }
    if (what == Drop::name && number("SCRIPT_FORGETS") > 0) visits_ = 0;
    if (what == AskReadings::name) return answer_of(Reply<Readings>{});
    if (what == MeasureCeilings::name) {
      MeasuredCeilings seen;
      if (looks_ == number("SCRIPT_ENDS_AT_LOOK")) _exit(9);
      const bool hidden = looks_++ < number("SCRIPT_LOOKS_HIDDEN");
      for (const std::string name : request.at("names"))
        if (name == "gemm_f32")
          seen.ceilings.push_back({name, 1e14, "flop/s", 0});
        else if (const int most = number(hidden ? "SCRIPT_HIDDEN" : "SCRIPT_MOST");
                 most >= 0 && (name.starts_with("burst_") || name.starts_with("gemm_")))
          seen.ceilings.push_back({name, most * 1e9, "flop/s", 0});
      return answer_of(reply_with(seen));
    }
    if (what == AskFreeMemory::name) return answer_of(Reply<FreeMemory>{});
    if (what == Open::name) return answer_of(reply_with(Opened{1, protocol_number}));
    return answer_of(Reply<Done>{});
  }

 private:
  bool visited_ = false;
  int audits_ = 0, looks_ = 0, visits_ = 0;
};

}  // namespace

Script::Script()
    : record_(std::filesystem::path(testing::TempDir()) /
              fmt::format("breakeven_script_{}.txt", getpid())) {
  std::ofstream(record_, std::ios::trunc);
}

Script::~Script() {
  std::error_code ignored;
  std::filesystem::remove(record_, ignored);
}

Plugin Script::plugin(const std::string& name, const Faults& faults) const {
  Plugin plugin;
  plugin.name = name;
  plugin.path = plugin.resolved = "/nowhere/" + name + ".so";
  plugin.environment = {{"SCRIPT_RECORD", record_.string()},
                        {"SCRIPT_DIES", std::to_string(faults.dies)},
                        {"SCRIPT_LIES", std::to_string(faults.lies)},
                        {"SCRIPT_SLOWER_VISIT", std::to_string(faults.slower_visit)},
                        {"SCRIPT_BESIDE", std::to_string(faults.beside)},
                        {"SCRIPT_MILLISECONDS", std::to_string(faults.milliseconds)},
                        {"SCRIPT_UNCHANGED", std::to_string(faults.unchanged)},
                        {"SCRIPT_OTHERS", std::to_string(faults.others)},
                        {"SCRIPT_BEHIND", std::to_string(faults.behind)},
                        {"SCRIPT_LIES_UNTIL", std::to_string(faults.lies_until)},
                        {"SCRIPT_AUDITS_END", std::to_string(faults.audits_end)},
                        {"SCRIPT_QUICK_VISITS", std::to_string(faults.quick_visits)},
                        {"SCRIPT_FORGETS", std::to_string(faults.forgets)},
                        {"SCRIPT_ENDS_AT_LOOK", std::to_string(faults.ends_at_look)},
                        {"SCRIPT_HOT", std::to_string(faults.hot)},
                        {"SCRIPT_WRONG", std::to_string(faults.wrong)}};
  PluginDevice device;
  device.name = name + ":0";
  plugin.devices = {device};
  return plugin;
}

std::vector<Asked> Script::asked() const {
  std::vector<Asked> all;
  std::ifstream file(record_);
  for (Asked one; file >> one.what >> one.id >> one.process;) all.push_back(one);
  return all;
}

std::vector<int> Script::visited() const {
  std::vector<int> ids;
  for (const Asked& one : asked())
    if (one.what == "visit") ids.push_back(one.id);
  return ids;
}

void play(int requests, int answers) {
  Player player;
  LineReader reader;
  while (reader.fill(requests))
    while (const auto request = reader.next()) write_line(answers, player.answer(*request));
  _exit(0);
}

}  // namespace breakeven::scripted

int main(int argc, char** argv) {
  const std::span<char*> arguments(argv, static_cast<std::size_t>(argc));
  if (argc >= 4 && std::string_view(arguments[1]) == "worker") {
    char* rest = nullptr;
    const int requests = static_cast<int>(std::strtol(arguments[3], &rest, 10));
    breakeven::scripted::play(requests, std::atoi(rest + 1));
  }
  testing::InitGoogleMock(&argc, argv);
  return RUN_ALL_TESTS();
}
