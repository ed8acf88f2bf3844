// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <future>
#include <ostream>
#include <sstream>
#include <thread>

#include "suite/conformance/allocation_count.hpp"
#include "suite/conformance/process_state.hpp"
#include "suite/conformance/rule.hpp"
#include "tests/support/program.hpp"

namespace breakeven::test {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Finished check(const std::string& animal) {
  return breakeven({"check", required_variable("BREAKEVEN_ZOO") + "/" + animal + ".so",
                    "--time-limit", animal == "hangs-in-probe" ? "3" : "120"});
}

// The first words of the lines that say BROKEN.
std::vector<std::string> broken_rules(const std::string& output) {
  std::vector<std::string> rules;
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);) {
    std::string rule, verdict;
    std::istringstream(line) >> rule >> verdict;
    if (verdict == "BROKEN") rules.push_back(rule);
  }
  return rules;
}

struct Animal {
  std::string name;
  std::vector<std::string> rules;
  std::string detail;
};

void PrintTo(const Animal& animal, std::ostream* stream) {
  *stream << animal.name;
}

class Check : public testing::TestWithParam<Animal> {};

TEST_P(Check, FindsTheRuleThatTheAnimalBreaks) {
  const auto& [name, rules, detail] = GetParam();
  if (rules.front() == "enqueue-allocates" && !conformance::largest_allocation())
    GTEST_SKIP() << "operator new is not watched in a build with a sanitizer";
  const auto done = check(name);
  EXPECT_EQ(done.status, 1);
  EXPECT_THAT(broken_rules(done.output), ElementsAreArray(rules)) << done.output << done.errors;
  EXPECT_THAT(done.output, HasSubstr(detail));
}

INSTANTIATE_TEST_SUITE_P(
    OfTheZoo, Check,
    testing::Values(
        Animal{"not-elf", {"file"}, "not an ELF shared library"},
        Animal{"empty", {"file"}, "the file is empty"},
        Animal{"truncated", {"file"}, "it is cut off"},
        Animal{"wrong-architecture", {"file"}, "it was built for"},
        Animal{"writable-by-others", {"file"}, "can be written by others"},
        Animal{"no-manifest", {"exports"}, "it exports"},
        Animal{"manifest-in-dependency", {"exports"}, "it exports"},
        Animal{"exports-more", {"exports"}, "zoo_entrance"},
        Animal{"wrong-api", {"loads"}, "it speaks API 3"},
        Animal{"old-api", {"loads"}, "it speaks API 1"},
        Animal{"wrong-toolchain", {"loads"}, "libsomething"},
        Animal{"missing-library", {"loads"}, "libabsent.so"},
        Animal{"crashes-in-initialiser", {"loads"}, "crashed (SIGSEGV)"},
        Animal{"exits-in-initialiser", {"loads"}, "ended the process with status 0"},
        Animal{"hangs-in-probe", {"probe"}, "gave no answer"},
        Animal{"illegal-instruction", {"probe"}, "SIGILL"},
        Animal{"throws-in-create", {"create"}, "the gate is locked"},
        Animal{"prints", {"quiet"}, "welcome to the zoo"},
        Animal{"too-many-readings", {"devices"}, "readings said 3 where 0 fit"},
        Animal{"misaligned-memory", {"memory"}, "is not aligned to 64 bytes"},
        Animal{"null-for-too-much", {"out-of-memory"}, "null instead of std::bad_alloc"},
        Animal{"throws-unsupported", {"unsupported", "norm"}, "no norms here"},
        Animal{"accepts-anything", {"unheard-of"}, "that there is not yet"},
        Animal{"takes-every-type", {"set-aside"}, "mean nothing yet"},
        Animal{"boasts", {"devices"}, "is 'lots'"},
        Animal{"long-stages", {"stages"}, "its stages took 3.6e+03 s"},
        Animal{"changes-its-making", {"making"}, "was said to be made otherwise"},
        Animal{"works-at-rest", {"rest"}, "of a processor in 300 ms of rest"},
        Animal{"refuses-ceilings", {"free-memory"}, "were refused where"},
        Animal{"ignores-offset", {"copy"}, "arrived changed"},
        Animal{"copies-what-differs", {"copy"}, "once a single byte was another"},
        Animal{"reads-old-output", {"gemm"}, "beta 0"},
        Animal{"writes-too-far", {"gemm"}, "outside of c"},
        Animal{"forgets-a-column", {"gemm"}, "257x257x257"},
        Animal{"accepts-foreign-operands", {"two-devices"}, "was accepted"},
        Animal{"tires", {"repeats"}, "after 500 repeats"},
        Animal{"keeps-results", {"inputs"}, "had changed, a product of n = 211 is wrong"},
        Animal{"works-when-read", {"reading"}, "the work was done when it was read"},
        Animal{"allocates-in-enqueue", {"enqueue-allocates"}, "operator new"},
        Animal{"ignores-events", {"events"}, "behind Queue::wait"},
        Animal{"forgets-the-rest", {"sequence"}, "as the second of a sequence"},
        Animal{"repeats-nothing", {"sequence"}, "as a task that a sequence repeats"},
        Animal{"shares-scratch", {"threads"}, "beside other threads"},
        Animal{"only-once", {"two-instances"}, "there is one already"},
        Animal{"leaks-memory", {"create-again"}, "bytes of heap"},
        Animal{"leaks-descriptors", {"create-again"}, "1 descriptors"},
        Animal{"leaks-threads", {"create-again"}, "1 threads"},
        Animal{"leaks-tasks", {"leaks"}, "bytes of heap"},
        Animal{"leaks-device-memory", {"leaks"}, "bytes on the device"}),
    [](const auto& test) {
      std::string name = test.param.name;
      std::ranges::replace(name, '-', '_');
      return name;
    });

