// SPDX-License-Identifier: Apache-2.0
#include "contender.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <filesystem>
#include <new>
#include <random>
#include <vector>

#include "product_check.hpp"
#include "suite/registry/loader.hpp"
#include "suite/registry/refusal.hpp"
#include "suite/verify/numbers.hpp"

namespace breakeven {

namespace {

constexpr std::size_t page = 4096;

template <class T, class Convert>
void fill_with(std::span<std::byte> bytes, unsigned seed, Convert convert) {
  std::minstd_rand random(seed);
  std::uniform_real_distribution<T> uniform(-1, 1);
  using Stored = decltype(convert(T()));
  auto* const values = reinterpret_cast<Stored*>(bytes.data());
  for (std::size_t i = 0; i < bytes.size() / sizeof(Stored); ++i)
    values[i] = convert(uniform(random));
}

void fill_with_reals(Type type, std::span<std::byte> bytes, unsigned seed) {
  if (type == Type::f64)
    fill_with<double>(bytes, seed, [](double value) { return value; });
  else if (type == Type::f16)
    fill_with<float>(bytes, seed, [](float value) {  // subnormal numbers are zero
      const auto bits = std::bit_cast<std::uint32_t>(value);
      const std::uint32_t sign = (bits >> 16) & 0x8000, size = bits & 0x7fffffff;
      return std::uint16_t(sign | (size < 0x38800000 ? 0 : (size - 0x38000000) >> 13));
    });
  else if (type == Type::bf16)
    fill_with<float>(bytes, seed, [](float value) {
      return std::uint16_t(std::bit_cast<std::uint32_t>(value) >> 16);
    });
  else
    fill_with<float>(bytes, seed, [](float value) { return value; });
}

// Memory of the host, as if of a device.
class Lent final : public Buffer {
 public:
  Lent(std::span<std::byte> bytes, Device& device)
      : Buffer(bytes.data(), bytes.size(), Memory::device, device) {}
};

}  // namespace

Operands::Operands(const Gemm& gemm) {
  constexpr std::size_t line = 64, huge_page = std::size_t(2) << 20;
  const std::size_t element = bytes_of(gemm.type) * gemm.batch;
  const std::size_t a_bytes = gemm.m * gemm.k * element, b_bytes = gemm.k * gemm.n * element;
  const auto in_lines = [](std::size_t bytes) { return (bytes + line - 1) / line * line; };
  const std::size_t bytes = in_lines(a_bytes) + in_lines(b_bytes);
  const std::size_t machine =
      std::size_t(sysconf(_SC_PHYS_PAGES)) * std::size_t(sysconf(_SC_PAGESIZE));
  if (bytes > machine || gemm.m * gemm.n * element > machine - bytes) throw std::bad_alloc();
  const std::size_t pages = (bytes / huge_page + 1) * huge_page;
  data_.reset(static_cast<std::byte*>(std::aligned_alloc(huge_page, pages)));
  if (!data_) throw std::bad_alloc();
  madvise(data_.get(), pages, MADV_HUGEPAGE);  // a wish
  a_ = {data_.get(), a_bytes}, b_ = {data_.get() + in_lines(a_bytes), b_bytes};
  place_of_c_ = bytes % page;
  fill_with_reals(gemm.type, a_, 1), fill_with_reals(gemm.type, b_, 2);
}

Contender::Contender(const std::string& file, std::span<const Variable> settings) {
  if (!std::filesystem::is_regular_file(file))
    throw Refusal("there is no such file", "give that of a plugin");
  const Manifest manifest = load_plugin(file);
  std::vector<Setting> own;
  for (const auto& [name, value] : settings) {
    const auto option = std::ranges::find(manifest.options, name, &Option::name);
    if (option != manifest.options.end() && !option->environment_variable.empty())
      throw Refusal("option " + std::string(name) + " is read before the plugin is loaded",
                    "set " + std::string(option->environment_variable) + " instead");
    own.push_back({std::string(manifest.name), std::string(name), std::string(value)});
  }
  if (const char* const reason = probe(manifest)) throw Refusal(reason);
  backend_ = create_backend(manifest, own);
  if (backend_->devices().empty()) throw Refusal("it has no device here");
  device_ = backend_->devices().front();
  queue_ = device_->queue();
}

void Contender::prepare(Gemm gemm, const Operands& operands) {
  task_.reset();
  a_ = std::make_unique<Lent>(operands.a(), *device_);
  b_ = std::make_unique<Lent>(operands.b(), *device_);
  const std::size_t bytes = gemm.m * gemm.n * bytes_of(gemm.type) * gemm.batch;
  c_ = device_->allocate(bytes + page, Memory::device);
  if (!c_ || !c_->data())
    throw Refusal("the host cannot reach its memory", "give plugins that compute on the host");
  auto* const data = static_cast<std::byte*>(c_->data());
  const std::size_t offset =
      (operands.place_of_c() - reinterpret_cast<std::uintptr_t>(data)) % page;
  poison({data + offset, bytes});
  gemm.a = {a_.get(), 0, a_->bytes()}, gemm.b = {b_.get(), 0, b_->bytes()};
  gemm.c = {c_.get(), offset, bytes};
  task_ = queue_->prepare_any(gemm);
  if (!task_) throw std::runtime_error("it does not multiply this type and size; leave it out");
  gemm_ = gemm;
}

void Contender::check() const {
  const auto bytes_in = [](const Slice& slice) {
    return std::span(static_cast<const std::byte*>(slice.buffer->data()) + slice.offset,
                     slice.bytes);
  };
  check_product(gemm_, bytes_in(gemm_.a), bytes_in(gemm_.b), bytes_in(gemm_.c));
}

}  // namespace breakeven
