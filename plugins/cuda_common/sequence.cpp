// SPDX-License-Identifier: Apache-2.0
#include "plugins/cuda_common/sequence.hpp"

#include <exception>
#include <stdexcept>

#include "plugins/cuda_common/check.hpp"

namespace breakeven::cuda {
namespace {

class GraphTask final : public Task {
 public:
  GraphTask(cudaGraphExec_t graph, const Stream& stream) : graph_(graph), stream_(stream) {}
  ~GraphTask() override { cudaGraphExecDestroy(graph_); }
  GraphTask(const GraphTask&) = delete;
  GraphTask& operator=(const GraphTask&) = delete;

  void enqueue() override {
    use(stream_.ordinal());
    CUDA_TRY(cudaGraphLaunch(graph_, stream_.get()));
  }

 private:
  cudaGraphExec_t graph_;
  const Stream& stream_;
};

// Ends the capture whatever happened in it; null where a graph cannot hold what the tasks do.
cudaGraph_t capture(std::span<Task* const> tasks, const Stream& stream) {
  // Relaxed, because a kernel that runs for the first time is loaded now.
  CUDA_TRY(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeRelaxed));
  std::exception_ptr failure;
  try {
    for (Task* task : tasks) task->enqueue();
  } catch (...) {
    failure = std::current_exception();
  }
  cudaGraph_t graph = nullptr;
  const cudaError_t status = cudaStreamEndCapture(stream.get(), &graph);
  if (status == cudaSuccess && !failure) return graph;
  cudaGetLastError();
  if (graph) cudaGraphDestroy(graph);
  // A library that did what cannot be recorded has its own word for it; the capture knows.
  if (is_of_recording(status)) return nullptr;
  if (!failure || is_sticky(status)) raise(status, "cudaStreamEndCapture");
  try {
    std::rethrow_exception(failure);
  } catch (const NotRecordable&) {
    return nullptr;
  }
}

}  // namespace

std::unique_ptr<Task> record_sequence(std::span<Task* const> tasks, const Stream& stream) {
  use(stream.ordinal());
  const cudaGraph_t graph = capture(tasks, stream);
  if (!graph) return nullptr;
  cudaGraphExec_t executable = nullptr;
  const cudaError_t status = cudaGraphInstantiateWithFlags(&executable, graph, 0);
  cudaGraphDestroy(graph);
  check(status, "cudaGraphInstantiateWithFlags");
  auto task = std::make_unique<GraphTask>(executable, stream);
  CUDA_TRY(cudaGraphUpload(executable, stream.get()));
  return task;
}

}  // namespace breakeven::cuda
