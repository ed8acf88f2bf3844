// SPDX-License-Identifier: Apache-2.0
#include "plugins/mpi/socket.hpp"

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <string_view>

namespace breakeven::mpi {

namespace {

int checked(int result, const char* call) {
  if (result < 0) throw std::runtime_error(std::string(call) + ": " + std::strerror(errno));
  return result;
}

// In place of a host. What stands for the port is a name without a file then: the system gives
// whoever binds to none five hexadecimal digits after a zero, unix(7).
constexpr std::string_view this_machine = ".";

union Address {
  sockaddr_un name;
  sockaddr_in port;
  sockaddr any;
};

Address any_of(sa_family_t family) {
  Address address{};
  address.any.sa_family = family;
  return address;
}

Socket made(int family) {
  return Socket(checked(::socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0), "socket"));
}

Socket listening(const Address& address, socklen_t bytes) {
  Socket socket = made(address.any.sa_family);
  checked(bind(socket.descriptor(), &address.any, bytes), "bind");
  checked(listen(socket.descriptor(), SOMAXCONN), "listen");
  return socket;
}

// Commands are short and waited for; a machine that vanished is noticed. Nothing of it concerns
// this machine alone.
void prepare(int descriptor) {
  const int on = 1;
  setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  setsockopt(descriptor, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
}

Socket connected(const sockaddr& address, socklen_t bytes) {
  Socket socket = made(address.sa_family);
  checked(connect(socket.descriptor(), &address, bytes), "connect");
  prepare(socket.descriptor());
  return socket;
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

Socket listen_anywhere(bool this_machine_only) {
  return this_machine_only ? listening(any_of(AF_UNIX), sizeof(sa_family_t))
                           : listening(any_of(AF_INET), sizeof(sockaddr_in));
}

std::string address_of(const Socket& listener) {
  Address address = any_of(AF_UNSPEC);
  socklen_t bytes = sizeof address;
  checked(getsockname(listener.descriptor(), &address.any, &bytes), "getsockname");
  if (address.any.sa_family == AF_UNIX)
    return std::string(this_machine) + " " + (address.name.sun_path + 1);
  return host_name() + " " + std::to_string(ntohs(address.port.sin_port));
}

Socket accept_within(const Socket& listener, int milliseconds) {
  pollfd waiting{listener.descriptor(), POLLIN, 0};
  if (poll(&waiting, 1, milliseconds) <= 0) return Socket();
  const int descriptor = accept4(listener.descriptor(), nullptr, nullptr, SOCK_CLOEXEC);
  if (descriptor >= 0) prepare(descriptor);
  return Socket(descriptor);
}

Socket connect_to(const std::string& host, const std::string& port) {
  if (host == this_machine) {
    Address address = any_of(AF_UNIX);
    port.copy(address.name.sun_path + 1, sizeof address.name.sun_path - 1);
    return connected(address.any, socklen_t(sizeof(sa_family_t) + 1 + port.size()));
  }
  addrinfo hints{}, *found = nullptr;
  hints.ai_family = AF_INET;
  hints.ai_socktype = SOCK_STREAM;
  if (const int error = getaddrinfo(host.c_str(), port.c_str(), &hints, &found))
    throw std::runtime_error("getaddrinfo " + host + ": " + gai_strerror(error));
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> owned(found, freeaddrinfo);
  return connected(*found->ai_addr, found->ai_addrlen);
}

std::string host_name() {
  std::array<char, 256> name{};
  checked(gethostname(name.data(), name.size() - 1), "gethostname");
  return name.data();
}

}  // namespace breakeven::mpi
