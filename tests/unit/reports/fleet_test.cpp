// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "reports/fleet/baseline.hpp"
#include "reports/fleet/formats.hpp"
#include "reports/fleet/node_names.hpp"
#include "reports/text/table.hpp"
#include "reports/text/usage.hpp"
#include "tests/unit/reports/synthetic_report.hpp"

namespace breakeven::fleet {
namespace {

namespace fs = std::filesystem;

TEST(NodeNames, fold_as_schedulers_write_them) {
  const auto fold = [](std::vector<std::string> names) { return folded(names); };
  EXPECT_EQ(fold({"n17", "n203"}), "n[17,203]");
  EXPECT_EQ(fold({"n3", "n1", "n2", "n17"}), "n[1-3,17]");
  EXPECT_EQ(fold({"n5"}), "n5");
  EXPECT_EQ(fold({"n001", "n002", "n010"}), "n[001-002,010]");
  EXPECT_EQ(fold({"n099", "n100"}), "n[099-100]");
  EXPECT_EQ(fold({"n9", "n10"}), "n[9-10]");
  EXPECT_EQ(fold({"login", "r1n2", "r1n3", "r2n3"}), "login,r1n[2-3],r2n3");
  EXPECT_EQ(fold({"n1.c7.site", "n2.c7.site"}), "n[1-2].c7.site");
  EXPECT_EQ(fold({}), "");
}

TEST(NodeNames, are_in_the_order_of_their_numbers) {
  EXPECT_TRUE(comes_before("n9", "n10"));
  EXPECT_FALSE(comes_before("n10", "n9"));
  EXPECT_TRUE(comes_before("r1n10", "r2n1"));
  EXPECT_TRUE(comes_before("n1", "n1a"));
  EXPECT_FALSE(comes_before("n1", "n1"));
}

// A folder of reports; all nodes are equal until a change says otherwise.
class FleetTest : public testing::Test {
 protected:
  FleetTest()
      : folder_(fs::temp_directory_path() /
                ("fleet_test_" + std::to_string(getpid()) + "_" +
                 testing::UnitTest::GetInstance()->current_test_info()->name())) {
    fs::create_directories(folder_);
  }
  ~FleetTest() override { fs::remove_all(folder_); }

  using Change = std::function<void(int, Row&)>;

  void write_nodes(
      int from, int to, const Change& change = [](int, Row&) {}, std::size_t rounds = 5) {
    for (int node = from; node <= to; ++node) {
      SyntheticRun run;
      run.machine = "n" + std::to_string(node);
      run.run_id = "run-" + run.machine;
      run.seed = static_cast<std::uint64_t>(node);
      run.rounds = rounds;
      run.samples_in_a_visit = 1;
      run.sizes = {64, 80, 96, 112, 128, 160, 192, 224, 256, 320};
      run.change = [&, node](Row& row) {
        const auto n = *row.integer(Column::n);
        if (n >= 160) {
          set_kind(row, n);
        }
        change(node, row);
      };
      write(run.machine + ".csv", synthetic_report(run));
    }
  }

  static void set_kind(Row& row, std::int64_t n) {
    row.set(Column::case_name, "elementwise");
    row.set(Column::name, "elementwise/serial:0/f32/add/n:" + std::to_string(n));
    row.set(Column::ceiling_source, "triad");
  }

  static void slow_down(Row& row, double times) {
    row.set(Column::median_ns, *row.real(Column::median_ns) * times);
  }

  void write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name, std::ios::binary) << text;
  }

  void judge_folder() {
    Collection collection;
    collect(files_below({folder_.string()}), "", collection, 2);
    fleet_.emplace(fleet_of(std::move(collection)));
    judgement_ = judge(*fleet_, {});
  }

  const Fleet& fleet() const { return *fleet_; }
  std::string exclude() const { return exclude_line(*fleet_, judgement_); }
  std::string text() const { return as_text(*fleet_, judgement_, 80, false); }
  bool tells(const std::string& words) const {
    return unwrapped(text()).find(words) != std::string::npos;
  }
  const Verdict& first() const { return judgement_.groups.at(0).verdicts.at(0); }
  bool notes(const std::string& words) const {
    const auto& all = fleet_->collection.notes;
    return std::any_of(all.begin(), all.end(),
                       [&](const std::string& note) { return note.find(words) != note.npos; });
  }

