// SPDX-License-Identifier: Apache-2.0
// A worker is the program itself, started again: here this test, which behaves as its "plugin"
// says.
#include "suite/protocol/worker_process.hpp"

#include <gmock/gmock.h>
#include <unistd.h>

#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string_view>

#include "suite/protocol/line_channel.hpp"
#include "suite/protocol/message_json.hpp"

namespace breakeven {
namespace {

using testing::HasSubstr;
using namespace std::chrono_literals;

constexpr Seconds long_enough = 60s;

void say(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
}

[[noreturn]] void play_worker(std::string_view behaviour, int requests, int answers) {
  LineReader reader;
  while (reader.fill(requests))
    while (reader.next()) {
      if (behaviour == "dies") say("the lion is out\n"), std::raise(SIGKILL);
      if (behaviour == "leaves") _exit(7);
      if (behaviour == "aborts beside a helper") fork() == 0 ? pause() : (std::abort(), 0);
      if (behaviour == "hangs") pause();
      if (behaviour == "prints") say("begin" + std::string(1 << 20, '.') + "end");
      if (behaviour == "garbles" && write(answers, "no JSON\n", 8) != 8) _exit(1);
      write_line(answers, answer_of(reply_with(Opened{0, protocol_number})));
    }
  _exit(0);
}

WorkerEnded end_of(const char* behaviour, Seconds limit) {
  Interrupt interrupt;
  WorkerProcess worker({{}, behaviour, {}, {}}, interrupt);
  try {
    worker.ask(Open{}, limit);
  } catch (const WorkerEnded& end) {
    return end;
  }
  throw std::logic_error("the worker answered");
}

TEST(WorkerProcess, OneThatDiesWhileItIsToRestSaysSoAtTheNextRequest) {
  Interrupt interrupt;
  WorkerProcess worker({{}, "dies", {}, {}}, interrupt);
  worker.pause();
  try {
    worker.ask(Open{}, long_enough);
    FAIL() << "it answered";
  } catch (const WorkerEnded& end) {
    EXPECT_EQ(end.status, Status::crashed);
    EXPECT_THAT(end.output, HasSubstr("the lion is out"));
  }
}

TEST(WorkerProcess, AnswersAndIsIdleThen) {
  Interrupt interrupt;
  WorkerProcess worker({{}, "answers", {}, {}}, interrupt);
  EXPECT_TRUE(worker.ask(Open{}, long_enough).ok());
  EXPECT_TRUE(worker.idle());
}

TEST(WorkerProcess, ThatDiesSaysByWhichSignalAndWhatItPrinted) {
  const WorkerEnded end = end_of("dies", long_enough);
  EXPECT_EQ(end.status, Status::crashed);
  EXPECT_THAT(end.what(), HasSubstr("SIGKILL"));
  EXPECT_EQ(end.output, "the lion is out\n");
}

TEST(WorkerProcess, ThatLeavesSaysWithWhichStatus) {
  const WorkerEnded end = end_of("leaves", long_enough);
  EXPECT_EQ(end.status, Status::crashed);
  EXPECT_THAT(end.what(), HasSubstr("exit status 7"));
}

TEST(WorkerProcess, ThatAbortsHasCrashedAlsoWhereAHelperKeepsItsPipe) {
  const WorkerEnded end = end_of("aborts beside a helper", long_enough);
  EXPECT_EQ(end.status, Status::crashed);
  EXPECT_THAT(end.what(), HasSubstr("SIGABRT"));
}

TEST(WorkerProcess, ThatDoesNotAnswerIsEnded) {
  const WorkerEnded end = end_of("hangs", 50ms);
  EXPECT_EQ(end.status, Status::hung);
  EXPECT_THAT(end.what(), HasSubstr("no answer within 0.05 s"));
}

TEST(WorkerProcess, ThatAnswersNoJsonIsEnded) {
  const WorkerEnded end = end_of("garbles", long_enough);
  EXPECT_EQ(end.status, Status::crashed);
  EXPECT_THAT(end.what(), HasSubstr("nonsense: a message is not a JSON object"));
}

TEST(WorkerProcess, WhatIsNotAnAnswerToItsRequestIsBad) {
  Interrupt interrupt;
  WorkerProcess worker({{}, "answers", {}, {}}, interrupt);
  EXPECT_THROW(worker.ask(TakeVisit{1, 0}, long_enough), BadAnswer);
}

TEST(Messages, SurviveTheWayBetweenProcesses) {
  Visited seen{.power_throttle_ns = 7};
  seen.sm_clock_mhz = 2.5;
  seen.stood = false;
  seen.visit = {{1, 2}, {0.5, 0.25}, {3}};
  const auto line = answer_of(reply_with(seen)).dump();
  const auto back = reply_from<Visited>(nlohmann::json::parse(line));
  EXPECT_TRUE(back.ok());
  EXPECT_EQ(back.value.visit.wall, seen.visit.wall);
  EXPECT_EQ(back.value.visit.device, seen.visit.device);
  EXPECT_EQ(back.value.sm_clock_mhz, 2.5);
  EXPECT_FALSE(back.value.stood);
  EXPECT_FALSE(back.value.thermal_throttle_ns);
}

TEST(Messages, AWrongResultKeepsItsFindingsWhateverTheyAre) {
  Reply<Finished> reply;
  reply.outcome = {Status::wrong, "c[0] is nan"};
  reply.value.verification = {false, "exact", INFINITY, 1, "c[0] is nan"};
  const auto back = reply_from<Finished>(nlohmann::json::parse(answer_of(reply).dump()));
  EXPECT_EQ(back.outcome.status, Status::wrong);
  EXPECT_EQ(back.outcome.reason, "c[0] is nan");
  EXPECT_TRUE(std::isinf(back.value.verification.error));
}

TEST(Messages, ATimeThatIsNoNumberOrMissingIsABadAnswer) {
  Visited seen;
  seen.visit = {{NAN}, {1}, {}};
  const auto read = [](const nlohmann::json& json) { reply_from<Visited>(json); };
  EXPECT_THROW(read(nlohmann::json::parse(answer_of(reply_with(seen)).dump())), BadAnswer);
  seen.visit = {{1, 2}, {1}, {}};
  EXPECT_THROW(read(answer_of(reply_with(seen))), BadAnswer);
  seen.visit = {{1}, {1}, {}};
  nlohmann::json sound = answer_of(reply_with(seen));
  EXPECT_NO_THROW(read(sound));
  sound["value"].erase("power_throttle_ns");
  EXPECT_THROW(read(sound), BadAnswer);
}

TEST(WorkerProcess, MayPrintWithoutEnd) {
  Interrupt interrupt;
  WorkerProcess worker({{}, "prints", {}, {}}, interrupt);
  worker.ask(Open{}, long_enough);
  const std::string printed = worker.take_output();
  EXPECT_LT(printed.size(), 10'000u);
  EXPECT_TRUE(printed.starts_with("begin"));
  EXPECT_TRUE(printed.ends_with("end"));
}

TEST(Interrupt, IsReportedOnce) {
  EXPECT_EXIT(
      {
        Interrupt interrupt;
        std::raise(SIGTERM);
        int number = 0;
        try {
          interrupt.check();
        } catch (const Interrupted& interrupted) {
          number = interrupted.signal;
        }
        interrupt.check();
        _exit(number);
      },
      testing::ExitedWithCode(SIGTERM), "");
}

TEST(Interrupt, ThatWasNoticedMakesASecondOneEndTheProcess) {
  EXPECT_EXIT(
      {
        Interrupt interrupt;
        std::raise(SIGINT);
        interrupt.notice();
        std::raise(SIGINT);
        _exit(0);
      },
      testing::KilledBySignal(SIGINT), "");
}

}  // namespace
}  // namespace breakeven

int main(int argc, char** argv) {
  const std::span<char*> arguments(argv, static_cast<std::size_t>(argc));
  if (argc == 6 && std::string_view(arguments[1]) == "worker") {
    char* rest = nullptr;
    const int requests = static_cast<int>(std::strtol(arguments[3], &rest, 10));
    breakeven::play_worker(arguments[5], requests, std::atoi(rest + 1));
  }
  testing::InitGoogleMock(&argc, argv);
  return RUN_ALL_TESTS();
}
