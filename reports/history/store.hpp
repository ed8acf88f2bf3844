// SPDX-License-Identifier: Apache-2.0
// The file that keeps runs: what was measured, and with what. Samples stay in the reports.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "reports/reader/report.hpp"
#include "reports/schema/schema.hpp"

struct sqlite3;

namespace breakeven::history {

// A stored row. The texts are valid until the next one.
struct StoredRow {
  std::string_view machine, run_id, utc;  // of the run's first row
  std::string_view name, reason;
  Status status = Status::ok;
  double median_ns = 0;  // of ok
  std::int64_t context = 0;
};

// Rows of one run, case and round are kept once: adding a report again adds what is new in it.
// Several programs may use a file at the same time, on several hosts too where their file system
// has locks. Every function throws Unusable, one line with the path.
class Store {
 public:
  enum class Open { read, create };

  Store(const std::string& path, Open how);
  ~Store();

  // Searches are left out. The number of rows that are new.
  std::size_t add(std::span<const Row> rows);
  std::size_t add(const Report& report);

  // By machine, case, time of the run, and round.
  void for_each_row(const std::function<void(const StoredRow&)>& take) const;
  // What a row was measured with: the columns of comparison::subjects, as JSON.
  void for_each_context(
      const std::function<void(std::int64_t id, std::string_view json)>& take) const;

 private:
  template <class Fill>
  std::size_t in_one_transaction(Fill fill);

  std::string path_;
  std::unique_ptr<sqlite3, int (*)(sqlite3*)> file_;
};

}  // namespace breakeven::history