// What the animal `disturbs` does when it is told to, and what is said of it.
struct Disturbance {
  std::string what, rule, detail;
};

void PrintTo(const Disturbance& disturbance, std::ostream* stream) {
  *stream << disturbance.what;
}

class CheckOfTheProcess : public testing::TestWithParam<Disturbance> {
 protected:
  static Finished check(const std::string& what) {
    return breakeven({"check", required_variable("BREAKEVEN_ZOO") + "/disturbs.so", "--option",
                      "disturbs.what=" + what, "--rule", "surroundings", "--rule", "idle", "--rule",
                      "processes", "--rule", "create-again"});
  }
};

TEST_P(CheckOfTheProcess, FindsWhatTheAnimalChanges) {
  const auto& [what, rule, detail] = GetParam();
  if (what == "processors" && std::thread::hardware_concurrency() < 2)
    GTEST_SKIP() << "there is one processor";
  if (what == "posix-timer" && !std::filesystem::exists("/proc/self/timers"))
    GTEST_SKIP() << "this kernel does not list timers";
  const auto done = check(what);
  EXPECT_EQ(done.status, 1);
  EXPECT_THAT(broken_rules(done.output), ElementsAre(rule)) << done.output << done.errors;
  EXPECT_THAT(done.output, HasSubstr(detail));
}

INSTANTIATE_TEST_SUITE_P(
    OfTheZoo, CheckOfTheProcess,
    testing::Values(
        Disturbance{"rounding", "surroundings", "changed rounding: to nearest before, upward now"},
        Disturbance{"denormal-numbers", "surroundings", "denormal numbers: kept before, zero now"},
        Disturbance{"traps", "surroundings", "floating-point traps: off before, on now"},
        Disturbance{"processors", "surroundings", "gemm f32 changed processors: "},
        Disturbance{"priority", "surroundings", "priority: nice 0 before, nice 5 now"},
        Disturbance{"handler", "surroundings", "handler of SIGUSR2: none before, the plugin's now"},
        Disturbance{"mask", "surroundings", "SIGUSR2: none before, blocked now"},
        Disturbance{"interval-timer", "surroundings", "interval timer: none before, running now"},
        Disturbance{"posix-timer", "surroundings", "timers of timer_create: none before"},
        Disturbance{"locale", "surroundings", "locale: C before, C.UTF-8 now"},
        Disturbance{"folder", "surroundings", " before, / now (use absolute paths)"},
        Disturbance{"environment", "surroundings",
                    "'1' now (name it in "
                    "Manifest::environment)"},
        Disturbance{"spinning", "idle", "let them sleep"},
        Disturbance{"processes", "processes", "which goes on after the backend's end"}),
    [](const auto& test) {
      std::string name = test.param.what;
      std::ranges::replace(name, '-', '_');
      return name;
    });

