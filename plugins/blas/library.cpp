// SPDX-License-Identifier: Apache-2.0
#include "plugins/blas/library.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <initializer_list>
#include <sstream>
#include <string_view>

// Null where the library that was loaded has no such function.
extern "C" {
[[gnu::weak]] char* openblas_get_config();
[[gnu::weak]] char* openblas_get_corename();
[[gnu::weak]] void openblas_set_num_threads(int threads);
[[gnu::weak]] void MKL_Get_Version_String(char* text, int length);
[[gnu::weak]] void MKL_Set_Num_Threads(int threads);
[[gnu::weak]] const char* bli_info_get_version_str();
[[gnu::weak]] int bli_arch_query_id();
[[gnu::weak]] const char* bli_arch_string(int id);
[[gnu::weak]] void bli_thread_set_num_threads(std::int64_t threads);
}

namespace breakeven::blas {

namespace {

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return char(std::tolower(c)); });
  return text;
}

bool is_one_of(const std::string& core_type, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), lower(core_type)) != names.end();
}

// The best core type that every OpenBLAS of the last years has, for this processor; empty where
// `running` is as wide.
std::string wider_core_type(const std::string& running) {
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

}  // namespace

Library loaded_library() {
  Library library{"unknown", "unknown", "", ""};
  if (openblas_get_config && openblas_get_corename) {
    library.build = openblas_get_config();
    std::istringstream(library.build) >> library.name >> library.version;
    library.core_type = openblas_get_corename();
  } else if (MKL_Get_Version_String) {
    std::array<char, 256> text{};
    MKL_Get_Version_String(text.data(), int(text.size() - 1));
    library = {"MKL", text.data(), "", ""};
  } else if (bli_info_get_version_str) {
    library = {"BLIS", bli_info_get_version_str(), "", ""};
    if (bli_arch_query_id && bli_arch_string)
      library.core_type = bli_arch_string(bli_arch_query_id());
  }
  return library;
}

bool set_threads(std::size_t threads) {
  if (openblas_set_num_threads)
    openblas_set_num_threads(int(threads));
  else if (MKL_Set_Num_Threads)
    MKL_Set_Num_Threads(int(threads));
  else if (bli_thread_set_num_threads)
    bli_thread_set_num_threads(std::int64_t(threads));
  else
    return false;
  return true;
}

std::string advice_on(const Library& library, const std::string& asked_for) {
  if (library.name != "OpenBLAS") return {};
  const std::string wider = wider_core_type(library.core_type);
  if (!asked_for.empty() && lower(asked_for) != lower(library.core_type))
    return "OpenBLAS does not know the core type " + asked_for + " and runs " + library.core_type +
           " kernels" + (wider.empty() ? "" : "; try --option blas.core=" + wider);
  if (wider.empty()) return {};
  const std::string told = asked_for.empty() ? "" : ", as OPENBLAS_CORETYPE tells it";
  return "OpenBLAS runs " + library.core_type + " kernels on a processor with " +
         (wider == "SKYLAKEX" ? "AVX-512" : "AVX2") + told + "; try --option blas.core=" + wider;
}

}  // namespace breakeven::blas
