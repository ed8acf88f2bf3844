// SPDX-License-Identifier: Apache-2.0
#include "reports/fleet/collection.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <filesystem>
#include <set>
#include <stdexcept>
#include <thread>

#include "reports/compare/context.hpp"
#include "reports/fleet/node_names.hpp"
#include "reports/reader/report.hpp"
#include "reports/text/pattern.hpp"
#include "reports/text/usage.hpp"

namespace breakeven::fleet {
namespace {

namespace fs = std::filesystem;

// The rows of one machine in one file.
struct Part {
  Node node;
  std::vector<std::string> runs;
};

struct FileContents {
  std::vector<Part> parts;
  std::vector<std::string> notes;
  bool is_skipped = false;
};

bool is_of_device(Column column) {
  return column == Column::device_name || column == Column::device_kind ||
         column == Column::device_memory_bytes || column == Column::device_facts;
}

bool is_of_backend(Column column) {
  return column == Column::backend_version || column == Column::backend_compiler ||
         column == Column::backend_flags || column == Column::backend_facts ||
         column == Column::libraries || column == Column::environment || column == Column::options;
}

// Each `key=number` of a packed field, without the cost of keeping the pairs.
template <class Take>
void for_each_number(std::string_view pairs, Take take) {
  while (!pairs.empty()) {
    const auto pair = pairs.substr(0, pairs.find(' '));
    pairs.remove_prefix(std::min(pair.size() + 1, pairs.size()));
    const auto equals = pair.find('=');
    if (equals == pair.npos) {
      continue;
    }
    double value = 0;
    const auto* end = pair.data() + pair.size();
    if (std::from_chars(pair.data() + equals + 1, end, value).ptr == end) {
      take(pair.substr(0, equals), value);
    }
  }
}

// Nanoseconds, joules and switches count up; a row saw what was added.
bool is_counter(std::string_view reading) {
  return reading.ends_with("_ns") || reading.ends_with("_joules") || reading.ends_with("_switches");
}

bool is_of_the_timer(std::string_view reading) {
  return reading.starts_with("timer_");
}

class PartReader {
 public:
  PartReader(Part& part, Texts& texts) : part_(part), texts_(texts) {}

  void add(const RowView& row) {
    const auto run = row.text(Column::run_id);
    if (part_.runs.empty() || part_.runs.back() != run) {
      if (std::find(part_.runs.begin(), part_.runs.end(), run) == part_.runs.end()) {
        part_.runs.emplace_back(run);
      }
    }
    Observation seen;
    seen.name = number(row.text(Column::name));
    seen.status = row.status();
    seen.round = static_cast<std::uint16_t>(row.integer(Column::round).value_or(1));
    if (seen.status != Status::ok) {
      seen.said = number(row.text(Column::reason));
    } else {
      seen.said = number(row.text(Column::ceiling_source));
      seen.median_ns = static_cast<float>(*row.real(Column::median_ns));
      seen.ceiling = static_cast<float>(row.real(Column::ceiling).value_or(0));
      const auto disturbed = static_cast<double>(row.integer(Column::disturbed).value_or(0));
      const auto visits = static_cast<double>(row.integer(Column::n_visits).value_or(1));
      seen.disturbed = static_cast<float>(disturbed / std::max({disturbed, visits, 1.0}));
      add_readings(row);
      add_facts(row);
    }
    part_.node.rows.push_back(seen);
  }

 private:
  // Of a text, asked of all threads' texts only once a file.
  TextId number(std::string_view text) {
    const auto known = numbers_.find(text);
    if (known != numbers_.end()) {
      return known->second;
    }
    const auto id = texts_.id(printable(text));
    numbers_.emplace(text, id);  // lies in the file, which outlives this
    return id;
  }

  void add_reading(TextId id, double value) {
    auto& readings = part_.node.readings;
    auto at = std::find_if(readings.begin(), readings.end(),
                           [&](const Reading& reading) { return reading.what == id; });
    if (at == readings.end()) {
      at = readings.insert(at, {id, 0, 0});
    }
    at->sum += value;
    ++at->count;
  }

  void add_readings(const RowView& row) {
    before_.clear();
    for_each_number(row.text(Column::readings_before), [&](std::string_view what, double value) {
      if (is_counter(what)) {
        before_.emplace_back(what, value);
      }
    });
    for_each_number(row.text(Column::readings_after), [&](std::string_view what, double value) {
      if (is_of_the_timer(what)) {
        return;
      }
      if (is_counter(what)) {
        const auto start = std::find_if(before_.begin(), before_.end(),
                                        [&](const auto& entry) { return entry.first == what; });
        if (start == before_.end()) {
          return;
        }
        value -= start->second;
      }
      add_reading(number(what), value);
    });
  }

  void add_facts(const RowView& row) {
    const auto device = row.text(Column::device);
    if (!devices_.emplace(device, part_.runs.back()).second) {
      return;
    }
    for (const auto& subject : comparison::subjects()) {
      for (const auto column : subject.columns) {
        const auto of = is_of_device(column)    ? device
                        : is_of_backend(column) ? row.text(Column::backend)
                                                : std::string_view();
        if (column != Column::machine && row.is_known(column)) {
          add_fact(subject.name, column, of, row);
        }
      }
    }
  }

