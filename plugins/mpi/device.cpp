// SPDX-License-Identifier: Apache-2.0
#include "plugins/mpi/device.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <set>

#include "plugins/mpi/queue.hpp"

namespace breakeven::mpi {

namespace {

// `AMD EPYC, Linux 6.1.0 on a,b; …`: what every node is, like ones together.
std::string nodes_of(const Team& team) {
  std::map<std::string, std::set<std::string>> alike;
  for (std::uint32_t rank = 1; rank <= team.devices(); ++rank) {
    const Description& one = team.description(rank);
    const std::string processor = one.processor;  // `… core 0` where one core is the device
    alike[processor.substr(0, processor.find(" core ")) + ", " + one.kernel].insert(one.node);
  }
  std::string text;
  for (const auto& [description, nodes] : alike) {
    text += (text.empty() ? "" : "; ") + description + " on ";
    for (const std::string& node : nodes) text += (node == *nodes.begin() ? "" : ",") + node;
  }
  return text;
}

}  // namespace

TeamBackend::TeamBackend(const Wish& wish) : team_(wish) {
  stage_.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  std::set<std::string_view> nodes, processors;
  for (std::uint32_t rank = 1; rank <= team_.devices(); ++rank) {
    nodes.insert(team_.description(rank).node);
    processors.insert(team_.description(rank).processor);
  }
  const Description& about = team_.description(seat);
  facts_.add("ranks", std::to_string(team_.devices()));
  facts_.add("nodes", std::to_string(nodes.size()));
  facts_.add("mpi_library", about.library);
  facts_.add("mpi_standard", about.standard);
  facts_.add("mpi_transport", about.transport);
  facts_.add("made_of", nodes_of(team_));
  if (processors.size() > 1) facts_.add("processors", "mixed");
}

std::unique_ptr<RankBuffer> RankBuffer::on_rank(Team& team, std::uint32_t rank, std::size_t bytes,
                                                Device& device) {
  const Reply reply = team.ask(rank, {.what = Do::allocate, .bytes = bytes});
  return std::unique_ptr<RankBuffer>(
      new RankBuffer(team, rank, reply.value, nullptr, bytes, Memory::device, device));
}

std::unique_ptr<RankBuffer> RankBuffer::on_host(Team& team, std::size_t bytes, Device& device) {
  const std::size_t mapped = std::max<std::size_t>(bytes, 1);
  const Socket file(memfd_create("breakeven", MFD_CLOEXEC));  // closed when it is mapped twice
  if (file.descriptor() < 0 || ftruncate(file.descriptor(), off_t(mapped)) != 0)
    throw std::bad_alloc();
  void* const data =
      mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_SHARED, file.descriptor(), 0);
  if (data == MAP_FAILED) throw std::bad_alloc();
  try {
    const Reply reply = team.ask(seat, {.what = Do::map,
                                        .object = std::uint64_t(getpid()),
                                        .offset = std::uint64_t(file.descriptor()),
                                        .bytes = mapped});
    return std::unique_ptr<RankBuffer>(
        new RankBuffer(team, seat, reply.value, data, bytes, Memory::pageable, device));
  } catch (...) {
    munmap(data, mapped);
    throw;
  }
}

RankBuffer::~RankBuffer() {
  team_.tell(rank_, {.what = Do::release, .object = address_});
  if (data()) munmap(data(), std::max<std::size_t>(bytes(), 1));
}

RankDevice::RankDevice(Team& team, std::uint32_t rank) : team_(team), rank_(rank) {
  const Description& about = team.description(rank);
  const std::string node = about.node;
  name_ = std::string(about.processor) + ", rank " + std::to_string(rank) + " on " + node;
  hardware_ = team.hardware(rank);
  facts_.add("rank", std::to_string(rank));
  facts_.add("node", node);
  facts_.add("computes_by", about.backend);
  facts_.add("cores", std::to_string(about.cores));
  facts_.add("kernel", about.kernel);
}

DeviceInfo RankDevice::info() const {
  const std::size_t free = team_.ask(rank_, {.what = Do::free_memory}).value;
  return {name_, Kind::node, team_.description(rank_).memory_bytes, free, hardware_};
}

std::unique_ptr<Buffer> RankDevice::allocate(std::size_t bytes, Memory memory, std::size_t) {
  if (memory == Memory::pinned) return nullptr;
  if (memory == Memory::pageable) return RankBuffer::on_host(team_, bytes, *this);
  return RankBuffer::on_rank(team_, rank_, bytes, *this);
}

std::unique_ptr<Queue> RankDevice::queue() {
  return std::make_unique<RankQueue>(team_, *this);
}

bool RankDevice::reaches(const Device& peer) const {
  const auto* const other = dynamic_cast<const RankDevice*>(&peer);
  return other && &other->team_ == &team_;
}

}  // namespace breakeven::mpi
