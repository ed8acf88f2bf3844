// SPDX-License-Identifier: Apache-2.0
// The part of the CUDA runtime that the plugins use, strict where the real one is lenient.
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstring>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <cuda_runtime_api.h>

#include "faults.hpp"
#include "memory.hpp"
#include "profile.hpp"
#include "settings.hpp"
#include "stream.hpp"

using namespace fake_cuda;

namespace {

// Streams that are alive.
struct Streams {
  std::mutex mutex;
  std::set<CUstream_st*> all;
};

thread_local int captures = 0;  // begun by this thread
std::atomic<long> timed_records = 0;

Streams& streams() {
  static Streams& once = *new Streams;
  return once;
}

// What freeing memory does, here for all devices since any may use it.
void synchronize_all() {
  const RetiredRecords unused = RetiredRecords::take();
  Streams& alive = streams();
  const std::lock_guard lock(alive.mutex);
  for (CUstream_st* stream : alive.all) stream->synchronize();
}

bool exists(int device) {
  return device >= 0 && device < settings().devices;
}

// Makes it where there is none; false: another process has the GPU for itself.
bool has_context(int device) {
  spend_once(("context " + std::to_string(device)).c_str(), profile().context_ms);
  if (settings().exclusive.empty()) return true;
  static std::mutex mutex;
  static std::set<int>& made = *new std::set<int>;  // their locks are held until the process ends
  const std::lock_guard lock(mutex);
  if (made.count(device)) return true;
  const std::string path = settings().exclusive + "/" + std::to_string(device);
  const int file = open(path.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0600);
  if (file < 0) return false;
  if (flock(file, LOCK_EX | LOCK_NB) == 0) return made.insert(device).second;
  close(file);
  return false;
}

int device_of(cudaStream_t stream) {
  return stream ? stream->device() : current_device();
}

cudaError_t no_driver_or_device() {
  if (settings().driver < CUDART_VERSION / 1000 * 1000) return cudaErrorInsufficientDriver;
  return settings().devices == 0 ? cudaErrorNoDevice : cudaSuccess;
}

// Of a copy: over a link, or within a GPU, where each byte is read and written.
Cost cost_of(const Range& to, const Range& from, std::size_t bytes) {
  Cost cost;
  const auto place = [](const Range& range) {
    return range.where == Where::device ? range.device : -1;
  };
  if (place(to) == place(from)) {
    cost.bytes = 2.0 * static_cast<double>(bytes);
  } else {
    cost.moved = static_cast<double>(bytes);
    cost.from = place(from);
    cost.to = place(to);
  }
  return cost;
}

// Copies `bytes` in the stream; host memory that is not pinned makes the host wait or stage.
cudaError_t copy(const Range& to, const Range& from, std::size_t bytes, cudaStream_t stream) {
  if (!to.inside || !from.inside) return cudaErrorInvalidValue;
  const bool from_pageable = from.where == Where::pageable;
  const bool waits =
      to.where == Where::pageable || (to.where != Where::device && from.where != Where::device);
  if (stream->capturing() && (from_pageable || waits)) return cudaErrorStreamCaptureUnsupported;
  const Cost cost = cost_of(to, from, bytes);
  if (!to.is_filled || !from.is_filled) {
    stream->run(
        Sort::copy, [] {}, cost);
  } else if (from_pageable) {
    const auto staged = std::make_shared<std::vector<std::byte>>(from.bytes, from.bytes + bytes);
    stream->run(
        Sort::copy, [to, staged] { std::memcpy(to.bytes, staged->data(), staged->size()); }, cost);
  } else {
    stream->run(
        Sort::copy,
        [to, from, bytes] {
          if (to.bytes != from.bytes) std::memcpy(to.bytes, from.bytes, bytes);
        },
        cost);
  }
  if (waits) stream->synchronize();
  return broken(stream->device());
}

bool fits(cudaMemcpyKind kind, const Range& to, const Range& from) {
  const bool to_device = to.where == Where::device, from_device = from.where == Where::device;
  switch (kind) {
    case cudaMemcpyHostToHost:
      return !to_device && !from_device;
    case cudaMemcpyHostToDevice:
      return to_device && !from_device;
    case cudaMemcpyDeviceToHost:
      return !to_device && from_device;
    case cudaMemcpyDeviceToDevice:
      return to_device && from_device && to.device == from.device;
    default:
      return false;
  }
}

}  // namespace

