// SPDX-License-Identifier: Apache-2.0
// A device of this backend: what queue and operations need to know beyond the contract.
#pragma once

#include <breakeven/plugin.hpp>
#include <string>

#include "space.hpp"

namespace breakeven::kokkos {

class SpaceDevice : public Device {
 public:
  virtual const std::string& label() const = 0;  // as messages call it: kokkos-cuda:1
  // Where computing operations may read and write the buffer; null: not from here.
  virtual std::byte* address(const Buffer& buffer) const = 0;
  // Bytes in the order of `space`, between any two buffers of the backend; null: not supported.
  virtual std::unique_ptr<Task> copy(const Copy& operation, const Space& space) const = 0;
  // The tasks as one launch; null: not supported.
  virtual std::unique_ptr<Task> sequence(std::span<Task* const> tasks,
                                         const Space& space) const = 0;
  virtual std::unique_ptr<Event> event() const = 0;
  virtual void record(Event& event, const Space& space) const = 0;
  virtual void wait(const Event& event, const Space& space) const = 0;
  // Blocks; throws what went wrong in the work of `space`, as the contract wants it.
  virtual void synchronize(const Space& space) const = 0;
};

}  // namespace breakeven::kokkos
