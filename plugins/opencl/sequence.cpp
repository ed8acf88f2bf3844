// SPDX-License-Identifier: Apache-2.0
// The extension is provisional: recording a kernel has been called in the same way in all its
// versions, recording copies and barriers has not.
#define CL_ENABLE_BETA_EXTENSIONS
#include "plugins/opencl/sequence.hpp"

#include <CL/cl_ext.h>

#include <string>
#include <vector>

#include "plugins/opencl/launch.hpp"

namespace breakeven::opencl {

namespace {

struct BufferFunctions {
  clCreateCommandBufferKHR_fn create = nullptr;
  clReleaseCommandBufferKHR_fn release = nullptr;
  clCommandNDRangeKernelKHR_fn record = nullptr;
  clFinalizeCommandBufferKHR_fn finalize = nullptr;
  clEnqueueCommandBufferKHR_fn enqueue = nullptr;

  explicit BufferFunctions(cl_platform_id platform) {
    const auto find = [platform](auto& function, const char* name) {
      function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(
          call<clGetExtensionFunctionAddressForPlatform>(platform, name));
    };
    find(create, "clCreateCommandBufferKHR");
    find(release, "clReleaseCommandBufferKHR");
    find(record, "clCommandNDRangeKernelKHR");
    find(finalize, "clFinalizeCommandBufferKHR");
    find(enqueue, "clEnqueueCommandBufferKHR");
  }

  bool are_there() const { return create && release && record && finalize && enqueue; }
};

bool can_record(const Hardware& hardware) {
  const std::string all = " " + text_of(hardware.id, CL_DEVICE_EXTENSIONS) + " ";
  if (all.find(" cl_khr_command_buffer ") == all.npos) return false;
  const auto can = value_of<cl_device_command_buffer_capabilities_khr>(
      hardware.id, CL_DEVICE_COMMAND_BUFFER_CAPABILITIES_KHR);
  return (can & CL_COMMAND_BUFFER_CAPABILITY_SIMULTANEOUS_USE_KHR) != 0;
}

class Sequence final : public OwnTask {
 public:
  Sequence(const BufferFunctions& functions, cl_command_buffer_khr buffer, cl_command_queue queue)
      : functions_(functions), buffer_(buffer), queue_(queue) {}
  ~Sequence() override { functions_.release(buffer_); }
  Sequence(const Sequence&) = delete;
  Sequence& operator=(const Sequence&) = delete;

  // Each waits for the one before: a queue in order does not promise it inside a command buffer.
  void record(const Launch& launch) {
    cl_sync_point_khr done = 0;
    check(functions_.record(buffer_, nullptr, nullptr, launch.kernel(), 3, nullptr, launch.items(),
                            launch.group(), recorded_ ? 1 : 0, recorded_ ? &last_ : nullptr, &done,
                            nullptr),
          "clCommandNDRangeKernelKHR");
    last_ = done;
    recorded_ = true;
  }
  void finalize() { check(functions_.finalize(buffer_), "clFinalizeCommandBufferKHR"); }

  void enqueue() override {
    check(functions_.enqueue(0, nullptr, buffer_, 0, nullptr, nullptr),
          "clEnqueueCommandBufferKHR");
    flush(queue_);
  }

 private:
  BufferFunctions functions_;
  cl_command_buffer_khr buffer_;
  cl_command_queue queue_;
  cl_sync_point_khr last_ = 0;
  bool recorded_ = false;
};

}  // namespace

std::unique_ptr<Task> sequence_of(std::span<Task* const> tasks, const Hardware& hardware,
                                  cl_command_queue queue) {
  std::vector<const Launch*> in_order;
  for (Task* const task : tasks) {
    const auto* const kernels = dynamic_cast<const Launches*>(task);
    if (!kernels) return nullptr;
    for (const Launch& launch : kernels->in_order()) in_order.push_back(&launch);
  }
  if (in_order.empty()) return task_of(queue, {});
  if (!can_record(hardware)) return nullptr;
  const BufferFunctions functions(hardware.platform);
  if (!functions.are_there()) return nullptr;

  const cl_command_buffer_properties_khr again[] = {CL_COMMAND_BUFFER_FLAGS_KHR,
                                                    CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR, 0};
  cl_int status = CL_SUCCESS;
  const cl_command_buffer_khr buffer = functions.create(1, &queue, &again[0], &status);
  if (status == CL_INCOMPATIBLE_COMMAND_QUEUE_KHR) return nullptr;  // it records no such queue
  check(status, "clCreateCommandBufferKHR");
  auto sequence = std::make_unique<Sequence>(functions, buffer, queue);
  for (const Launch* const launch : in_order) sequence->record(*launch);
  sequence->finalize();
  return sequence;
}

}  // namespace breakeven::opencl
