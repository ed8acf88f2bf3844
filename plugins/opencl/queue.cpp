// SPDX-License-Identifier: Apache-2.0
#include "plugins/opencl/queue.hpp"

#include <optional>

#include "plugins/opencl/launch.hpp"
#include "plugins/opencl/operations.hpp"
#include "plugins/opencl/relay.hpp"
#include "plugins/opencl/sequence.hpp"

namespace breakeven::opencl {

namespace {

class TimedEvent final : public Event {
 public:
  explicit TimedEvent(cl_context context) : context_(context) {}

  double since(const Event& start) const override {
    const auto from = static_cast<const TimedEvent&>(start).nanoseconds(), to = nanoseconds();
    if (!from || !to) return -1;
    return (static_cast<double>(*to) - static_cast<double>(*from)) * 1e-9;
  }

  void set(Moment moment) { moment_ = std::move(moment); }
  const Moment& moment() const noexcept { return moment_; }
  cl_context context() const noexcept { return context_; }

 private:
  std::optional<cl_ulong> nanoseconds() const {
    cl_ulong time = 0;
    if (!moment_ || call<clGetEventProfilingInfo>(moment_.get(), CL_PROFILING_COMMAND_END,
                                                  sizeof time, &time, nullptr) != CL_SUCCESS)
      return std::nullopt;
    return time;
  }

  cl_context context_;
  Moment moment_;
};

}  // namespace

OpenClQueue::OpenClQueue(OpenClDevice& device)
    : device_(device),
      queue_(make<clCreateCommandQueue>(
          device.hardware.context, device.hardware.id,
          static_cast<cl_command_queue_properties>(CL_QUEUE_PROFILING_ENABLE))) {}

std::unique_ptr<Task> OpenClQueue::prepare_any(const AnyOperation& operation) {
  return dispatch(
      operation,
      [&](const auto& wanted) -> std::unique_ptr<Task> requires requires {
        opencl::prepare(wanted, device_, queue_.get());
      } {
        if constexpr (requires { wanted.type; })
          if (wanted.type > Type::bf16) return nullptr;  // numbers that are set aside
        return opencl::prepare(wanted, device_, queue_.get());
      });
}

std::unique_ptr<Event> OpenClQueue::event() {
  return std::make_unique<TimedEvent>(device_.hardware.context);
}

void OpenClQueue::record(Event& event) {
  cl_event reached = nullptr;
  run<clEnqueueMarkerWithWaitList>(queue_.get(), 0u, nullptr, &reached);
  static_cast<TimedEvent&>(event).set(Moment(reached));
  flush(queue_.get());
}

void OpenClQueue::wait(const Event& event) {
  const auto& awaited = static_cast<const TimedEvent&>(event);
  if (!awaited.moment()) return;
  const Moment here = relayed(awaited.moment(), awaited.context(), device_.hardware.context);
  const cl_event moment = here.get();
  run<clEnqueueBarrierWithWaitList>(queue_.get(), 1u, &moment, nullptr);
}

std::unique_ptr<Task> OpenClQueue::sequence(std::span<Task* const> tasks) {
  return sequence_of(tasks, device_.hardware, queue_.get());
}

void OpenClQueue::synchronize() {
  run<clFinish>(queue_.get());
}

}  // namespace breakeven::opencl
