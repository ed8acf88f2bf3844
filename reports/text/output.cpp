// SPDX-License-Identifier: Apache-2.0
#include "reports/text/output.hpp"

#include <poll.h>
#include <stdio_ext.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <system_error>

#include "reports/text/usage.hpp"

namespace breakeven {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const std::string& path, int error) {
  throw Unusable(path + ": cannot be written: " + std::strerror(error));
}

void write_to(const std::string& file, std::string_view text, const std::string& path) {
  errno = 0;
  std::ofstream stream(file, std::ios::binary | std::ios::trunc);
  stream.write(text.data(), static_cast<std::streamsize>(text.size()));
  stream.close();
  if (!stream) {
    fail(path, errno);
  }
}

// As a new file would have, or as the one in whose place it comes.
mode_t permissions(const std::string& target) {
  struct stat facts {};
  if (stat(target.c_str(), &facts) == 0) {
    return facts.st_mode & 07777;
  }
  const mode_t mask = umask(0);
  umask(mask);
  return 0666 & ~mask;
}

}  // namespace

void write_whole_file(const std::string& path, std::string_view text) {
  std::error_code failed;
  const auto resolved = fs::canonical(path, failed);  // a link stays a link
  const std::string target = failed ? path : resolved.string();
  if (fs::exists(target, failed) && !fs::is_regular_file(target, failed)) {
    return write_to(target, text, path);
  }
  std::string partial = target + ".XXXXXX";
  const int made = mkstemp(partial.data());
  if (made < 0) {
    fail(path, errno);
  }
  close(made);
  try {
    write_to(partial, text, path);
    if (chmod(partial.c_str(), permissions(target)) != 0 ||
        rename(partial.c_str(), target.c_str()) != 0) {
      fail(path, errno);
    }
  } catch (...) {
    unlink(partial.c_str());
    throw;
  }
}

void require_not_an_input(const std::string& output, std::span<const std::string> inputs) {
  for (const auto& input : inputs) {
    std::error_code absent;
    if (fs::equivalent(output, input, absent)) {
      throw Unusable(output + ": is the file that is read (" + input +
                     "); choose another name for the output");
    }
  }
}

bool nobody_reads_standard_output() {
  pollfd output{.fd = STDOUT_FILENO, .events = 0, .revents = 0};
  return poll(&output, 1, 0) > 0 && (output.revents & (POLLERR | POLLHUP)) != 0;
}

void flush_standard_output() {
  errno = 0;
  std::cout.flush();
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0 || !std::cout) {
    const std::string why = errno != 0 ? std::string(": ") + std::strerror(errno) : "";
    __fpurge(stdout);  // what is lost is told once, and not tried again when the program ends
    if (nobody_reads_standard_output()) return;
    throw Unusable("standard output cannot be written" + why);
  }
}

}  // namespace breakeven
