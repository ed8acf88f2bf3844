// SPDX-License-Identifier: Apache-2.0
// Connections between the worker and its ranks. They carry commands and end when either side does;
// what is copied goes over MPI.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

namespace breakeven::mpi {

// The other side is gone.
struct Disconnected : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class Socket {
 public:
  explicit Socket(int descriptor = -1) noexcept : descriptor_(descriptor) {}
  Socket(Socket&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  Socket& operator=(Socket&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }
  ~Socket();

  int descriptor() const noexcept { return descriptor_; }

  // Both block until all bytes have passed, and throw Disconnected.
  void send(const void* from, std::size_t bytes, bool more_follows = false);
  void receive(void* into, std::size_t bytes);

  template <class Message>
  void send(const Message& message, bool more_follows = false) {
    static_assert(std::is_trivially_copyable_v<Message>);
    send(&message, sizeof message, more_follows);
  }
  template <class Message>
  Message receive() {
    static_assert(std::is_trivially_copyable_v<Message>);
    Message message;
    receive(&message, sizeof message);
    return message;
  }

 private:
  int descriptor_;
};

// Listens on a port that the system chooses, or by a name of its choice that only this machine
// knows: less than half as long a way. Throws std::runtime_error naming the failed call.
Socket listen_anywhere(bool this_machine_only);
// `host port`, as `connect_to` wants them.
std::string address_of(const Socket& listener);

// Null where nobody connects in time.
Socket accept_within(const Socket& listener, int milliseconds);

Socket connect_to(const std::string& host, const std::string& port);

std::string host_name();

}  // namespace breakeven::mpi
