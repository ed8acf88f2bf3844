// SPDX-License-Identifier: Apache-2.0
#include "tests/support/program.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <stdexcept>

namespace breakeven::test {
namespace {

using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

File temporary_file() {
  return {std::tmpfile(), std::fclose};
}

std::string contents(std::FILE* file) {
  std::string text;
  std::rewind(file);
  std::array<char, 4096> part;
  while (const auto bytes = std::fread(part.data(), 1, part.size(), file))
    text.append(part.data(), bytes);
  return text;
}

}  // namespace

Finished run(const std::vector<std::string>& command, const std::vector<std::string>& environment) {
  const File output = temporary_file(), errors = temporary_file();
  if (!output || !errors) throw std::runtime_error("no temporary file can be made");
  std::vector<char*> words;
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);

  const pid_t child = fork();
  if (child < 0) throw std::runtime_error("fork failed");
  if (child == 0) {
    dup2(open("/dev/null", O_RDONLY), STDIN_FILENO);
    dup2(fileno(output.get()), STDOUT_FILENO);
    dup2(fileno(errors.get()), STDERR_FILENO);
    for (const std::string& variable : environment) putenv(const_cast<char*>(variable.c_str()));
    execv(words[0], words.data());
    _exit(127);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return {.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
          .output = contents(output.get()),
          .errors = contents(errors.get())};
}

Finished breakeven(std::vector<std::string> arguments,
                   const std::vector<std::string>& environment) {
  arguments.insert(arguments.begin(), required_variable("BREAKEVEN_PROGRAM"));
  return run(arguments, environment);
}

std::string required_variable(const char* name) {
  const char* const value = std::getenv(name);
  if (!value) throw std::runtime_error(std::string(name) + " is not set; run this test by ctest");
  return value;
}

}  // namespace breakeven::test
