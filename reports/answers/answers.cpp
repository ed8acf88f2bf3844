// SPDX-License-Identifier: Apache-2.0
#include "reports/answers/answers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <unordered_map>
#include <utility>

#include "reports/answers/questions.hpp"

namespace breakeven {
namespace {

constexpr std::size_t most_machines = 20;

constexpr std::array all_questions{
    Question{"Q1", "What does one large product take, with and without the copies?",
             answer_large_product, "matmul", "resident"},
    Question{"Q1b", "From which size on does another device pay off?", answer_break_even, "matmul",
             "resident"},
    Question{"Q2", "What does it cost to read and write a model's parameters on a device?",
             answer_parameters, "parameters", ""},
    Question{"Q3",
             "What does reading a result back in every step cost, against a log on the device?",
             answer_log, "norm-log", ""},
    Question{"Q4", "Do two devices do two products in the time of one?", answer_two_products,
             "parallel", "throughput"},
    Question{"Q5", "Do two devices do many small products twice as fast?", answer_many_small,
             "parallel", "many-small"},
    Question{"Q6", "Does copying results back hide behind computing?", answer_overlap, "overlap",
             "overlapped"},
    Question{"Q7", "How fast is a·b + c, element by element?", answer_elementwise, "elementwise",
             "multiply-add"},
    Question{"Q8", "What does it take to move bytes to a device and back?", answer_copies,
             "transfer", "single"},
    Question{"Q9", "What does a copy to where the data already is cost?", answer_same_place,
             "transfer", "same-place"},
    Question{"Q10", "Which device was used where a GPU was asked for?", answer_fall_back, "", ""},
    Question{"Q11", "What happens to an operation on operands of two devices?", answer_two_operands,
             "two-devices", ""},
    Question{"Q12", "Why is a small network's Jacobian slower than its arithmetic?",
             answer_jacobian, "mlp-jacobian", ""},
    Question{"Q13", "Are many small operations worse than a big one?", answer_dispatch, "dispatch",
             ""}};

std::vector<AnswerPart> not_answered(const Question& question, const Entries& entries) {
  if (question.case_name.empty()) {
    return {{"Cannot be answered here, because no row of this report asked it.", {}}};
  }
  const Entries::Absence absence = entries.absence(question.case_name, question.mode);
  std::vector<AnswerPart> parts{{"Cannot be answered here, because ", {}}};
  parts.push_back({absence.reason, absence.rows});
  parts.push_back({".", {}});
  return parts;
}

}  // namespace

std::span<const Question> questions() {
  return all_questions;
}

std::string Answer::text() const {
  std::string text;
  for (const AnswerPart& part : parts) {
    text += part.text;
  }
  return text;
}

std::vector<Answer> answers(const Report& report) {
  const auto& machines = report.machines();
  std::unordered_map<std::string_view, std::vector<RowView>> rows;
  for (std::size_t i = 0; i < report.size(); ++i) {
    const RowView row = report.row(i);
    rows[row.text(Column::machine)].push_back(row);
  }
  const auto told = std::clamp<std::size_t>(machines.size(), 1, most_machines);
  std::vector<Answer> all;
  for (std::size_t i = 0; i < told; ++i) {
    const Entries entries(report,
                          machines.empty() ? std::vector<RowView>() : std::move(rows[machines[i]]));
    for (const Question& question : questions()) {
      Sentence sentence;
      Answer answer{question.id, question.text,      question.answer(entries, sentence),
                    {},          question.case_name, {}};
      answer.parts = answer.is_answered ? sentence.take() : not_answered(question, entries);
      answer.machine = machines.size() > 1 ? machines[i] : "";
      all.push_back(std::move(answer));
    }
  }
  if (machines.size() > told) {
    all.push_back({"",
                   "What of the other machines?",
                   false,
                   {{fmt::format("Only the first {} of {} are answered for; a report each answers "
                                 "for all.",
                                 told, machines.size()),
                     {}}},
                   {},
                   {}});
  }
  return all;
}

}  // namespace breakeven
