// SPDX-License-Identifier: Apache-2.0
// Runs a scenario on a plugin in a process of its own, since the double reads its settings once.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <breakeven/plugin.hpp>

namespace breakeven::test {

using Environment = std::vector<std::pair<std::string, std::string>>;

inline const Manifest& manifest_of(const std::string& plugin) {
  const std::string file = std::string(FAKE_PLUGINS) + "/" + plugin + ".so";
  void* const library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) throw std::runtime_error(dlerror());
  return *static_cast<const Manifest*>(dlsym(library, "breakeven_plugin"));
}

// Where the tests run against a real plugin this is what differs.
inline std::unique_ptr<Backend> backend_of(const std::string& plugin,
                                           std::vector<Variable> settings = {}) {
  const Manifest& manifest = manifest_of(plugin);
  if (const char* reason = manifest.probe()) throw std::runtime_error(reason);
  return manifest.create(settings);
}

// A child of a death test says nothing of its own failed expectations.
inline bool tell_failures() {
  const testing::TestResult& result =
      *testing::UnitTest::GetInstance()->current_test_info()->result();
  for (int i = 0; i < result.total_part_count(); ++i) {
    const testing::TestPartResult& part = result.GetTestPartResult(i);
    std::fprintf(stderr, "%s:%d: %s\n", part.file_name() ? part.file_name() : "?",
                 part.line_number(), part.message());
  }
  return result.Failed();
}

// In the child: 0 where no expectation failed and nothing was thrown.
inline void run_and_exit(const Environment& environment, const std::function<void()>& scenario) {
  for (const auto& [name, value] : environment) setenv(name.c_str(), value.c_str(), 1);
  int status = 0;
  try {
    scenario();
    status = tell_failures() ? 1 : 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    status = 1;
  }
  std::fflush(nullptr);
  _exit(status);
}

// Expectations inside the scenario count.
inline void expect_passes(const Environment& environment, const std::function<void()>& scenario) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(run_and_exit(environment, scenario), testing::ExitedWithCode(0), "");
}

// The scenario goes wrong: a failed expectation, an exception, or a race that ThreadSanitizer saw.
inline void expect_fails(const Environment& environment, const std::function<void()>& scenario) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      run_and_exit(environment, scenario),
      [](int status) { return !testing::ExitedWithCode(0)(status); }, "");
}

}  // namespace breakeven::test