  // Lines of one paragraph joined.
  static std::string unwrapped(const std::string& text) {
    std::istringstream stream(text);
    std::string joined;
    for (std::string word; stream >> word;) {
      joined += (joined.empty() ? "" : " ") + word;
    }
    return joined;
  }

  fs::path folder_;
  std::optional<Fleet> fleet_;
  Judgement judgement_;
};

TEST_F(FleetTest, nobody_is_named_where_all_are_equal) {
  write_nodes(1, 16);
  judge_folder();
  EXPECT_EQ(exclude(), "");
  EXPECT_EQ(exit_status(*fleet_, judgement_), 0);
  ASSERT_TRUE(judgement_.groups.at(0).sensitivity);
  EXPECT_TRUE(tells("what would have been seen"));
}

TEST_F(FleetTest, a_node_slow_everywhere_is_named_with_what_differs) {
  write_nodes(1, 16, [](int node, Row& row) {
    if (node == 7) {
      slow_down(row, 1.05);
      row.set(Column::kernel, "5.10.0");
      row.set(Column::disturbed, 4);
    }
  });
  judge_folder();
  EXPECT_EQ(exclude(), "--exclude=n7");
  EXPECT_EQ(exit_status(*fleet_, judgement_), 1);
  ASSERT_EQ(first().slow.size(), 1);
  EXPECT_EQ(first().slow[0].extent, Extent::everywhere);
  EXPECT_NEAR(first().slow[0].ratio, 1.05, 0.012);
  EXPECT_LE(first().slow[0].low, 1.05);
  EXPECT_GE(first().slow[0].high, 1.05);
  EXPECT_TRUE(tells("differs: kernel 5.10.0 (6.1.0)")) << text();
  EXPECT_TRUE(tells("differs: disturbed in 40 % of the visits (0.0 % on the others)")) << text();
}

TEST_F(FleetTest, a_node_slow_in_one_case_is_named_for_that_case) {
  write_nodes(1, 16, [](int node, Row& row) {
    if (node == 3 && row.text(Column::n) == "128") {
      slow_down(row, 1.09);
    }
  });
  judge_folder();
  EXPECT_EQ(exclude(), "--exclude=n3");
  ASSERT_EQ(first().slow.size(), 1);
  EXPECT_EQ(first().slow[0].extent, Extent::one_case);
  EXPECT_EQ(fleet().name(first().slow[0].index), "matmul/serial:0/f32/resident/n:128");
}

TEST_F(FleetTest, low_memory_bandwidth_is_told_from_slow_products) {
  write_nodes(1, 16, [](int node, Row& row) {
    if (node == 12 && row.text(Column::case_name) == "elementwise") {
      slow_down(row, 1.3);
      row.set(Column::ceiling, *row.real(Column::ceiling) / 1.3);
    }
  });
  judge_folder();
  EXPECT_EQ(exclude(), "--exclude=n12");
  EXPECT_TRUE(tells("differs: its own ceiling triad is ×0.769")) << text();
  EXPECT_FALSE(tells("its own ceiling largest product")) << text();
  EXPECT_TRUE(tells("least in matmul/serial:0 ×")) << text();
}

TEST_F(FleetTest, one_disturbed_round_of_five_names_nobody) {
  write_nodes(1, 16, [](int node, Row& row) {
    if (node == 4 && row.text(Column::round) == "2") {
      slow_down(row, 2);
    }
  });
  judge_folder();
  EXPECT_EQ(exclude(), "");
}

TEST_F(FleetTest, a_group_that_agrees_to_the_last_digit_names_nobody_below_the_margin) {
  write_nodes(1, 16, [](int node, Row& row) {
    row.set(Column::median_ns,
            1000.0 * (node == 5 ? 1.004 : 1) * static_cast<double>(*row.integer(Column::n)));
  });
  judge_folder();
  EXPECT_EQ(exclude(), "");
}

