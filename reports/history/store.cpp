// SPDX-License-Identifier: Apache-2.0
#include "reports/history/store.hpp"

#include <fmt/format.h>
#include <sqlite3.h>

#include <array>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>

#include "reports/compare/context.hpp"
#include "reports/reader/row_rules.hpp"
#include "reports/text/usage.hpp"

namespace breakeven::history {
namespace {

constexpr int application = 0x62726b65;  // `brke`: what SQLite's header calls the application
constexpr int version = 1;
constexpr int patience_ms = 60'000;  // for another program that writes

constexpr const char* tables = R"(
CREATE TABLE runs(id INTEGER PRIMARY KEY, machine TEXT NOT NULL, run_id TEXT NOT NULL,
  utc TEXT NOT NULL, UNIQUE(machine, run_id));
CREATE TABLE cases(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
CREATE TABLE contexts(id INTEGER PRIMARY KEY, json TEXT NOT NULL UNIQUE);
CREATE TABLE measurements(run INTEGER NOT NULL REFERENCES runs, "case" INTEGER NOT NULL REFERENCES cases,
  round INTEGER NOT NULL, status TEXT NOT NULL, reason TEXT NOT NULL, median_ns REAL,
  context INTEGER NOT NULL REFERENCES contexts,
  PRIMARY KEY(run, "case", round)) WITHOUT ROWID;
)";

[[noreturn]] void fail(const std::string& path, sqlite3* file) {
  const int code = sqlite3_errcode(file);
  throw Unusable(fmt::format(
      "{}: {}{}", path, sqlite3_errmsg(file),
      code == SQLITE_NOTADB     ? "; name a file of `breakeven history`"
      : code == SQLITE_CANTOPEN ? "; name a file in a folder where you may write"
      : code == SQLITE_BUSY     ? "; another program is writing it: try again when it is done"
                                : ""));
}

class Statement {
 public:
  Statement(const std::string& path, sqlite3* file, const char* sql) : path_(path), file_(file) {
    if (sqlite3_prepare_v2(file, sql, -1, &statement_, nullptr) != SQLITE_OK) {
      fail(path_, file_);
    }
  }
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;
  ~Statement() { sqlite3_finalize(statement_); }

  void bind(int place, std::string_view text) {
    check(sqlite3_bind_text(statement_, place, text.data(), static_cast<int>(text.size()),
                            SQLITE_TRANSIENT));
  }
  void bind(int place, std::int64_t number) {
    check(sqlite3_bind_int64(statement_, place, number));
  }
  void bind(int place, std::optional<double> number) {
    check(number ? sqlite3_bind_double(statement_, place, *number)
                 : sqlite3_bind_null(statement_, place));
  }

  // Whether there is a row; after the last one the statement can be bound again.
  bool step() {
    const int result = sqlite3_step(statement_);
    if (result == SQLITE_ROW) {
      return true;
    }
    if (result != SQLITE_DONE) {
      fail(path_, file_);
    }
    sqlite3_reset(statement_);
    return false;
  }
  void run() {
    while (step()) {
    }
  }
  std::int64_t integer(int column) const { return sqlite3_column_int64(statement_, column); }
  double real(int column) const { return sqlite3_column_double(statement_, column); }
  std::string_view text(int column) const {
    const auto* text = sqlite3_column_text(statement_, column);
    return text == nullptr
               ? std::string_view()
               : std::string_view(
                     reinterpret_cast<const char*>(text),
                     static_cast<std::size_t>(sqlite3_column_bytes(statement_, column)));
  }

 private:
  void check(int result) const {
    if (result != SQLITE_OK) {
      fail(path_, file_);
    }
  }

