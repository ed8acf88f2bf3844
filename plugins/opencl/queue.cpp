// SPDX-License-Identifier: Apache-2.0
#include "plugins/opencl/queue.hpp"

#include <optional>

#include "plugins/opencl/launch.hpp"
#include "plugins/opencl/operations.hpp"

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
  cl_event get() const noexcept { return moment_.get(); }
  cl_context context() const noexcept { return context_; }

 private:
  std::optional<cl_ulong> nanoseconds() const {
    cl_ulong time = 0;
    if (!moment_ || call<clGetEventProfilingInfo>(get(), CL_PROFILING_COMMAND_END, sizeof time,
                                                  &time, nullptr) != CL_SUCCESS)
      return std::nullopt;
    return time;
  }

  cl_context context_;
  Moment moment_;
};

void CL_CALLBACK pass_on(cl_event, cl_int status, void* relay) {
  Moment ours(static_cast<cl_event>(relay));
  call<clSetUserEventStatus>(ours.get(), status < 0 ? status : CL_COMPLETE);
}

// An event of this context that comes when `foreign`, of another one, has come.
Moment relay_of(cl_event foreign, cl_context context) {
  Moment relay(make<clCreateUserEvent>(context));
  run<clRetainEvent>(relay.get());
  run<clSetEventCallback>(foreign, CL_COMPLETE, &pass_on, relay.get());
  return relay;
}

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
  cl_event moment = awaited.get();
  if (!moment) return;
  Moment relay;
  if (awaited.context() != device_.hardware.context) {
    relay = relay_of(moment, device_.hardware.context);
    moment = relay.get();
  }
  run<clEnqueueBarrierWithWaitList>(queue_.get(), 1u, &moment, nullptr);
}

void OpenClQueue::synchronize() {
  run<clFinish>(queue_.get());
}

}  // namespace breakeven::opencl
