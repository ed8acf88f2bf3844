// SPDX-License-Identifier: Apache-2.0
#include "plugins/opencl/tiles.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iomanip>
#include <mutex>
#include <sstream>
#include <stdexcept>
#include <vector>

#include "plugins/opencl/buffer.hpp"
#include "plugins/opencl/own_product.hpp"

namespace breakeven::opencl {

namespace {

using Time = std::chrono::steady_clock;

constexpr auto longest_search = std::chrono::seconds(20);

// 16 vector registers hold 12 sums, two vectors of b and one element of a.
Tile usual_tile(const Hardware& hardware) {
  return hardware.is_cpu() ? Tile{6, 2, 1, 8, 512} : Tile{4, 1, 16, 16, 65536};
}

// What a stored tile is for: all that follows it on its line.
std::string subject_of(const Hardware& hardware, Type type) {
  return std::string(type == Type::f64 ? "f64" : "f32") + " on " + hardware.name + ", driver " +
         text_of(hardware.id, CL_DRIVER_VERSION);
}

struct Line {
  Tile tile;
  std::string subject;
};

std::vector<Line> stored_lines() {
  std::vector<Line> lines;
  const auto path = file_of_tiles();
  std::ifstream file(path);
  for (std::string text; std::getline(file, text);) {
    const auto space = std::min(text.find(' '), text.size());
    const auto tile = tile_in(std::string_view(text).substr(0, space));
    if (!tile || space == text.size())
      throw std::runtime_error(path.string() + ", line " + std::to_string(lines.size() + 1) +
                               ": '" + text.substr(0, space) +
                               "' is no tile such as 6x2x1x8x512: delete the file");
    lines.push_back({*tile, text.substr(space + 1)});
  }
  return lines;
}

// Another process may store at the same time: the file is replaced as a whole.
void store(const Tile& tile, const std::string& subject) {
  auto lines = stored_lines();
  std::erase_if(lines, [&](const Line& line) { return line.subject == subject; });
  lines.push_back({tile, subject});
  const auto path = file_of_tiles();
  std::filesystem::create_directories(path.parent_path());
  auto fresh = path;
  fresh += "." + std::to_string(getpid());
  std::ofstream file(fresh);
  for (const Line& line : lines) file << text_of(line.tile) << ' ' << line.subject << '\n';
  file.close();
  if (!file) throw std::runtime_error("the tiles cannot be written to " + fresh.string());
  std::filesystem::rename(fresh, path);
}

// A product in the middle of the sizes that matter, with its operands.
class Trial {
 public:
  Trial(OpenClDevice& device, Type type)
      : device_(device),
        n_(1024),
        queue_(make<clCreateCommandQueue>(device.hardware.context, device.hardware.id,
                                          cl_command_queue_properties{0})),
        a_(n_ * n_ * bytes_of(type), Memory::device, device),
        b_(a_.bytes(), Memory::device, device),
        c_(a_.bytes(), Memory::device, device),
        gemm_{.type = type, .m = n_, .n = n_, .k = n_} {
    gemm_.a = {&a_, 0, a_.bytes()};
    gemm_.b = {&b_, 0, b_.bytes()};
    gemm_.c = {&c_, 0, c_.bytes()};
    // Reals of any sort: some devices multiply zeros faster.
    std::vector<float> f32(n_ * n_);
    std::vector<double> f64(n_ * n_);
    for (std::size_t i = 0; i < f32.size(); ++i)
      f32[i] = static_cast<float>(f64[i] = static_cast<double>(i * 7919 % 1009) / 504 - 1);
    const void* const reals = type == Type::f64 ? static_cast<const void*>(f64.data()) : f32.data();
    for (const auto* buffer : {&a_, &b_})
      run<clEnqueueWriteBuffer>(queue_.get(), buffer->get(), CL_TRUE, std::size_t{0},
                                buffer->bytes(), reals, 0u, nullptr, nullptr);
  }

  // Null: this device cannot work with the tile.
  std::unique_ptr<Task> with(const Tile& tile) {
    try {
      auto task = prepare_own_product(gemm_, tile, device_, queue_.get());
      if (task) seconds(*task);
      return task;
    } catch (const DeviceLost&) {
      throw;
    } catch (const std::runtime_error&) {
      return nullptr;
    }
  }

