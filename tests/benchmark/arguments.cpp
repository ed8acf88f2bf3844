// SPDX-License-Identifier: Apache-2.0
#include "arguments.hpp"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <new>

#include "suite/registry/refusal.hpp"

namespace breakeven {

namespace {

// Takes a whole number above 0 off the text's begin.
bool take_number(std::string_view& text, std::size_t& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  text.remove_prefix(std::size_t(end - text.data()));
  return error == std::errc() && number > 0;
}

bool take(std::string_view& text, char c) {
  if (!text.starts_with(c)) return false;
  text.remove_prefix(1);
  return true;
}

const char* name_of(Type type) {
  return type == Type::f64 ? "f64" : type == Type::f32 ? "f32" : type == Type::f16 ? "f16" : "bf16";
}

}  // namespace

bool parse(std::span<char* const> words, const char* usage, std::span<const Flag> flags,
           const std::function<void(const std::string& word)>& take_word) {
  for (const char* const word : words)
    if (std::string_view(word) == "--help") return std::fputs(usage, stdout), false;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string word = words[i];
    if (!word.starts_with('-')) {
      take_word(word);
      continue;
    }
    const auto flag = std::ranges::find(flags, word, &Flag::name);
    if (flag == flags.end())
      throw UsageError("there is no option '" + word + "'; --help shows those there are");
    if (++i == words.size() || std::string_view(words[i]).starts_with("--"))
      throw UsageError(word + " has no value; give one behind it");
    flag->take(words[i]);
  }
  return true;
}

std::size_t turns_from(const std::string& text) {
  std::size_t turns = 0;
  std::string_view rest = text;
  if (!take_number(rest, turns) || !rest.empty())
    throw UsageError("--turns is '" + text + "'; give a whole number from 1 on");
  return turns;
}

Type type_from(const std::string& text, std::span<const Type> types) {
  std::string names;
  for (const Type type : types) {
    if (text == name_of(type)) return type;
    names += (names.empty() ? "" : ", ") + std::string(name_of(type));
  }
  throw UsageError("--type is '" + text + "'; give one of " + names);
}

void transpose_by(const std::string& text, Gemm& gemm) {
  if (text != "a" && text != "b" && text != "ab" && text != "ba")
    throw UsageError("--transpose is '" + text + "'; give a, b or ab");
  const auto is_in = [&](char c) {
    return text.find(c) == text.npos ? Transpose::no : Transpose::yes;
  };
  gemm.transpose_a = is_in('a'), gemm.transpose_b = is_in('b');
}

Gemm shape_from(const std::string& text) {
  Gemm gemm;
  std::string_view rest = text;
  bool good = take_number(rest, gemm.m);
  if (good && rest.empty())
    gemm.n = gemm.k = gemm.m;
  else
    good = good && take(rest, 'x') && take_number(rest, gemm.n) && take(rest, 'x') &&
           take_number(rest, gemm.k) &&
           (rest.empty() || (take(rest, '*') && take_number(rest, gemm.batch) && rest.empty()));
  if (!good)
    throw UsageError("'" + text +
                     "' is no size; give one such as 64, 1x4096x4096 or 100x100x100*1000");
  const double m = double(gemm.m), n = double(gemm.n), k = double(gemm.k);
  if (std::max({m * k, k * n, m * n}) * double(gemm.batch) > 0x1p47)  // of any address
    throw UsageError("'" + text + "' is larger than any memory; give a smaller size");
  return gemm;
}

std::string line_of(const std::exception& error) {
  if (dynamic_cast<const std::bad_alloc*>(&error))
    return "there is not enough memory; give a smaller size";
  const auto* const refusal = dynamic_cast<const Refusal*>(&error);
  const bool has_fix = refusal && !refusal->fix().empty();
  return one_line(error.what()) + (has_fix ? "; " + refusal->fix() : "");
}

int run_program(const char* name, const std::function<void()>& work) {
  try {
    work();
    if (std::fflush(stdout) != 0 || std::ferror(stdout))
      throw std::runtime_error("the standard output takes no more; give another one");
    return 0;
  } catch (const std::exception& error) {
    std::fflush(stdout);
    std::fprintf(stderr, "%s: %s\n", name, line_of(error).c_str());
    return dynamic_cast<const UsageError*>(&error) ? 2 : 1;
  }
}

}  // namespace breakeven
