// SPDX-License-Identifier: Apache-2.0
// The report being written: rows are appended whole, one line each, flushed to the disk; what was
// measured is never rewritten.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <string>
#include <vector>

#include "reports/schema/schema.hpp"
#include "suite/registry/descriptor.hpp"

namespace breakeven {

class ReportFile {
 public:
  enum class Open { create, resume };

  // `path` of `-` is stdout. Creates the file with its header, or, to resume, locks the existing
  // one and drops a torn last line; where there is none, it is created: a batch system that queues
  // a job again uses one command for both. Throws UsageError: the file exists, or is no report of
  // this version, or another run holds it, or it cannot be written.
  ReportFile(const std::string& path, Open how);

  // Throws std::runtime_error naming the file: the disk is full, the file is gone, or another
  // program cut it off or wrote to it.
  void append(const std::vector<Row>& rows);

  // Drops that line (the header is 1) and all after it.
  void drop_from_line(std::size_t line);

  const std::string& path() const noexcept { return path_; }

 private:
  void drop_torn_line();
  void write_all(std::string_view text);

  std::string path_;
  Descriptor file_;
  off_t length_ = -1;  // as far as it was written here; -1: not a file of our own
};

}  // namespace breakeven
