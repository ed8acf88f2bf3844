// SPDX-License-Identifier: Apache-2.0
#include "suite/conformance/subject.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <system_error>
#include <utility>

#include "suite/registry/loader.hpp"

namespace breakeven::conformance {

Subject::Subject(std::filesystem::path file, std::vector<Setting> settings)
    : file_(std::move(file)),
      settings_(std::move(settings)),
      answer_(dup(STDOUT_FILENO)),
      printed_(memfd_create("printed", MFD_CLOEXEC)) {
  if (answer_ < 0 || printed_ < 0 || dup2(printed_, STDOUT_FILENO) < 0)
    throw std::system_error(errno, std::generic_category(), "standard output cannot be redirected");
}

Subject::~Subject() {
  dup2(answer_, STDOUT_FILENO);
  close(answer_);
  close(printed_);
}

const Manifest& Subject::manifest() {
  if (!manifest_) manifest_ = load_plugin(file_);
  return *manifest_;
}

std::unique_ptr<Backend> Subject::create() {
  return create_backend(manifest(), settings_);
}

std::string Subject::printed() {
  std::fflush(nullptr);
  std::array<char, 256> text;
  const auto bytes = pread(printed_, text.data(), text.size(), 0);
  return bytes > 0 ? std::string(text.data(), static_cast<std::size_t>(bytes)) : std::string();
}

void Subject::answer(const std::string& line) const {
  const std::string text = line + "\n";
  if (write(answer_, text.data(), text.size()) != static_cast<ssize_t>(text.size()))
    throw std::system_error(errno, std::generic_category(), "the answer cannot be written");
}

}  // namespace breakeven::conformance
