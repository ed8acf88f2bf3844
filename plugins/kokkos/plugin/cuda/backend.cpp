// SPDX-License-Identifier: Apache-2.0
// kokkos-cuda: every GPU that this build has kernels for is a device. Memory, copies, events and
// what a GPU says of itself come from cuda_common; Kokkos computes, on a stream of its own for each
// queue.
#include "backend.hpp"

#include <Kokkos_Graph.hpp>
#include <array>
#include <cstring>
#include <exception>
#include <mutex>
#include <string>
#include <vector>

#include "../task.hpp"
#include "plugins/cuda_common/availability.hpp"
#include "plugins/cuda_common/buffer.hpp"
#include "plugins/cuda_common/check.hpp"
#include "plugins/cuda_common/copy.hpp"
#include "plugins/cuda_common/device.hpp"
#include "plugins/cuda_common/operands.hpp"
#include "plugins/cuda_common/stream.hpp"

namespace breakeven::kokkos {
namespace {

// The compute capability that Kokkos is built for; later ones run it too, from PTX.
constexpr int built_for = BUILT_FOR;

std::string capability_text(int capability) {
  return std::to_string(capability / 10) + "." + std::to_string(capability % 10);
}

int capability_of(int ordinal) {
  int major = 0, minor = 0;
  CUDA_TRY(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, ordinal));
  CUDA_TRY(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, ordinal));
  return 10 * major + minor;
}

std::vector<int> usable_gpus() {
  std::vector<int> usable;
  for (int ordinal = 0; ordinal < cuda::device_count(); ++ordinal) {
    if (capability_of(ordinal) >= built_for) usable.push_back(ordinal);
  }
  return usable;
}

// A team kernel with the second sort of scratch memory, which makes Kokkos set aside that memory
// now: it would ask the driver for none of it again and again at every launch of a team otherwise.
struct TouchScratch {
  using Policy = Kokkos::TeamPolicy<Space>;
  KOKKOS_FUNCTION void operator()(const Policy::member_type&) const {}
};

// Kokkos keeps books without a lock of their own: per GPU when an instance is made, per kernel when
// it is first launched, which is what prepare does.
std::lock_guard<std::mutex> alone() {
  static std::mutex mutex;
  return std::lock_guard(mutex);
}

class CudaQueue final : public Queue {
 public:
  explicit CudaQueue(cuda::CudaDevice& device)
      : stream_(device.ordinal()), target_{device, instance_on(stream_)} {
    const auto lock = alone();
    Kokkos::parallel_for(
        TouchScratch::Policy(target_.space, 1, 1).set_scratch_size(1, Kokkos::PerTeam(16)),
        TouchScratch());
    stream_.synchronize();
  }

  std::unique_ptr<Task> prepare_any(const AnyOperation& operation) override {
    if (const auto* const copy = operation.as<Copy>()) {
      return cuda::prepare_copy(*copy, stream_);
    }
    const auto lock = alone();
    return kokkos::prepare_any(operation, target_);
  }
  std::unique_ptr<Task> sequence(std::span<Task* const> tasks) override;
  std::unique_ptr<Event> event() override {
    return std::make_unique<cuda::CudaEvent>(stream_.ordinal());
  }
  void record(Event& event) override { stream_.record(event); }
  void wait(const Event& event) override { stream_.wait(event); }
  void synchronize() override { stream_.synchronize(); }

 private:
  static Space instance_on(const cuda::Stream& stream) {
    const auto lock = alone();
    return Space(stream.get());
  }

  cuda::Stream stream_;
  Target target_;
};

using Graph = Kokkos::Experimental::Graph<Space>;

// Throws it on where it is more than that a graph cannot hold a task, of which Kokkos tells no more
// than the name of CUDA's error.
void expect_unsupported(const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const DeviceLost&) {
    throw;
  } catch (const std::runtime_error& error) {
    if (!std::strstr(error.what(), "cudaErrorStreamCapture")) throw;
  }
}

