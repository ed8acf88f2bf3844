// SPDX-License-Identifier: Apache-2.0
#include "plugins/mpi/socket.hpp"

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <memory>

namespace breakeven::mpi {

namespace {

int checked(int result, const char* call) {
  if (result < 0) throw std::runtime_error(std::string(call) + ": " + std::strerror(errno));
  return result;
}

// Commands are short and waited for; a machine that vanished is noticed.
void prepare(int descriptor) {
  const int on = 1;
  setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  setsockopt(descriptor, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
}

}  // namespace

Socket::~Socket() {
  if (descriptor_ >= 0) close(descriptor_);
}

void Socket::send(const void* from, std::size_t bytes, bool more_follows) {
  const char* at = static_cast<const char*>(from);
  while (bytes > 0) {
    const ssize_t sent =
        ::send(descriptor_, at, bytes, MSG_NOSIGNAL | (more_follows ? MSG_MORE : 0));
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) throw Disconnected("send: the other side is gone");
    at += sent, bytes -= std::size_t(sent);
  }
}

void Socket::receive(void* into, std::size_t bytes) {
  char* at = static_cast<char*>(into);
  while (bytes > 0) {
    const ssize_t got = ::recv(descriptor_, at, bytes, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) throw Disconnected("receive: the other side is gone");
    at += got, bytes -= std::size_t(got);
  }
}

Socket listen_on_any_port(bool this_machine_only) {
  Socket socket(checked(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), "socket"));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(this_machine_only ? INADDR_LOOPBACK : INADDR_ANY);
  checked(bind(socket.descriptor(), reinterpret_cast<sockaddr*>(&address), sizeof address), "bind");
  checked(listen(socket.descriptor(), SOMAXCONN), "listen");
  return socket;
}

int port_of(const Socket& listener) {
  sockaddr_in address{};
  socklen_t bytes = sizeof address;
  checked(getsockname(listener.descriptor(), reinterpret_cast<sockaddr*>(&address), &bytes),
          "getsockname");
  return ntohs(address.sin_port);
}

Socket accept_within(const Socket& listener, int milliseconds) {
  pollfd waiting{listener.descriptor(), POLLIN, 0};
  if (poll(&waiting, 1, milliseconds) <= 0) return Socket();
  const int descriptor = accept4(listener.descriptor(), nullptr, nullptr, SOCK_CLOEXEC);
  if (descriptor >= 0) prepare(descriptor);
  return Socket(descriptor);
}

Socket connect_to(const std::string& host, int port) {
  addrinfo hints{}, *found = nullptr;
  hints.ai_family = AF_INET;
  hints.ai_socktype = SOCK_STREAM;
  if (const int error = getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found))
    throw std::runtime_error("getaddrinfo " + host + ": " + gai_strerror(error));
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> owned(found, freeaddrinfo);
  Socket socket(checked(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), "socket"));
  checked(connect(socket.descriptor(), found->ai_addr, found->ai_addrlen), "connect");
  prepare(socket.descriptor());
  return socket;
}

std::string host_name() {
  std::array<char, 256> name{};
  checked(gethostname(name.data(), name.size() - 1), "gethostname");
  return name.data();
}

}  // namespace breakeven::mpi
