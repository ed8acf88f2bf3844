// SPDX-License-Identifier: Apache-2.0
// The program that runs as every rank: it has the memory of its node, computes by another CPU
// plugin that lies beside it, and copies over MPI. It waits for commands blocked in reading,
// because waiting inside MPI spins, and ends with its connection: when the worker ends, however it
// ends.
//
//   breakeven-rank PLUGIN    started by the launcher of MPI; PLUGIN is `serial`, `blas`, or `best`
#include <dlfcn.h>
#include <fcntl.h>
#include <mpi.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "plugins/mpi/grid.hpp"
#include "plugins/mpi/socket.hpp"
#include "plugins/mpi/wire.hpp"

namespace breakeven::mpi {

namespace {

// What lies in a file that another process has open: the host memory of the worker.
class Mapping final : public Buffer {
 public:
  Mapping(const std::string& file, std::size_t bytes, Device& device)
      : Buffer(map(file, bytes), bytes, Memory::pageable, device) {}
  ~Mapping() override { munmap(data(), bytes()); }

 private:
  static void* map(const std::string& file, std::size_t bytes) {
    const int descriptor = ::open(file.c_str(), O_RDWR | O_CLOEXEC);
    if (descriptor < 0)
      throw std::runtime_error("rank 0 on " + host_name() + " cannot open the worker's memory, " +
                               file + ": rank 0 has to be on the worker's own node");
    void* const data = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    close(descriptor);
    if (data == MAP_FAILED) throw std::bad_alloc();
    return data;
  }
};

// A point in the orders of queues of this rank.
struct Point {
  std::atomic<std::uint64_t> times{0};
  std::atomic<double> seconds{0};
};

class Points {
 public:
  Point& operator[](std::uint64_t name) {
    const std::lock_guard lock(mutex_);
    return points_[name];
  }
  void forget(std::uint64_t name) {
    const std::lock_guard lock(mutex_);
    points_.erase(name);
  }

 private:
  std::mutex mutex_;
  std::map<std::uint64_t, Point> points_;
};

struct Worker {
  std::string host, token;
  int port = 0;

  Socket connect(std::uint32_t rank, std::uint32_t stream) const {
    Socket socket = connect_to(host == host_name() ? "127.0.0.1" : host, port);
    Hello hello{.rank = rank, .stream = stream};
    write_text(hello.token, token);
    socket.send(hello);
    return socket;
  }
};

struct Place {
  std::uint32_t rank = 0;
  Worker worker;
  Device* device = nullptr;  // that computes
  Points points;
  std::atomic<std::uint64_t> turn{1};  // of what all ranks do together, in one order
};

template <class Object>
Object& object_at(std::uint64_t address) {
  return *reinterpret_cast<Object*>(address);
}
std::uint64_t address_of(const void* object) {
  return reinterpret_cast<std::uint64_t>(object);
}

Reply reply_to(std::exception_ptr error) {
  Reply reply;
  try {
    std::rethrow_exception(error);
  } catch (const std::bad_alloc&) {
    reply.outcome = Outcome::out_of_memory;
  } catch (const std::invalid_argument& invalid) {
    reply.outcome = Outcome::invalid;
    write_text(reply.text, invalid.what());
  } catch (const std::exception& failed) {
    reply.outcome = Outcome::failed;
    write_text(reply.text, failed.what());
  }
  return reply;
}

class Chain final : public Task {
 public:
  explicit Chain(std::vector<Task*> tasks) : tasks_(std::move(tasks)) {}
  void enqueue() override {
    for (Task* const task : tasks_) task->enqueue();
  }

 private:
  std::vector<Task*> tasks_;
};

// The part of a queue that works on the memory of this rank.
class Stream {
 public:
  Stream(Place& place, Socket socket, std::uint32_t tag)
      : place_(place), socket_(std::move(socket)), tag_(int(tag)), queue_(place.device->queue()) {}

  void serve() {
    for (;;) handle(socket_.receive<Command>());
  }

