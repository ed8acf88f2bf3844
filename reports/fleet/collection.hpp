// SPDX-License-Identifier: Apache-2.0
// The reports of a fleet, and of each row only what judging needs: 24 bytes. Files are read on all
// processors; what is no report, torn or there twice is told and skipped.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "reports/schema/schema.hpp"

namespace breakeven::fleet {

using TextId = std::uint32_t;

// Texts that thousands of reports share, each kept once. Threads may ask for numbers at the same
// time; `text` is for afterwards.
class Texts {
 public:
  Texts() = default;
  Texts(Texts&& other) noexcept : ids_(std::move(other.ids_)), texts_(std::move(other.texts_)) {}

  TextId id(std::string_view text);
  const std::string& text(TextId id) const { return *texts_[id]; }
  std::size_t size() const { return texts_.size(); }

 private:
  std::mutex mutex_;
  std::unordered_map<std::string, TextId> ids_;
  std::vector<const std::string*> texts_;
};

struct Observation {
  TextId name = 0;      // of the case
  TextId said = 0;      // ok: the source of the ceiling; else the reason
  float median_ns = 0;  // ok
  float ceiling = 0;    // 0: none
  float disturbed = 0;  // share of the visits
  std::uint16_t round = 0;
  Status status = Status::ok;
};

// What a node says of itself: `kernel`, `machine_facts microcode`, or, of a backend or device,
// `backend_facts core_type` of `blas`.
struct StoredFact {
  TextId subject = 0, what = 0, of = 0, value = 0;
};

// A number that moves: a clock while it measured, the free memory.
struct Reading {
  TextId what = 0;
  double sum = 0;
  std::uint32_t count = 0;
  double mean() const { return sum / count; }
};

// The reports of one node, joined.
struct Node {
  std::string name;
  std::vector<std::string> paths;
  std::string machine_id;
  std::string hardware;           // equal for equal machines; the devices stand apart
  std::set<std::string> devices;  // names of GPUs and the like
  std::vector<Observation> rows;
  std::vector<StoredFact> facts;
  std::vector<Reading> readings;
};

struct Collection {
  Texts texts;
  std::vector<Node> nodes;         // in the order of their names
  std::vector<std::string> notes;  // one line each: files and rows that were skipped, and why
  std::size_t files = 0, skipped = 0;
};

// Every CSV below the folders, and every file that is named. Throws std::invalid_argument where a
// path does not exist.
std::vector<std::string> files_below(const std::vector<std::string>& paths);

// Cases whose name `filter` does not find are left out; empty: all are wanted. 0 threads: one for
// each processor. Throws std::invalid_argument where it is no pattern.
void collect(const std::vector<std::string>& files, const std::string& filter, Collection& into,
             unsigned threads = 0);

}  // namespace breakeven::fleet
