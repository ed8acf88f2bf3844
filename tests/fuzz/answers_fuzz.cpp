// SPDX-License-Identifier: Apache-2.0
// What a worker answers: whole lines that are JSON objects, read as each of the protocol's answers.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <stdexcept>

#include "suite/worker/answers.hpp"
#include "suite/worker/line_channel.hpp"

namespace {

template <typename Read>
void attempt(Read read, const nlohmann::json& answer) {
  try {
    read(answer);
  } catch (const breakeven::BadAnswer&) {
  }
}

void read_all(const nlohmann::json& answer) {
  using namespace breakeven;
  attempt(outcome_from, answer);
  attempt(prepare_from, answer);
  attempt(visit_from, answer);
  attempt(noise_from, answer);
  attempt(finish_from, answer);
  attempt(readings_from, answer);
  attempt(ceilings_from, answer);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const int file = memfd_create("answers", MFD_CLOEXEC);
  if (ftruncate(file, 0) != 0 || pwrite(file, data, size, 0) != static_cast<ssize_t>(size))
    __builtin_trap();
  lseek(file, 0, SEEK_SET);
  breakeven::LineReader reader;
  try {
    while (reader.fill(file))
      while (const auto answer = reader.next()) read_all(*answer);
  } catch (const std::runtime_error&) {
  }
  return 0;
}