  // The time of `one` over that of `other`: the median of turns taken one after the other.
  double ratio(Task& one, Task& other) {
    std::array<double, 7> ratios{};
    for (double& ratio : ratios) ratio = seconds(one) / seconds(other);
    std::ranges::sort(ratios);
    return ratios[ratios.size() / 2];
  }

 private:
  double seconds(Task& task) {
    const auto start = Time::now();
    task.enqueue();
    run<clFinish>(queue_.get());
    return std::chrono::duration<double>(Time::now() - start).count();
  }

  OpenClDevice& device_;
  std::size_t n_;
  CommandQueue queue_;
  OpenClBuffer a_, b_, c_;
  Gemm gemm_;
};

// One number of the tile at a time, twice, since they depend on one another.
Tile search(OpenClDevice& device, Type type) {
  const auto end = Time::now() + longest_search;
  Trial trial(device, type);
  Tile best = usual_tile(device.hardware);
  auto best_task = trial.with(best);
  const auto attempt = [&](const Tile& tile) {
    if (Time::now() > end || tile == best) return;
    auto task = trial.with(tile);
    if (!task || (best_task && trial.ratio(*task, *best_task) >= 0.98)) return;
    best = tile;
    best_task = std::move(task);
  };
  const auto with = [&](unsigned Tile::*number, unsigned value) {
    Tile tile = best;
    tile.*number = value;
    attempt(tile);
  };
  const bool cpu = device.hardware.is_cpu();
  for (int time = 0; time < 2; ++time) {
    for (const unsigned count : {4, 6, 8, 10, 12, 2}) with(&Tile::rows, count);
    for (const unsigned count : {1, 2, 3, 4}) with(&Tile::vectors, count);
    for (const unsigned count : {4, 8, 16, 32}) with(&Tile::group_columns, count);
    for (const unsigned count : {1, 4, 8, 16, 32}) with(&Tile::group_rows, count);
    for (const unsigned count : {128, 256, 512, 1024})
      if (cpu) with(&Tile::depth, count);
  }
  return best;
}

}  // namespace

std::string text_of(const Tile& tile) {
  std::ostringstream text;
  text << tile.rows << 'x' << tile.vectors << 'x' << tile.group_rows << 'x' << tile.group_columns
       << 'x' << tile.depth;
  return text.str();
}

std::optional<Tile> tile_in(std::string_view text) {
  Tile tile;
  std::istringstream numbers{std::string(text)};
  std::array<char, 4> x{};
  numbers >> tile.rows >> x[0] >> tile.vectors >> x[1] >> tile.group_rows >> x[2] >>
      tile.group_columns >> x[3] >> tile.depth;
  const auto within = [](unsigned number, unsigned most) { return number >= 1 && number <= most; };
  if (numbers.fail() || numbers.peek() != EOF || std::ranges::count(x, 'x') != 4 ||
      !within(tile.rows, 32) || !within(tile.vectors, 8) || !within(tile.group_rows, 256) ||
      !within(tile.group_columns, 256) || !within(tile.depth, 1 << 20))
    return std::nullopt;
  return tile;
}

std::filesystem::path file_of_tiles() {
  const char* const cache = std::getenv("XDG_CACHE_HOME");
  const char* const home = std::getenv("HOME");
  const std::filesystem::path folder = cache && *cache ? cache
                                       : home          ? std::string(home) + "/.cache"
                                                       : std::string("/tmp");
  return folder / "breakeven" / "opencl-tiles";
}

std::optional<Tile> stored_tile(const Hardware& hardware, Type type) {
  const std::string subject = subject_of(hardware, type);
  for (const Line& line : stored_lines())
    if (line.subject == subject) return line.tile;
  return std::nullopt;
}

Tile tile_for(OpenClDevice& device, Type type) {
  if (device.settings.tile) return *device.settings.tile;
  static std::mutex mutex;  // one search at a time
  const std::lock_guard lock(mutex);
  if (const auto stored = stored_tile(device.hardware, type)) return *stored;
  if (!device.settings.tune) return usual_tile(device.hardware);
  const Tile found = search(device, type == Type::f64 ? Type::f64 : Type::f32);
  store(found, subject_of(device.hardware, type));
  return found;
}

}  // namespace breakeven::opencl
