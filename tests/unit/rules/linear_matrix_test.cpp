// Every pair of linear-attention backends for four families of models on five machines, with and
// without speculation: which kernels run, or which rule stops the launch. linear_matrix.txt holds
// the answers, grouped so that a reader can check them against SGLang 0.5.18's
// layers/attention/linear/{utils,gdn_backend,kda_backend,lightning_backend}.py; this test writes it
// anew (to where SGLINT_WRITE_MATRIX says) and compares.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "repair/run.h"

namespace sglint {
namespace {

using Strings = std::vector<std::string>;

const Strings kBackends = {"triton",     "cutedsl", "flashinfer", "flashkda",
                           "nvidia_kda", "ptx_kda", "helion"};
const Strings kMachines = {"h100", "b200", "b300", "rtx5090", "mi300x"};

struct Family {
  const char* name;
  const char* model;
  const char* tp;
};
constexpr Family kFamilies[] = {
    {"GDN", "Qwen/Qwen3-Next-80B-A3B-Instruct", "2"},
    {"KDA", "moonshotai/Kimi-Linear-48B-A3B-Instruct", "2"},
    {"Mamba-2", "nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B-BF16", "2"},
    {"lightning", "inclusionAI/Ling-2.5-1T", "2"},
};

std::string outcome(const Family& family, const std::string& machine, bool speculative,
                    const Strings& flags) {
  static std::map<std::string, Facts> known;  // a model is parsed once
  Facts& facts = known[family.name + machine];
  if (!facts.model) {
    facts.machine = *find_machine(machine);
    facts.model = find_model(family.model);
  }
  Strings words = {"--model-path",      family.model, "--trust-remote-code", "--tp-size", family.tp,
                   "--mamba-ssm-dtype", "bfloat16"};
  if (speculative)
    words.insert(words.end(),
                 {"--speculative-algorithm", "EAGLE", "--speculative-num-steps", "3",
                  "--speculative-eagle-topk", "1", "--speculative-num-draft-tokens", "4"});
  words.insert(words.end(), flags.begin(), flags.end());
  std::vector<Token> argv;
  for (const std::string& word : words) argv.push_back({word, {}, false, false});
  const auto run = run_launch(facts, argv);
  if (run->arguments.error) return "usage: " + run->arguments.error->message;
  const Resolution& r = *run->resolution;
  if (r.stopped()) return "rejected " + std::string(r.rejection()->rule->id);
  std::string out;
  for (const Finding& note : r.notes())
    if (note.rule->severity == Severity::error)
      out += (out.empty() ? "fails " : ", ") + std::string(note.rule->id);
  if (!out.empty()) return out;
  for (const char* phase : {"decode", "prefill", "verify"}) {
    const Value& kernel = r.attribute("linear_attn." + std::string(phase) + "_kernel");
    if (!kernel.is_none())
      out += (out.empty() ? "" : "; ") + std::string(phase) + " " +
             std::string(kernel["kernel"].as_str());
  }
  return out;
}

std::string join(const std::set<std::string>& items) {
  std::string out;
  for (const std::string& item : items) out += (out.empty() ? "" : " ") + item;
  return out;
}

void table(std::ostream& out, const Family& family, const std::string& first_flag,
           const std::string& second_flag, const Strings& firsts, const Strings& seconds) {
  out << "\n## " << family.name << " (" << family.model << "): " << first_flag << " x "
      << second_flag << "\n";
  for (const std::string& first : firsts) {
    std::map<std::string, std::map<std::string, std::set<std::string>>> by_outcome;
    for (const std::string& second : seconds) {
      for (const std::string& machine : kMachines) {
        for (bool speculative : {false, true}) {
          Strings flags;
          if (first != "-") flags.insert(flags.end(), {first_flag, first});
          if (second != "-") flags.insert(flags.end(), {second_flag, second});
          by_outcome[outcome(family, machine, speculative, flags)][second].insert(
              machine + (speculative ? "+spec" : ""));
        }
      }
    }
    for (const auto& [what, cells] : by_outcome) {
      std::map<std::string, std::set<std::string>> by_machines;
      for (const auto& [second, machines] : cells) by_machines[join(machines)].insert(second);
      for (const auto& [machines, second] : by_machines)
        out << first << " | " << join(second) << " | " << machines << " | " << what << "\n";
    }
  }
}

std::string matrix() {
  std::ostringstream out;
  out << "# SGLang 0.5.18, --mamba-ssm-dtype bfloat16. A row: first flag's value | values of the "
         "second | machines (+spec: EAGLE, a chain of 4 drafts) | what runs or stops it; - is a "
         "flag that is left out.\n";
  Strings optional = kBackends;
  optional.insert(optional.begin(), "-");
  Strings verify = optional;
  verify.push_back("nv_cutedsl");
  for (const Family& family : kFamilies) {
    table(out, family, "--linear-attn-backend", "--linear-attn-prefill-backend", kBackends,
          optional);
    table(out, family, "--linear-attn-decode-backend", "--linear-attn-verify-backend", optional,
          verify);
  }
  return out.str();
}

TEST(LinearMatrix, IsAsStored) {
  const std::string now = matrix();
  if (const char* path = std::getenv("SGLINT_WRITE_MATRIX")) std::ofstream(path) << now;
  std::ifstream file(SGLINT_UNIT_DIR "/rules/linear_matrix.txt");
  std::ostringstream stored;
  stored << file.rdbuf();
  std::istringstream a(stored.str()), b(now);
  std::string x, y;
  for (int line = 1; std::getline(b, y); ++line) {
    if (!std::getline(a, x)) x.clear();
    ASSERT_EQ(x, y) << "line " << line;
  }
  EXPECT_EQ(stored.str().size(), now.size());
}

}  // namespace
}  // namespace sglint
