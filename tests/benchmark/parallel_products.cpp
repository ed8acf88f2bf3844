// SPDX-License-Identifier: Apache-2.0
// Products by any plugins on all cores, beside the FMA peak of all cores; --help says how it is
// called. Every plugin and the peak have a process of their own, stopped while another one
// measures, because threads that wait for work spin; all of them read the same a and b, and call
// from the first processor, because one may be slower than another. Each turn gives each of them a
// block of about 2 ms; shares are medians over the turns of a plugin's rate to the peak of its own
// turn (for 16-bit types that of f32), `best` is the highest rate to the highest peak. From the
// second plugin on: its time over that of the first, the median of the turns with a 99 % rank
// interval.
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <barrier>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "arguments.hpp"
#include "at_work.hpp"
#include "contender.hpp"
#include "fma_peak.hpp"

namespace {

using namespace breakeven;

constexpr const char* usage =
    R"(parallel_products [--turns N] [--transpose a|b|ab] [--type f32|f64|bf16|f16] PLUGIN... SIZE...

PLUGIN is a file with its options, blas.so,library=/path/libblis.so.4, and multiplies the type
that was asked for before it. SIZE is 64, 1x4096x4096 (m, n, k) or 100x100x100*1000 (a batch),
transposed as was asked for before it. The peak is that of the last type.
)";

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

// As on the command line.
struct Plugin {
  std::string text;
  Type type;
  std::string file = {};
  std::vector<std::pair<std::string, std::string>> options = {};
};

