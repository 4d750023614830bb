// State slots and their bytes, worked out by hand from the config classes' mamba2_cache_params.
#include <gtest/gtest.h>

#include "load_notes.h"

namespace sglint {
namespace {

std::string pool(std::vector<std::string> words, const char* machine = "h100") {
  Facts facts;
  facts.machine = *find_machine(machine);
  facts.model = find_model(words[1]);
  std::vector<Token> argv;
  for (const std::string& word : words) argv.push_back({word, {}, false, false});
  const auto run = run_launch(facts, argv);
  if (!run->accepted()) return "not accepted";
  return std::string(run->resolution->attribute("state_pool")["kernel"].as_str());
}

TEST(StatePool, SlotsAndBytes) {
  // 36 layers, 4 ranks: (8192 / 4 * 3 * 2 + 32 / 4 * 128 * 128 * 4) * 36.
  EXPECT_EQ(pool({"--model-path", "Qwen/Qwen3-Next-80B-A3B-Instruct", "--tp-size", "4",
                  "--mamba-radix-cache-strategy", "no_buffer", "--disable-overlap-schedule",
                  "--max-mamba-cache-size", "100"}),
            "3 slots a request, 18.4 MiB a slot: at most 33 requests at once");
  // Lightning: no convolution, 7 of 8 layers, 64 heads over 8 ranks: 8 * 128 * 128 * 4 * 70.
  EXPECT_EQ(pool({"--model-path", "inclusionAI/Ling-2.5-1T", "--tp-size", "8",
                  "--trust-remote-code", "--disable-radix-cache", "--max-running-requests", "8"},
                 "b300"),
            "1 slots a request, 35.0 MiB a slot");
  // Jet: ((6 * 256 + 2 * 6 * 128) * 3 * 2 + 6 * 256 * 128 * 4) * 24.
  EXPECT_EQ(pool({"--model-path", "jet-ai/Jet-Nemotron-2B", "--trust-remote-code",
                  "--disable-radix-cache", "--max-running-requests", "8"}),
            "1 slots a request, 18.4 MiB a slot");
  // Short convolution: a window of two numbers a channel and no state: 2048 * 2 * 2 * 10 bytes.
  EXPECT_EQ(pool({"--model-path", "LiquidAI/LFM2-1.2B", "--disable-radix-cache",
                  "--max-running-requests", "8"}),
            "1 slots a request, 0.1 MiB a slot");
}

// A public report asked for 8 requests and got 2 (sgl-project/sglang issue 33004 and others).
TEST(StatePool, FewerThanAskedFor) {
  const auto warnings = [](std::vector<std::string> words, const char* machine = "h100") {
    return notes({"", words, machine}, false);
  };
  EXPECT_EQ(warnings({"--model-path", "Qwen/Qwen3-Next-80B-A3B-Instruct", "--tp-size", "4",
                      "--max-running-requests", "8", "--max-mamba-cache-size", "10"}),
            Notes{"state-pool/capped: max_running_requests is capped to 2 by the mamba state cache "
                  "(max_mamba_cache_size=10, 5 state slots per request). To raise it: increase "
                  "--mamba-full-memory-ratio or --max-mamba-cache-size, or halve the state size "
                  "with --mamba-ssm-dtype bfloat16."});
  // 81559 MiB * 0.85; weights (48 * 3 * 2048 * 512 * 512 + 151936 * 2048) * 2 / 4 bytes; 0.9 / 1.9
  // of the rest are 830 slots of 19316736 bytes, one of them for padding.
  EXPECT_EQ(warnings({"--model-path", "Qwen/Qwen3-Next-80B-A3B-Instruct", "--tp-size", "4",
                      "--max-running-requests", "256", "--mem-fraction-static", "0.85"}),
            Notes{"state-pool/memory: At most 165 of the 256 requests asked for can run at once: a "
                  "request takes 5 state slots of 18.4 MiB, and the 31.6 GiB that 36.1 GiB of "
                  "weights leave of 67.7 GiB a GPU would hold no more."});
  // The public report: asked for 8, got 2 through a small share for states.
  const Notes small = warnings({"--model-path", "Qwen/Qwen3-Next-80B-A3B-Instruct", "--tp-size",
                                "4", "--max-running-requests", "8", "--mem-fraction-static", "0.85",
                                "--mamba-full-memory-ratio", "0.007"});
  ASSERT_EQ(small.size(), 1u);
  EXPECT_EQ(small[0].substr(0, 43), "state-pool/memory: At most 2 of the 8 reque");
}

}  // namespace
}  // namespace sglint