  const std::string& path_;
  sqlite3* file_;
  sqlite3_stmt* statement_ = nullptr;
};

void execute(const std::string& path, sqlite3* file, const std::string& sql) {
  if (sqlite3_exec(file, sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) {
    fail(path, file);
  }
}

std::int64_t pragma(const std::string& path, sqlite3* file, const char* name) {
  Statement statement(path, file, fmt::format("PRAGMA {}", name).c_str());
  return statement.step() ? statement.integer(0) : 0;
}

// What is known of the row's surroundings, without what is never the same twice.
std::string context_of(const Cells& cell) {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  for (const auto& subject : comparison::subjects()) {
    for (const auto column : subject.columns) {
      std::string text(cell(column));
      if (column == Column::machine_facts) {
        auto facts = parse_pairs(text).value_or(Pairs{});
        std::erase_if(facts, [](const auto& fact) { return comparison::is_momentary(fact.first); });
        text = format_pairs(facts);
      }
      if (text != unknown) {
        json[std::string(info(column).name)] = text;
      }
    }
  }
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

// Adds rows, and looks each text up once in a while only: rows of one run follow one another.
class Adder {
 public:
  Adder(const std::string& path, sqlite3* file)
      : run_(path, file,
             "INSERT INTO runs(machine, run_id, utc) VALUES(?1, ?2, ?3) "
             "ON CONFLICT DO UPDATE SET utc = min(utc, excluded.utc) RETURNING id"),
        case_(path, file,
              "INSERT INTO cases(name) VALUES(?1) ON CONFLICT DO UPDATE SET name = name "
              "RETURNING id"),
        context_(path, file,
                 "INSERT INTO contexts(json) VALUES(?1) ON CONFLICT DO UPDATE SET json = json "
                 "RETURNING id"),
        row_(path, file,
             "INSERT INTO measurements VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7) ON CONFLICT DO NOTHING"),
        file_(file) {}

  std::size_t add(const Cells& cell) {
    if (cell(Column::mode) == "find" || cell(Column::run_id) == unknown) {
      return 0;
    }
    const auto status = status_named(cell(Column::status));
    if (!status) {
      return 0;
    }
    run_.bind(1, cell(Column::machine));
    run_.bind(2, cell(Column::run_id));
    run_.bind(3, cell(Column::utc));
    case_.bind(1, cell(Column::name));
    const auto context = context_of(cell);
    if (context != last_context_) {
      context_.bind(1, context);
      last_id_ = id_of(context_);
      last_context_ = context;
    }
    row_.bind(1, id_of(run_));
    row_.bind(2, id_of(case_));
    row_.bind(3, cell(Column::round));
    row_.bind(4, cell(Column::status));
    row_.bind(5, *status == Status::ok ? "" : cell(Column::reason));
    row_.bind(6, *status == Status::ok
                     ? std::optional(std::stod(std::string(cell(Column::median_ns))))
                     : std::nullopt);
    row_.bind(7, last_id_);
    row_.run();
    return static_cast<std::size_t>(sqlite3_changes(file_));
  }

 private:
  static std::int64_t id_of(Statement& statement) {
    statement.step();
    const auto id = statement.integer(0);
    statement.run();
    return id;
  }

  Statement run_, case_, context_, row_;
  sqlite3* file_;
  std::string last_context_;
  std::int64_t last_id_ = 0;
};

}  // namespace

Store::Store(const std::string& path, Open how) : path_(path), file_(nullptr, sqlite3_close) {
  if (how == Open::read && !std::filesystem::exists(path)) {
    throw Unusable(path +
                   ": there is no such file; `breakeven run --history FILE` makes one, and so does "
                   "`breakeven history FILE --import REPORT`");
  }
  sqlite3* file = nullptr;
  // Who reads may have to take back what a program that died has left half written.
  const int result = sqlite3_open_v2(
      path.c_str(), &file, SQLITE_OPEN_READWRITE | (how == Open::create ? SQLITE_OPEN_CREATE : 0),
      nullptr);
  file_.reset(file);
  if (result != SQLITE_OK) {
    fail(path_, file);
  }
  sqlite3_busy_timeout(file, patience_ms);
  if (how == Open::create) {
    execute(path_, file, "PRAGMA journal_mode = DELETE; BEGIN IMMEDIATE");  // WAL fails on NFS
    Statement any(path_, file, "SELECT count(*) FROM sqlite_master");
    any.step();
    if (any.integer(0) == 0) {
      execute(path_, file,
              tables + fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {}",
                                   application, version));
    }
    any.run();
    execute(path_, file, "COMMIT");
  }
  if (pragma(path_, file, "application_id") != application) {
    throw Unusable(path_ + ": a database of another program; name another file");
  }
  if (const auto found = pragma(path_, file, "user_version"); found != version) {
    throw Unusable(
        fmt::format("{}: a history of version {}, and this program knows {}; use the one that "
                    "wrote it, or import the reports into a new file",
                    path_, found, version));
  }
}

Store::~Store() = default;

template <class Fill>
std::size_t Store::in_one_transaction(Fill fill) {
  execute(path_, file_.get(), "BEGIN IMMEDIATE");
  try {
    Adder adder(path_, file_.get());
    const std::size_t added = fill(adder);
    execute(path_, file_.get(), "COMMIT");
    return added;
  } catch (...) {
    sqlite3_exec(file_.get(), "ROLLBACK", nullptr, nullptr, nullptr);
    throw;
  }
}

std::size_t Store::add(std::span<const Row> rows) {
  return in_one_transaction([&](Adder& adder) {
    std::size_t added = 0;
    for (const auto& row : rows) {
      added += adder.add([&](Column column) { return std::string_view(row.text(column)); });
    }
    return added;
  });
}

std::size_t Store::add(const Report& report) {
  return in_one_transaction([&](Adder& adder) {
    std::size_t added = 0;
    for (std::size_t i = 0; i < report.size(); ++i) {
      const auto row = report.row(i);
      added += adder.add([&](Column column) { return row.text(column); });
    }
    return added;
  });
}

void Store::for_each_row(const std::function<void(const StoredRow&)>& take) const {
  Statement rows(
      path_, file_.get(),
      "SELECT machine, run_id, utc, name, reason, status, median_ns, context FROM measurements "
      "JOIN runs ON runs.id = run JOIN cases ON cases.id = \"case\" "
      "ORDER BY machine, cases.id, utc, runs.id, round");
  while (rows.step()) {
    const auto status = status_named(rows.text(5));
    const double median = rows.real(6);
    if (!status || (*status == Status::ok && !(median > 0))) {
      throw Unusable(
          fmt::format("{}: the row of {} in run {} is damaged; import the reports into a new file",
                      path_, printable(rows.text(3)), printable(rows.text(1))));
    }
    take({rows.text(0), rows.text(1), rows.text(2), rows.text(3), rows.text(4), *status, median,
          rows.integer(7)});
  }
}

void Store::for_each_context(
    const std::function<void(std::int64_t id, std::string_view json)>& take) const {
  Statement contexts(path_, file_.get(), "SELECT id, json FROM contexts ORDER BY id");
  while (contexts.step()) {
    take(contexts.integer(0), contexts.text(1));
  }
}

}  // namespace breakeven::history