Plugin plugin_from(const std::string& text, Type type) {
  Plugin plugin{text, type};
  std::size_t end = std::min(text.find(','), text.size());
  plugin.file = text.substr(0, end);
  while (end < text.size()) {
    const std::size_t begin = end + 1;
    end = std::min(text.find(',', begin), text.size());
    const std::string option = text.substr(begin, end - begin);
    const std::size_t equals = option.find('=');
    if (equals == option.npos || equals == 0)
      throw UsageError("'" + text + "' has the option '" + option + "'; give NAME=VALUE");
    const std::string name = option.substr(0, equals);
    for (const auto& other : plugin.options)
      if (other.first == name)
        throw UsageError("'" + text + "' has the option '" + name + "' twice; give it once");
    plugin.options.emplace_back(name, option.substr(equals + 1));
  }
  return plugin;
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
Work work_of(const Plugin& plugin, const Gemm& gemm, const Operands& operands) {
  std::vector<Variable> settings;
  for (const auto& [name, value] : plugin.options) settings.push_back({name, value});
  const auto contender = std::make_shared<Contender>(plugin.file, settings);
  contender->prepare(gemm, operands);
  contender->run(2);
  contender->check();
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
  Process(const std::string& name, const std::function<Work()>& begin) : name_(name) {
    int to[2], from[2];
    const pid_t parent = getpid();
    if (pipe(to) != 0 || pipe(from) != 0 || (id_ = fork()) < 0)
      throw std::runtime_error(name + ": no process could be made for it; end some others");
    if (id_ == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      if (getppid() != parent) _exit(1);
      raise(SIGSTOP);
      close(to[1]);
      try {
        serve(begin(), to[0], from[1]);
      } catch (const std::exception& error) {
        const double none = std::numeric_limits<double>::quiet_NaN();  // a reason follows
        const std::string reason = line_of(error);
        if (write(from[1], &none, sizeof none) < 0 ||
            write(from[1], reason.data(), reason.size()) < 0)
          _exit(2);
      }
      _exit(1);
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

  // Throws std::runtime_error where the process could not do it, or has ended.
  double flops_per_s(std::size_t repetitions) const {
    kill(id_, SIGCONT);
    double answer = 0;
    if (write(in_, &repetitions, sizeof repetitions) != sizeof repetitions ||
        read(out_, &answer, sizeof answer) != sizeof answer)
      throw std::runtime_error(name_ + ": " + end());
    if (std::isnan(answer)) {
      std::array<char, 1000> reason{};
      const ssize_t bytes = read(out_, reason.data(), reason.size());
      throw std::runtime_error(
          name_ + ": " + std::string(reason.data(), std::size_t(std::max<ssize_t>(bytes, 0))));
    }
    kill(id_, SIGSTOP);
    return answer;
  }

 private:
  // How the process ended.
  std::string end() const {
    siginfo_t info{};
    waitid(P_PID, id_t(id_), &info, WEXITED | WNOWAIT);
    return info.si_code == CLD_EXITED
               ? "ended its process with status " + std::to_string(info.si_status)
               : std::string("its process was ended by a signal: ") + strsignal(info.si_status);
  }
  [[noreturn]] static void serve(const Work& work, int in, int out) {
    for (std::size_t repetitions = 0; read(in, &repetitions, sizeof repetitions) > 0;) {
      const double answer = work(repetitions);
      if (write(out, &answer, sizeof answer) != sizeof answer) break;
    }
    _exit(0);
  }

  std::string name_;
  pid_t id_;
  int in_, out_;
};

// The value, of the sorted ones, at a share of the way up.
double quantile(std::vector<double> values, double share) {
  std::sort(values.begin(), values.end());
  return values[std::size_t(std::lround(share * double(values.size() - 1)))];
}

double median(const std::vector<double>& values) {
  return quantile(values, 0.5);
}

// Prints a line about a product.
void compare(const std::string& size, const Gemm& gemm, const std::vector<Plugin>& plugins,
             std::size_t turns, const Process& peak) {
  std::map<Type, Operands> operands;
  std::vector<std::unique_ptr<Process>> processes;
  std::vector<std::size_t> repetitions;
  for (const Plugin& plugin : plugins) {
    Gemm own = gemm;
    own.type = plugin.type;
    at_work(size, [&] { operands.try_emplace(own.type, own); });
    const Operands& of_type = operands.at(own.type);
    processes.push_back(std::make_unique<Process>(plugin.text + ", " + size,
                                                  [&] { return work_of(plugin, own, of_type); }));
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

void measure(std::span<char* const> words) {
  Gemm shape;
  std::size_t turns = 21;
  std::vector<Plugin> plugins;
  std::vector<std::pair<std::string, Gemm>> sizes;
  bool type_waits = false, transpose_waits = false;  // for what they are said of
  const std::vector<Flag> flags{
      {"--type",
       [&](const std::string& value) {
         shape.type = type_from(value, std::array{Type::f32, Type::f64, Type::bf16, Type::f16});
         type_waits = true;
       }},
      {"--turns", [&](const std::string& value) { turns = turns_from(value); }},
      {"--transpose", [&](const std::string& value) {
         transpose_by(value, shape);
         transpose_waits = true;
       }}};
  const auto take_word = [&](const std::string& word) {
    if (word.find(".so") != word.npos) {
      plugins.push_back(plugin_from(word, shape.type));
      type_waits = false;
      return;
    }
    Gemm gemm = shape_from(word);
    gemm.transpose_a = shape.transpose_a, gemm.transpose_b = shape.transpose_b;
    sizes.emplace_back(word, gemm);
    transpose_waits = false;
  };
  if (!parse(words, usage, flags, take_word)) return;
  if (plugins.empty()) throw UsageError("there is no plugin; give a file such as serial.so");
  if (sizes.empty()) throw UsageError("there is no size; give one such as 64");
  if (type_waits) throw UsageError("--type is behind all plugins; give it before those it is for");
  if (transpose_waits)
    throw UsageError("--transpose is behind all sizes; give it before those it is for");
  signal(SIGPIPE, SIG_IGN);  // a process that ended is told
  setenv("OMP_PROC_BIND", "close", 0);
  setenv("OMP_PLACES", "cores", 0);
  const Process peak("peak", [&]() -> Work {
    return [&](std::size_t steps) { return parallel_peak(shape.type, steps); };
  });
  for (const auto& [size, gemm] : sizes) compare(size, gemm, plugins, turns, peak);
}

}  // namespace

int main(int count, char** arguments) {
  return run_program("parallel_products",
                     [&] { measure(std::span(arguments, std::size_t(count)).subspan(1)); });
}
