// SPDX-License-Identifier: Apache-2.0
// The ranks of a backend: started by the launcher of MPI, connected, asked.
#pragma once

#include <sys/types.h>

#include <breakeven/plugin.hpp>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "plugins/mpi/socket.hpp"
#include "plugins/mpi/wire.hpp"

namespace breakeven::mpi {

// What the user asked for, and the scheduler gave.
struct Wish {
  std::size_t ranks = 0;  // that compute; 0: none asked for and none given
  std::string hosts;      // `a,b`; empty: this machine, or what the scheduler gave
  std::vector<std::string> launcher;
  std::string program = "breakeven-rank", plugin;
  bool crowd = false;  // more ranks than cores
  int limit_seconds = 0;
  bool several_nodes = false;
};

// Of every backend that is made of ranks.
inline constexpr Option option_ranks = {
    "ranks", "how many compute; empty: one for each of hosts, or what the scheduler gave", "",
    "BREAKEVEN_MPI_RANKS"};
inline constexpr Option option_hosts = {
    "hosts", "nodes to start them on, a,b; empty: this machine, or what the scheduler gave", "",
    "BREAKEVEN_MPI_HOSTS"};
inline constexpr Option option_launcher = {
    "launcher", "starts them, with its own options: mpirun --mca btl tcp,self; srun", "",
    "BREAKEVEN_MPI_LAUNCHER"};
inline constexpr Option option_crowd = {"crowd", "yes: more ranks than processors", "",
                                        "BREAKEVEN_MPI_CROWD"};
inline constexpr Option option_limit = {"limit", "seconds in which all have to start; empty: 25",
                                        "", "BREAKEVEN_MPI_LIMIT"};

// Throws std::runtime_error for a wrong option.
Wish wish_of_environment();

// The manifest's: starts nothing.
const char* probe();

// Empty: `otherwise`. Throws std::runtime_error naming the option.
std::size_t number_of_option(const char* name, const std::string& text, std::size_t otherwise);

class Team;

// A connection to a rank.
class Link {
 public:
  Link(Socket socket, std::uint32_t rank, const Team& team)
      : socket_(std::move(socket)), rank_(rank), team_(team) {}

  void send(const Command& command, const void* more = nullptr, std::size_t bytes = 0);
  // Throws what the rank threw.
  Reply reply();
  Reply ask(const Command& command) {
    send(command);
    return reply();
  }
  void leave() { socket_.send(Command{.what = Do::leave}); }

  // False: the rank has done all that it was told here.
  bool is_busy() const noexcept { return is_busy_; }
  // Throws what the rank threw since the last time.
  void begin_synchronize() { send({.what = Do::synchronize}); }
  void end_synchronize() {
    is_busy_ = false;
    reply();
  }

 private:
  Socket socket_;
  bool is_busy_ = false;
  std::uint32_t rank_;
  const Team& team_;
};

class Team {
 public:
  // Throws std::runtime_error where they do not all start within the limit, or do not go together.
  explicit Team(const Wish& wish);
  ~Team();

  std::size_t devices() const noexcept { return descriptions_.size() - 1; }
  const Description& description(std::uint32_t rank) const { return descriptions_[rank]; }
  // What a rank computes with, as DeviceInfo has it.
  std::string hardware(std::uint32_t rank) const;

  // On a rank's own connection, from any thread.
  Reply ask(std::uint32_t rank, const Command& command);
  void ask_all(const Command& command);
  // As `ask`, for destructors: what went wrong is left to whoever asks next.
  void tell(std::uint32_t rank, const Command& command) noexcept;
  // A rank that is gone takes this process with it: they are one backend, and a run goes on
  // without.
  [[noreturn]] void lose(std::uint32_t rank) const;

  // What a queue is known by in all its ranks.
  std::uint32_t take_tag();
  void give_back_tag(std::uint32_t tag) noexcept;
  std::unique_ptr<Link> open(std::uint32_t rank, std::uint32_t tag);

  std::uint64_t new_event();
  // In which order all ranks do what they do together: that of handing it over.
  std::uint64_t next_turn();

 private:
  void start(const Wish& wish);
  void connect(const Wish& wish);
  void require_fitting(const Wish& wish) const;
  Socket accept(Hello& hello, int milliseconds) const;
  std::string said() const;
  void end() noexcept;

  std::string host_ = host_name(), token_;
  Socket listener_, output_;
  pid_t launcher_ = -1;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Link>> links_;
  std::vector<Description> descriptions_;
  std::set<std::uint32_t> tags_;
  std::uint64_t events_ = 0, turns_ = 0;
};

}  // namespace breakeven::mpi