TEST_F(CheckOfTheProcess, HasNothingToSayWhereNothingChanges) {
  const auto done = check("nothing");
  EXPECT_EQ(done.status, 0) << done.output;
  EXPECT_THAT(done.output, HasSubstr("4 rules kept, 0 broken"));
}

// Faults that break more than one rule.
TEST(Check, FindsWrongResults) {
  const auto done = check("wrong-results");
  EXPECT_EQ(done.status, 1);
  EXPECT_THAT(broken_rules(done.output), testing::Contains("gemm"));
  EXPECT_THAT(done.output, HasSubstr("plugin.hpp: \"c = alpha op(a) op(b) + beta c\""));
}

TEST(Check, FindsThatSynchronizeDoesNotWait) {
  const auto done = check("does-not-wait");
  EXPECT_EQ(done.status, 1);
  EXPECT_THAT(broken_rules(done.output), testing::Contains("synchronize"));
  EXPECT_THAT(done.output, HasSubstr("right after synchronize"));
}

TEST(Check, KeepsAllRulesOfASoundPlugin) {
  for (const char* const sound : {"sound", "longer-manifest"}) {
    const auto done = check(sound);
    EXPECT_EQ(done.status, 0) << done.output;
    EXPECT_THAT(broken_rules(done.output), IsEmpty());
  }
}

TEST(Check, StopsAtAPluginThatIsNotUsableHereWithoutBlamingIt) {
  const auto done = check("unavailable");
  EXPECT_EQ(done.status, 0);
  EXPECT_THAT(done.output, HasSubstr("not usable here: no zoo nearby"));
  EXPECT_THAT(done.output, HasSubstr("not tried"));
}

TEST(Check, RefusesARuleThatDoesNotExist) {
  const auto done =
      breakeven({"check", required_variable("BREAKEVEN_ZOO") + "/sound.so", "--rule", "smell"});
  EXPECT_EQ(done.status, 2);
  EXPECT_THAT(done.errors,
              HasSubstr("there is no rule 'smell'; `breakeven check --rules` shows them; see"));
}

// The text without comment marks and line breaks.
std::string prose(const std::string& path) {
  std::ifstream stream(required_variable("BREAKEVEN_SOURCE") + "/" + path);
  std::string text;
  for (std::string word; stream >> word;)
    if (word != "//") text += word + " ";
  return text;
}

TEST(EveryRule, IsWrittenWhereItSays) {
  const std::string header = prose("suite/sdk/breakeven/plugin.hpp");
  const std::string guide = prose("plugins/README.md");
  for (const conformance::Rule& rule : conformance::all_rules()) {
    const std::string& text = rule.file == "plugin.hpp" ? header : guide;
    EXPECT_THAT(text, HasSubstr(std::string(rule.quote))) << rule.name;
  }
  EXPECT_THAT(guide, HasSubstr("A plugin is a complete shared library that only its owner can "
                               "change"));
}

TEST(ProcessState, AThreadThatIsEndingIsNotLeftBehind) {
  using conformance::ProcessState;
  const auto before = ProcessState::now();
  std::thread ending([] { std::this_thread::sleep_for(std::chrono::milliseconds(100)); });
  EXPECT_EQ(growth(before, ProcessState::settled(before), 1 << 30), "");
  ending.join();
}

TEST(ProcessState, AThreadThatStaysIsSaidAfterTheLongestWait) {
  using conformance::ProcessState;
  const auto before = ProcessState::now();
  std::promise<void> end;
  std::thread staying([&] { end.get_future().wait(); });
  const auto after = ProcessState::settled(before, std::chrono::milliseconds(10));
  end.set_value();
  staying.join();
  EXPECT_EQ(growth(before, after, 1 << 30), "1 threads");
}

}  // namespace
}  // namespace breakeven::test
