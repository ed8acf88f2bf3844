// SPDX-License-Identifier: Apache-2.0
// Copies of every kind. Memories of two contexts (two runtimes) meet in the host's.
#include <cstring>
#include <stdexcept>

#include "plugins/opencl/buffer.hpp"
#include "plugins/opencl/launch.hpp"
#include "plugins/opencl/operations.hpp"
#include "plugins/opencl/relay.hpp"

namespace breakeven::opencl {

namespace {

struct Place {
  cl_mem object;       // of device memory
  std::byte* address;  // of host memory
  std::size_t offset;
};

Place place_of(const Slice& slice) {
  const OpenClBuffer& buffer = buffer_of(slice);
  if (buffer.memory() == Memory::device) return {buffer.get(), nullptr, slice.offset};
  return {nullptr, static_cast<std::byte*>(buffer.data()) + slice.offset, slice.offset};
}

bool overlap(const Slice& a, const Slice& b) {
  return a.buffer == b.buffer && a.offset < b.offset + b.bytes && b.offset < a.offset + a.bytes;
}

std::unique_ptr<Task> between_hosts(Place to, Place from, std::size_t bytes,
                                    cl_command_queue queue) {
  return make_task([=] {
    run<clFinish>(queue);  // OpenCL has no such copy: it is done here, in the queue's order
    std::memmove(to.address, from.address, bytes);
  });
}

std::unique_ptr<Task> between_devices(const Copy& copy, const OpenClDevice& device,
                                      cl_command_queue queue) {
  const Place to = place_of(copy.to), from = place_of(copy.from);
  const std::size_t bytes = copy.to.bytes;
  const Hardware& home = buffer_of(copy.to).owner().hardware;
  if (home.id == device.hardware.id)
    return make_task([=] {
      run<clEnqueueCopyBuffer>(queue, from.object, to.object, from.offset, to.offset, bytes, 0u,
                               nullptr, nullptr);
      flush(queue);
    });
  // The device that copies has the result: it moves to where the target lives, and the queue goes
  // on when it is there.
  return make_task([=, there = home.service()] {
    cl_event raw = nullptr;
    run<clEnqueueCopyBuffer>(queue, from.object, to.object, from.offset, to.offset, bytes, 0u,
                             nullptr, &raw);
    const Moment copied(raw);
    flush(queue);
    cl_mem object = to.object;
    cl_event waited = copied.get();
    run<clEnqueueMigrateMemObjects>(there, 1u, &object, cl_mem_migration_flags{0}, 1u, &waited,
                                    &raw);
    const Moment moved(raw);
    flush(there);
    waited = moved.get();
    run<clEnqueueBarrierWithWaitList>(queue, 1u, &waited, nullptr);
  });
}

// Where a place lives and the queue that moves its bytes.
struct Home {
  cl_context context;
  cl_command_queue queue;
};

std::unique_ptr<Task> between_contexts(const Copy& copy, OpenClDevice& device,
                                       cl_command_queue queue) {
  const Place to = place_of(copy.to), from = place_of(copy.from);
  const std::size_t bytes = copy.to.bytes;
  const Home here{device.hardware.context, queue};
  const auto home_of = [&](const Slice& slice) {
    const Hardware& owner = buffer_of(slice).owner().hardware;
    const bool away = buffer_of(slice).memory() == Memory::device && owner.context != here.context;
    return away ? Home{owner.context, owner.service()} : here;
  };
  std::unique_ptr<OpenClBuffer> staging;
  if (to.object && from.object)
    staging = std::make_unique<OpenClBuffer>(bytes, Memory::pageable, device);
  void* const host = staging ? staging->data() : to.object ? from.address : to.address;
  // Each step waits for the one before, wherever that was.
  return make_task(
      [=, at_from = home_of(copy.from), at_to = home_of(copy.to), kept = std::move(staging)] {
        cl_event raw = nullptr;
        Home last = here;
        run<clEnqueueMarkerWithWaitList>(queue, 0u, nullptr, &raw);
        Moment done(raw);
        const auto go_on = [&](const Home& home, const auto& enqueue) {
          flush(last.queue);
          const Moment before = relayed(done, last.context, home.context);
          enqueue(home.queue, before.get());
          done = Moment(raw);
          last = home;
        };
        if (from.object)
          go_on(at_from, [&](cl_command_queue its, cl_event before) {
            run<clEnqueueReadBuffer>(its, from.object, CL_FALSE, from.offset, bytes, host, 1u,
                                     &before, &raw);
          });
        if (to.object)
          go_on(at_to, [&](cl_command_queue its, cl_event before) {
            run<clEnqueueWriteBuffer>(its, to.object, CL_FALSE, to.offset, bytes, host, 1u, &before,
                                      &raw);
          });
        go_on(here, [&](cl_command_queue its, cl_event before) {
          run<clEnqueueBarrierWithWaitList>(its, 1u, &before, &raw);
        });
        flush(queue);
      });
}

}  // namespace

std::unique_ptr<Task> prepare(const Copy& copy, OpenClDevice& device, cl_command_queue queue) {
  const std::size_t bytes = copy.to.bytes;
  expect_inside({"to", copy.to, bytes});
  expect_inside({"from", copy.from, bytes});
  if (copy.from.bytes != bytes) throw std::invalid_argument("to and from differ in length");
  if (bytes == 0) return make_task([] {});
  for (const Slice& slice : {copy.to, copy.from})
    if (buffer_of(slice).memory() == Memory::device &&
        buffer_of(slice).owner().hardware.context != device.hardware.context)
      return between_contexts(copy, device, queue);

  const Place to = place_of(copy.to), from = place_of(copy.from);
  if (to.address && from.address) return between_hosts(to, from, bytes, queue);
  if (to.object && from.object) {
    if (!overlap(copy.to, copy.from)) return between_devices(copy, device, queue);
    if (copy.to.offset != copy.from.offset) return nullptr;
    // OpenCL copies nothing onto itself: it is asked for a place in the queue's order.
    return make_task([queue] {
      run<clEnqueueMarkerWithWaitList>(queue, 0u, nullptr, nullptr);
      flush(queue);
    });
  }
  if (to.object)
    return make_task([=] {
      run<clEnqueueWriteBuffer>(queue, to.object, CL_FALSE, to.offset, bytes, from.address, 0u,
                                nullptr, nullptr);
      flush(queue);
    });
  return make_task([=] {
    run<clEnqueueReadBuffer>(queue, from.object, CL_FALSE, from.offset, bytes, to.address, 0u,
                             nullptr, nullptr);
    flush(queue);
  });
}

}  // namespace breakeven::opencl
