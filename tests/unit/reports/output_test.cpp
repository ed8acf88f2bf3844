// SPDX-License-Identifier: Apache-2.0
#include "reports/text/output.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "reports/text/usage.hpp"

namespace breakeven {
namespace {

namespace fs = std::filesystem;

class Output : public testing::Test {
 protected:
  Output() : folder_(testing::TempDir() + "/output_" + std::to_string(getpid())) {
    fs::create_directory(folder_);
  }
  ~Output() override { fs::remove_all(folder_); }

  std::string path(const std::string& name) const { return folder_ / name; }
  std::string text(const std::string& name) const {
    std::ostringstream all;
    all << std::ifstream(path(name)).rdbuf();
    return all.str();
  }
  void write(const std::string& name, const std::string& words) const {
    std::ofstream(path(name)) << words;
  }
  std::size_t files() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_), {}));
  }

  fs::path folder_;
};

TEST_F(Output, takes_the_place_of_the_file_and_keeps_its_permissions) {
  write("old", "old words");
  chmod(path("old").c_str(), 0640);
  write_whole_file(path("old"), "new");
  EXPECT_EQ(text("old"), "new");
  EXPECT_EQ(fs::status(path("old")).permissions(), fs::perms(0640));
  EXPECT_EQ(files(), 1);
}

TEST_F(Output, goes_where_a_link_points) {
  write("file", "old");
  fs::create_symlink("file", path("link"));
  write_whole_file(path("link"), "new");
  EXPECT_TRUE(fs::is_symlink(path("link")));
  EXPECT_EQ(text("file"), "new");
}

TEST_F(Output, that_cannot_be_written_leaves_nothing_behind) {
  EXPECT_THROW(write_whole_file(path("no/such/folder"), "new"), std::runtime_error);
  EXPECT_THROW(write_whole_file("/dev/full", "new"), std::runtime_error);
  EXPECT_NO_THROW(write_whole_file("/dev/null", "new"));
  EXPECT_EQ(files(), 0);
}

TEST_F(Output, is_no_input_under_any_name) {
  write("a.csv", "a");
  write("b.csv", "b");
  fs::create_symlink("a.csv", path("link"));
  fs::create_hard_link(path("a.csv"), path("hard"));
  const std::vector inputs{path("b.csv"), path("a.csv")};
  for (const auto* name : {"a.csv", "link", "hard", "./a.csv"}) {
    EXPECT_THROW(require_not_an_input(path(name), inputs), Unusable) << name;
  }
  EXPECT_NO_THROW(require_not_an_input(path("page.html"), inputs));
}

}  // namespace
}  // namespace breakeven
