#include <gtest/gtest.h>

#include "native/gpu/selftest_report.h"

namespace sglint::gpu {
namespace {

std::string gpu(int index, double copy, const std::string& verdict = "pass",
                const std::string& tests = "") {
  return "{\"index\":" + std::to_string(index) +
         ",\"name\":\"NVIDIA H200\",\"uuid\":\"u\",\"verdict\":\"" + verdict +
         "\",\"failed\":" + (verdict == "fail" ? "1" : "0") +
         ",\"warned\":0,\"seconds\":9.5,\"copy_gbs\":" + std::to_string(copy) +
         ",\"read_gbs\":4500,\"timings\":[{\"batch\":256,\"plain_us\":272,\"replay_cycle_us\":155,"
         "\"replay_mixed_us\":160,"
         "\"plain_floor_us\":255,\"replay_floor_us\":137,\"speedup\":1.7}],\"replay\":{\"pays\":"
         "true,\"from_batch\":8,"
         "\"largest_batch\":256,\"speedup_at_largest_batch\":1.7},\"tests\":[" +
         tests + "]}";
}

std::string host(const std::string& name, const std::string& gpus) {
  return "{\"schema\":1,\"kind\":\"sglint-selftest\",\"host\":\"" + name +
         "\",\"mode\":\"quick\",\"model\":{\"name\":\"qwen3-next\"},\"state\":\"f32\",\"ring_"
         "length\":16,\"gpus\":[" +
         gpus + "]}";
}

constexpr char kFailure[] =
    "{\"rule\":\"gpu/numerics/gdn/f32/replay/"
    "output\",\"verdict\":\"fail\",\"value\":0.5,\"limit\":0.002,"
    "\"unit\":\"relative error\",\"reason\":\"outputs differ\"}";

TEST(RenderReport, SaysWhatPassedAndWhetherReplayPays) {
  const Rendered r = render_report(host("a", gpu(0, 4200)));
  EXPECT_TRUE(r.readable);
  EXPECT_FALSE(r.failed);
  EXPECT_NE(r.text.find("GPU 0 NVIDIA H200: pass"), std::string::npos) << r.text;
  EXPECT_NE(r.text.find("--enable-linear-replayssm pays here for qwen3-next with f32 states from "
                        "batch 8 on (1.70x at 256)"),
            std::string::npos)
      << r.text;
}

TEST(RenderReport, NamesTheFailingTest) {
  const Rendered r = render_report(host("a", gpu(0, 4200, "fail", kFailure)));
  EXPECT_TRUE(r.failed);
  EXPECT_NE(
      r.text.find("fail    gpu/numerics/gdn/f32/replay/output: 0.5 (limit 0.002 relative error)"),
      std::string::npos)
      << r.text;
  EXPECT_NE(r.text.find("outputs differ"), std::string::npos);
}

TEST(RenderReport, AnErrorIsNotAReport) {
  EXPECT_EQ(render_report("{\"error\":\"no driver\"}").text, "no driver");
  EXPECT_FALSE(render_report("[]").readable);
  EXPECT_FALSE(render_report("{\"schema\":2,\"kind\":\"sglint-selftest\",\"gpus\":[]}").readable);
}

TEST(MergeReports, FindsTheSlowCardAndTheBrokenOne) {
  const Merged m =
      merge_reports({{"a.json", host("a", gpu(0, 4200) + "," + gpu(1, 4190))},
                     {"b.json", host("b", gpu(0, 3500) + "," + gpu(1, 4210, "fail", kFailure))},
                     {"c.json", "nothing"}});
  EXPECT_TRUE(m.failed);
  EXPECT_EQ(m.unreadable, 1);
  EXPECT_NE(m.text.find("b GPU 0 stands out: copy GB/s 3500, 17 % below the median 4195 of 4"),
            std::string::npos)
      << m.text;
  EXPECT_NE(m.text.find("b GPU 1 failed gpu/numerics/gdn/f32/replay/output"), std::string::npos)
      << m.text;
  EXPECT_NE(m.text.find("c.json: not a JSON object"), std::string::npos) << m.text;
  EXPECT_NE(m.text.find("4 GPUs of 3 reports: 1 failed, 1 stand out, 1 reports not readable"),
            std::string::npos)
      << m.text;
  EXPECT_NE(m.json.find("\"kind\":\"sglint-selftest-fleet\""), std::string::npos);
}

TEST(MergeReports, ShowsAFewOfManyFailures) {
  std::string many = kFailure;
  for (int i = 0; i < 9; ++i) many += std::string(",") + kFailure;
  const Merged m = merge_reports({{"a.json", host("a", gpu(0, 4200, "fail", many))}});
  EXPECT_NE(m.text.find("a GPU 0 failed 6 tests more"), std::string::npos) << m.text;
}

TEST(MergeReports, TwoCardsHaveNoMedianToStandOutFrom) {
  const Merged m = merge_reports({{"a.json", host("a", gpu(0, 4200) + "," + gpu(1, 3000))}});
  EXPECT_EQ(m.text.find("stands out"), std::string::npos) << m.text;
}

TEST(RenderProgress, OneLineATest) {
  const std::string line = render_progress(std::string("{\"gpu\":3,\"test\":") + kFailure + "}");
  EXPECT_EQ(line.find("GPU 3 fail"), 0u) << line;
  EXPECT_EQ(render_progress("{}"), "");
}

}  // namespace
}  // namespace sglint::gpu
