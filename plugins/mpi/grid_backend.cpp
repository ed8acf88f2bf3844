// SPDX-License-Identifier: Apache-2.0
#include "plugins/mpi/grid_backend.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <set>

#include "plugins/mpi/device.hpp"
#include "plugins/mpi/grid.hpp"
#include "plugins/mpi/queue.hpp"
#include "plugins/mpi/team.hpp"

namespace breakeven::mpi {

namespace {

class GridBuffer final : public Buffer {
 public:
  GridBuffer(Team& team, std::size_t bytes, std::size_t granule, std::size_t most_rows,
             Device& device)
      : Buffer(nullptr, bytes, Memory::device, device) {
    const std::size_t ranks = team.devices(), unit = std::max<std::size_t>(granule, 1);
    const std::size_t units = (bytes + unit - 1) / unit;
    // Without rows to be kept together a block is as long as a page.
    const std::size_t most = std::max(most_rows, (4096 + unit - 1) / unit);
    block_ = unit * std::clamp<std::size_t>((units + ranks - 1) / ranks, 1, most);
    const std::size_t blocks = (bytes + block_ - 1) / block_;
    for (std::uint32_t rank = 1; rank <= ranks; ++rank)
      parts_.push_back(
          RankBuffer::on_rank(team, rank, ((blocks + ranks - rank) / ranks) * block_, device));
  }

  std::size_t block() const noexcept { return block_; }
  std::size_t parts() const noexcept { return parts_.size(); }
  const RankBuffer& part(std::size_t which) const { return *parts_[which]; }

 private:
  std::size_t block_ = 0;
  std::vector<std::unique_ptr<RankBuffer>> parts_;
};

// Every rank does its part, in an order that is the same in all of them.
class GridTask final : public Task {
 public:
  GridTask(Team& team, std::vector<std::pair<Link*, Reply>> made)
      : team_(team), made_(std::move(made)) {}
  ~GridTask() override {
    for (const auto& [link, reply] : made_) link->send({.what = Do::drop, .object = reply.value});
  }
  void enqueue() override {
    const std::uint64_t turn = team_.next_turn();
    for (const auto& [link, reply] : made_)
      link->send({.what = Do::run, .object = reply.value, .turn = turn});
  }
  TaskInfo info() const override {
    const Reply& one = made_.front().second;
    return {one.author, std::size_t(one.threads), one.text, one.number};
  }
  void add_to(Chains& chains) const {
    for (const auto& [link, reply] : made_)
      chains[link].push_back({.what = Do::run, .object = reply.value});
  }

 private:
  Team& team_;
  std::vector<std::pair<Link*, Reply>> made_;
};

class GridQueue final : public TeamQueue {
 public:
  GridQueue(Team& team, Device& device) : TeamQueue(team, 1), device_(device) {
    for (std::uint32_t rank = 1; rank <= team.devices(); ++rank) link(rank);
  }

  std::unique_ptr<Task> prepare_any(const AnyOperation& operation) override {
    return dispatch(
        operation, [&](const Nothing& nothing) { return ask(1, nothing); },
        [&](const Copy& one) { return copy(one); }, [&](const Gemm& one) { return product(one); },
        [&](const Norm& one) { return norm(one); });
  }
  // Of what all ranks do together: one turn for all of it. Null where there are copies.
  std::unique_ptr<Task> sequence(std::span<Task* const> tasks) override {
    Chains chains;
    for (Task* const task : tasks) {
      const auto* const together = dynamic_cast<const GridTask*>(task);
      if (!together) return nullptr;
      together->add_to(chains);
    }
    return std::make_unique<GridTask>(team_, made(chains, true));
  }

 private:
  const GridBuffer* operand(const Slice& slice, std::size_t bytes) const {
    require_inside(slice);
    if (&slice.buffer->device() != &device_)
      throw std::invalid_argument("an operand lies on " +
                                  std::string(slice.buffer->device().info().name) +
                                  ", the queue works on " + std::string(device_.info().name));
    if (slice.bytes < bytes)
      throw std::invalid_argument("an operand has " + std::to_string(slice.bytes) +
                                  " bytes and needs " + std::to_string(bytes));
    return dynamic_cast<const GridBuffer*>(slice.buffer);
  }