TEST_F(FleetTest, fewer_than_eight_nodes_are_described_and_not_judged) {
  write_nodes(1, 7, [](int node, Row& row) { slow_down(row, node == 2 ? 1.5 : 1); });
  judge_folder();
  EXPECT_EQ(exclude(), "");
  EXPECT_FALSE(judgement_.groups.at(0).is_judged);
  EXPECT_TRUE(tells("described, not judged"));
  EXPECT_TRUE(tells("n2 ×1.5") || tells("n2 ×1.4")) << text();
}

TEST_F(FleetTest, fewer_than_three_rounds_make_a_suspect_and_no_more) {
  write_nodes(
      1, 16, [](int node, Row& row) { slow_down(row, node == 2 ? 1.5 : 1); }, 2);
  judge_folder();
  EXPECT_EQ(exclude(), "");
  EXPECT_EQ(first().suspect.at(0).extent, Extent::everywhere);
  EXPECT_TRUE(tells("n2: perhaps slow"));
  EXPECT_TRUE(tells("2 rounds a node: nobody is named below 3 rounds; `breakeven run --rounds 5`"));
}

TEST_F(FleetTest, wrong_and_crashed_nodes_are_named_however_few_there_are) {
  write_nodes(1, 4, [](int node, Row& row) {
    if (node == 2 && row.text(Column::n) == "64") {
      row.set(Column::status, Status::wrong);
      row.set(Column::reason, "off by 3 bounds");
    }
  });
  judge_folder();
  EXPECT_EQ(exclude(), "--exclude=n2");
  EXPECT_TRUE(tells("n2: wrong in 1 case: matmul/serial:0/f32/resident/n:64: off by 3 bounds"))
      << text();
}

TEST_F(FleetTest, a_case_that_crashes_everywhere_is_no_fault_of_a_node) {
  write_nodes(1, 16, [](int, Row& row) {
    if (row.text(Column::n) == "64") {
      row.set(Column::status, Status::crashed);
    }
  });
  judge_folder();
  EXPECT_EQ(exclude(), "");
  EXPECT_TRUE(tells("look at the case, not at the nodes")) << text();
}

TEST_F(FleetTest, a_lost_device_is_told_among_the_nodes_that_have_it) {
  write_nodes(1, 16, [](int node, Row& row) {
    if (*row.integer(Column::n) < 160) {
      return;
    }
    if (node == 9) {
      row.set(Column::status, Status::unavailable);
      row.set(Column::reason, "no device");
    } else {
      row.set(Column::device_name, "Example GPU");
      row.set(Column::device_kind, "gpu");
    }
  });
  judge_folder();
  ASSERT_EQ(judgement_.groups.size(), 1);
  EXPECT_EQ(exclude(), "--exclude=n9");
  EXPECT_TRUE(tells("n9: unavailable in 5 cases")) << text();
}

TEST_F(FleetTest, rows_that_most_have_are_missed) {
  write_nodes(1, 16);
  std::ifstream whole(folder_ / "n6.csv");
  std::string text, line;
  for (int i = 0; i < 6 && std::getline(whole, line); ++i) {
    text += line + "\n";
  }
  write("n6.csv", text);
  judge_folder();
  EXPECT_EQ(exclude(), "");
  EXPECT_EQ(first().missing, 5);
  EXPECT_TRUE(tells("1 node lacks rows that most of the others have"));
}

TEST_F(FleetTest, two_populations_are_told_as_two_and_nobody_is_named) {
  write_nodes(1, 30, [](int node, Row& row) {
    const bool is_new = node % 5 < 2;
    slow_down(row, is_new ? 1.06 : 1);
    row.set(Column::machine_facts, is_new ? "cpu_stepping=2" : "cpu_stepping=1");
  });
  judge_folder();
  ASSERT_EQ(judgement_.splits.size(), 1);
  EXPECT_NEAR(judgement_.splits[0].ratio, 1.06, 0.01);
  EXPECT_EQ(exclude(), "");
  EXPECT_TRUE(tells("what parts them: cpu stepping 1 (2)")) << text();
}