 private:
  void handle(const Command& command) {
    switch (command.what) {
      case Do::prepare: {
        AnyOperation operation = Nothing{};
        socket_.receive(&operation, sizeof operation);
        return answer([&] { return prepare(operation); });
      }
      case Do::chain: {
        std::vector<Task*> tasks(command.bytes / sizeof(Task*));
        socket_.receive(tasks.data(), command.bytes);
        return answer([&] { return chain(std::move(tasks)); });
      }
      case Do::grid: {
        const auto work = socket_.receive<GridWork>();
        return answer([&] { return told(grid_task(work)); });
      }
      case Do::synchronize:
        return answer([&] {
          settle();
          if (const auto error = std::exchange(error_, nullptr)) std::rethrow_exception(error);
          return Reply();
        });
      default:
        try {
          work(command);
        } catch (...) {
          if (!error_) error_ = std::current_exception();
        }
    }
  }

  template <class Ask>
  void answer(Ask ask) {
    Reply reply;
    try {
      reply = ask();
    } catch (...) {
      reply = reply_to(std::current_exception());
    }
    socket_.send(reply);
  }

  Reply prepare(const AnyOperation& operation) { return told(queue_->prepare_any(operation)); }

  Reply told(std::unique_ptr<Task> task) {
    Reply reply;
    if (!task) return reply;
    const TaskInfo info = task->info();
    reply.author = info.author;
    reply.threads = info.threads;
    reply.number = info.exchanged_bytes;
    write_text(reply.text, info.routine);
    reply.value = address_of(tasks_.emplace_back(std::move(task)).get());
    return reply;
  }

  Reply chain(std::vector<Task*> tasks) {
    auto task = queue_->sequence(tasks);
    return told(task ? std::move(task) : std::make_unique<Chain>(std::move(tasks)));
  }

  void work(const Command& command) {
    switch (command.what) {
      case Do::run:
        in_flight_ = true;
        if (command.turn > 0) return take_turn(command);
        return object_at<Task>(command.object).enqueue();
      case Do::drop:
        settle();
        std::erase_if(tasks_,
                      [&](const auto& task) { return address_of(task.get()) == command.object; });
        return;
      case Do::send:
      case Do::receive:
        settle();
        return pass(command);
      case Do::record: {
        settle();
        Point& point = place_.points[command.object];
        point.seconds = MPI_Wtime();
        point.times = command.bytes;
        point.times.notify_all();
        return;
      }
      case Do::await: {
        Point& point = place_.points[command.object];
        for (std::uint64_t seen = point.times; seen < command.bytes; seen = point.times)
          point.times.wait(seen);
        return;
      }
      default:
        throw std::logic_error("a queue was given a command that is none of its own");
    }
  }

  // What was enqueued first goes first, in every rank: nothing of it waits for what comes later.
  void take_turn(const Command& command) {
    std::atomic<std::uint64_t>& turn = place_.turn;
    for (std::uint64_t now = turn; now != command.turn; now = turn) turn.wait(now);
    settle();
    object_at<Task>(command.object).enqueue();
    turn = command.turn + 1;
    turn.notify_all();
  }

  // Inside MPI, which spins, both sides are at it.
  void pass(const Command& command) const {
    constexpr std::size_t most = std::size_t(1) << 30;  // MPI counts in int
    std::byte* at =
        static_cast<std::byte*>(object_at<Buffer>(command.object).data()) + command.offset;
    if (command.parts > 0) return pass_dealt(command, at);
    for (std::size_t left = command.bytes; left > 0;) {
      const std::size_t part = std::min(left, most);
      pass(command, at, int(part), MPI_BYTE);
      at += part, left -= part;
    }
  }