// What the tasks put on the stream becomes a node of a Kokkos graph.
std::unique_ptr<Task> CudaQueue::sequence(std::span<Task* const> tasks) {
  cuda::use(stream_.ordinal());
  // Kept until Kokkos has ended the recording, which it does not where this throws.
  std::exception_ptr failure;
  const auto hand_over = [&](const Space&) {
    try {
      for (Task* const task : tasks) task->enqueue();
    } catch (...) {
      failure = std::current_exception();
    }
  };
  std::shared_ptr<Graph> graph;
  try {
    graph = std::make_shared<Graph>(Kokkos::Experimental::create_graph(
        target_.space, [&](const auto& root) { root.cuda_capture(target_.space, hand_over); }));
    if (!failure) graph->instantiate();
  } catch (...) {
    if (!failure) failure = std::current_exception();
  }
  if (failure) {
    cudaGetLastError();
    expect_unsupported(failure);
    return nullptr;
  }
  return make_task([graph, space = target_.space] { graph->submit(space); });
}

class KokkosDevice final : public cuda::CudaDevice {
 public:
  explicit KokkosDevice(int ordinal) : CudaDevice(ordinal) {
    add_fact("kokkos_architecture", capability_text(built_for));
  }
  std::unique_ptr<Queue> queue() override { return std::make_unique<CudaQueue>(*this); }
};

class CudaBackend final : public Backend {
 public:
  CudaBackend(const std::vector<int>& gpus, double runtime_seconds)
      : stages_{{{"driver", cuda::driver_seconds()},
                 {"nvml", cuda::nvml_seconds()},
                 {"runtime", runtime_seconds}}} {
    facts_.add("kokkos_version", std::to_string(KOKKOS_VERSION / 10000) + "." +
                                     std::to_string(KOKKOS_VERSION / 100 % 100) + "." +
                                     std::to_string(KOKKOS_VERSION % 100));
    cuda::add_runtime_facts(facts_);
    facts_.add("launches", "one thread at a time");  // a lock in Kokkos, which feeders share
    for (const int ordinal : gpus) {
      devices_.push_back(std::make_unique<KokkosDevice>(ordinal));
      views_.push_back(devices_.back().get());
    }
  }
  std::span<Device* const> devices() override { return views_; }
  std::span<const Fact> facts() const override { return facts_.view(); }
  std::string_view advice() const override { return {}; }
  std::span<const Stage> stages() const override { return stages_; }

 private:
  std::array<Stage, 3> stages_;
  std::vector<std::unique_ptr<KokkosDevice>> devices_;
  std::vector<Device*> views_;
  cuda::FactList facts_;
};

std::string find_reason() {
  if (const char* const reason = cuda::reason_unusable()) return reason;
  try {
    if (usable_gpus().empty()) {
      return "built for compute capability " + capability_text(built_for) + ", the GPU has " +
             capability_text(capability_of(0)) + ": set BREAKEVEN_KOKKOS_GPU and build again";
    }
  } catch (const std::exception& error) {
    return error.what();
  }
  return {};
}

}  // namespace

std::byte* address_of(const Slice& slice, std::size_t bytes, const Target& target) {
  const int ordinal = static_cast<const cuda::CudaDevice&>(target.device).ordinal();
  return cuda::computable(ordinal, {{"operand", slice, bytes}}) ? cuda::address_of(slice) : nullptr;
}

void expect_launched() {
  CUDA_TRY(cudaGetLastError());
}

// Copies do not come this way: they need the queue's stream, not its space.
std::unique_ptr<Task> prepare(const Copy&, const Target&) {
  return nullptr;
}

const char* probe() {
  static const std::string reason = find_reason();
  return reason.empty() ? nullptr : reason.c_str();
}

std::unique_ptr<Backend> make_backend(std::span<const Variable>) {
  if (const char* const reason = probe()) throw std::runtime_error(reason);
  const std::vector<int> gpus = usable_gpus();
  const Kokkos::Timer runtime;
  for (const int ordinal : gpus) cuda::take_turn(ordinal);
  if (!Kokkos::is_initialized()) {
    Kokkos::initialize(
        Kokkos::InitializationSettings().set_disable_warnings(true).set_device_id(gpus.front()));
  }
  return std::make_unique<CudaBackend>(gpus, runtime.seconds());
}

}  // namespace breakeven::kokkos
