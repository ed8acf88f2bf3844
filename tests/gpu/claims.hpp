// SPDX-License-Identifier: Apache-2.0
// What was promised and what was measured, one line each.
#pragma once

#include <algorithm>
#include <cstdio>
#include <string>

namespace breakeven::gpu {

class Claims {
 public:
  // A file of lines `claim,value,bound,verdict` beside what is printed.
  explicit Claims(const std::string& path) : file_(std::fopen(path.c_str(), "w")) {
    if (file_) std::fprintf(file_, "claim,value,bound,verdict\n");
  }
  ~Claims() {
    if (file_) std::fclose(file_);
  }
  Claims(const Claims&) = delete;
  Claims& operator=(const Claims&) = delete;

  bool writable() const { return file_ != nullptr; }
  bool held() const { return held_; }

  void at_most(const std::string& claim, double value, double bound) {
    judge(claim, value, bound, "<=", value <= bound);
  }
  void at_least(const std::string& claim, double value, double bound) {
    judge(claim, value, bound, ">=", value >= bound);
  }
  // Shown beside the claims; promises nothing.
  void show(const std::string& what, double value) {
    std::printf("        %-66s %10.4g\n", what.c_str(), value);
    std::fprintf(file_, "%s,%.6g,,\n", what.c_str(), value);
  }
  // What this machine cannot show.
  void cannot(const std::string& claim, const std::string& why) {
    leave_out("  ----", claim, "not measured: " + why);
  }
  // What should have been shown.
  void broke(const std::string& claim, const std::string& why) {
    leave_out(" FAILS", claim, "failed: " + why);
    held_ = false;
  }

 private:
  void leave_out(const char* mark, const std::string& claim, std::string why) {
    std::printf("%s  %-66s %s\n", mark, claim.c_str(), why.c_str());
    std::replace(why.begin(), why.end(), '"', '\'');
    std::fprintf(file_, "%s,NA,,\"%s\"\n", claim.c_str(), why.c_str());
    std::fflush(nullptr);
  }

  void judge(const std::string& claim, double value, double bound, const char* sign, bool holds) {
    const char* verdict = holds ? "holds" : "FAILS";
    std::printf("%s  %-66s %10.4g %s %g\n", holds ? " holds" : " FAILS", claim.c_str(), value, sign,
                bound);
    std::fprintf(file_, "%s,%.6g,%s %g,%s\n", claim.c_str(), value, sign, bound, verdict);
    std::fflush(nullptr);
    held_ = held_ && holds;
  }

  std::FILE* file_;
  bool held_ = true;
};

}  // namespace breakeven::gpu