  // Of all these bytes those that one part of a grid has: as one message, to which they are in a
  // row.
  void pass_dealt(const Command& command, std::byte* all) const {
    std::vector<int> lengths;
    std::vector<MPI_Aint> places;
    for_each_piece(command.start, command.bytes, command.block, command.parts,
                   [&](const Piece& piece) {
                     if (piece.part + 1 != command.peer) return;
                     lengths.push_back(int(piece.bytes));
                     places.push_back(MPI_Aint(piece.place));
                   });
    if (lengths.empty()) return;
    MPI_Datatype pieces;
    MPI_Type_create_hindexed(int(lengths.size()), lengths.data(), places.data(), MPI_BYTE, &pieces);
    MPI_Type_commit(&pieces);
    pass(command, all, 1, pieces);
    MPI_Type_free(&pieces);
  }

  // Whoever has nothing to do yet gives its processor to others: there may be more to do than
  // cores.
  void pass(const Command& command, void* at, int count, MPI_Datatype type) const {
    MPI_Request request;
    if (command.what == Do::send)
      MPI_Isend(at, count, type, int(command.peer), tag_, MPI_COMM_WORLD, &request);
    else
      MPI_Irecv(at, count, type, int(command.peer), tag_, MPI_COMM_WORLD, &request);
    constexpr int patience = 1000;
    int done = 0;
    for (int time = 0; MPI_Test(&request, &done, MPI_STATUS_IGNORE), !done; ++time)
      if (time > patience) sched_yield();
  }

  void settle() {
    if (std::exchange(in_flight_, false)) queue_->synchronize();
  }

