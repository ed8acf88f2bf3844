// SPDX-License-Identifier: Apache-2.0
#include "suite/protocol/line_channel.hpp"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <stdexcept>
#include <string_view>
#include <system_error>

namespace breakeven {

void write_line(int descriptor, const nlohmann::json& message) {
  std::string line = message.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + '\n';
  for (std::string_view rest = line; !rest.empty();) {
    const ssize_t written = write(descriptor, rest.data(), rest.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) throw std::system_error(errno, std::generic_category(), "write to the worker");
    rest.remove_prefix(static_cast<std::size_t>(written));
  }
}

bool LineReader::fill(int descriptor) {
  std::array<char, 1 << 16> chunk;
  ssize_t got = 0;
  do {
    got = read(descriptor, chunk.data(), chunk.size());
  } while (got < 0 && errno == EINTR);
  if (got < 0) throw std::system_error(errno, std::generic_category(), "read from the worker");
  if (got == 0) return false;
  if (bytes_.size() + static_cast<std::size_t>(got) > longest_line)
    throw std::runtime_error("a message is longer than 256 MiB");
  bytes_.append(chunk.data(), static_cast<std::size_t>(got));
  return true;
}

std::optional<nlohmann::json> LineReader::next() {
  const std::size_t end = bytes_.find('\n', searched_);
  if (end == std::string::npos) {
    searched_ = bytes_.size();
    return std::nullopt;
  }
  auto message =
      nlohmann::json::parse(bytes_.begin(), bytes_.begin() + static_cast<std::ptrdiff_t>(end),
                            nullptr, /*allow_exceptions=*/false);
  bytes_.erase(0, end + 1);
  searched_ = 0;
  if (!message.is_object()) throw std::runtime_error("a message is not a JSON object");
  return message;
}

}  // namespace breakeven
