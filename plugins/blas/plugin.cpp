// SPDX-License-Identifier: Apache-2.0
// The backend `blas`: all cores through the CBLAS that was found when this was built, or another.
#include <breakeven/plugin.hpp>
#include <cstdlib>

#include "plugins/blas/library.hpp"
#include "plugins/blas/queue.hpp"
#include "plugins/cpu_common/host_device.hpp"

namespace breakeven::blas {

namespace {

constexpr Option options[] = {
    {"library",
     "file of any CBLAS, for instance /usr/lib/libmkl_rt.so; linked means the one that it was "
     "built with",
     linked_library, ""},
    {"threads", "threads of a product; all means one for every core that may be used", "all", ""},
    {"core", "kernels that OpenBLAS runs, for instance SKYLAKEX; empty: it chooses", "",
     "OPENBLAS_CORETYPE"},
};

class BlasDevice final : public cpu::HostDevice {
 public:
  BlasDevice(const cpu::Processors& processors, std::optional<std::size_t> core,
             const Library& library, std::size_t threads)
      : HostDevice(processors, core), library_(library), threads_(threads) {}
  std::unique_ptr<Queue> queue() override {
    return std::make_unique<BlasQueue>(*this, variant_, library_, threads_);
  }

 private:
  const serial::Variant& variant_ = serial::best_variant();
  const Library& library_;
  std::size_t threads_;
};

// Of an option that was given, or as it is otherwise.
std::string_view value_of(std::span<const Variable> settings, const Option& option) {
  for (const Variable& setting : settings)
    if (setting.name == option.name) return setting.value;
  return option.default_value;
}

class BlasBackend final : public Backend {
 public:
  explicit BlasBackend(std::span<const Variable> settings)
      : path_(value_of(settings, options[0])), library_(load_library(path_)) {
    const std::string_view asked_for = value_of(settings, options[1]);
    const std::size_t wanted = processors_.threads_from(asked_for);
    const std::size_t threads = set_threads(library_, wanted);
    if (asked_for != "all" && threads != 0 && threads != wanted)
      throw std::runtime_error("option threads is '" + std::string(asked_for) + "': the library (" +
                               library_.name + ") runs " + std::to_string(threads) +
                               "; leave the option out");
    threads_ = threads == 0 ? "unknown" : std::to_string(threads);
    // One thread belongs on one core; several go wherever the process may run.
    device_ = std::make_unique<BlasDevice>(
        processors_, wanted == 1 || threads == 1 ? std::optional<std::size_t>(0) : std::nullopt,
        library_, threads);
    pointer_ = device_.get();

    const char* core_type = std::getenv("OPENBLAS_CORETYPE");
    advice_ = advice_on(library_, core_type ? core_type : "");
    facts_ = {{"blas", library_.name}, {"blas_version", library_.version}, {"threads", threads_}};
    if (path_ != linked_library) facts_.push_back({"library_file", path_});
    if (!library_.core_type.empty()) facts_.push_back({"core_type", library_.core_type});
    if (!library_.build.empty()) facts_.push_back({"build", library_.build});
  }

  std::span<Device* const> devices() override { return {&pointer_, 1}; }
  std::span<const Fact> facts() const override { return facts_; }
  std::string_view advice() const override { return advice_; }

 private:
  cpu::Processors processors_;
  std::string path_;
  Library library_;
  std::string threads_, advice_;
  std::unique_ptr<BlasDevice> device_;
  Device* pointer_ = nullptr;
  std::vector<Fact> facts_;
};

const char* probe() {
  return nullptr;
}

std::unique_ptr<Backend> create(std::span<const Variable> settings) {
  return std::make_unique<BlasBackend>(settings);
}

}  // namespace

}  // namespace breakeven::blas

extern "C" const breakeven::Manifest breakeven_plugin = {
    .name = "blas",
    .version = "0.1.0",
    .description = "all cores through a CBLAS library",
    .options = breakeven::blas::options,
    .probe = breakeven::blas::probe,
    .create = breakeven::blas::create,
};
