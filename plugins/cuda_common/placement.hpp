// SPDX-License-Identifier: Apache-2.0
// Which processors are nearest to a GPU.
#pragma once

#include <string>

#include <sched.h>

namespace breakeven::cuda {

// The processors beside a PCI device as the kernel lists them: `0-23,48-71`; empty: not known.
std::string processors_beside(std::string pci_bus_id);

class Placement {
 public:
  // Of the processors beside the PCI device those that the calling thread may use now.
  explicit Placement(const std::string& pci_bus_id);

  // Puts the calling thread on them; does nothing where none is known.
  void bind_thread() const;

  // Both are known, and they are not the same.
  bool is_apart_from(const Placement& other) const;

  // The calling thread is there as long as this lives; null: where it was.
  class Stay {
   public:
    explicit Stay(const Placement* placement);
    ~Stay();
    Stay(const Stay&) = delete;
    Stay& operator=(const Stay&) = delete;

   private:
    bool moved_;
    cpu_set_t before_;
  };

 private:
  cpu_set_t near_;
};

}  // namespace breakeven::cuda
