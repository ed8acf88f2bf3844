// SPDX-License-Identifier: Apache-2.0
// Streams are threads, and nothing but what CUDA promises orders them with the host: work is handed
// over by a semaphore, which orders one way only, so that ThreadSanitizer sees a wait that is
// missing.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include <cuda_runtime_api.h>
#include <semaphore.h>

#include "time.hpp"
#include "work.hpp"

namespace fake_cuda {

// Set once; whoever waits is ordered after who set it.
class Flag {
 public:
  Flag() { sem_init(&semaphore_, 0, 0); }
  ~Flag() { sem_destroy(&semaphore_); }
  Flag(const Flag&) = delete;
  Flag& operator=(const Flag&) = delete;

  void set() { sem_post(&semaphore_); }
  void wait() {
    while (sem_wait(&semaphore_) != 0) {
    }
    sem_post(&semaphore_);
  }

 private:
  sem_t semaphore_;
};

// One recording of an event. Its owners are not counted, for the same reason as in memory.hpp: an
// event retires it, and it goes when all streams have been waited for.
struct Record : FromMalloc {
  Flag reached;
  std::atomic<bool> done = false;
  std::chrono::steady_clock::time_point time;
  double at = 0;  // by the double's clock
  Record* next_retired = nullptr;
};

void retire(Record* record);

// Call `take` before waiting for all streams and let the result go after.
class RetiredRecords {
 public:
  static RetiredRecords take();
  ~RetiredRecords();
  RetiredRecords(const RetiredRecords&) = delete;
  RetiredRecords& operator=(const RetiredRecords&) = delete;

 private:
  explicit RetiredRecords(Record* first) : first_(first) {}
  Record* first_;
};

enum class Sort { kernel, copy };

}  // namespace fake_cuda

struct CUevent_st {
  int device = 0;
  bool timed = true;
  fake_cuda::Record* record = nullptr;  // null: never recorded
};

struct CUgraph_st {
  int device = 0;
  std::vector<fake_cuda::Work> work;
  std::vector<fake_cuda::Cost> costs;
};

struct CUgraphExec_st : CUgraph_st {};

struct CUstream_st {
 public:
  explicit CUstream_st(int device);
  ~CUstream_st();  // after all its work
  CUstream_st(const CUstream_st&) = delete;
  CUstream_st& operator=(const CUstream_st&) = delete;

  int device() const { return device_; }

  // Work that the device does: delayed, failing and left out as the settings and faults say.
  // Where the double has time, what has the same `identity`, other than 0, as the work before it is
  // not done again: it would leave what is there.
  void run(fake_cuda::Sort sort, fake_cuda::Work work, const fake_cuda::Cost& cost = {},
           std::size_t identity = 0);
  // Work that only orders; done whatever happened to the device.
  void push(fake_cuda::Work work);
  void synchronize();

  bool capturing() const { return capture_ != nullptr; }
  void begin_capture() { capture_ = std::make_unique<CUgraph_st>(CUgraph_st{device_, {}, {}}); }
  std::unique_ptr<CUgraph_st> end_capture() { return std::move(capture_); }
  void launch(const CUgraph_st& graph);  // which outlives the work

  fake_cuda::StreamTime& time() { return time_; }

 private:
  struct Node : fake_cuda::FromMalloc {
    explicit Node(fake_cuda::Work task = {}) : work(std::move(task)) {}
    fake_cuda::Work work;
    std::atomic<Node*> next = nullptr;
  };

  void loop();

  int device_;
  fake_cuda::StreamTime time_;  // of the host's threads
  std::unique_ptr<CUgraph_st> capture_;
  std::mutex pushing_;  // never taken by the stream's own thread
  Node *first_, *last_;
  sem_t pending_;
  bool closing_ = false;       // of the stream's thread
  std::size_t done_last_ = 0;  // by it: the identity of its last work
  std::thread thread_;
};
