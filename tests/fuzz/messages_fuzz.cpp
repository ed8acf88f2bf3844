// SPDX-License-Identifier: Apache-2.0
// What a worker answers: whole lines that are JSON objects, read as each of the protocol's answers.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <stdexcept>

#include "suite/protocol/line_channel.hpp"
#include "suite/protocol/message_json.hpp"

namespace {

template <typename... Answers>
void read_as_each(const nlohmann::json& answer) {
  const auto attempt = [&]<typename Answer>(const Answer&) {
    try {
      breakeven::reply_from<Answer>(answer);
    } catch (const breakeven::BadAnswer&) {
    }
  };
  (attempt(Answers()), ...);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace breakeven;
  static const int file = memfd_create("answers", MFD_CLOEXEC);
  if (ftruncate(file, 0) != 0 || pwrite(file, data, size, 0) != static_cast<ssize_t>(size))
    __builtin_trap();
  lseek(file, 0, SEEK_SET);
  LineReader reader;
  try {
    while (reader.fill(file))
      while (const auto answer = reader.next())
        read_as_each<Opened, FreeMemory, Prepared, Visited, Finished, Done, Readings,
                     MeasuredCeilings>(*answer);
  } catch (const std::runtime_error&) {
  }
  return 0;
}