extern "C" {

cudaError_t cudaDriverGetVersion(int* version) {
  *version = settings().driver;
  return cudaSuccess;
}

cudaError_t cudaRuntimeGetVersion(int* version) {
  *version = CUDART_VERSION;
  return cudaSuccess;
}

cudaError_t cudaGetDeviceCount(int* count) {
  return answer("cudaGetDeviceCount", -1, [&] {
    spend_once("driver", profile().driver_ms);
    *count = settings().devices;
    return no_driver_or_device();
  });
}

cudaError_t cudaGetDevice(int* device) {
  *device = current_device();
  return cudaSuccess;
}

cudaError_t cudaSetDevice(int device) {
  return answer("cudaSetDevice", device, [&] {
    if (!exists(device)) return cudaErrorInvalidDevice;
    if (!has_context(device)) return cudaErrorDevicesUnavailable;
    set_current_device(device);
    return cudaSuccess;
  });
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  return answer("cudaGetDeviceProperties", device, [&] {
    if (!exists(device)) return cudaErrorInvalidDevice;
    *properties = {};
    std::snprintf(properties->name, sizeof properties->name, "%s", profile().name.c_str());
    properties->uuid.bytes[15] = static_cast<char>(device);
    properties->totalGlobalMem = settings().memory_bytes;
    properties->multiProcessorCount = profile().multiprocessors;
    properties->major = profile().capability / 10;
    properties->minor = profile().capability % 10;
    properties->memoryBusWidth = profile().bus_bits;
    properties->l2CacheSize = static_cast<int>(profile().l2_kib << 10);
    properties->asyncEngineCount = 2;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
  return answer("cudaDeviceGetAttribute", device, [&] {
    if (!exists(device)) return cudaErrorInvalidDevice;
    switch (attribute) {
      case cudaDevAttrComputeMode:
        *value =
            settings().exclusive.empty() ? cudaComputeModeDefault : cudaComputeModeExclusiveProcess;
        return cudaSuccess;
      case cudaDevAttrHostRegisterSupported:
        *value = settings().registers;
        return cudaSuccess;
      case cudaDevAttrClockRate:
        *value = static_cast<int>(1000 * profile().boost_mhz);
        return cudaSuccess;
      case cudaDevAttrMemoryClockRate:
        *value = static_cast<int>(1000 * profile().memory_mhz);
        return cudaSuccess;
      case cudaDevAttrGlobalMemoryBusWidth:
        *value = profile().bus_bits;
        return cudaSuccess;
      default:
        return cudaErrorInvalidValue;
    }
  });
}

cudaError_t cudaDeviceGetPCIBusId(char* text, int length, int device) {
  return answer("cudaDeviceGetPCIBusId", device, [&] {
    if (!exists(device)) return cudaErrorInvalidDevice;
    std::snprintf(text, static_cast<std::size_t>(length), "FA4E:%02X:00.0", device);
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceCanAccessPeer(int* possible, int device, int peer) {
  return answer("cudaDeviceCanAccessPeer", device, [&] {
    if (!exists(device) || !exists(peer)) return cudaErrorInvalidDevice;
    *possible = settings().peers && device != peer;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned) {
  return answer("cudaDeviceEnablePeerAccess", current_device(), [&] {
    static std::mutex mutex;
    static std::set<std::pair<int, int>> enabled;
    if (!exists(peer) || !settings().peers) return cudaErrorPeerAccessUnsupported;
    const std::lock_guard lock(mutex);
    const bool fresh = enabled.emplace(current_device(), peer).second;
    return fresh ? cudaSuccess : cudaErrorPeerAccessAlreadyEnabled;
  });
}

cudaError_t cudaMemGetInfo(std::size_t* free_bytes, std::size_t* total_bytes) {
  return answer("cudaMemGetInfo", current_device(), [&] {
    if (!has_context(current_device())) return cudaErrorDevicesUnavailable;
    *total_bytes = settings().memory_bytes;
    *free_bytes = *total_bytes - used_bytes(current_device());
    return cudaSuccess;
  });
}

cudaError_t cudaMalloc(void** address, std::size_t bytes) {
  return answer("cudaMalloc", current_device(), [&] {
    if (captures > 0) return cudaErrorStreamCaptureUnsupported;
    if (!has_context(current_device())) return cudaErrorDevicesUnavailable;
    return allocate_device(address, bytes, current_device());
  });
}

cudaError_t cudaFree(void* address) {
  synchronize_all();
  const cudaError_t error = release(address, Where::device);
  return answer("cudaFree", current_device(), [&] { return error; });
}

cudaError_t cudaHostAlloc(void** address, std::size_t bytes, unsigned) {
  return answer("cudaHostAlloc", current_device(), [&] {
    if (captures > 0) return cudaErrorStreamCaptureUnsupported;
    return allocate_pinned(address, bytes);
  });
}

cudaError_t cudaFreeHost(void* address) {
  synchronize_all();
  const cudaError_t error = release(address, Where::pinned);
  return answer("cudaFreeHost", current_device(), [&] { return error; });
}

cudaError_t cudaHostRegister(void* address, std::size_t bytes, unsigned) {
  return answer("cudaHostRegister", current_device(), [&] {
    if (captures > 0) return cudaErrorStreamCaptureUnsupported;
    return register_pages(address, bytes);
  });
}

cudaError_t cudaHostUnregister(void* address) {
  return answer("cudaHostUnregister", current_device(), [&] { return unregister_pages(address); });
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream) {
  return answer("cudaMemcpyAsync", device_of(stream), [&] {
    if (!stream) return cudaErrorInvalidResourceHandle;
    const Range target = range_of(to, bytes), source = range_of(from, bytes);
    if (!fits(kind, target, source)) return cudaErrorInvalidMemcpyDirection;
    return copy(target, source, bytes, stream);
  });
}

cudaError_t cudaMemcpyPeerAsync(void* to, int to_device, const void* from, int from_device,
                                std::size_t bytes, cudaStream_t stream) {
  return answer("cudaMemcpyPeerAsync", device_of(stream), [&] {
    if (!stream) return cudaErrorInvalidResourceHandle;
    const Range target = range_of(to, bytes), source = range_of(from, bytes);
    if (target.where != Where::device || source.where != Where::device ||
        target.device != to_device || source.device != from_device)
      return cudaErrorInvalidMemcpyDirection;
    return copy(target, source, bytes, stream);
  });
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned) {
  return answer("cudaStreamCreateWithFlags", current_device(), [&] {
    if (!has_context(current_device())) return cudaErrorDevicesUnavailable;
    *stream = new CUstream_st(current_device());
    const std::lock_guard lock(streams().mutex);
    streams().all.insert(*stream);
    return cudaSuccess;
  });
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  if (!stream) return cudaErrorInvalidResourceHandle;
  {
    const std::lock_guard lock(streams().mutex);
    streams().all.erase(stream);
  }
  delete stream;
  return cudaSuccess;
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  return answer("cudaStreamSynchronize", device_of(stream), [&] {
    if (!stream) return cudaErrorInvalidResourceHandle;
    if (stream->capturing()) return cudaErrorStreamCaptureUnsupported;
    stream->synchronize();
    return broken(stream->device());
  });
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
  return answer("cudaStreamWaitEvent", device_of(stream), [&] {
    if (!stream || !event) return cudaErrorInvalidResourceHandle;
    if (stream->capturing()) return cudaErrorStreamCaptureIsolation;
    if (!event->record) return cudaSuccess;
    stream->time().ready = std::max(stream->time().ready, event->record->at);
    spend(1e3 * profile().call_us / 2);
    stream->push([record = event->record] { record->reached.wait(); });
    return cudaSuccess;
  });
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
  return answer("cudaEventCreateWithFlags", current_device(), [&] {
    *event = new CUevent_st{current_device(), (flags & cudaEventDisableTiming) == 0};
    return cudaSuccess;
  });
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
  if (!event) return cudaErrorInvalidResourceHandle;
  retire(event->record);
  delete event;
  return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  return answer("cudaEventRecord", device_of(stream), [&] {
    if (!stream || !event || event->device != stream->device())
      return cudaErrorInvalidResourceHandle;
    if (stream->capturing()) return cudaErrorStreamCaptureUnsupported;
    retire(std::exchange(event->record, new Record));
    // Half a call without a time, a whole one with it.
    spend(1e3 * profile().call_us / (event->timed ? 1 : 2));
    if (event->timed) ++timed_records;
    event->record->at = stream->time().ready;
    stream->push([record = event->record] {
      record->time = std::chrono::steady_clock::now();
      record->done.store(true, std::memory_order_release);
      record->reached.set();
    });
    return cudaSuccess;
  });
}

cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end) {
  return answer("cudaEventElapsedTime", end->device, [&] {
    if (!start->record || !end->record || start->device != end->device || !start->timed ||
        !end->timed)
      return cudaErrorInvalidResourceHandle;
    if (!start->record->done.load(std::memory_order_acquire) ||
        !end->record->done.load(std::memory_order_acquire))
      return cudaErrorNotReady;
    if (has_time()) {
      *milliseconds = static_cast<float>(1e-6 * (end->record->at - start->record->at));
      return cudaSuccess;
    }
    const std::chrono::duration<float, std::milli> time = end->record->time - start->record->time;
    *milliseconds = time.count();
    return cudaSuccess;
  });
}

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode) {
  return answer("cudaStreamBeginCapture", device_of(stream), [&] {
    if (!stream || stream->capturing()) return cudaErrorIllegalState;
    stream->begin_capture();
    ++captures;
    return cudaSuccess;
  });
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  return answer("cudaStreamEndCapture", device_of(stream), [&] {
    if (!stream || !stream->capturing()) return cudaErrorIllegalState;
    *graph = stream->end_capture().release();
    --captures;
    return cudaSuccess;
  });
}

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* executable, cudaGraph_t graph,
                                          unsigned long long) {
  return answer("cudaGraphInstantiateWithFlags", graph->device, [&] {
    *executable = new CUgraphExec_st{std::move(*graph)};
    return cudaSuccess;
  });
}

cudaError_t cudaGraphUpload(cudaGraphExec_t, cudaStream_t stream) {
  return answer("cudaGraphUpload", device_of(stream), [] { return cudaSuccess; });
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t stream) {
  return answer("cudaGraphLaunch", device_of(stream), [&] {
    if (!stream || stream->device() != executable->device) return cudaErrorInvalidResourceHandle;
    stream->launch(*executable);
    return cudaSuccess;
  });
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  delete graph;
  return cudaSuccess;
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable) {
  delete executable;
  return cudaSuccess;
}

// How often an event with a time was recorded.
long fake_cuda_timed_records() {
  return timed_records;
}

cudaError_t cudaGetLastError() {
  const cudaError_t error = last_error();
  last_error() = cudaSuccess;
  return error;
}

cudaError_t cudaPeekAtLastError() {
  return last_error();
}

const char* cudaGetErrorName(cudaError_t error) {
  switch (error) {
    case cudaSuccess:
      return "cudaSuccess";
    case cudaErrorInvalidValue:
      return "cudaErrorInvalidValue";
    case cudaErrorMemoryAllocation:
      return "cudaErrorMemoryAllocation";
    case cudaErrorInvalidMemcpyDirection:
      return "cudaErrorInvalidMemcpyDirection";
    case cudaErrorInsufficientDriver:
      return "cudaErrorInsufficientDriver";
    case cudaErrorIllegalAddress:
      return "cudaErrorIllegalAddress";
    case cudaErrorLaunchFailure:
      return "cudaErrorLaunchFailure";
    case cudaErrorInvalidResourceHandle:
      return "cudaErrorInvalidResourceHandle";
    default:
      return "cudaError";
  }
}

const char* cudaGetErrorString(cudaError_t) {
  return "an error of the fake runtime";
}

}  // extern "C"
