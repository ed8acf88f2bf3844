// SPDX-License-Identifier: Apache-2.0
#include "suite/protocol/line_channel.hpp"

#include <gmock/gmock.h>
#include <unistd.h>

#include <array>
#include <stdexcept>
#include <string_view>
#include <system_error>

#include "suite/registry/descriptor.hpp"

namespace breakeven {
namespace {

struct Pipe {
  Pipe() {
    std::array<int, 2> both{};
    EXPECT_EQ(pipe(both.data()), 0);
    read = Descriptor(both[0]);
    write = Descriptor(both[1]);
  }
  void put(std::string_view text) {
    EXPECT_EQ(::write(write.number(), text.data(), text.size()), static_cast<ssize_t>(text.size()));
  }
  Descriptor read, write;
};

TEST(LineReader, HandsOutWholeLinesHoweverTheyArrive) {
  Pipe pipe;
  LineReader reader;
  pipe.put("{\"a\":1}\n{\"a\"");
  ASSERT_TRUE(reader.fill(pipe.read.number()));
  EXPECT_EQ(reader.next()->at("a"), 1);
  EXPECT_FALSE(reader.next());
  pipe.put(":2}\n");
  ASSERT_TRUE(reader.fill(pipe.read.number()));
  EXPECT_EQ(reader.next()->at("a"), 2);
  EXPECT_FALSE(reader.next());
}

TEST(LineReader, TellsTheEndOfTheStream) {
  Pipe pipe;
  pipe.write.reset();
  EXPECT_FALSE(LineReader().fill(pipe.read.number()));
}

TEST(LineReader, RefusesWhatIsNoObject) {
  for (const char* line : {"\n", "1\n", "[]\n", "{\n", "{\"a\":1} x\n", "\xff\n"}) {
    Pipe pipe;
    LineReader reader;
    pipe.put(line);
    ASSERT_TRUE(reader.fill(pipe.read.number()));
    EXPECT_THROW(reader.next(), std::runtime_error) << line;
  }
}

TEST(WriteLine, IsReadBackEqualWithTextThatIsNotUtf8Replaced) {
  Pipe pipe;
  LineReader reader;
  write_line(pipe.write.number(), {{"text", "a\nb\xff"}, {"value", 0.1}});
  ASSERT_TRUE(reader.fill(pipe.read.number()));
  const auto message = reader.next();
  EXPECT_EQ(message->at("text"), "a\nb\xEF\xBF\xBD");
  EXPECT_EQ(message->at("value"), 0.1);
}

TEST(WriteLine, ThrowsWhenNobodyReads) {
  signal(SIGPIPE, SIG_IGN);
  Pipe pipe;
  pipe.read.reset();
  EXPECT_THROW(write_line(pipe.write.number(), nlohmann::json::object()), std::system_error);
}

}  // namespace
}  // namespace breakeven