  void add_fact(std::string_view subject, Column column, std::string_view of, const RowView& row) {
    const std::string name(info(column).name);
    if (column == Column::memory_bytes) {  // firmware keeps a little back, and not everywhere alike
      return add_reading(texts_.id(name), row.real(column).value_or(0));
    }
    if (info(column).kind != ColumnKind::pairs) {
      return keep({texts_.id(subject), texts_.id(name), texts_.id(of),
                   texts_.id(printable(row.text(column)))});
    }
    for (const auto& [key, value] : row.pairs(column)) {
      if (comparison::is_momentary(key)) {
        for_each_number(key + "=" + value, [&, &key = key](std::string_view, double number) {
          add_reading(texts_.id(key), number);
        });
      } else if (value != unknown && key != "machine_id") {
        keep({texts_.id(subject), texts_.id(printable(name + " " + key)), texts_.id(of),
              texts_.id(printable(value))});
      }
    }
  }

  void keep(const StoredFact& fact) {
    auto& facts = part_.node.facts;
    const bool is_known = std::any_of(facts.begin(), facts.end(), [&](const StoredFact& other) {
      return other.what == fact.what && other.of == fact.of && other.subject == fact.subject;
    });
    if (!is_known) {
      facts.push_back(fact);
    }
  }

  Part& part_;
  Texts& texts_;
  std::unordered_map<std::string_view, TextId> numbers_;
  std::set<std::pair<std::string_view, std::string>> devices_;  // whose facts were read, by run
  std::vector<std::pair<std::string_view, double>> before_;
};

// Of the row's machine as a whole; what a node can lose, such as memory, is no part of it.
std::string hardware_of(const RowView& row) {
  std::string text;
  for (const auto column : {Column::cpu_model, Column::cpu_sockets, Column::cpu_cores,
                            Column::cpu_threads, Column::vector_extensions}) {
    text += printable(row.text(column));
    text += '\n';
  }
  for (const auto& [key, value] : row.pairs(Column::machine_facts)) {
    if (key == "cpu_family" || key == "cpu_model_number") {
      text += printable(value) + '\n';
    }
  }
  return text;
}

std::string machine_id_of(const RowView& row) {
  for (const auto& [key, value] : row.pairs(Column::machine_facts)) {
    if (key == "machine_id" && value != unknown) {
      return printable(value);
    }
  }
  return {};
}

// What is no processor is a part that machines can have or lack.
void note_devices(Node& node, const Texts& texts) {
  for (const auto& fact : node.facts) {
    if (texts.text(fact.what) != "device_name") {
      continue;
    }
    const bool is_part =
        std::any_of(node.facts.begin(), node.facts.end(), [&](const StoredFact& other) {
          return other.of == fact.of && texts.text(other.what) == "device_kind" &&
                 texts.text(other.value) != "cpu";
        });
    if (is_part) {
      node.devices.insert(texts.text(fact.value));
    }
  }
}

FileContents read(const std::string& path, const Pattern& filter, bool all_wanted, Texts& texts) {
  FileContents contents;
  try {
    const auto report = Report::read(path);
    for (const auto& note : report.notes()) {
      if (note.line > 1 || (note.line == 0 && report.machines().size() < 2)) {
        contents.notes.push_back(
            note.line > 0 ? fmt::format("{}:{}: {}", printable(path), note.line, note.text)
                          : fmt::format("{}: {}", printable(path), note.text));
      }
    }
    std::vector<PartReader> readers;
    contents.parts.reserve(report.machines().size());
    for (std::size_t i = 0; i < report.size(); ++i) {
      const auto row = report.row(i);
      const auto name = row.text(Column::name);
      if (row.text(Column::mode) == "find" || !filter.is_in(name)) {
        continue;
      }
      const auto machine = printable(row.text(Column::machine));
      auto at = std::find_if(contents.parts.begin(), contents.parts.end(),
                             [&](const Part& part) { return part.node.name == machine; });
      if (at == contents.parts.end()) {
        Part part;
        part.node.name = machine;
        part.node.paths = {path};
        part.node.machine_id = machine_id_of(row);
        part.node.hardware = hardware_of(row);
        contents.parts.push_back(std::move(part));
        at = contents.parts.end() - 1;
        readers.emplace_back(*at, texts);
      }
      readers[static_cast<std::size_t>(at - contents.parts.begin())].add(row);
    }
    for (auto& part : contents.parts) {
      part.node.rows.shrink_to_fit();
    }
    if (contents.parts.empty() && all_wanted) {
      contents.notes.push_back(printable(path) + ": no rows of `breakeven run`; skipped");
      contents.is_skipped = true;
    }
  } catch (const std::exception& error) {
    contents.notes.push_back(fmt::format("{}; skipped", error.what()));
    contents.is_skipped = true;
  }
  return contents;
}

std::string stem_of(const std::string& path) {
  return fs::path(path).stem().string();
}

// The same run can be there twice: copied, or copied while it went on. The longer one is kept.
void drop_doubles(std::vector<FileContents>& files, Collection& into) {
  std::map<std::string, Part*> kept;  // by machine and run
  for (auto& file : files) {
    for (auto& part : file.parts) {
      for (const auto& run : part.runs) {
        auto& first = kept[part.node.name + '\n' + run];
        if (run == unknown || first == nullptr) {
          first = &part;
          continue;
        }
        auto& loser = part.node.rows.size() > first->node.rows.size() ? *first : part;
        auto& winner = &loser == &part ? *first : part;
        if (!loser.node.rows.empty()) {
          into.notes.push_back(fmt::format("{}: the same run as {}; skipped",
                                           printable(loser.node.paths[0]),
                                           printable(winner.node.paths[0])));
          ++into.skipped;
          loser.node.rows.clear();
        }
        first = &winner;
      }
    }
  }
}

// Several runs of one node are more rounds of it.
void join(Node& node, Node&& more) {
  std::uint16_t last = 0;
  for (const auto& row : node.rows) {
    last = std::max(last, row.round);
  }
  for (auto& row : more.rows) {
    row.round = static_cast<std::uint16_t>(row.round + last);
    node.rows.push_back(row);
  }
  node.paths.insert(node.paths.end(), more.paths.begin(), more.paths.end());
}

void take_nodes(std::vector<FileContents>& files, Collection& into) {
  std::map<std::pair<std::string, std::string>, std::size_t> known;  // name and hardware
  std::map<std::string, std::size_t> named;
  for (auto& file : files) {
    for (auto& part : file.parts) {
      if (part.node.rows.empty()) {
        continue;
      }
      auto& node = part.node;
      const auto identity = std::pair(node.name, node.machine_id + '\n' + node.hardware);
      if (const auto at = known.find(identity); at != known.end()) {
        join(into.nodes[at->second], std::move(node));
        continue;
      }
      if (const auto same = named.find(node.name); same != named.end()) {
        const auto& other = into.nodes[same->second];
        const auto shown = fmt::format("{} ({})", node.name, stem_of(node.paths[0]));
        into.notes.push_back(fmt::format("{}: another machine is called {} too, in {}; shown as {}",
                                         printable(node.paths[0]), node.name,
                                         printable(other.paths[0]), shown));
        node.name = shown;
      }
      known.emplace(identity, into.nodes.size());
      named.emplace(node.name, into.nodes.size());
      into.nodes.push_back(std::move(node));
    }
  }
  std::sort(into.nodes.begin(), into.nodes.end(),
            [](const Node& a, const Node& b) { return comes_before(a.name, b.name); });
}

}  // namespace

TextId Texts::id(std::string_view text) {
  const std::lock_guard lock(mutex_);
  const auto [at, is_new] = ids_.try_emplace(std::string(text), static_cast<TextId>(texts_.size()));
  if (is_new) {
    texts_.push_back(&at->first);
  }
  return at->second;
}

std::vector<std::string> files_below(const std::vector<std::string>& paths) {
  std::vector<std::string> files;
  for (const auto& path : paths) {
    if (!fs::exists(path)) {
      throw Unusable(path + ": there is no such file or folder");
    }
    if (!fs::is_directory(path)) {
      files.push_back(path);
      continue;
    }
    std::vector<std::string> below;
    for (const auto& entry :
         fs::recursive_directory_iterator(path, fs::directory_options::skip_permission_denied)) {
      if (entry.path().extension() == ".csv" && entry.is_regular_file()) {
        below.push_back(entry.path().string());
      }
    }
    if (below.empty()) {
      throw Unusable(path +
                     ": no CSV is below it; `breakeven run --out FILE` on every "
                     "node writes them");
    }
    std::sort(below.begin(), below.end(), comes_before);
    files.insert(files.end(), below.begin(), below.end());
  }
  return files;
}

void collect(const std::vector<std::string>& files, const std::string& filter, Collection& into,
             unsigned threads) {
  const Pattern wanted_names("--filter", filter);
  std::vector<FileContents> contents(files.size());
  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    for (auto i = next++; i < files.size(); i = next++) {
      contents[i] = read(files[i], wanted_names, filter.empty(), into.texts);
    }
  };
  {
    std::vector<std::jthread> helpers;
    const auto wanted = threads > 0 ? threads : std::max(1U, std::thread::hardware_concurrency());
    for (unsigned i = 1; i < std::min<std::size_t>(wanted, files.size()); ++i) {
      helpers.emplace_back(work);
    }
    work();
  }
  into.files = files.size();
  for (auto& file : contents) {
    into.skipped += file.is_skipped ? 1 : 0;
    into.notes.insert(into.notes.end(), file.notes.begin(), file.notes.end());
    for (auto& part : file.parts) {
      note_devices(part.node, into.texts);
    }
  }
  drop_doubles(contents, into);
  take_nodes(contents, into);
}

}  // namespace breakeven::fleet
