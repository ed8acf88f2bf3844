// SPDX-License-Identifier: Apache-2.0
// Products by any plugins on all cores, beside the FMA peak of all cores:
//
//   parallel_products [--turns N] [--transpose ab] [--type f32|f64|bf16|f16] PLUGIN... SIZE...
//
// PLUGIN is a file with its options, blas.so,library=/path/libblis.so.4, and multiplies the type
// that was asked for before it; SIZE is 64, 1x4096x4096 (m, n, k) or 100x100x100*1000 (a batch).
// Every plugin and the peak have a process of their own, stopped while another one measures,
// because threads that wait for work spin; all of them read the same a and b, and call from the
// first processor, because one may be slower than another. Each turn gives each of them a block of
// about 2 ms; shares are medians over the turns of a plugin's rate to the peak of its own turn (for
// 16-bit types that of f32), `best` is the highest rate to the highest peak. From the second plugin
// on: its time over that of the first, the median of the turns with a 99 % rank interval.
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <barrier>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <numeric>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "contender.hpp"
#include "fma_peak.hpp"

namespace {

using namespace breakeven;

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double flops_of(const Gemm& gemm) {
  return 2.0 * double(gemm.m) * double(gemm.n) * double(gemm.k * gemm.batch);
}

// The rate of all processors together, each with a thread of its own.
double parallel_peak(Type type, std::size_t steps) {
  std::vector<double> rates(std::thread::hardware_concurrency());
  std::barrier ready(std::ptrdiff_t(rates.size()));
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < rates.size(); ++i) {
    threads.emplace_back([&, i] {
      cpu_set_t set;
      CPU_ZERO(&set);
      CPU_SET(i, &set);
      sched_setaffinity(0, sizeof set, &set);
      ready.arrive_and_wait();
      const double start = seconds_now();
      const double flops = type == Type::f64 ? run_fma_f64(steps) : run_fma_f32(steps);
      rates[i] = flops / (seconds_now() - start);
    });
  }
  for (std::thread& thread : threads) thread.join();
  return std::accumulate(rates.begin(), rates.end(), 0.0);
}

// `plugin` as on the command line.
std::unique_ptr<Contender> contender_of(std::string_view plugin) {
  std::vector<Variable> options;
  const std::string file(plugin.substr(0, plugin.find(',')));
  for (std::size_t end = file.size(); end < plugin.size();) {
    const std::string_view option = plugin.substr(end + 1, plugin.find(',', end + 1) - end - 1);
    const std::size_t equals = std::min(option.find('='), option.size());
    options.push_back(
        {option.substr(0, equals), option.substr(std::min(equals + 1, option.size()))});
    end += 1 + option.size();
  }
  return std::make_unique<Contender>(file.c_str(), options);
}

// The calling thread alone: those that it made keep their processors.
void stay_on_first_processor() {
  cpu_set_t all, first;
  if (sched_getaffinity(0, sizeof all, &all) != 0) return;
  int processor = 0;
  while (processor + 1 < CPU_SETSIZE && !CPU_ISSET(processor, &all)) ++processor;
  CPU_ZERO(&first);
  CPU_SET(processor, &first);
  sched_setaffinity(0, sizeof first, &first);
}

// What a process does: it is told how often, and answers by flops per second.
using Work = std::function<double(std::size_t repetitions)>;

// Makes a plugin ready for a product.
Work work_of(const char* plugin, const Gemm& gemm, const Operands& operands) {
  const std::shared_ptr<Contender> contender = contender_of(plugin);
  contender->prepare(gemm, operands);
  contender->run(1);
  stay_on_first_processor();
  return [=](std::size_t repetitions) {
    const double warm = seconds_now();
    do contender->run(1);
    while (seconds_now() - warm < 3e-4);
    const double start = seconds_now();
    contender->run(repetitions);
    return flops_of(gemm) * double(repetitions) / (seconds_now() - start);
  };
}

class Process {
 public:
  // `begin` is called there.
  explicit Process(const std::function<Work()>& begin) {
    int to[2], from[2];
    if (pipe(to) != 0 || pipe(from) != 0) std::exit(1);
    const pid_t parent = getpid();
    id_ = fork();
    if (id_ == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      if (getppid() != parent) _exit(1);
      raise(SIGSTOP);
      close(to[1]);
      try {
        serve(begin(), to[0], from[1]);
      } catch (const std::exception& error) {
        std::fprintf(stderr, "parallel_products: %s\n", error.what());
        _exit(1);
      }
    }
    close(to[0]), close(from[1]);
    in_ = to[1], out_ = from[0];
    waitpid(id_, nullptr, WUNTRACED);  // not before it has asked to die with this process
  }
  ~Process() {
    kill(id_, SIGKILL);
    waitpid(id_, nullptr, 0);
    close(in_), close(out_);
  }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  double flops_per_s(std::size_t repetitions) const {
    kill(id_, SIGCONT);
    double answer = 0;
    if (write(in_, &repetitions, sizeof repetitions) != sizeof repetitions ||
        read(out_, &answer, sizeof answer) != sizeof answer) {
      int status = 0;
      waitpid(id_, &status, 0);
      if (WIFSIGNALED(status))
        std::fprintf(stderr, "a plugin ended by signal %d\n", WTERMSIG(status));
      std::exit(1);
    }
    kill(id_, SIGSTOP);
    return answer;
  }

