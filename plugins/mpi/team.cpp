// SPDX-License-Identifier: Apache-2.0
#include "plugins/mpi/team.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>

namespace breakeven::mpi {

namespace {

using Clock = std::chrono::steady_clock;

std::string beside_the_plugin(const std::string& program) {
  Dl_info info{};
  dladdr(&breakeven_plugin, &info);
  return std::filesystem::path(info.dli_fname).parent_path() / program;
}

std::string random_token() {
  std::array<unsigned char, 16> bytes{};
  if (getrandom(bytes.data(), bytes.size(), 0) != ssize_t(bytes.size()))
    throw std::runtime_error("getrandom: " + std::string(std::strerror(errno)));
  std::string token;
  for (const unsigned char byte : bytes) {
    token += "0123456789abcdef"[byte >> 4];
    token += "0123456789abcdef"[byte & 15];
  }
  return token;
}

// As the launchers of Open MPI, of MPICH, and Slurm's own want it. Rank 0 is put first, beside the
// worker; it waits while ranks compute, so it takes no core from the scheduler's point of view.
std::vector<std::string> command_line(const Wish& wish, const std::string& this_host) {
  std::vector<std::string> words = wish.launcher;
  const bool srun = std::filesystem::path(words.front()).filename() == "srun";
  const auto add = [&](std::initializer_list<std::string> more) {
    words.insert(words.end(), more);
  };
  add({"-n", std::to_string(wish.ranks + 1)});
  const std::string hosts = wish.hosts.empty() ? "" : this_host + "," + wish.hosts;
  if (srun) {
    add({"--overlap", "--overcommit", "--cpu-bind=none"});
    if (!hosts.empty()) add({"-w", hosts});
  } else {
#if defined(BREAKEVEN_OPEN_MPI)
    add({"--oversubscribe", "--bind-to", "none", "-x", address_variable});
    if (!hosts.empty()) add({"--host", hosts});
#else
    if (!hosts.empty()) add({"-hosts", hosts});
#endif
  }
  add({beside_the_plugin(wish.program), wish.plugin});
  return words;
}

// This process's own, and what the ranks need.
std::vector<std::string> environment_with(const std::string& address, bool crowd) {
  std::vector<std::string> variables;
  for (char** variable = environ; *variable != nullptr; ++variable)
    variables.emplace_back(*variable);
  variables.push_back(std::string(address_variable) + "=" + address);
  // Open MPI asks who is root to say twice that this is meant; here it starts one known program.
  for (const char* const name : {"OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM"})
    if (!std::getenv(name)) variables.push_back(std::string(name) + "=1");
  // Rank 0, which computes nothing, makes one more than the processors: Open MPI would give the
  // processor away at every look, and a small message in shared memory take three times as long.
  if (!crowd && !std::getenv("OMPI_MCA_mpi_yield_when_idle"))
    variables.emplace_back("OMPI_MCA_mpi_yield_when_idle=0");
  // mpirun uses srun in an allocation, which waits for ever where another backend's ranks rest.
  if (!std::getenv("SLURM_OVERLAP")) variables.emplace_back("SLURM_OVERLAP=1");
  return variables;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> all;
  for (std::string& text : texts) all.push_back(text.data());
  all.push_back(nullptr);
  return all;
}

std::string name_of(std::uint32_t rank, const Description& description) {
  return "rank " + std::to_string(rank) + " on " + description.node;
}

// What a new process does to be the launcher: it writes to `output`. Only calls that are safe after
// fork in a process with threads.
[[noreturn]] void become(const std::vector<char*>& arguments, const std::vector<char*>& environment,
                         pid_t worker, int output) {
  // The worker may end while it and the launcher are stopped: then the launcher goes on, finds its
  // ranks gone, and ends too. The kernel says so by itself only to what had stopped before.
  prctl(PR_SET_PDEATHSIG, SIGCONT);
  if (getppid() != worker) _exit(1);
  dup2(open("/dev/null", O_RDONLY), STDIN_FILENO);
  dup2(output, STDOUT_FILENO);
  dup2(output, STDERR_FILENO);
  close_range(STDERR_FILENO + 1, ~0U, 0);
  execvpe(arguments.front(), arguments.data(), environment.data());
  for (const char* const text :
       std::initializer_list<const char*>{arguments.front(), ": ", strerrordesc_np(errno)})
    if (write(STDERR_FILENO, text, std::strlen(text)) < 0) break;
  _exit(127);
}

}  // namespace

void Link::send(const Command& command, const void* more, std::size_t bytes) {
  is_busy_ = true;
  try {
    socket_.send(command, bytes > 0);
    socket_.send(more, bytes);
  } catch (const Disconnected&) {
    team_.lose(rank_);
  }
}

Reply Link::reply() {
  Reply reply;
  try {
    reply = socket_.receive<Reply>();
  } catch (const Disconnected&) {
    team_.lose(rank_);
  }
  switch (reply.outcome) {
    case Outcome::done:
      return reply;
    case Outcome::out_of_memory:
      throw std::bad_alloc();
    case Outcome::invalid:
      throw std::invalid_argument(reply.text);
    case Outcome::failed:
      throw std::runtime_error(reply.text);
  }
  throw std::runtime_error("a rank gave an answer that is none");
}

Team::Team(const Wish& wish)
    : token_(random_token()),
      listener_(listen_anywhere(!wish.several_nodes)),
      output_(memfd_create("launcher", MFD_CLOEXEC)) {
  start(wish);
  try {
    connect(wish);
    require_fitting(wish);
  } catch (...) {
    end();
    throw;
  }
}

Team::~Team() {
  end();
}

std::string Team::hardware(std::uint32_t rank) const {
  const Description& one = descriptions_[rank];
  if (std::string_view(one.hardware) != "host") return one.hardware;
  return one.node == host_ ? "host" : std::string("host:") + one.node;
}

void Team::start(const Wish& wish) {
  std::vector<std::string> words = command_line(wish, host_),
                           variables =
                               environment_with(address_of(listener_) + " " + token_, wish.crowd);
  const std::vector<char*> arguments = pointers(words), environment = pointers(variables);
  const pid_t worker = getpid();
  launcher_ = fork();
  if (launcher_ < 0)
    throw std::runtime_error(words.front() + " could not be started: " + std::strerror(errno));
  if (launcher_ == 0) become(arguments, environment, worker, output_.descriptor());
}

// What the launcher and the ranks wrote, without frames and empty lines.
std::string Team::said() const {
  std::array<char, 4096> text{};
  const ssize_t bytes = pread(output_.descriptor(), text.data(), text.size() - 1, 0);
  std::string all(text.data(), bytes > 0 ? std::size_t(bytes) : 0), line, found;
  for (const char c : all + "\n") {
    if (c != '\n') {
      line += c;
      continue;
    }
    if (line.find_first_not_of("-= ") != line.npos && found.size() < 160)
      found += (found.empty() ? "" : " ") + line;
    line.clear();
  }
  return found.empty() ? "it said nothing" : "it said: " + found;
}

Socket Team::accept(Hello& hello, int milliseconds) const {
  Socket socket = accept_within(listener_, milliseconds);
  if (socket.descriptor() < 0) return socket;
  const timeval patience{.tv_sec = 2, .tv_usec = 0}, forever{};
  setsockopt(socket.descriptor(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  try {
    hello = socket.receive<Hello>();
  } catch (const Disconnected&) {
    return Socket();
  }
  hello.token[sizeof hello.token - 1] = '\0';
  if (token_ != hello.token) return Socket();  // a stranger
  setsockopt(socket.descriptor(), SOL_SOCKET, SO_RCVTIMEO, &forever, sizeof forever);
  return socket;
}

void Team::connect(const Wish& wish) {
  const auto limit = Clock::now() + std::chrono::seconds(wish.limit_seconds);
  links_.resize(wish.ranks + 1);
  descriptions_.resize(wish.ranks + 1);
  for (std::size_t connected = 0; connected <= wish.ranks;) {
    Hello hello;
    Socket socket = accept(hello, 50);
    if (socket.descriptor() >= 0 && hello.rank <= wish.ranks && !links_[hello.rank]) {
      descriptions_[hello.rank] = socket.receive<Description>();
      links_[hello.rank] = std::make_unique<Link>(std::move(socket), hello.rank, *this);
      ++connected;
      continue;
    }
    if (waitpid(launcher_, nullptr, WNOHANG) != 0) {
      launcher_ = -1;
      throw std::runtime_error(wish.launcher.front() + " ended before the ranks had started; " +
                               said());
    }
    if (Clock::now() > limit)
      throw std::runtime_error(wish.launcher.front() + " started " + std::to_string(connected) +
                               " of " + std::to_string(wish.ranks + 1) + " ranks within " +
                               std::to_string(wish.limit_seconds) + " s (option limit); " + said());
  }
}

void Team::require_fitting(const Wish& wish) const {
  std::map<std::string, std::size_t> on_node;
  for (std::uint32_t rank = 0; rank < descriptions_.size(); ++rank) {
    const Description& one = descriptions_[rank];
    if (one.build != build || std::string_view(one.machine) != descriptions_[seat].machine)
      throw std::runtime_error(name_of(rank, one) + " is another build (" + one.machine + ", " +
                               one.build + "): install the same on every node");
    if (one.failure[0] != '\0') throw std::runtime_error(name_of(rank, one) + ": " + one.failure);
    if (rank == seat) continue;
    const std::size_t ranks = ++on_node[one.node];
    if (ranks > one.node_cores && !wish.crowd)
      throw std::runtime_error("more ranks than the " + std::to_string(one.node_cores) +
                               " processors of " + one.node +
                               ": ranks that wait in MPI would take them from each other; the "
                               "option crowd=yes allows it");
  }
}

void Team::end() noexcept {
  for (const auto& link : links_) {
    try {
      if (link) link->leave();
    } catch (const Disconnected&) {  // it has left already
    }
  }
  links_.clear();
  if (launcher_ < 0) return;
  // Finalizing takes some milliseconds; who does not come to an end is ended.
  const auto begin = Clock::now();
  for (int number = 0; waitpid(launcher_, nullptr, WNOHANG) == 0; usleep(2000)) {
    const auto waited = Clock::now() - begin;
    const int wanted = waited > std::chrono::milliseconds(2500)   ? SIGKILL
                       : waited > std::chrono::milliseconds(1200) ? SIGTERM
                                                                  : 0;
    if (wanted != number) kill(launcher_, number = wanted);
  }
  launcher_ = -1;
}

void Team::lose(std::uint32_t rank) const {
  usleep(300000);  // the launcher says who ended first, and how
  std::fprintf(stderr, "%s has ended; %s\n", name_of(rank, descriptions_[rank]).c_str(),
               said().c_str());
  std::_Exit(1);
}

Reply Team::ask(std::uint32_t rank, const Command& command) {
  const std::lock_guard lock(mutex_);
  return links_[rank]->ask(command);
}

void Team::ask_all(const Command& command) {
  const std::lock_guard lock(mutex_);
  for (const auto& link : links_) link->send(command);
  for (const auto& link : links_) link->reply();
}

void Team::tell(std::uint32_t rank, const Command& command) noexcept {
  try {
    ask(rank, command);
  } catch (const std::exception&) {
  }
}

std::uint32_t Team::take_tag() {
  const std::lock_guard lock(mutex_);
  std::uint32_t tag = 1;
  while (tags_.count(tag) > 0) ++tag;
  tags_.insert(tag);
  return tag;
}

void Team::give_back_tag(std::uint32_t tag) noexcept {
  const std::lock_guard lock(mutex_);
  tags_.erase(tag);
}

std::unique_ptr<Link> Team::open(std::uint32_t rank, std::uint32_t tag) {
  const std::lock_guard lock(mutex_);
  links_[rank]->send({.what = Do::open, .tag = tag});
  for (int time = 0; time < 100; ++time) {
    Hello hello;
    Socket socket = accept(hello, 100);
    if (socket.descriptor() < 0 || hello.rank != rank || hello.stream != tag) continue;
    links_[rank]->reply();
    return std::make_unique<Link>(std::move(socket), rank, *this);
  }
  throw std::runtime_error(name_of(rank, descriptions_[rank]) +
                           " did not connect a queue within ten seconds");
}

std::uint64_t Team::new_event() {
  const std::lock_guard lock(mutex_);
  return ++events_;
}

std::uint64_t Team::next_turn() {
  const std::lock_guard lock(mutex_);
  return ++turns_;
}

}  // namespace breakeven::mpi