  // False: its rows are not dealt out whole.
  bool deal(const Slice& slice, std::size_t row, std::size_t rows, Type type, Dealt& into) const {
    const std::size_t bytes = row * bytes_of(type);
    const GridBuffer* const buffer = operand(slice, bytes * rows);
    if (!buffer || bytes == 0 || slice.offset % bytes != 0 || buffer->block() % bytes != 0 ||
        row > most || slice.offset / bytes + rows > most)
      return false;
    into = {0, row, slice.offset / bytes, buffer->block() / bytes};
    return true;
  }

  std::unique_ptr<Task> product(const Gemm& gemm) {
    if (gemm.math != Math::native || bytes_of(gemm.type) < 4) return nullptr;
    GridWork work{.type = gemm.type,
                  .transpose_a = gemm.transpose_a == Transpose::yes,
                  .transpose_b = gemm.transpose_b == Transpose::yes,
                  .m = gemm.m,
                  .n = gemm.n,
                  .k = gemm.k,
                  .batch = gemm.batch,
                  .alpha = gemm.alpha,
                  .beta = gemm.beta};
    const auto [m, n, k] = std::array{gemm.m, gemm.n, gemm.k};
    const std::size_t batch = gemm.batch;
    if (!deal(gemm.a, work.transpose_a ? m : k, (work.transpose_a ? k : m) * batch, gemm.type,
              work.a) ||
        !deal(gemm.b, work.transpose_b ? k : n, (work.transpose_b ? n : k) * batch, gemm.type,
              work.b) ||
        !deal(gemm.c, n, m * batch, gemm.type, work.c))
      return nullptr;
    return together(work, gemm.a, gemm.b, gemm.c);
  }

  // Of whole rows: those of the longest that a block and every vector are made of.
  std::unique_ptr<Task> norm(const Norm& norm) {
    if (bytes_of(norm.type) < 4 || norm.n == 0) return nullptr;
    const std::size_t element = bytes_of(norm.type);
    const GridBuffer* const x = operand(norm.x, norm.n * norm.batch * element);
    if (!x || x->block() % element != 0) return nullptr;
    const std::size_t row = std::gcd(norm.n, x->block() / element);
    GridWork work{.type = norm.type, .norm = true, .m = norm.n / row, .batch = norm.batch};
    if (!deal(norm.x, row, norm.n / row * norm.batch, norm.type, work.a) ||
        !deal(norm.out, 1, norm.batch, norm.type, work.c))
      return nullptr;
    return together(work, norm.x, norm.x, norm.out);
  }

  std::unique_ptr<Task> together(GridWork work, const Slice& a, const Slice& b, const Slice& c) {
    std::vector<std::pair<Link*, Reply>> made;
    for (std::uint32_t rank = 1; rank <= team_.devices(); ++rank) {
      const auto address = [&](const Slice& slice) {
        return static_cast<const GridBuffer*>(slice.buffer)->part(rank - 1).address();
      };
      work.a.buffer = address(a), work.b.buffer = address(b), work.c.buffer = address(c);
      link(rank).send({.what = Do::grid}, &work, sizeof work);
      made.emplace_back(&link(rank), link(rank).reply());
      if (!made.back().second.value) return nullptr;
    }
    // Rows tell the block by which they were made: every process chooses its own.
    char(&routine)[256] = made.front().second.text;
    write_text(routine, std::string(routine) + " nb=" + std::to_string(work.c.block));
    return std::make_unique<GridTask>(team_, std::move(made));
  }

  std::unique_ptr<Task> copy(const Copy& copy) {
    require_inside(copy.to);
    require_inside(copy.from);
    if (copy.to.bytes != copy.from.bytes)
      throw std::invalid_argument("copy of " + std::to_string(copy.from.bytes) + " bytes to " +
                                  std::to_string(copy.to.bytes));
    const auto* const to = dynamic_cast<const GridBuffer*>(copy.to.buffer);
    const auto* const from = dynamic_cast<const GridBuffer*>(copy.from.buffer);
    std::vector<std::unique_ptr<Task>> tasks;
    if (to && from)
      move(*to, *from, copy, tasks);
    else if (to)
      pass(*to, copy.to, copy.from, Do::receive, tasks);
    else if (from)
      pass(*from, copy.from, copy.to, Do::send, tasks);
    else
      return ask(seat, Copy{at_seat(copy.to), at_seat(copy.from)});
    return std::make_unique<Several>(std::move(tasks));
  }

  static Slice at_seat(const Slice& slice) {
    const auto& buffer = static_cast<const RankBuffer&>(*slice.buffer);
    return {reinterpret_cast<Buffer*>(buffer.address()), slice.offset, slice.bytes};
  }