 private:
  [[noreturn]] static void serve(const Work& work, int in, int out) {
    for (std::size_t repetitions = 0; read(in, &repetitions, sizeof repetitions) > 0;) {
      const double answer = work(repetitions);
      if (write(out, &answer, sizeof answer) != sizeof answer) break;
    }
    _exit(0);
  }

  pid_t id_;
  int in_, out_;
};

Type type_from(const std::string& name) {
  return name == "f64"    ? Type::f64
         : name == "bf16" ? Type::bf16
         : name == "f16"  ? Type::f16
                          : Type::f32;
}

// The value, of the sorted ones, at a share of the way up.
double quantile(std::vector<double> values, double share) {
  std::sort(values.begin(), values.end());
  return values[std::size_t(std::lround(share * double(values.size() - 1)))];
}

double median(const std::vector<double>& values) {
  return quantile(values, 0.5);
}

struct Plugin {
  const char* file;  // with its options
  Type type;
};

// Prints a line about a product.
void measure(const Gemm& gemm, const std::vector<Plugin>& plugins, std::size_t turns,
             const Process& peak) {
  std::map<Type, Operands> operands;
  std::vector<std::unique_ptr<Process>> processes;
  std::vector<std::size_t> repetitions;
  for (const auto& [file, type] : plugins) {
    Gemm own = gemm;
    own.type = type;
    const Operands& of_type = operands.try_emplace(type, own).first->second;
    processes.push_back(
        std::make_unique<Process>([&, file = file] { return work_of(file, own, of_type); }));
    const double once = flops_of(gemm) / processes.back()->flops_per_s(2);
    repetitions.push_back(std::size_t(std::max(1.0, 2e-3 / once)));
  }
  std::vector<std::vector<double>> rates(plugins.size()), shares(plugins.size());
  std::vector<std::vector<double>> ratios(plugins.size());
  double best_peak = 0;
  constexpr std::size_t peak_steps = 60000;
  for (std::size_t turn = 0; turn < turns; ++turn) {
    for (std::size_t k = 0; k < plugins.size(); ++k) {
      const std::size_t i = (k + turn) % plugins.size();
      const double before = peak.flops_per_s(peak_steps);
      rates[i].push_back(processes[i]->flops_per_s(repetitions[i]));
      const double after = peak.flops_per_s(peak_steps);
      best_peak = std::max({best_peak, before, after});
      shares[i].push_back(rates[i].back() / std::max(before, after));
    }
    for (std::size_t i = 0; i < plugins.size(); ++i)
      ratios[i].push_back(rates[0].back() / rates[i].back());
  }
  const double spread = 1.29 / std::sqrt(double(turns));  // of the median, 99 %
  std::printf("%5zux%5zux%5zu*%-4zu peak %6.1f", gemm.m, gemm.n, gemm.k, gemm.batch,
              best_peak * 1e-9);
  for (std::size_t i = 0; i < plugins.size(); ++i) {
    const double best = *std::max_element(rates[i].begin(), rates[i].end());
    std::printf(" | %6.1f GF/s  median %5.1f %%  best %5.1f %%", median(rates[i]) * 1e-9,
                100 * median(shares[i]), 100 * best / best_peak);
    if (i > 0)
      std::printf(" %.3f [%.3f, %.3f]", median(ratios[i]),
                  quantile(ratios[i], std::max(0.0, 0.5 - spread)),
                  quantile(ratios[i], std::min(1.0, 0.5 + spread)));
  }
  std::printf("\n");
  std::fflush(stdout);
}

}  // namespace

int main(int count, char** arguments) {
  Gemm shape;
  std::size_t turns = 21;
  std::vector<Plugin> plugins;
  std::vector<Gemm> sizes;
  signal(SIGPIPE, SIG_IGN);  // a process that ended is told
  setenv("OMP_PROC_BIND", "close", 0);
  setenv("OMP_PLACES", "cores", 0);
  for (int i = 1; i < count; ++i) {
    const std::string argument = arguments[i];
    if (argument == "--type" && i + 1 < count)
      shape.type = type_from(arguments[++i]);
    else if (argument == "--turns" && i + 1 < count)
      turns = std::strtoul(arguments[++i], nullptr, 10);
    else if (argument == "--transpose" && i + 1 < count) {
      ++i;
      if (std::strchr(arguments[i], 'a')) shape.transpose_a = Transpose::yes;
      if (std::strchr(arguments[i], 'b')) shape.transpose_b = Transpose::yes;
    } else if (argument.find(".so") != argument.npos)
      plugins.push_back({arguments[i], shape.type});
    else {
      Gemm gemm = shape;
      if (std::sscanf(arguments[i], "%zux%zux%zu*%zu", &gemm.m, &gemm.n, &gemm.k, &gemm.batch) == 1)
        gemm.n = gemm.k = gemm.m;
      sizes.push_back(gemm);
    }
  }
  const Process peak([&]() -> Work {
    return [&](std::size_t steps) { return parallel_peak(shape.type, steps); };
  });
  for (const Gemm& gemm : sizes) measure(gemm, plugins, turns, peak);
}
