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
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <filesystem>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "plugins/mpi/grid.hpp"
#include "plugins/mpi/node.hpp"
#include "plugins/mpi/stream.hpp"

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

// The seat has to do with the worker's memory alone.
std::string plugin_for(const std::string& wanted, std::uint32_t rank, std::uint64_t cores) {
  if (rank == seat) return "serial";
  if (wanted != "best") return wanted;
  return cores > 1 && std::filesystem::exists(own_folder() / "blas.so") ? "blas" : "serial";
}

// All processors that a rank has are one device; of GPUs every rank has its own.
std::size_t device_for(Backend& backend, std::size_t before) {
  const auto devices = backend.devices();
  const DeviceInfo first = devices[0]->info();
  if (first.hardware == "host") return 0;
  if (before < devices.size()) return before;
  throw std::runtime_error("more ranks than devices on its node, " +
                           std::to_string(devices.size()) + " of " + std::string(first.name));
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
  const std::size_t before = ranks_before(place.rank, description.node);
  std::unique_ptr<Backend> backend;
  const auto attempt = [&](auto what) {
    try {
      what();
    } catch (const std::exception& error) {
      write_text(description.failure, error.what());
    }
  };
  std::size_t device = 0;
  attempt([&] {
    cpu_set_t allowed;
    sched_getaffinity(0, sizeof allowed, &allowed);
    description.cores = std::uint64_t(CPU_COUNT(&allowed));
    const std::string name = plugin_for(plugin, place.rank, description.cores);
    backend = load(name);
    device = device_for(*backend, before);
    place.device = backend->devices()[device];
    const DeviceInfo info = place.device->info();
    write_text(description.backend, name);
    write_text(description.processor, info.name);
    write_text(description.hardware, info.hardware);
    description.memory_bytes = info.memory_bytes;
  });
  // Where one of them cannot compute, none waits for it.
  int can_all = description.failure[0] == '\0';
  MPI_Allreduce(MPI_IN_PLACE, &can_all, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
  if (can_all)
    attempt([&] {
      if (const std::string grid = join_grid(device); !grid.empty())
        write_text(description.backend, grid);
    });

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