  // Between the worker and every part, `what` being the part's side of it.
  void pass(const GridBuffer& grid, const Slice& there, const Slice& host, Do what,
            std::vector<std::unique_ptr<Task>>& tasks) {
    const auto& buffer = static_cast<const RankBuffer&>(*host.buffer);
    const std::size_t round = grid.block() * grid.parts();
    const std::size_t step = std::max<std::size_t>((std::size_t(1) << 30) / round, 1) * round;
    for (std::size_t done = 0; done < there.bytes; done += step) {
      const std::size_t bytes = std::min(step, there.bytes - done), start = there.offset + done;
      std::vector<Command> parts(grid.parts());
      for_each_piece(start, bytes, grid.block(), grid.parts(), [&](const Piece& piece) {
        Command& part = parts[piece.part];
        if (part.bytes == 0)
          part = {.what = what,
                  .peer = seat,
                  .object = grid.part(piece.part).address(),
                  .offset = piece.local};
        part.bytes += piece.bytes;
      });
      for (std::uint32_t rank = 1; rank <= grid.parts(); ++rank) {
        if (parts[rank - 1].bytes == 0) continue;
        const Command other{.what = what == Do::send ? Do::receive : Do::send,
                            .peer = rank,
                            .parts = std::uint32_t(grid.parts()),
                            .object = buffer.address(),
                            .offset = host.offset + done,
                            .bytes = bytes,
                            .start = start,
                            .block = grid.block()};
        if (what == Do::receive)
          tasks.push_back(
              std::make_unique<PassTask>(link(rank), parts[rank - 1], link(seat), other));
        else
          tasks.push_back(
              std::make_unique<PassTask>(link(seat), other, link(rank), parts[rank - 1]));
      }
    }
  }

  // Between two of them: what lies in a row on both sides is one piece.
  void move(const GridBuffer& to, const GridBuffer& from, const Copy& copy,
            std::vector<std::unique_ptr<Task>>& tasks) {
    struct Run {
      std::size_t to, from, bytes;
    };
    std::map<std::pair<std::size_t, std::size_t>, std::vector<Run>> runs;
    for_each_piece(copy.to.offset, copy.to.bytes, to.block(), to.parts(), [&](const Piece& whole) {
      for_each_piece(copy.from.offset + whole.place, whole.bytes, from.block(), from.parts(),
                     [&](const Piece& piece) {
                       auto& all = runs[{whole.part, piece.part}];
                       const Run run{whole.local + piece.place, piece.local, piece.bytes};
                       if (!all.empty() && all.back().to + all.back().bytes == run.to &&
                           all.back().from + all.back().bytes == run.from)
                         all.back().bytes += run.bytes;
                       else
                         all.push_back(run);
                     });
    });
    for (const auto& [parts, all] : runs) {
      const RankBuffer &there = to.part(parts.first), &here = from.part(parts.second);
      for (const Run& run : all) {
        if (there.rank() == here.rank())
          tasks.push_back(ask(
              here.rank(), Copy{{reinterpret_cast<Buffer*>(there.address()), run.to, run.bytes},
                                {reinterpret_cast<Buffer*>(here.address()), run.from, run.bytes}}));
        else
          tasks.push_back(std::make_unique<PassTask>(link(there.rank()),
                                                     Command{.what = Do::receive,
                                                             .peer = here.rank(),
                                                             .object = there.address(),
                                                             .offset = run.to,
                                                             .bytes = run.bytes},
                                                     link(here.rank()),
                                                     Command{.what = Do::send,
                                                             .peer = there.rank(),
                                                             .object = here.address(),
                                                             .offset = run.from,
                                                             .bytes = run.bytes}));
      }
    }
  }

  static constexpr std::size_t most = std::size_t(1) << 30;  // ScaLAPACK counts in int

  Device& device_;
};

class GridDevice final : public Device {
 public:
  GridDevice(Team& team, std::size_t block) : team_(team), block_(block) {
    std::set<std::string> nodes, hardware;
    for (std::uint32_t rank = 1; rank <= team.devices(); ++rank) {
      const Description& one = team.description(rank);
      nodes.insert(one.node);
      if (hardware.insert(team.hardware(rank)).second) memory_ += one.memory_bytes;
    }
    memories_ = hardware.size();
    for (const std::string& one : hardware) hardware_ += (hardware_.empty() ? "" : " ") + one;
    name_ = "1x" + std::to_string(team.devices()) + " grid on " + std::to_string(nodes.size()) +
            (nodes.size() == 1 ? " node" : " nodes");
    facts_.add("grid", "1x" + std::to_string(team.devices()));
    facts_.add("computes_by", team.description(1).backend);
    facts_.add("cores", std::to_string(team.description(1).cores));
  }

