// SPDX-License-Identifier: Apache-2.0
#include "plugins/blas/library.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <initializer_list>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace breakeven::blas {

namespace {

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return char(std::tolower(c)); });
  return text;
}

[[maybe_unused]] bool is_one_of(const std::string& core_type,
                                std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), lower(core_type)) != names.end();
}

// The best core type that every OpenBLAS of the last years has, for this processor; empty where
// `running` is as wide.
std::string wider_core_type([[maybe_unused]] const std::string& running) {
#if defined(__x86_64__)
  __builtin_cpu_init();
  const bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
                      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq");
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  const bool runs_avx512 = is_one_of(running, {"skylakex", "cooperlake", "sapphirerapids"});
  if (avx512 && !runs_avx512) return "SKYLAKEX";
  if (avx2 && !runs_avx512 && !is_one_of(running, {"haswell", "zen"})) return "HASWELL";
#endif
  return {};
}

// With or without SciPy's prefix; null where the library has none.
void* symbol_of(void* handle, const std::string& name) {
  for (const char* prefix : {"", "scipy_"})
    if (void* found = dlsym(handle, (prefix + name).c_str())) return found;
  return nullptr;
}

// Those that libraries with 64-bit integers may have.
constexpr std::array suffixes = {"", "64_", "_64"};

// A function of the library, whatever its suffix; null where it has none.
template <class Function>
Function find(void* handle, const std::string& name) {
  for (const char* suffix : suffixes)
    if (void* found = symbol_of(handle, name + suffix)) return reinterpret_cast<Function>(found);
  return nullptr;
}

// `2026.2` of "... Version 2026.2-Product Build ...", or all of it.
std::string mkl_version(const std::string& text) {
  const std::string before = "Version ";
  const std::size_t at = text.find(before);
  if (at == text.npos) return text;
  const std::size_t from = at + before.size();
  return text.substr(from, text.find_first_not_of("0123456789.", from) - from);
}

void identify(Library& library) {
  void* const from = library.handle;
  if (const auto config = find<char* (*)()>(from, "openblas_get_config")) {
    library.build = config();
    std::istringstream(library.build) >> library.name >> library.version;
    if (const auto core = find<char* (*)()>(from, "openblas_get_corename"))
      library.core_type = core();
    library.wide = library.wide || library.build.find("USE64BITINT") != std::string::npos;
  } else if (const auto text = find<void (*)(char*, int)>(from, "MKL_Get_Version_String")) {
    std::array<char, 256> version{};
    text(version.data(), int(version.size() - 1));
    library.build = version.data();
    library.build.erase(library.build.find_last_not_of(' ') + 1);
    library.name = "MKL", library.version = mkl_version(library.build);
  } else if (const auto version = find<const char* (*)()>(from, "bli_info_get_version_str")) {
    library.name = "BLIS", library.version = version();
    const auto id = find<int (*)()>(from, "bli_arch_query_id");
    const auto name_of = find<const char* (*)(int)>(from, "bli_arch_string");
    if (id && name_of) library.core_type = name_of(id());
  }
}

}  // namespace

Library load_library(const std::string& path) {
  const auto fail = [&](const std::string& what) {
    return std::runtime_error("option library is '" + path + "': " + what);
  };
  Library library{"unknown", "unknown", "", ""};
  if (path == linked_library) {
    library.handle = RTLD_DEFAULT;  // what this plugin was linked with comes first in its scope
  } else {
    if (!std::filesystem::path(path).is_absolute())
      throw fail("not an absolute path; give the file of a CBLAS");
    std::error_code unknown;
    if (std::filesystem::exists(path, unknown) && !std::filesystem::is_regular_file(path, unknown))
      throw fail("not a file; give the file of a CBLAS");
    library.handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library.handle) {
      std::string reason = dlerror();
      if (reason.starts_with(path + ": ")) reason.erase(0, path.size() + 2);
      throw fail("it cannot be loaded (" + reason + "); give the file of a CBLAS");
    }
  }
  for (const char* suffix : suffixes) {
    const auto take = [&]<class T>(Routines<T>& routines, const std::string& type) {
      const auto find = [&](const std::string& name) {
        return symbol_of(library.handle, "cblas_" + type + name + suffix);
      };
      routines.gemm = reinterpret_cast<GemmRoutine<T>>(find("gemm"));
      routines.norm = reinterpret_cast<NormRoutine<T>>(find("nrm2"));
    };
    take(library.f32, "s");
    take(library.f64, "d");
    library.wide = *suffix != '\0';
    if (library.f32.gemm || library.f64.gemm) break;
  }
  if (!library.f32.gemm && !library.f64.gemm && path != linked_library)
    throw fail("it has neither cblas_sgemm nor cblas_dgemm; give the file of a CBLAS");
  identify(library);
  return library;
}

std::size_t set_threads(const Library& library, std::size_t threads) {
  void* const from = library.handle;
  for (const auto& [set_name, get_name] :
       {std::pair("openblas_set_num_threads", "openblas_get_num_threads"),
        {"MKL_Set_Num_Threads", "MKL_Get_Max_Threads"}})
    if (const auto set = find<void (*)(int)>(from, set_name)) {
      set(int(threads));
      const auto get = find<int (*)()>(from, get_name);
      return get ? std::size_t(std::max(get(), 1)) : threads;
    }
  if (const auto set_bli = find<void (*)(Integer)>(from, "bli_thread_set_num_threads")) {
    set_bli(Integer(threads));
    // It keeps the number even where it was built for one thread.
    const auto has_threads = find<Integer (*)()>(from, "bli_info_get_enable_threading");
    return has_threads && has_threads() == 0 ? 1 : threads;
  }
  return 0;
}

std::string advice_on(const Library& library, const std::string& asked_for) {
  if (library.name != "OpenBLAS")
    return asked_for.empty() ? ""
                             : "its option core (OPENBLAS_CORETYPE=" + asked_for +
                                   ") does nothing: the library is not OpenBLAS; leave it out";
  const std::string wider = wider_core_type(library.core_type);
  const std::string advice = wider.empty() ? "" : "; set its option core=" + wider;
  if (!asked_for.empty() && lower(asked_for) != lower(library.core_type))
    return "OpenBLAS does not know the core type " + asked_for + " and runs " + library.core_type +
           " kernels" + advice;
  if (wider.empty()) return {};
  const std::string told = asked_for.empty() ? "" : ", as OPENBLAS_CORETYPE tells it";
  return "OpenBLAS runs " + library.core_type + " kernels on a processor with " +
         (wider == "SKYLAKEX" ? "AVX-512" : "AVX2") + told + advice;
}

}  // namespace breakeven::blas
