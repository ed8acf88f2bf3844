// SPDX-License-Identifier: Apache-2.0
#include "plugins/cuda_common/copy.hpp"

#include <stdexcept>

#include "plugins/cuda_common/buffer.hpp"
#include "plugins/cuda_common/check.hpp"
#include "plugins/cuda_common/operands.hpp"

namespace breakeven::cuda {
namespace {

struct Place {
  std::byte* address;
  int ordinal;
};

Place place_of(const Slice& slice) {
  return {address_of(slice), buffer_of(slice).ordinal()};
}

class CopyWithin final : public Task {
 public:
  CopyWithin(Place to, Place from, std::size_t bytes, cudaMemcpyKind kind, const Stream& stream)
      : to_(to), from_(from), bytes_(bytes), kind_(kind), stream_(stream) {}

  void enqueue() override {
    use(stream_.ordinal());
    CUDA_TRY(cudaMemcpyAsync(to_.address, from_.address, bytes_, kind_, stream_.get()));
  }

 private:
  Place to_, from_;
  std::size_t bytes_;
  cudaMemcpyKind kind_;
  const Stream& stream_;
};

class CopyAcross final : public Task {
 public:
  CopyAcross(Place to, Place from, std::size_t bytes, const Stream& stream)
      : to_(to), from_(from), bytes_(bytes), stream_(stream) {}

  void enqueue() override {
    use(stream_.ordinal());
    CUDA_TRY(cudaMemcpyPeerAsync(to_.address, to_.ordinal, from_.address, from_.ordinal, bytes_,
                                 stream_.get()));
  }

 private:
  Place to_, from_;
  std::size_t bytes_;
  const Stream& stream_;
};

// Without it a peer copy goes through the host, as it does where a GPU has too many peers already.
void let_reach(int from, int to) {
  if (!reaches(from, to)) return;
  use(from);
  const cudaError_t status = cudaDeviceEnablePeerAccess(to, 0);
  if (status == cudaErrorPeerAccessAlreadyEnabled || status == cudaErrorTooManyPeers) {
    cudaGetLastError();
  } else {
    check(status, "cudaDeviceEnablePeerAccess");
  }
}

cudaMemcpyKind kind_of(bool to_device, bool from_device) {
  if (to_device) return from_device ? cudaMemcpyDeviceToDevice : cudaMemcpyHostToDevice;
  return from_device ? cudaMemcpyDeviceToHost : cudaMemcpyHostToHost;
}

}  // namespace

std::unique_ptr<Task> prepare_copy(const Copy& copy, const Stream& stream) {
  const std::size_t bytes = copy.to.bytes;
  expect_inside({"to", copy.to, bytes});
  expect_inside({"from", copy.from, bytes});
  if (copy.from.bytes != bytes) throw std::invalid_argument("to and from differ in length");
  const Place to = place_of(copy.to), from = place_of(copy.from);
  const bool to_device = copy.to.buffer->memory() == Memory::device;
  const bool from_device = copy.from.buffer->memory() == Memory::device;

  if (to_device && from_device && to.ordinal != from.ordinal) {
    let_reach(to.ordinal, from.ordinal);
    let_reach(from.ordinal, to.ordinal);
    return std::make_unique<CopyAcross>(to, from, bytes, stream);
  }
  const bool overlap = copy.to.buffer == copy.from.buffer && to.address != from.address &&
                       to.address < from.address + bytes && from.address < to.address + bytes;
  if (overlap) return nullptr;
  return std::make_unique<CopyWithin>(to, from, bytes, kind_of(to_device, from_device), stream);
}

bool reaches(int from, int to) {
  if (from == to) return true;
  int possible = 0;
  CUDA_TRY(cudaDeviceCanAccessPeer(&possible, from, to));
  return possible != 0;
}

}  // namespace breakeven::cuda
