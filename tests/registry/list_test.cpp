// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>
#include <algorithm>

#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <ostream>

#include "tests/support/program.hpp"

namespace breakeven::test {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
namespace fs = std::filesystem;

fs::path zoo() {
  return required_variable("BREAKEVEN_ZOO");
}

// The plugins of the zoo by the stem of their file. One search serves all tests of this program.
const std::map<std::string, json>& animals() {
  static const auto found = [] {
    const auto list =
        breakeven({"list", "--json", "--plugin-dir", zoo().string(), "--probe-limit", "3"});
    const json answer = json::parse(list.output);
    EXPECT_EQ(answer["version"], 1);
    std::map<std::string, json> plugins;
    for (const json& plugin : answer["plugins"]) {
      const fs::path path = plugin["path"].get<std::string>();
      if (path.parent_path() == zoo()) plugins[path.stem()] = plugin;
    }
    return plugins;
  }();
  return found;
}

struct Refused {
  std::string animal, reason, fix;
};

void PrintTo(const Refused& refused, std::ostream* stream) {
  *stream << refused.animal;
}

class EveryAnimal : public testing::TestWithParam<Refused> {};

TEST_P(EveryAnimal, GivesItsOneClearLine) {
  const auto& [animal, reason, fix] = GetParam();
  const json& plugin = animals().at(animal);
  EXPECT_FALSE(plugin["usable"].get<bool>());
  ASSERT_TRUE(plugin["reason"].is_string());
  EXPECT_THAT(plugin["reason"].get<std::string>(), HasSubstr(reason));
  EXPECT_THAT(plugin["fix"].get<std::string>(), HasSubstr(fix));
  EXPECT_THAT(plugin["reason"].get<std::string>(), testing::Not(HasSubstr("\n")));
}

INSTANTIATE_TEST_SUITE_P(
    OfTheZoo, EveryAnimal,
    testing::Values(
        Refused{"not-elf", "it is not an ELF shared library", "breakeven_add_plugin"},
        Refused{"empty", "the file is empty", "build or copy it again"},
        Refused{"truncated", "it is cut off", "build or copy it again"},
        Refused{"wrong-architecture", "it was built for machine number 65278", "build it for this"},
        Refused{"writable-by-others", "its file can be written by others", "chmod o-w"},
        Refused{"no-manifest", "it exports no breakeven_plugin", "breakeven_add_plugin"},
        Refused{"manifest-in-dependency", "libborrowed.so", "in the plugin itself"},
        Refused{"wrong-api", "it speaks API 3, this program API 2", "use a program of that API"},
        Refused{"old-api", "it speaks API 1, this program API 2",
                "build it again, against this program's SDK"},
        Refused{"short-manifest", "its manifest has 64 bytes", "leave Manifest::bytes as it is"},
        Refused{"wrong-toolchain", "it was built with libsomething", "same C++ library"},
        Refused{"missing-library", "libabsent.so: cannot open shared object file", "install"},
        Refused{"throws-in-create", "zooOpen: the gate is locked", ""},
        Refused{"unavailable", "no zoo nearby", ""},
        Refused{"too-many-devices", "it has 10000 devices; the most are 1024", ""},
        Refused{"steers-terminals-when-refused", "the gate is", ""},
        Refused{"crashes-in-initialiser", "crashed (SIGSEGV) while it was loaded", "gdb --args"},
        Refused{"exits-in-initialiser", "ended the process with status 0 while it was loaded",
                "gdb"},
        Refused{"hangs-in-probe", "gave no answer within 3 s in probe", "--probe-limit"},
        Refused{"illegal-instruction", "crashed (SIGILL) in probe",
                "a processor extension that is missing"},
        Refused{"duplicate-b", "the name is taken by", "--plugin"}),
    [](const auto& test) {
      std::string name = test.param.animal;
      std::ranges::replace(name, '-', '_');
      return name;
    });

TEST(List, FindsTheUsableOnesBesideTheBadOnes) {
  for (const char* const animal :
       {"sound", "duplicate-a", "prints", "exports-more", "longer-manifest"})
    EXPECT_TRUE(animals().at(animal)["usable"].get<bool>()) << animals().at(animal).dump(2);
}

TEST(List, TellsTheDevicesOfABackend) {
  const json& devices = animals().at("sound")["devices"];
  ASSERT_EQ(devices.size(), 2u);
  EXPECT_EQ(devices[1]["name"], "sound:1");
  EXPECT_EQ(devices[1]["maker_name"], "cage 1");
  EXPECT_EQ(devices[1]["facts"]["bars"], "steel");
}

TEST(List, SaysWhyInOneLinePerPlugin) {
  const auto why =
      breakeven({"list", "--why", "--plugin-dir", zoo().string(), "--probe-limit", "3"});
  EXPECT_EQ(why.status, 0);
  EXPECT_THAT(why.output, HasSubstr("backend 'not-elf' (" + (zoo() / "not-elf.so").string() +
                                    ") not loaded: it is not an ELF shared library; build it"));
}

// What a plugin says of itself, with all that steers a terminal in it, and 100 000 characters long.
TEST(List, WhatAPluginSaysSteersNoTerminalAndHasALength) {
  const auto steers = (zoo() / "steers-terminals.so").string();
  const auto refused = (zoo() / "steers-terminals-when-refused.so").string();
  const std::vector<std::vector<std::string>> commands{
      {"list", "--why", "--options", "--plugin", steers, "--plugin", refused},
      {"check", steers, "--rule", "loads"},
      {"check", refused, "--rule", "loads"},
      {"run", "--dry-run", "--plugin", steers, "--backend", "steers-terminals"},
      {"run", "--plugin", refused, "--backend", "steers-terminals-when-refused"}};
  for (const auto& command : commands) {
    const auto done = breakeven(command);
    for (const auto& said : {done.output, done.errors}) {
      EXPECT_EQ(std::ranges::count_if(said,
                                      [](unsigned char c) {
                                        return (c < 0x20 && c != '\n') || c == 0x7f || c == 0x9b;
                                      }),
                0)
          << testing::PrintToString(command) << said;
      EXPECT_LT(said.size(), 10'000u) << testing::PrintToString(command);
    }
  }
  const auto list = breakeven(commands.front()).output;
  EXPECT_THAT(list, HasSubstr("cage not loaded: "));
  EXPECT_EQ(list.find("\nnot loaded"), std::string::npos) << list;
}

TEST(List, FailsWhereAPluginAskedForByItsFileIsNotUsable) {
  const auto list = breakeven({"list", "--plugin", (zoo() / "wrong-api.so").string()});
  EXPECT_EQ(list.status, 1);
  EXPECT_THAT(list.errors, HasSubstr("backend 'wrong-api'"));
}

TEST(List, RefusesAFolderThatDoesNotExist) {
  const auto list = breakeven({"list", "--plugin-dir", "/no/such/folder"});
  EXPECT_EQ(list.status, 2);
  EXPECT_THAT(list.errors, HasSubstr("--plugin-dir '/no/such/folder'"));
}

TEST(List, RefusesARelativeFolderInThePluginPath) {
  const auto list = breakeven({"list"}, {"BREAKEVEN_PLUGIN_PATH=zoo"});
  EXPECT_EQ(list.status, 2);
  EXPECT_THAT(list.errors, HasSubstr("BREAKEVEN_PLUGIN_PATH: 'zoo'"));
}

TEST(List, RefusesOptionsThatNoBackendHas) {
  const auto sound = (zoo() / "sound.so").string();
  const auto option = breakeven({"list", "--plugin", sound, "--option", "sound.bars=3"});
  EXPECT_EQ(option.status, 2);
  EXPECT_THAT(option.errors, HasSubstr("backend 'sound' has no options"));
  const auto backend = breakeven({"list", "--plugin", sound, "--option", "lion.bars=3"});
  EXPECT_EQ(backend.status, 2);
  EXPECT_THAT(backend.errors, HasSubstr("unknown backend 'lion'"));
}

// Search order, in a folder of the test's own.
class Folder : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) /
              ("breakeven_" + std::to_string(getpid()) + "_" +
               testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  fs::path copy(const std::string& animal, const fs::path& to) {
    fs::create_directories((folder_ / to).parent_path());
    fs::copy_file(zoo() / (animal + ".so"), folder_ / to);
    return folder_ / to;
  }
  json list(std::vector<std::string> arguments, const std::vector<std::string>& environment = {}) {
    arguments.insert(arguments.begin(), {"list", "--json"});
    return json::parse(breakeven(arguments, environment).output)["plugins"];
  }

  fs::path folder_;
};

TEST_F(Folder, OfFilesComesBeforeFoldersBeforeThePluginPath) {
  const auto file = copy("sound", "c.so");
  const auto in_folder = copy("sound", "b/b.so");
  const auto in_path = copy("sound", "a/a.so");
  const json found = list({"--plugin-dir", (folder_ / "b").string(), "--plugin", file.string()},
                          {"BREAKEVEN_PLUGIN_PATH=" + (folder_ / "a").string()});
  EXPECT_EQ(found[0]["path"], file.string());
  EXPECT_EQ(found[1]["path"], in_folder.string());
  EXPECT_EQ(found[2]["path"], in_path.string());
  EXPECT_TRUE(found[0]["usable"].get<bool>());
  EXPECT_THAT(found[1]["reason"].get<std::string>(), HasSubstr(file.string()));
  EXPECT_THAT(found[2]["reason"].get<std::string>(), HasSubstr(file.string()));
}

TEST_F(Folder, WithALinkToTheSameFileCountsOnce) {
  const auto file = copy("sound", "a.so");
  fs::create_symlink(file, folder_ / "b.so");
  const json found = list({"--plugin-dir", folder_.string()});
  EXPECT_EQ(found[0]["path"], file.string());
  for (std::size_t i = 1; i < found.size(); ++i)
    EXPECT_NE(fs::path(found[i]["path"].get<std::string>()).parent_path(), folder_);
}

TEST_F(Folder, OfTheProgramTellsWhatItsBuildLeftOut) {
  const auto plugin = copy("sound", "lib/breakeven/plugins/sound.so");
  std::ofstream(plugin.parent_path() / "not_built.txt")
      << "cublas: no toolkit\nsound: an older build had none\n";
  fs::create_directories(folder_ / "bin");
  const fs::path program = folder_ / "bin/breakeven";
  fs::copy_file(required_variable("BREAKEVEN_PROGRAM"), program);
  const Finished listed = run({program.string(), "list", "--why"}, {"BREAKEVEN_PLUGIN_PATH="});
  EXPECT_THAT(listed.output, AllOf(HasSubstr("not usable here: cublas ("),
                                   HasSubstr("backend 'cublas' not built: no toolkit\n")));
}

TEST_F(Folder, ThatOthersCanWriteIsRefusedUnlessTrusted) {
  const auto file = copy("sound", "open/sound.so");
  chmod((folder_ / "open").c_str(), 0777);
  const json refused = list({"--plugin-dir", (folder_ / "open").string()})[0];
  EXPECT_THAT(refused["reason"].get<std::string>(),
              HasSubstr("its folder can be written by others"));
  const json trusted = list({"--trust-writable", "--plugin-dir", (folder_ / "open").string()})[0];
  EXPECT_TRUE(trusted["usable"].get<bool>());
}

TEST_F(Folder, NamedLikeAPluginIsNotARegularFile) {
  fs::create_directories(folder_ / "folder.so");
  const json found = list({"--plugin-dir", folder_.string()})[0];
  EXPECT_THAT(found["reason"].get<std::string>(), HasSubstr("not a regular file"));
}

TEST_F(Folder, OfTheCurrentDirectoryIsNeverSearched) {
  copy("sound", "sound.so");
  const auto here = fs::current_path();
  fs::current_path(folder_);
  const json found = list({}, {"BREAKEVEN_PLUGIN_PATH="});
  fs::current_path(here);
  for (const json& plugin : found) EXPECT_NE(plugin["name"], "sound");
}

json facts_of_wants_environment(std::vector<std::string> arguments,
                                const std::vector<std::string>& environment) {
  arguments.insert(arguments.begin(),
                   {"list", "--json", "--plugin", (zoo() / "wants-environment.so").string()});
  return json::parse(breakeven(arguments, environment).output)["plugins"][0]["facts"];
}

TEST(Environment, OfAPluginIsSetBeforeItsLibraryIsLoaded) {
  const json facts = facts_of_wants_environment({}, {});
  EXPECT_EQ(facts["keeper"], "nobody");
  EXPECT_EQ(facts["fence"], "high");
  EXPECT_EQ(facts["visitors"], "12");
}

TEST(Environment, OfTheUserWinsOverDefaults) {
  const json facts = facts_of_wants_environment({}, {"ZOO_KEEPER=ann", "ZOO_FENCE=low"});
  EXPECT_EQ(facts["keeper"], "ann");
  EXPECT_EQ(facts["fence"], "low");
}

TEST(Environment, AnOptionWinsOverTheUsersVariable) {
  const json facts = facts_of_wants_environment(
      {"--option", "wants-environment.keeper=bob", "--option", "wants-environment.visitors=3"},
      {"ZOO_KEEPER=ann"});
  EXPECT_EQ(facts["keeper"], "bob");
  EXPECT_EQ(facts["visitors"], "3");
}

TEST(Environment, SaysWhatHoldsForEveryOption) {
  const auto values = [](std::vector<std::string> arguments,
                         const std::vector<std::string>& environment) {
    arguments.insert(arguments.begin(),
                     {"list", "--json", "--plugin", (zoo() / "wants-environment.so").string()});
    std::map<std::string, std::string> found;
    const json list = json::parse(breakeven(arguments, environment).output);
    for (const json& option : list["plugins"][0]["options"])
      found[option["name"]] = option["value"];
    return found;
  };
  using Values = std::map<std::string, std::string>;
  EXPECT_EQ(values({}, {}), (Values{{"keeper", "nobody"}, {"visitors", "12"}}));
  EXPECT_EQ(values({}, {"ZOO_KEEPER=ann"}), (Values{{"keeper", "ann"}, {"visitors", "12"}}));
  EXPECT_EQ(values({"--option", "wants-environment.keeper=bob", "--option",
                    "wants-environment.visitors=3"},
                   {"ZOO_KEEPER=ann"}),
            (Values{{"keeper", "bob"}, {"visitors", "3"}}));
}

// By name: the devices, then what holds for every option.
std::map<std::string, json> with_options(std::vector<std::string> arguments) {
  const auto plugin = (zoo() / "wants-environment.so").string();
  arguments.insert(arguments.begin(), {"list", "--json", "--plugin", plugin});
  std::map<std::string, json> found;
  const json list = json::parse(breakeven(arguments).output);
  for (const json& one : list["plugins"]) {
    if (one["path"] != plugin) continue;
    json told = {{"device", one["devices"][0]["name"]}, {"facts", json::object()}};
    for (const auto& [key, value] : one["facts"].items()) told["facts"][key] = value;
    for (const json& option : one["options"]) told[option["name"]] = option["value"];
    found[one["name"]] = told;
  }
  return found;
}

TEST(Option, IsInTheCommandThatShowsACrashAsAShellReadsIt) {
  const auto plugin = (zoo() / "crashes-in-initialiser.so").string();
  const json list = json::parse(
      breakeven({"list", "--json", "--plugin", plugin, "--option", "crashes-in-initialiser.a=b c",
                 "--option", "crashes-in-initialiser@late.a=d"})
          .output);
  std::map<std::string, std::string> fixes;
  for (const json& one : list["plugins"])
    if (one["path"] == plugin) fixes[one["name"]] = one["fix"];
  const std::string base = "inspect " + plugin + " --option 'crashes-in-initialiser.a=b c'";
  EXPECT_THAT(fixes["crashes-in-initialiser"], testing::EndsWith(base));
  EXPECT_THAT(fixes["crashes-in-initialiser@late"],
              testing::EndsWith(base + " --option crashes-in-initialiser.a=d"));
}

TEST(Variant, IsTheSamePluginOnceMoreWithSettingsOnTop) {
  const auto found = with_options(
      {"--option", "wants-environment@late.keeper=bob", "--option", "wants-environment.visitors=3",
       "--option", "wants-environment@2.visitors=4", "--option", "wants-environment@2.keeper=eve"});
  ASSERT_EQ(found.size(), 3u);
  const json &base = found.at("wants-environment"), &late = found.at("wants-environment@late"),
             &second = found.at("wants-environment@2");
  EXPECT_EQ(base["device"], "wants-environment:0");
  EXPECT_EQ(base["keeper"], "nobody");
  EXPECT_EQ(base["visitors"], "3");
  EXPECT_EQ(late["device"], "wants-environment@late:0");
  EXPECT_EQ(late["keeper"], "bob");
  EXPECT_EQ(late["visitors"], "3");
  EXPECT_EQ(second["keeper"], "eve");
  EXPECT_EQ(second["visitors"], "4");
}

TEST(Variant, OfAFileThatIsNamedOtherwiseIsNotUsable) {
  const auto folder = fs::temp_directory_path() / ("variant-" + std::to_string(::getpid()));
  fs::create_directory(folder);
  fs::copy_file(zoo() / "wants-environment.so", folder / "other.so");
  const auto list = breakeven({"list", "--json", "--plugin", (folder / "other.so").string(),
                               "--option", "other@late.keeper=bob"});
  fs::remove_all(folder);
  const json told = json::parse(list.output);
  EXPECT_TRUE(told["plugins"][0]["usable"]);
  EXPECT_EQ(told["plugins"][1]["name"], "other@late");
  EXPECT_EQ(told["plugins"][1]["reason"],
            "the file is named otherwise than its backend 'wants-environment'");
}

TEST_F(Folder, HasTheWiderFileOfANameWhereTheProcessorIsThatWide) {
  std::ifstream processor("/proc/cpuinfo");
  const std::string facts{std::istreambuf_iterator<char>(processor), {}};
  const auto lacks = [&](const char* flag) { return facts.find(flag) == facts.npos; };
  const bool is_wide = !lacks("avx512f") && !lacks("avx512bw") && !lacks("avx512cd") &&
                       !lacks("avx512dq") && !lacks("avx512vl");
  const auto plain = copy("sound", "sound.so"), wide = copy("sound", "x86-64-v4/sound.so");
  copy("sound", "x86-64-v4/alone.so");
  const json found = list({"--plugin-dir", folder_.string()});
  EXPECT_EQ(found[0]["path"], (is_wide ? wide : plain).string());
  for (std::size_t i = 1; i < found.size(); ++i)
    EXPECT_THAT(found[i]["path"].get<std::string>(), Not(HasSubstr(folder_.string())));
}

TEST(Variant, OfWhatDoesNotExistIsRefused) {
  const auto refused = [](const char* option, const char* saying) {
    const auto list = breakeven(
        {"list", "--plugin", (zoo() / "wants-environment.so").string(), "--option", option});
    EXPECT_EQ(list.status, 2) << option;
    EXPECT_THAT(list.errors, HasSubstr(saying)) << option;
  };
  refused("lion@old.bars=3", "unknown backend 'lion@old'");
  refused("wants-environment@old.bars=3", "has only the options: keeper, visitors");
  for (const char* const name :
       {"wants-environment@.keeper=a", "@old.keeper=a", "wants-environment@a@b.keeper=a",
        "wants-environment@a/b.keeper=a"})
    refused(name, "a variant is written backend@variant, with letters, digits and dashes");
}

TEST(Environment, IsToldToTheParentForItsWorkers) {
  const auto list = breakeven(
      {"list", "--json", "--plugin", (zoo() / "wants-environment.so").string()}, {"ZOO_FENCE=low"});
  const json expected = {{"ZOO_KEEPER", "nobody"}};
  EXPECT_EQ(json::parse(list.output)["plugins"][0]["environment"], expected);
}

}  // namespace
}  // namespace breakeven::test