TEST_F(FleetTest, a_slow_rack_is_told_as_neighbours) {
  write_nodes(1, 40,
              [](int node, Row& row) { slow_down(row, node >= 21 && node <= 24 ? 1.08 : 1); });
  judge_folder();
  EXPECT_EQ(exclude(), "--exclude=n[21-24]");
  EXPECT_TRUE(tells("n[21-24] are neighbours")) << text();
}

TEST_F(FleetTest, unequal_machines_are_groups_of_their_own) {
  write_nodes(1, 10);
  write_nodes(11, 19, [](int, Row& row) {
    row.set(Column::cpu_model, "Another Processor");
    slow_down(row, 2);
  });
  judge_folder();
  ASSERT_EQ(judgement_.groups.size(), 2);
  EXPECT_EQ(judgement_.groups[0].nodes.size(), 10);
  EXPECT_EQ(exclude(), "");
}

TEST_F(FleetTest, another_type_of_machine_is_described_beside_the_first) {
  write_nodes(1, 2);
  write_nodes(3, 3, [](int, Row& row) {
    row.set(Column::vector_extensions, "avx2");
    slow_down(row, row.text(Column::case_name) == "matmul" ? 3 : 2);
  });
  judge_folder();
  EXPECT_EQ(exclude(), "");
  EXPECT_TRUE(tells("to ×3.0") || tells("to ×2.9")) << text();
  EXPECT_TRUE(tells("vector extensions avx2 (A: avx512f avx2)")) << text();
}

