// SPDX-License-Identifier: Apache-2.0
// A shared library that may be missing.
#pragma once

#include <span>
#include <string>

namespace breakeven::cuda {

// Stays loaded for the life of the process.
class DynamicLibrary {
 public:
  // The first of `files` that loads; a name without a slash is searched as the loader does.
  explicit DynamicLibrary(std::span<const std::string> files);

  explicit operator bool() const noexcept { return handle_ != nullptr; }
  const std::string& error() const noexcept { return error_; }

  // Leaves null where the library has no such function.
  template <class Function>
  void find(Function*& function, const char* name) const {
    function = reinterpret_cast<Function*>(address(name));
  }

 private:
  void* address(const char* name) const;

  void* handle_ = nullptr;
  std::string error_;
};

}  // namespace breakeven::cuda