  Place& place_;
  Socket socket_;
  int tag_;
  std::unique_ptr<Queue> queue_;
  std::vector<std::unique_ptr<Task>> tasks_;
  bool in_flight_ = false;
  std::exception_ptr error_;
};

double processor_seconds() {
  timespec used{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  return double(used.tv_sec) + 1e-9 * double(used.tv_nsec);
}

// Threads of a library go on spinning for a while after a product.
void wait_until_still() {
  using namespace std::chrono_literals;
  constexpr double still = 0.02;  // of one processor
  for (int time = 0; time < 200; ++time) {
    const double before = processor_seconds();
    std::this_thread::sleep_for(10ms);
    if (processor_seconds() - before < still * 0.01) return;
  }
  throw std::runtime_error("its threads did not come to rest within two seconds");
}

Reply perform(Place& place, Backend& backend, std::vector<std::unique_ptr<Buffer>>& buffers,
              const Command& command) {
  Reply reply;
  const auto keep = [&](std::unique_ptr<Buffer> buffer) {
    if (!buffer) throw std::bad_alloc();
    reply.value = address_of(buffers.emplace_back(std::move(buffer)).get());
  };
  switch (command.what) {
    case Do::allocate:
      keep(place.device->allocate(command.bytes, Memory::device));
      break;
    case Do::map:
      keep(std::make_unique<Mapping>(
          "/proc/" + std::to_string(command.object) + "/fd/" + std::to_string(command.offset),
          command.bytes, *place.device));
      break;
    case Do::release:
      std::erase_if(buffers,
                    [&](const auto& one) { return address_of(one.get()) == command.object; });
      break;
    case Do::open: {
      auto stream = std::make_unique<Stream>(place, place.worker.connect(place.rank, command.tag),
                                             command.tag);
      std::thread([own = std::move(stream)] {
        try {
          own->serve();
        } catch (const Disconnected&) {  // the queue is gone
        }
      }).detach();
      break;
    }
    case Do::free_memory:
      reply.value = place.device->info().free_bytes;
      break;
    case Do::seconds:
      reply.number = place.points[command.offset].seconds - place.points[command.object].seconds;
      break;
    case Do::forget:
      place.points.forget(command.object);
      break;
    case Do::rest:
      backend.rest();
      wait_until_still();
      break;
    case Do::wake:
      backend.wake();
      break;
    default:
      throw std::logic_error("a rank was given a command that is none of its own");
  }
  return reply;
}

std::filesystem::path own_folder() {
  return std::filesystem::read_symlink("/proc/self/exe").parent_path();
}

// The plugin that computes, by its contract. It stays loaded.
std::unique_ptr<Backend> load(const std::string& name) {
  const std::string file = own_folder() / (name + ".so");
  void* const library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) throw std::runtime_error(dlerror());
  const auto* const manifest = static_cast<const Manifest*>(dlsym(library, "breakeven_plugin"));
  if (!manifest || manifest->api != api_number || manifest->toolchain != toolchain)
    throw std::runtime_error(file + " is no plugin of this program's API");
  for (const Variable& one : manifest->environment)
    setenv(std::string(one.name).c_str(), std::string(one.value).c_str(), 0);
  if (const char* const reason = manifest->probe ? manifest->probe() : nullptr)
    throw std::runtime_error(name + ": " + reason);
  std::vector<Variable> settings;
  for (const Option& option : manifest->options)
    if (option.environment_variable.empty() && !option.default_value.empty())
      settings.push_back({option.name, option.default_value});
  return manifest->create(settings);
}

// Of all device ranks, in the order of ranks.
template <std::size_t length>
std::vector<std::string> gathered(const char (&own)[length]) {
  int ranks = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  std::vector<char> all(std::size_t(ranks) * length);
  MPI_Allgather(own, int(length), MPI_CHAR, all.data(), int(length), MPI_CHAR, MPI_COMM_WORLD);
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < std::size_t(ranks); ++i) texts.emplace_back(all.data() + i * length);
  return texts;
}

// Ranks on one node that may all use the same processors share them evenly, so that they do not
// stand on each other's. What a launcher has bound apart stays.
std::size_t take_share_of_processors(std::uint32_t rank, const char (&node)[256]) {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  sched_getaffinity(0, sizeof allowed, &allowed);
  std::vector<int> processors;
  char text[CPU_SETSIZE + 1] = {};
  for (int i = 0; i < CPU_SETSIZE; ++i) {
    text[i] = CPU_ISSET(i, &allowed) ? '1' : '0';
    if (CPU_ISSET(i, &allowed)) processors.push_back(i);
  }
  const std::vector<std::string> nodes = gathered(node), sets = gathered(text);
  std::size_t sharers = 0, before = 0;
  for (std::size_t i = 1; i < nodes.size(); ++i) {  // the seat needs none
    if (nodes[i] != nodes[rank] || sets[i] != sets[rank]) continue;
    before += i < rank;
    ++sharers;
  }
  const std::size_t all = processors.size();
  if (rank == seat || sharers < 2 || sharers > all) return all;
  CPU_ZERO(&allowed);
  for (std::size_t i = before * all / sharers; i < (before + 1) * all / sharers; ++i)
    CPU_SET(processors[i], &allowed);
  sched_setaffinity(0, sizeof allowed, &allowed);
  return all;
}

// Which of a library's ways it takes, as far as it can be asked: MPI names the variables that
// hold it, and a user's choice is in them.
std::string transport(const std::string& library) {
  if (const auto at = library.find("MPICH Device:"); at != library.npos) {
    std::istringstream words(library.substr(at + 13));
    std::string device;
    words >> device;
    return device;
  }
  std::string chosen;
  int provided = 0;
  if (MPI_T_init_thread(MPI_THREAD_SINGLE, &provided) != MPI_SUCCESS) return "untold";
  for (const char* const name : {"pml", "btl", "mtl"}) {
    int index = 0, count = 0;
    MPI_T_cvar_handle handle;
    if (MPI_T_cvar_get_index(name, &index) != MPI_SUCCESS ||
        MPI_T_cvar_handle_alloc(index, nullptr, &handle, &count) != MPI_SUCCESS)
      continue;
    std::vector<char> value(std::size_t(std::max(count, 1)) + 1);
    if (MPI_T_cvar_read(handle, value.data()) == MPI_SUCCESS && value[0] != '\0')
      chosen += (chosen.empty() ? "" : " ") + std::string(name) + "=" + value.data();
    MPI_T_cvar_handle_free(&handle);
  }
  MPI_T_finalize();
  return chosen.empty() ? "its own choice" : chosen;
}

void describe_node(Description& description) {
  utsname system{};
  uname(&system);
  write_text(description.build, build);
  write_text(description.machine, system.machine);
  write_text(description.kernel, std::string(system.sysname) + " " + system.release);
  int length = 0, version = 0, subversion = 0;
  char node[MPI_MAX_PROCESSOR_NAME] = {}, library[MPI_MAX_LIBRARY_VERSION_STRING] = {};
  MPI_Get_processor_name(node, &length);
  write_text(description.node, node);
  MPI_Get_version(&version, &subversion);
  write_text(description.standard, std::to_string(version) + "." + std::to_string(subversion));
  MPI_Get_library_version(library, &length);
  const std::string text = library;
  write_text(description.library, std::string_view(text).substr(0, text.find_first_of(",\n")));
  write_text(description.transport, transport(text));
}

Worker find_worker(std::uint32_t rank) {
  char address[512] = {};
  if (rank == seat) {
    const char* const told = std::getenv(address_variable);
    write_text(address, told ? told : "");
  }
  MPI_Bcast(address, sizeof address, MPI_CHAR, seat, MPI_COMM_WORLD);
  Worker worker;
  std::istringstream words(address);
  if (!(words >> worker.host >> worker.port >> worker.token)) {
    if (rank == seat)
      std::fprintf(
          stderr,
          "rank 0 on %s was not started from the worker's node: name that first in the hosts\n",
          host_name().c_str());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  return worker;
}

int serve(const std::string& plugin) {
  int rank = 0, ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  Place place;
  place.rank = std::uint32_t(rank);
  place.worker = find_worker(place.rank);

  // Every pair meets once, so that no connection is made while a copy is timed.
  std::vector<int> greetings(std::size_t(ranks), rank), met(std::size_t(ranks), 0);
  MPI_Alltoall(greetings.data(), 1, MPI_INT, met.data(), 1, MPI_INT, MPI_COMM_WORLD);

  Description description;
  describe_node(description);
  description.node_cores = take_share_of_processors(place.rank, description.node);
  const bool grid = join_grid();
  std::unique_ptr<Backend> backend;
  try {
    cpu_set_t allowed;
    sched_getaffinity(0, sizeof allowed, &allowed);
    description.cores = std::uint64_t(CPU_COUNT(&allowed));
    const bool several = description.cores > 1 && std::filesystem::exists(own_folder() / "blas.so");
    const std::string name = plugin == "best" ? (several ? "blas" : "serial") : plugin;
    backend = load(name);
    place.device = backend->devices()[0];
    const DeviceInfo info = place.device->info();
    write_text(description.backend, grid ? "ScaLAPACK" : name);
    write_text(description.processor, info.name);
    description.memory_bytes = info.memory_bytes;
  } catch (const std::exception& error) {
    write_text(description.failure, error.what());
  }

  Socket socket = place.worker.connect(place.rank, 0);
  socket.send(description);
  std::vector<std::unique_ptr<Buffer>> buffers;
  for (;;) {
    const auto command = socket.receive<Command>();
    if (command.what == Do::leave) return 0;
    Reply reply;
    try {
      reply = perform(place, *backend, buffers, command);
    } catch (const Disconnected&) {
      throw;
    } catch (...) {
      reply = reply_to(std::current_exception());
    }
    socket.send(reply);
  }
}

}  // namespace

}  // namespace breakeven::mpi

int main(int count, char** words) {
  int provided = 0;
  MPI_Init_thread(&count, &words, MPI_THREAD_MULTIPLE, &provided);
  if (provided < MPI_THREAD_MULTIPLE || count != 2) {
    std::fprintf(stderr, count != 2 ? "usage: breakeven-rank PLUGIN, started by the plugin mpi\n"
                                    : "this MPI does not serve several threads at once\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  int status = 1;
  try {
    status = breakeven::mpi::serve(words[1]);
  } catch (const breakeven::mpi::Disconnected&) {  // the worker is gone, and with it all that this
                                                   // is for
  } catch (const std::exception& error) {
    std::fprintf(stderr, "rank on %s: %s\n", breakeven::mpi::host_name().c_str(), error.what());
  }
  if (status == 0) MPI_Finalize();
  _exit(status);
}
