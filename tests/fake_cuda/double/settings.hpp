// SPDX-License-Identifier: Apache-2.0
// What the environment asks of the double; read once, at the first call.
//   FAKE_CUDA_DEVICES=2             how many GPUs there are (default 1)
//   FAKE_CUDA_DRIVER=12020          the CUDA version of the driver; `none`: no driver
//   FAKE_CUDA_MEMORY=2147483648     bytes of each GPU
//   FAKE_CUDA_PEERS=off             no GPU reaches another directly
//   FAKE_CUDA_SLOW=1:500            microseconds more for each operation of GPU 1; `*`: of all
//   FAKE_CUDA_FAIL=cudaMalloc:3:2   the third cudaMalloc answers error 2; `kernel@1:1:700`: the
//                                   first kernel on GPU 1 fails while it runs. Several: with spaces
//   FAKE_CUDA_EXCLUSIVE=FOLDER      one process at a time has a context; locks lie in that folder
//   FAKE_CUDA_PROFILE=FILE          what GPUs and links are like, and that they take time
//   FAKE_CUDA_MIG=on                CUDA sees a slice of each GPU
//   FAKE_CUDA_REGISTER=off          memory of the system cannot be pinned
//   FAKE_CUDA_PROCESSORS=0-3 4-7    those beside each GPU; memory that a plugin maps is
//                                   watched then (touched.hpp)
//   FAKE_CUDA_SKIP=cudaStreamWaitEvent   calls that do nothing and succeed. Several: with spaces
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace fake_cuda {

struct Fault {
  std::string call;
  int device = -1;  // any
  int count = 1;    // the how many-th
  int error = 0;
};

struct Settings {
  int devices = 1;
  int driver = 13000;  // 0: none
  std::size_t memory_bytes = std::size_t{2} << 30;
  bool peers = true, registers = true;
  std::vector<long> slow_us;  // per device
  std::vector<Fault> faults;
  std::vector<std::string> skipped;
  std::vector<std::string> processors;  // per device
  std::string exclusive;                // empty: as many processes as like
};

const Settings& settings();

}  // namespace fake_cuda