  DeviceInfo info() const override {
    return {name_, Kind::node, memory_, team_.ask(1, {.what = Do::free_memory}).value * memories_,
            hardware_};
  }
  std::span<const Fact> facts() const override { return facts_.all(); }
  std::size_t readings(std::span<Reading>) const override { return 0; }
  std::unique_ptr<Buffer> allocate(std::size_t bytes, Memory memory, std::size_t granule) override {
    if (memory == Memory::pinned) return nullptr;
    if (memory == Memory::pageable) return RankBuffer::on_host(team_, bytes, *this);
    return std::make_unique<GridBuffer>(team_, bytes, granule, block_, *this);
  }
  std::unique_ptr<Queue> queue() override { return std::make_unique<GridQueue>(team_, *this); }
  bool reaches(const Device&) const override { return false; }
  void bind_thread() override {}

 private:
  Team& team_;
  std::size_t block_, memories_ = 0, memory_ = 0;
  std::string name_, hardware_;
  Facts facts_;
};

Wish wish_of(const GridProgram& grid) {
  Wish wish = wish_of_environment();
  wish.program = grid.name;
  wish.plugin = grid.plugin;
  return wish;
}

// A product whose blocks go round several times.
class Trial {
 public:
  Trial(Team& team, std::size_t block, std::size_t usual)
      : device_(team, block), queue_(device_.queue()) {
    const std::size_t n = std::clamp(2 * usual * team.devices(), 16 * usual, 64 * usual);
    const std::size_t row = n * sizeof(float), bytes = n * row;
    Gemm gemm{.type = Type::f32, .m = n, .n = n, .k = n};
    for (Slice* const operand : {&gemm.a, &gemm.b, &gemm.c}) {
      buffers_.push_back(device_.allocate(bytes, Memory::device, row));
      *operand = {buffers_.back().get(), 0, bytes};
    }
    task_ = queue_->prepare_any(gemm);
  }

  void run() {
    const auto begin = std::chrono::steady_clock::now();
    task_->enqueue();
    queue_->synchronize();
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin;
    best_ = std::min(best_, passed.count());
  }
  double best() const noexcept { return best_; }

 private:
  GridDevice device_;
  std::vector<std::unique_ptr<Buffer>> buffers_;
  std::unique_ptr<Queue> queue_;
  std::unique_ptr<Task> task_;
  double best_ = std::numeric_limits<double>::infinity();
};

class GridBackend final : public TeamBackend {
 public:
  GridBackend(const GridProgram& grid, const std::string& block) : TeamBackend(wish_of(grid)) {
    device_.emplace(team_,
                    number_of_option("block", block, block.empty() ? best_block(grid.block) : 0));
    pointer_ = &*device_;
  }

  std::span<Device* const> devices() override { return {&pointer_, 1}; }

 private:
  // In turns, as often as half a second allows. One that is not clearly better than the usual is
  // not taken: it would change from process to process.
  std::size_t best_block(std::size_t usual) {
    constexpr double clearly = 0.9;
    const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(500);
    std::map<std::size_t, Trial> trials;
    for (const std::size_t block : {usual / 2, usual, 2 * usual, 4 * usual})
      trials.try_emplace(block, team_, block, usual);
    for (int turn = 0; turn < 3 || std::chrono::steady_clock::now() < end; ++turn)
      for (auto& [block, trial] : trials) trial.run();
    std::size_t best = usual;
    std::string seen;
    for (const auto& [block, trial] : trials) {
      if (trial.best() < (best == usual ? clearly : 1) * trials.at(best).best()) best = block;
      seen += (seen.empty() ? "" : ",") + std::to_string(block) + ":" +
              std::to_string(std::lround(trial.best() * 1e6)) + "us";
    }
    facts_.add("blocks_tried", seen);
    return best;
  }

  std::optional<GridDevice> device_;
  Device* pointer_ = nullptr;
};

}  // namespace

std::unique_ptr<Backend> make_grid(const GridProgram& grid, std::span<const Variable> settings) {
  std::string block;
  for (const Variable& setting : settings)
    if (setting.name == "block") block = setting.value;
  return std::make_unique<GridBackend>(grid, block);
}

}  // namespace breakeven::mpi
