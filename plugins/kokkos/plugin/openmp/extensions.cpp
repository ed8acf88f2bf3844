// SPDX-License-Identifier: Apache-2.0
// Compiled like the kernels, so that the compiler's own macros say what they may use.
#include "processor.hpp"

namespace breakeven::kokkos {

constinit const std::array<Extension, extension_count> extensions{{
#if defined(__aarch64__)
    {"atomics",
#ifdef __ARM_FEATURE_ATOMICS
     true
#endif
    },
    {"asimdrdm",
#ifdef __ARM_FEATURE_QRDMX
     true
#endif
    },
    {"asimdhp",
#ifdef __ARM_FEATURE_FP16_VECTOR_ARITHMETIC
     true
#endif
    },
    {"asimddp",
#ifdef __ARM_FEATURE_DOTPROD
     true
#endif
    },
    {"sve",
#ifdef __ARM_FEATURE_SVE
     true
#endif
    },
    {"sve2",
#ifdef __ARM_FEATURE_SVE2
     true
#endif
    },
    {"i8mm",
#ifdef __ARM_FEATURE_MATMUL_INT8
     true
#endif
    },
    {"bf16",
#ifdef __ARM_FEATURE_BF16_VECTOR_ARITHMETIC
     true
#endif
    },
#else
    {"sse4.2",
#ifdef __SSE4_2__
     true
#endif
    },
    {"popcnt",
#ifdef __POPCNT__
     true
#endif
    },
    {"avx",
#ifdef __AVX__
     true
#endif
    },
    {"fma",
#ifdef __FMA__
     true
#endif
    },
    {"avx2",
#ifdef __AVX2__
     true
#endif
    },
    {"bmi",
#ifdef __BMI__
     true
#endif
    },
    {"bmi2",
#ifdef __BMI2__
     true
#endif
    },
    {"avx512f",
#ifdef __AVX512F__
     true
#endif
    },
    {"avx512dq",
#ifdef __AVX512DQ__
     true
#endif
    },
    {"avx512bw",
#ifdef __AVX512BW__
     true
#endif
    },
    {"avx512vl",
#ifdef __AVX512VL__
     true
#endif
    },
    {"avx512vbmi",
#ifdef __AVX512VBMI__
     true
#endif
    },
    {"avx512bf16",
#ifdef __AVX512BF16__
     true
#endif
    },
#endif
}};

}  // namespace breakeven::kokkos
