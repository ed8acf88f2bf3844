// SPDX-License-Identifier: Apache-2.0
#include "reports/reader/whole_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <utility>

namespace breakeven {
namespace {

constexpr std::size_t largest_file = std::size_t{4} << 30;
constexpr std::size_t largest_stream = std::size_t{1} << 30;  // of a pipe nobody knows the length

[[noreturn]] void fail(int error) {
  throw std::runtime_error(error == ENOENT
                               ? "there is no such file; `breakeven run --out FILE` writes one"
                               : std::string("cannot be read: ") + std::strerror(error));
}

class Descriptor {
 public:
  explicit Descriptor(const std::string& path) : number_(open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (number_ < 0) {
      fail(errno);
    }
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() { close(number_); }
  int number() const { return number_; }

 private:
  int number_;
};

std::string read_all(int descriptor, std::size_t expected, std::size_t most) {
  std::string text(expected + 1, '\0');  // one more: the end shows without growing
  std::size_t used = 0;
  while (true) {
    const auto got = ::read(descriptor, text.data() + used, text.size() - used);
    if (got < 0 && errno == EINTR) {
      continue;
    }
    if (got < 0) {
      fail(errno);
    }
    used += static_cast<std::size_t>(got);
    if (used > most) {
      throw std::runtime_error("is longer than " + std::to_string(most >> 30) +
                               " GiB; split it, a run a file");
    }
    if (got == 0) {
      text.resize(used);
      return text;
    }
    if (used == text.size()) {
      text.resize(std::max(used + (1 << 20), used + used / 2));
    }
  }
}

}  // namespace

WholeFile::WholeFile(const std::string& path) {
  const Descriptor file(path);
  struct stat status {};
  if (fstat(file.number(), &status) != 0) {
    fail(errno);
  }
  if (S_ISDIR(status.st_mode)) {
    fail(EISDIR);
  }
  if (S_ISREG(status.st_mode)) {
    const auto size = static_cast<std::size_t>(status.st_size);
    text_ = read_all(file.number(), std::min(size, largest_file), largest_file);
  } else if (S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode)) {
    text_ = read_all(file.number(), 1 << 20, largest_stream);
  } else {
    throw std::runtime_error("cannot be read: it is neither a file nor a pipe");
  }
  bytes_ = text_;
}

WholeFile::WholeFile(FromText from) : text_(std::move(from.text)), bytes_(text_) {}

WholeFile::~WholeFile() = default;

}  // namespace breakeven
