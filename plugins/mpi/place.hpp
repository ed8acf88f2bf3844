// SPDX-License-Identifier: Apache-2.0
// What the threads of a rank have in common: where the worker is, what computes, which points in
// the orders of its queues were passed.
#pragma once

#include <atomic>
#include <exception>
#include <map>
#include <mutex>
#include <string>

#include "plugins/mpi/socket.hpp"
#include "plugins/mpi/wire.hpp"

namespace breakeven::mpi {

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
  std::string host, port, token;

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
inline std::uint64_t address_of(const void* object) {
  return reinterpret_cast<std::uint64_t>(object);
}

// For what was thrown.
Reply reply_to(std::exception_ptr error);

}  // namespace breakeven::mpi
