// SPDX-License-Identifier: Apache-2.0
#include "plugins/opencl/clblast.hpp"

#include <clblast.h>
#include <dlfcn.h>

#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <tuple>

#include "plugins/opencl/buffer.hpp"
#include "plugins/opencl/launch.hpp"

namespace breakeven::opencl {

namespace {

using clblast::Layout;
using clblast::StatusCode;

template <class Real>
struct Functions {
  decltype(&clblast::Gemm<Real>) gemm = nullptr;
  decltype(&clblast::GemmStridedBatched<Real>) gemm_batched = nullptr;
  decltype(&clblast::GemmTempBufferSize<Real>) temporary_bytes = nullptr;
};

struct Library {
  Functions<float> f32;
  Functions<double> f64;
  std::string reason;

  Library() {
    void* const handle = dlopen("libclblast.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
      reason = "no CLBlast (" + std::string(dlerror()) + "): install libclblast1";
      return;
    }
    // The C interface knows no temporary buffer, so these are the C++ ones, as the compiler spells
    // them for a type of one letter.
    const auto find = [&](auto& functions, const std::string& letter) {
      const auto take = [&](auto& function, const std::string& name, const std::string& rest) {
        const std::string symbol = "_ZN7clblast" + name + "I" + letter + "EENS_10StatusCodeENS_6" +
                                   "LayoutENS_9TransposeES3_" + rest;
        function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(
            dlsym(handle, symbol.c_str()));
        if (!function) reason = "CLBlast has no " + symbol + ": install version 1.5 or later";
      };
      take(functions.gemm, "4Gemm",
           "mmmT_P7_cl_memmmS6_mmS4_S6_mmPP17_cl_command_queuePP9_cl_eventS6_");
      take(functions.gemm_batched, "18GemmStridedBatched",
           "mmmT_P7_cl_memmmmS6_mmmS4_S6_mmmmPP17_cl_command_queuePP9_cl_event");
      take(functions.temporary_bytes, "18GemmTempBufferSize", "mmmmmmmmmPP17_cl_command_queueRm");
    };
    find(f32, "f");
    find(f64, "d");
  }
};

const Library& library() {
  static const Library once;
  return once;
}

template <class Real>
const Functions<Real>& functions() {
  if constexpr (std::is_same_v<Real, float>)
    return library().f32;
  else
    return library().f64;
}

void check(StatusCode status) {
  if (status == StatusCode::kSuccess) return;
  if (status == StatusCode::kTempBufferAllocFailure) throw std::bad_alloc();
  const int number = static_cast<int>(status);
  // Its own codes lie beyond those of OpenCL.
  if (number < 0 && number > -1000) raise(number, "CLBlast");
  throw std::runtime_error("CLBlast: error " + std::to_string(number));
}

// What decides which of CLBlast's kernels a product runs through, as far as it is known here.
using Route = std::tuple<const Hardware*, Type, Transpose, Transpose, bool, bool, bool, bool, bool>;

// True once for every route.
bool is_new(const Route& route) {
  static std::mutex mutex;
  static std::set<Route> seen;
  const std::lock_guard lock(mutex);
  return seen.insert(route).second;
}

template <class Real>
class Product final : public Task {
 public:
  Product(const Gemm& gemm, OpenClDevice& device, cl_command_queue queue)
      : gemm_(gemm),
        lda_(gemm.transpose_a == Transpose::yes ? gemm.m : gemm.k),
        ldb_(gemm.transpose_b == Transpose::yes ? gemm.k : gemm.n),
        a_(buffer_of(gemm.a).get()),
        b_(buffer_of(gemm.b).get()),
        c_(buffer_of(gemm.c).get()),
        queue_(queue) {
    std::size_t bytes = 0;
    check(functions<Real>().temporary_bytes(Layout::kRowMajor, of(gemm.transpose_a),
                                            of(gemm.transpose_b), gemm.m, gemm.n, gemm.k, 0, lda_,
                                            0, ldb_, 0, gemm.n, &queue_, bytes));
    const bool direct = bytes == 0;
    if (!direct) temporary_ = std::make_unique<OpenClBuffer>(bytes, Memory::device, device);
    const auto whole = [](std::size_t size) { return size % 128 == 0; };
    if (is_new({&device.hardware, gemm.type, gemm.transpose_a, gemm.transpose_b, direct,
                gemm.batch == 1, whole(gemm.m), whole(gemm.n), whole(gemm.k)}))
      compile(device);
  }

  TaskInfo info() const override { return {.author = Author::library, .routine = "CLBlast"}; }
  void enqueue() override {
    multiply(c_, gemm_.c.offset / sizeof(Real));
    flush(queue_);
  }

 private:
  static clblast::Transpose of(Transpose transpose) {
    return transpose == Transpose::yes ? clblast::Transpose::kYes : clblast::Transpose::kNo;
  }

  // By running once into another c.
  void compile(OpenClDevice& device) {
    const OpenClBuffer elsewhere(gemm_.batch * gemm_.m * gemm_.n * sizeof(Real), Memory::device,
                                 device);
    multiply(elsewhere.get(), 0);
    run<clFinish>(queue_);
  }

  void multiply(cl_mem c, std::size_t c0) {
    const auto& call = functions<Real>();
    const std::size_t m = gemm_.m, n = gemm_.n, k = gemm_.k;
    const std::size_t a0 = gemm_.a.offset / sizeof(Real), b0 = gemm_.b.offset / sizeof(Real);
    const Real alpha = static_cast<Real>(gemm_.alpha), beta = static_cast<Real>(gemm_.beta);
    const auto ta = of(gemm_.transpose_a), tb = of(gemm_.transpose_b);
    if (gemm_.batch > 1 && !temporary_) {
      check(call.gemm_batched(Layout::kRowMajor, ta, tb, m, n, k, alpha, a_, a0, lda_, m * k, b_,
                              b0, ldb_, k * n, beta, c, c0, n, m * n, gemm_.batch, &queue_,
                              nullptr));
      return;
    }
    // Of large matrices the batched call would allocate its temporary buffer every time.
    const cl_mem temporary = temporary_ ? temporary_->get() : nullptr;
    for (std::size_t i = 0; i < gemm_.batch; ++i)
      check(call.gemm(Layout::kRowMajor, ta, tb, m, n, k, alpha, a_, a0 + i * m * k, lda_, b_,
                      b0 + i * k * n, ldb_, beta, c, c0 + i * m * n, n, &queue_, nullptr,
                      temporary));
  }

  Gemm gemm_;
  std::size_t lda_, ldb_;
  cl_mem a_, b_, c_;
  cl_command_queue queue_;
  std::unique_ptr<OpenClBuffer> temporary_;
};

}  // namespace

const char* reason_without_clblast() {
  return library().reason.empty() ? nullptr : library().reason.c_str();
}

std::unique_ptr<Task> prepare_clblast_product(const Gemm& gemm, OpenClDevice& device,
                                              cl_command_queue queue) {
  if (gemm.type == Type::f64) return std::make_unique<Product<double>>(gemm, device, queue);
  return std::make_unique<Product<float>>(gemm, device, queue);
}

}  // namespace breakeven::opencl
