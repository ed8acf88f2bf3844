// SPDX-License-Identifier: Apache-2.0
// Kernels of the suite with their arguments, ready to be handed over.
#pragma once

#include <array>
#include <breakeven/plugin.hpp>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "plugins/opencl/buffer.hpp"
#include "plugins/opencl/hardware.hpp"

namespace breakeven::opencl {

struct Grid {
  std::array<std::size_t, 3> groups, group;  // how many work-groups, of how many work-items
};

// `items` work-items in groups of at most `most`.
Grid line(const Hardware& hardware, std::size_t items, std::size_t most = 256);

class Launch {
 public:
  // The first argument of every kernel is how much there is to do: with 0 it returns at once. So it
  // runs here, since runtimes compile a kernel once more for the grid that it first runs with.
  template <class... Arguments>
  Launch(Hardware& hardware, cl_program program, const char* kernel, const Grid& grid,
         std::size_t amount, const Arguments&... arguments)
      : kernel_(make<clCreateKernel>(program, kernel)), group_(grid.group) {
    for (std::size_t i = 0; i < group_.size(); ++i) items_[i] = grid.groups[i] * grid.group[i];
    cl_uint index = 1;
    (set(index++, arguments), ...);
    set(0, cl_ulong{0});
    enqueue(hardware.service());
    run<clFinish>(hardware.service());
    set(0, static_cast<cl_ulong>(amount));
  }

  void enqueue(cl_command_queue queue) const {
    run<clEnqueueNDRangeKernel>(queue, kernel_.get(), 3u, nullptr, items_.data(), group_.data(), 0u,
                                nullptr, nullptr);
  }

  cl_kernel kernel() const noexcept { return kernel_.get(); }
  const std::size_t* items() const noexcept { return items_.data(); }  // of three dimensions
  const std::size_t* group() const noexcept { return group_.data(); }

 private:
  template <class Argument>
  void set(cl_uint index, const Argument& argument) {
    run<clSetKernelArg>(kernel_.get(), index, sizeof argument, &argument);
  }

  Kernel kernel_;
  std::array<std::size_t, 3> items_{}, group_;
};

// Work that was handed over reaches the device without a wait: another queue may be waited for
// first.
inline void flush(cl_command_queue queue) {
  run<clFlush>(queue);
}

class OwnTask : public Task {
 public:
  TaskInfo info() const override { return {.author = Author::plugin}; }
};

// Kernels, one after the other.
class Launches final : public OwnTask {
 public:
  Launches(cl_command_queue queue, std::vector<Launch> in_order,
           std::vector<std::unique_ptr<OpenClBuffer>> workspaces)
      : in_order_(std::move(in_order)), queue_(queue), workspaces_(std::move(workspaces)) {}

  void enqueue() override {
    for (const Launch& launch : in_order_) launch.enqueue(queue_);
    flush(queue_);
  }
  const std::vector<Launch>& in_order() const noexcept { return in_order_; }

 private:
  std::vector<Launch> in_order_;
  cl_command_queue queue_;
  std::vector<std::unique_ptr<OpenClBuffer>> workspaces_;
};

template <class... Each>
std::vector<Launch> launches(Each... each) {
  std::vector<Launch> all;
  (all.push_back(std::move(each)), ...);
  return all;
}

// What the kernels need beside their operands lives as long as the task.
template <class... Workspaces>
std::unique_ptr<Task> task_of(cl_command_queue queue, std::vector<Launch> in_order,
                              Workspaces... workspaces) {
  std::vector<std::unique_ptr<OpenClBuffer>> kept;
  (kept.push_back(std::move(workspaces)), ...);
  return std::make_unique<Launches>(queue, std::move(in_order), std::move(kept));
}

// Work of any other sort.
template <class Enqueue>
std::unique_ptr<Task> make_task(Enqueue enqueue) {
  class Work final : public OwnTask {
   public:
    explicit Work(Enqueue how) : enqueue_(std::move(how)) {}
    void enqueue() override { enqueue_(); }

   private:
    Enqueue enqueue_;
  };
  return std::make_unique<Work>(std::move(enqueue));
}

}  // namespace breakeven::opencl
