// SPDX-License-Identifier: Apache-2.0
#include "stream.hpp"

#include <utility>

#include "faults.hpp"
#include "settings.hpp"

using namespace fake_cuda;

namespace {

struct Retired {
  std::mutex mutex;
  Record* first = nullptr;
};

Retired& retired() {
  static Retired& once = *new Retired;
  return once;
}

}  // namespace

void fake_cuda::retire(Record* record) {
  if (!record) return;
  const std::lock_guard lock(retired().mutex);
  record->next_retired = std::exchange(retired().first, record);
}

RetiredRecords RetiredRecords::take() {
  const std::lock_guard lock(retired().mutex);
  return RetiredRecords(std::exchange(retired().first, nullptr));
}

RetiredRecords::~RetiredRecords() {
  while (first_) delete std::exchange(first_, first_->next_retired);
}

CUstream_st::CUstream_st(int device) : device_(device), first_(new Node), last_(first_) {
  sem_init(&pending_, 0, 0);
  thread_ = std::thread([this] { loop(); });
}

CUstream_st::~CUstream_st() {
  push([this] { closing_ = true; });
  thread_.join();
  delete first_;
  sem_destroy(&pending_);
}

void CUstream_st::loop() {
  while (!closing_) {
    while (sem_wait(&pending_) != 0) {
    }
    Node* const next = first_->next.load(std::memory_order_acquire);
    delete std::exchange(first_, next);
    next->work();
    next->work = {};
  }
}

void CUstream_st::push(Work work) {
  auto* const node = new Node(std::move(work));
  const std::lock_guard lock(pushing_);
  last_->next.store(node, std::memory_order_release);
  last_ = node;
  sem_post(&pending_);
}

void CUstream_st::run(Sort sort, Work work, const Cost& cost, std::size_t identity) {
  Work whole = [this, device = device_, sort, identity, work = std::move(work)] {
    if (const long us = settings().slow_us[static_cast<std::size_t>(device)]; us > 0)
      std::this_thread::sleep_for(std::chrono::microseconds(us));
    breaks(device, injected(sort == Sort::kernel ? "kernel" : "copy", device));
    const bool is_there = identity != 0 && std::exchange(done_last_, identity) == identity;
    if (identity == 0) done_last_ = 0;
    if (broken(device) == cudaSuccess && !(is_there && has_time())) work();
  };
  if (capture_) {
    capture_->work.push_back(std::move(whole));
    capture_->costs.push_back(cost);
  } else {
    if (sort == Sort::kernel) compile_once(device_);
    hand_over(time_, device_, cost);
    push(std::move(whole));
  }
}

void CUstream_st::launch(const CUgraph_st& graph) {
  hand_over_all(time_, device_, graph.costs);
  push([&graph] {
    for (const Work& step : graph.work) step();
  });
}

void CUstream_st::synchronize() {
  const auto flag = std::make_shared<Flag>();
  push([flag] { flag->set(); });
  flag->wait();
  wait_until(time_.ready);
}
