// SPDX-License-Identifier: Apache-2.0
// What a row was measured with, and which of it makes numbers incomparable.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "reports/reader/report.hpp"
#include "reports/reader/row_rules.hpp"

namespace breakeven::comparison {

// A subject that `--expect` can name, with its columns.
struct Subject {
  std::string_view name;
  bool blocks;  // undeclared, a difference on one machine leaves no verdict
  std::vector<Column> columns;
};

const std::vector<Subject>& subjects();

// A fact of a machine that tells what it was doing, not what it is: never the same twice.
bool is_momentary(std::string_view key);

using ContextId = std::size_t;

// Of one group: by backend, the contexts of its rows.
using UsedContexts = std::map<std::string, std::set<ContextId>>;

// Numbers the different contexts of all rows.
class Contexts {
 public:
  ContextId id_of(const Cells& cell);
  ContextId id_of(const RowView& row) {
    return id_of([&](Column column) { return row.text(column); });
  }
  const std::string& value(ContextId id, Column column) const;
  // What machine_facts call machine_id; empty: unknown.
  std::string machine_id(ContextId id) const;

  // The subjects that block, are not in `expected`, and are known and different among these.
  std::vector<std::string_view> blocking(const std::set<ContextId>& ids,
                                         const std::set<std::string>& expected) const;

 private:
  std::vector<std::vector<std::string>> values_;  // by id, in the order of all_columns
  std::unordered_map<std::string, ContextId> ids_;
  std::string last_text_;
  ContextId last_ = 0;
};

// One thing that is not the same in all groups: its values by group, for backends that it holds for
// (empty: all). Pairs are compared key by key.
struct Difference {
  std::string_view subject;
  std::string what;                              // `compiler`, `backend_facts openblas`
  std::string backends;                          // `blas`, or empty
  std::vector<std::vector<std::string>> values;  // by group
};

std::vector<Difference> differences(const Contexts& contexts, std::span<const UsedContexts> used);

}  // namespace breakeven::comparison
