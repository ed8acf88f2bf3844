// SPDX-License-Identifier: Apache-2.0
#include "reports/reader/mapped_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

namespace breakeven {
namespace {

[[noreturn]] void fail(int error) {
  throw std::system_error(error, std::generic_category());
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

std::string read_all(int descriptor) {
  std::string text;
  std::size_t used = 0;
  while (true) {
    text.resize(used + (1 << 20));
    const auto got = ::read(descriptor, text.data() + used, text.size() - used);
    if (got < 0 && errno == EINTR) {
      continue;
    }
    if (got < 0) {
      fail(errno);
    }
    used += static_cast<std::size_t>(got);
    if (got == 0) {
      text.resize(used);
      return text;
    }
  }
}

}  // namespace

MappedFile::MappedFile(const std::string& path) {
  const Descriptor file(path);
  struct stat status {};
  if (fstat(file.number(), &status) != 0) {
    fail(errno);
  }
  if (S_ISDIR(status.st_mode)) {
    fail(EISDIR);
  }
  if (!S_ISREG(status.st_mode) || status.st_size == 0) {  // the files of /proc have no size either
    text_ = read_all(file.number());
    bytes_ = text_;
    return;
  }
  const auto size = static_cast<std::size_t>(status.st_size);
  mapping_ = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.number(), 0);
  if (mapping_ == MAP_FAILED) {
    mapping_ = nullptr;
    fail(errno);
  }
  madvise(mapping_, size, MADV_SEQUENTIAL);
  bytes_ = std::string_view(static_cast<const char*>(mapping_), size);
}

MappedFile::MappedFile(FromText from) : text_(std::move(from.text)), bytes_(text_) {}

MappedFile::~MappedFile() {
  if (mapping_ != nullptr) {
    munmap(mapping_, bytes_.size());
  }
}

void MappedFile::forget_before(std::size_t end) noexcept {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  end -= end % page;
  if (mapping_ != nullptr && end > 0) {
    madvise(mapping_, end, MADV_DONTNEED);
  }
}

}  // namespace breakeven
