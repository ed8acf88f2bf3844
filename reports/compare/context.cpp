// SPDX-License-Identifier: Apache-2.0
#include "reports/compare/context.hpp"

#include <algorithm>

namespace breakeven::comparison {
namespace {

const std::vector<Column>& all_columns() {
  static const std::vector<Column> columns = [] {
    std::vector<Column> all;
    for (const auto& subject : subjects()) {
      all.insert(all.end(), subject.columns.begin(), subject.columns.end());
    }
    return all;
  }();
  return columns;
}

std::size_t place_of(Column column) {
  const auto& all = all_columns();
  return static_cast<std::size_t>(std::find(all.begin(), all.end(), column) - all.begin());
}

// A variable or an option that one side does not name was not set there.
bool holds_settings(Column column) {
  return column == Column::environment || column == Column::options;
}

// The values of one column, each known. A fact that only one report tells, such as an older
// version's did not, is unknown to the other; where no report tells all of them, one thing has
// taken the place of another.
bool conflict(Column column, const std::set<std::string_view>& texts) {
  if (texts.size() < 2 || info(column).kind != ColumnKind::pairs || holds_settings(column)) {
    return texts.size() > 1;
  }
  std::map<std::string, std::string> known;
  std::size_t most_keys = 0;
  for (const auto text : texts) {
    const auto pairs = parse_pairs(text);
    if (!pairs) {
      return true;
    }
    most_keys = std::max(most_keys, pairs->size());
    for (const auto& [key, value] : *pairs) {
      if (known.emplace(key, value).first->second != value) {
        return true;
      }
    }
  }
  return most_keys < known.size();
}

// Of one group and backend: what is compared → the values that occur.
using Values = std::map<std::string, std::set<std::string>>;

Values values_of(const Contexts& contexts, const std::set<ContextId>& ids, Column column) {
  Values values;
  const std::string name(info(column).name);
  for (const auto id : ids) {
    const auto& text = contexts.value(id, column);
    const auto pairs = info(column).kind == ColumnKind::pairs ? parse_pairs(text) : std::nullopt;
    if (!pairs) {
      values[name].insert(text);
      continue;
    }
    // Reports of schema 1 have the facts of a plugin among its libraries too.
    const auto facts = column == Column::libraries
                           ? parse_pairs(contexts.value(id, Column::backend_facts))
                           : std::nullopt;
    const auto is_fact = [&](const auto& pair) {
      return facts && std::find(facts->begin(), facts->end(), pair) != facts->end();
    };
    for (const auto& pair : *pairs) {
      const auto& [key, value] = pair;
      if (!is_momentary(key) && !is_fact(pair)) {
        values[name + " " + key].insert(value);
      }
    }
  }
  return values;
}

// Of one column, in the rows of one backend.
std::vector<Difference> differences_of(const Contexts& contexts, std::span<const UsedContexts> used,
                                       std::string_view subject, Column column,
                                       const std::string& backend) {
  std::vector<std::optional<Values>> by_group;  // none: the group has no such backend
  std::vector<bool> tells_settings;
  std::set<std::string> whats;
  for (const auto& group : used) {
    const auto ids = group.find(backend);
    by_group.push_back(ids == group.end()
                           ? std::nullopt
                           : std::optional(values_of(contexts, ids->second, column)));
    tells_settings.push_back(holds_settings(column) && ids != group.end() &&
                             std::any_of(ids->second.begin(), ids->second.end(), [&](ContextId id) {
                               return contexts.value(id, column) != unknown;
                             }));
    for (const auto& [what, values] : by_group.back().value_or(Values{})) {
      whats.insert(what);
    }
  }
  std::vector<Difference> found;
  for (const auto& what : whats) {
    Difference difference{subject, what, backend, {}};
    std::set<std::string> all;
    auto told = tells_settings.begin();
    for (const auto& group : by_group) {
      auto& here = difference.values.emplace_back();
      if (group) {
        const auto values = group->find(what);
        here = values != group->end() ? std::vector(values->second.begin(), values->second.end())
                                      : std::vector{std::string(*told ? "not set" : unknown)};
      }
      all.insert(here.begin(), here.end());
      ++told;
    }
    if (all.size() > 1) {
      found.push_back(std::move(difference));
    }
  }
  return found;
}

// What several backends say alike is said once.
void merge(std::vector<Difference>& found, Difference difference) {
  const auto same = std::find_if(found.begin(), found.end(), [&](const Difference& other) {
    return other.what == difference.what && other.values == difference.values;
  });
  if (same == found.end()) {
    found.push_back(std::move(difference));
  } else {
    same->backends += ", " + difference.backends;
  }
}

}  // namespace

const std::vector<Subject>& subjects() {
  static const std::vector<Subject> list{
      {"processor",
       true,
       {Column::cpu_model, Column::cpu_sockets, Column::cpu_cores, Column::cpu_threads,
        Column::vector_extensions, Column::device_name, Column::device_kind,
        Column::device_memory_bytes}},
      {"compiler", true, {Column::compiler, Column::backend_compiler}},
      {"flags", true, {Column::compiler_flags, Column::build_type, Column::backend_flags}},
      {"library", true, {Column::libraries, Column::backend_facts}},
      {"affinity", true, {Column::cpuset, Column::cpu_quota, Column::environment}},
      {"options", true, {Column::options}},
      {"machine", false, {Column::machine, Column::memory_bytes, Column::machine_facts}},
      {"clocks", false, {Column::governor}},
      {"driver", false, {Column::device_facts}},
      {"system", false, {Column::os, Column::kernel}},
      {"version",
       false,
       {Column::suite_version, Column::suite_commit, Column::backend_version,
        Column::schema_version}},
      {"labels", false, {Column::labels}},
  };
  return list;
}

bool is_momentary(std::string_view key) {
  return key == "load_average" || key == "available_bytes";
}

ContextId Contexts::id_of(const Cells& cell) {
  std::string text;
  text.reserve(last_text_.size());
  for (const auto column : all_columns()) {
    text += cell(column);
    text += '\n';
  }
  if (values_.empty() || text != last_text_) {
    const auto [found, is_new] = ids_.emplace(text, values_.size());
    if (is_new) {
      auto& values = values_.emplace_back();
      for (const auto column : all_columns()) {
        values.emplace_back(cell(column));
      }
    }
    last_ = found->second;
    last_text_ = std::move(text);
  }
  return last_;
}

const std::string& Contexts::value(ContextId id, Column column) const {
  return values_[id][place_of(column)];
}

std::string Contexts::machine_id(ContextId id) const {
  for (const auto& [key, text] : parse_pairs(value(id, Column::machine_facts)).value_or(Pairs{})) {
    if (key == "machine_id" && text != unknown) {
      return text;
    }
  }
  return {};
}

std::vector<std::string_view> Contexts::blocking(const std::set<ContextId>& ids,
                                                 const std::set<std::string>& expected) const {
  std::vector<std::string_view> found;
  for (const auto& subject : subjects()) {
    if (!subject.blocks || expected.contains(std::string(subject.name))) {
      continue;
    }
    const auto differs = [&](Column column) {
      std::set<std::string_view> values;
      for (const auto id : ids) {
        values.insert(value(id, column));
      }
      values.erase(unknown);
      return conflict(column, values);
    };
    if (std::any_of(subject.columns.begin(), subject.columns.end(), differs)) {
      found.push_back(subject.name);
    }
  }
  return found;
}

std::vector<Difference> differences(const Contexts& contexts, std::span<const UsedContexts> used) {
  std::set<std::string> backends;
  for (const auto& group : used) {
    for (const auto& [backend, ids] : group) {
      backends.insert(backend);
    }
  }
  std::vector<Difference> found;
  for (const auto& subject : subjects()) {
    for (const auto column : subject.columns) {
      for (const auto& backend : backends) {
        for (auto& difference : differences_of(contexts, used, subject.name, column, backend)) {
          merge(found, std::move(difference));
        }
      }
    }
  }
  std::string all;
  for (const auto& backend : backends) {
    all += all.empty() ? "" : ", ";
    all += backend;
  }
  for (auto& difference : found) {
    if (difference.backends == all) {
      difference.backends.clear();
    }
  }
  return found;
}

}  // namespace breakeven::comparison