TEST_F(FleetTest, foreign_torn_and_double_files_are_told_and_skipped) {
  write_nodes(1, 8);
  fs::copy_file(folder_ / "n1.csv", folder_ / "n1_copy.csv");
  write("foreign.csv", "a,b\n1,2\n");
  write("empty.csv", "");
  std::ifstream file(folder_ / "n2.csv", std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  write("n2.csv", text.substr(0, text.size() - 100));
  judge_folder();
  EXPECT_EQ(fleet().collection.nodes.size(), 8);
  EXPECT_EQ(fleet().collection.skipped, 3);
  EXPECT_TRUE(notes("the same run as"));
  EXPECT_TRUE(notes("not a Breakeven report"));
  EXPECT_TRUE(notes("torn"));
}

TEST_F(FleetTest, several_runs_of_a_node_are_more_rounds) {
  write_nodes(
      1, 8, [](int, Row&) {}, 2);
  for (int node = 1; node <= 8; ++node) {
    fs::rename(folder_ / ("n" + std::to_string(node) + ".csv"),
               folder_ / ("first" + std::to_string(node) + ".csv"));
  }
  write_nodes(1, 8,
              [](int node, Row& row) { row.set(Column::run_id, "later-" + std::to_string(node)); });
  judge_folder();
  EXPECT_EQ(fleet().collection.nodes.size(), 8);
  EXPECT_EQ(judgement_.groups.at(0).rounds, 7);
}

TEST_F(FleetTest, two_machines_of_one_name_stay_two) {
  write_nodes(1, 2, [](int node, Row& row) {
    row.set(Column::machine, "localhost");
    row.set(Column::machine_facts, "machine_id=" + std::to_string(node));
  });
  judge_folder();
  EXPECT_EQ(fleet().collection.nodes.size(), 2);
  EXPECT_TRUE(notes("another machine is called localhost too"));
}

TEST_F(FleetTest, a_baseline_judges_one_node_later) {
  write_nodes(1, 16);
  judge_folder();
  const auto path = folder_ / "normal.json";
  std::ofstream(path) << baseline_text(*fleet_, judgement_);
  for (int node = 1; node <= 16; ++node) {
    fs::remove(folder_ / ("n" + std::to_string(node) + ".csv"));
  }
  for (const double times : {1.0, 1.08}) {
    write_nodes(17, 17, [times](int, Row& row) { slow_down(row, times); });
    Collection collection;
    collect(files_below({folder_.string()}), "", collection, 1);
    const auto fleet = fleet_of(std::move(collection));
    const auto judgement = judge(fleet, {}, read_baseline(path, fleet));
    EXPECT_TRUE(judgement.groups.at(0).by_baseline);
    EXPECT_EQ(exclude_line(fleet, judgement), times > 1 ? "--exclude=n17" : "");
  }
  write_nodes(17, 17, [](int, Row& row) { row.set(Column::cpu_model, "another one"); });
  judge_folder();
  const auto judgement = judge(*fleet_, {}, read_baseline(path, *fleet_));
  EXPECT_EQ(exit_status(*fleet_, judgement), 1);
  EXPECT_NE(as_text(*fleet_, judgement, 80, false).find("the baseline has no machine"),
            std::string::npos);
  write("normal.json", "{}");
  EXPECT_THROW(read_baseline(path, *fleet_), Unusable);
}

TEST_F(FleetTest, the_text_fits_eighty_columns) {
  write_nodes(1, 24, [](int node, Row& row) {
    slow_down(row, node == 2 ? 1.2 : 1);
    if (node == 5) {
      row.set(Column::status, Status::failed);
      row.set(Column::reason, "a call failed and told why in many words, one after the other");
    }
  });
  judge_folder();
  std::istringstream lines(text());
  for (std::string line; std::getline(lines, line);) {
    EXPECT_LE(shown_width(line), 80) << line;
  }
}

TEST_F(FleetTest, a_name_that_a_scheduler_would_unfold_is_not_handed_to_it) {
  write_nodes(1, 10, [](int node, Row& row) {
    slow_down(row, node <= 2 ? 1.2 : 1);
    if (node == 2) row.set(Column::machine, "n[3-9]");
  });
  judge_folder();
  EXPECT_EQ(exclude(), "--exclude=n1");
  EXPECT_TRUE(tells("n[3-9]: slow"));
  EXPECT_TRUE(tells("take those nodes out by hand"));
}

TEST_F(FleetTest, data_formats_have_every_node) {
  write_nodes(1, 10, [](int node, Row& row) { slow_down(row, node == 2 ? 1.2 : 1); });
  judge_folder();
  const auto json = nlohmann::json::parse(as_json(*fleet_, judgement_));
  EXPECT_EQ(json["groups"][0]["nodes"].size(), 10);
  EXPECT_EQ(json["take_out"], nlohmann::json::array({"n2"}));
  EXPECT_EQ(json["exclude"], "--exclude=n2");
  EXPECT_EQ(json["exit_status"], 1);
  const auto table = as_csv(*fleet_, judgement_);
  EXPECT_EQ(std::count(table.begin(), table.end(), '\n'), 11);
  EXPECT_NE(table.find("\nn2,A,slow,1,1.2"), table.npos) << table;
}

TEST_F(FleetTest, a_case_that_nobody_can_run_is_neither_counted_nor_drawn) {
  write_nodes(1, 10, [](int, Row& row) {
    if (row.integer(Column::n) == 64) row.set(Column::status, Status::unavailable);
  });
  judge_folder();
  EXPECT_TRUE(tells("10 nodes in 1 group, 9 cases"));
  const auto page = as_page(*fleet_, judgement_);
  EXPECT_EQ(page.find("n:64\""), page.npos);
  EXPECT_NE(page.find("n:80\""), page.npos);
}

TEST_F(FleetTest, the_page_does_nothing_that_a_name_says) {
  write_nodes(1, 10, [](int node, Row& row) {
    if (node == 2) {
      row.set(Column::machine, "<script>alert(1)</script>");
      slow_down(row, 1.3);
    }
  });
  judge_folder();
  const auto page = as_page(*fleet_, judgement_);
  EXPECT_EQ(page.find("<script>alert"), page.npos);
  EXPECT_NE(page.find("&lt;script&gt;alert(1)"), page.npos);
  EXPECT_NE(page.find("id=\"fleet-data\""), page.npos);
}

}  // namespace
}  // namespace breakeven::fleet
