// SPDX-License-Identifier: Apache-2.0
#include "suite/run/report_file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <stdexcept>

#include <fmt/format.h>

#include "suite/run/text.hpp"

namespace breakeven {

namespace {

std::string error_text() {
  return std::strerror(errno);
}

// A report of this version, or what is left of its first line.
bool begins_as_report(int file) {
  const std::string header = header_line();
  std::string begin(header.size(), '\0');
  const ssize_t got = pread(file, begin.data(), begin.size(), 0);
  return got >= 0 && header.starts_with(begin.substr(0, static_cast<std::size_t>(got)));
}

// The length of the file up to and with its last line end.
off_t whole_lines(int file) {
  off_t end = lseek(file, 0, SEEK_END);
  for (char byte = 0; end > 0; --end)
    if (pread(file, &byte, 1, end - 1) == 1 && byte == '\n') break;
  return end;
}

// Where the first so many lines end; the end of the file where there are fewer; -1: unreadable.
off_t end_of_lines(int file, std::size_t lines) {
  std::array<char, 1 << 16> block;
  off_t end = 0;
  ssize_t got = 0;
  while ((got = pread(file, block.data(), block.size(), end)) > 0)
    for (ssize_t i = 0; i < got; ++i, ++end)
      if (block[static_cast<std::size_t>(i)] == '\n' && --lines == 0) return end + 1;
  return got < 0 ? -1 : end;
}

}  // namespace

ReportFile::ReportFile(const std::string& path, Open how) : path_(path) {
  if (path == "-") {
    file_ = Descriptor(dup(STDOUT_FILENO));
    path_ = "standard output";
    write_all(header_line());
    return;
  }
  const int flags = O_RDWR | O_APPEND | O_CLOEXEC | O_CREAT | (how == Open::create ? O_EXCL : 0);
  file_ = Descriptor(open(path.c_str(), flags, 0644));
  if (!file_ && errno == EEXIST)
    throw Unusable(fmt::format(
        "--out {}: the file exists and is not overwritten; choose another name, or continue it "
        "with --resume",
        path));
  if (!file_)
    throw Unusable(fmt::format("--out {}: cannot be written: {}; name a file elsewhere with --out",
                               path, error_text()));
  if (flock(file_.number(), LOCK_EX | LOCK_NB) != 0)
    throw Unusable(fmt::format("--out {}: another run is writing it", path));
  if (how == Open::resume) drop_torn_line();
  if (lseek(file_.number(), 0, SEEK_END) == 0) write_all(header_line());
  length_ = lseek(file_.number(), 0, SEEK_END);
}

void ReportFile::drop_torn_line() {
  if (!begins_as_report(file_.number()))
    throw Unusable(fmt::format(
        "--out {}: it is not a report with the columns of this version; choose another name",
        path_));
  if (ftruncate(file_.number(), whole_lines(file_.number())) != 0)
    throw Unusable(fmt::format("--out {}: cannot be written: {}", path_, error_text()));
}

void ReportFile::drop_from_line(std::size_t line) {
  const off_t end = end_of_lines(file_.number(), line - 1);
  if (end < 0 || ftruncate(file_.number(), end) != 0)
    throw Unusable(fmt::format("--out {}: cannot be written: {}", path_, error_text()));
  length_ = end;
}

void ReportFile::append(const std::vector<Row>& rows) {
  std::string text;
  for (const Row& row : rows) text += csv_line(row);
  struct stat facts {};
  if (fstat(file_.number(), &facts) == 0 && S_ISREG(facts.st_mode)) {
    if (facts.st_nlink == 0)
      throw std::runtime_error(
          fmt::format("{}: the report was deleted while it was written", path_));
    if (length_ >= 0 && facts.st_size != length_)
      throw std::runtime_error(fmt::format(
          "{}: another program changed the report while it was written: {} bytes instead of {}; "
          "what is missing is measured again with --resume",
          path_, facts.st_size, length_));
  }
  write_all(text);
  if (length_ >= 0) length_ += static_cast<off_t>(text.size());
  if (fdatasync(file_.number()) != 0 && errno != EINVAL && errno != EROFS)
    throw std::runtime_error(fmt::format("{}: could not be flushed: {}", path_, error_text()));
}

void ReportFile::write_all(std::string_view text) {
  const off_t sound = lseek(file_.number(), 0, SEEK_END);  // -1 for a pipe
  while (!text.empty()) {
    const ssize_t written = write(file_.number(), text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) {
      const std::string why = error_text();
      // Half a row helps nobody; readers would drop it with a note.
      [[maybe_unused]] const int ignored = sound >= 0 ? ftruncate(file_.number(), sound) : 0;
      throw std::runtime_error(fmt::format(
          "{}: could not be written: {}; the rows before are sound, continue with --resume", path_,
          why));
    }
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

}  // namespace breakeven
