// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/run/scripted_worker.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <span>
#include <string_view>

#include <fmt/format.h>

#include "suite/measure/noise.hpp"
#include "suite/worker/line_channel.hpp"

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

class Player {
 public:
  json answer(const json& request) {
    const std::string what = request.at("do");
    const int id = request.value("id", -1);
    write_down(fmt::format("{} {} {}\n", what, id, getpid()));
    json reply = {{"status", "ok"}};
    if (what == "prepare")
      reply.update(
          {{"flops", 2e3}, {"bytes", 10.0}, {"repetitions", 4}, {"verification", right()}});
    if (what == "noise") reply["noise"] = noise();
    if (what == "readings") reply["readings"] = json::object();
    if (what == "ceilings") reply["ceilings"] = json::array();
    if (what == "visit")
      reply.update({{"wall", {109.0 + id, 103.0 + id, 101.0 + id}},
                    {"enqueue", {3.0, 1.0, 2.0}},
                    {"device", json::array()},
                    {"noise", noise()},
                    {"joules", 2.0},
                    {"power_throttle_ns", 5.0}});
    if (what == "finish") {
      json found = right();
      if (id == number("SCRIPT_WRONG")) {
        found["passed"] = false;
        reply.update({{"status", "wrong"}, {"reason", "c[0,0] is nan"}});
      }
      reply.update({{"verification", found}, {"details", json::array()}, {"binding", "0"}});
    }
    return reply;
  }

 private:
  static json right() {
    return {{"passed", true}, {"method", "exact"}, {"error", 0}, {"tolerance", 1}, {"message", ""}};
  }
  NoiseReading noise() {
    NoiseReading reading;
    reading.kernel_ns = readings_++ == number("SCRIPT_SLOW") ? 1.5e7 : 1e7;
    reading.since_ns = 1e7;
    return reading;
  }

  int readings_ = 0;
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

Plugin Script::plugin(const std::string& name, int slow_kernel, int wrong_id) const {
  Plugin plugin;
  plugin.name = name;
  plugin.path = plugin.resolved = "/nowhere/" + name + ".so";
  plugin.environment = {{"SCRIPT_RECORD", record_.string()},
                        {"SCRIPT_SLOW", std::to_string(slow_kernel)},
                        {"SCRIPT_WRONG", std::to_string(wrong_id)}};
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
