#include "native/gpu/selftest_facts.h"

#include <gtest/gtest.h>

#include <set>

#include "native/gpu/detect/facts.h"
#include "native/gpu/host_rules.h"

namespace sglint::gpu {
namespace {

std::string gpu(const std::string& timings) {
  return "{\"index\":0,\"name\":\"NVIDIA H200\",\"compute_capability\":9.0,\"memory_mib\":143771,"
         "\"timings\":[" +
         timings + "]}";
}
std::string timing(int batch, double speedup) {
  return "{\"batch\":" + std::to_string(batch) + ",\"speedup\":" + std::to_string(speedup) + "}";
}
std::string report(const std::string& gpus) {
  return "{\"schema\":1,\"kind\":\"sglint-selftest\",\"model\":{\"gate\":\"gdn\",\"v_heads\":32},"
         "\"state\":\"bf16\",\"gpus\":[" +
         gpus + "]}";
}

constexpr char kMeasured[] =
    "\"replayssm\":[{\"gate\":\"gdn\",\"state\":\"bfloat16\",\"v_heads\":32,\"speedups\":[[1,0.75],"
    "[8,1.25]]}]";

TEST(SelftestFacts, AMachineOfAReport) {
  // The GPU that gains least counts.
  const std::string two = gpu(timing(1, 0.75) + "," + timing(8, 1.5)) + "," +
                          gpu(timing(1, 0.875) + "," + timing(8, 1.25));
  EXPECT_EQ(machine_of_selftest(report(two)),
            std::string("{\"platform\":\"cuda\",\"sm\":[9,0],\"gpu_name\":\"NVIDIA H200\","
                        "\"num_gpus\":2,\"gpu_mem_mib\":143771,") +
                kMeasured + "}");
  EXPECT_EQ(machine_of_selftest("{}"), "");
  EXPECT_EQ(machine_of_selftest("text"), "");
  EXPECT_EQ(machine_of_selftest(report("{\"index\":0}")), "");  // a GPU that crashed
  EXPECT_EQ(machine_of_selftest(report("")), "");
}

TEST(SelftestFacts, AddedToADetection) {
  std::string why;
  const std::string one = report(gpu(timing(1, 0.75) + "," + timing(8, 1.25)));
  EXPECT_EQ(add_selftest("{\"gpu_name\":\"NVIDIA H200\"}", one, why),
            std::string("{\"gpu_name\":\"NVIDIA H200\",") + kMeasured + "}");
  EXPECT_EQ(add_selftest("{\"gpu_name\":\"NVIDIA H100\"}", one, why), "");
  EXPECT_EQ(why, "the self-test is of a NVIDIA H200, the machine has NVIDIA H100");
  EXPECT_EQ(add_selftest("h200", one, why), "");
  EXPECT_NE(why.find("not with a machine of the catalogue"), std::string::npos);
  EXPECT_EQ(add_selftest("{}", "{}", why), "");
  EXPECT_NE(why.find("not a report"), std::string::npos);
  EXPECT_EQ(add_selftest("{\"gpu_name\":\"NVIDIA H200\"}", report(gpu("")), why), "");
  EXPECT_EQ(why, "the self-test has no timings");
}

TEST(HostRules, AreFoundByIdAndByFamily) {
  std::set<std::string> ids;
  for (const HostRule& r : host_rules()) {
    EXPECT_TRUE(ids.insert(r.id).second) << r.id;
    EXPECT_EQ(find_host_rule(r.id), &r);
    EXPECT_NE(explain_host_rule(r.id), "");
    EXPECT_NE(host_rules_json().find(r.id), std::string::npos);
    EXPECT_NE(host_rules_text().find(r.id), std::string::npos);
  }
  EXPECT_STREQ(find_host_rule("gpu/numerics/gdn/f32/plain/output")->id, "gpu/numerics/");
  EXPECT_STREQ(find_host_rule("gpu/numerics")->id, "gpu/numerics/");
  EXPECT_EQ(find_host_rule("host/gpu"), nullptr);
  EXPECT_EQ(explain_host_rule("gpu/other"), "");
}

TEST(NoGpuReason, SaysWhatTheHostShows) {
  HostFacts h;
  const std::string missing = "no NVIDIA driver is installed here (libnvidia-ml.so.1 is missing)";
  EXPECT_EQ(no_gpu_reason(h, ""), "");
  EXPECT_EQ(no_gpu_reason(h, missing), missing);
  h.container = "docker";
  EXPECT_NE(no_gpu_reason(h, missing).find("docker run --gpus all"), std::string::npos);
  h.nvidia_driver = "580.159.04";
  EXPECT_NE(no_gpu_reason(h, missing).find("/dev/nvidiactl is missing"), std::string::npos);
  h.nvidia_control = HostFacts::Node::kDenied;
  EXPECT_NE(no_gpu_reason(h, missing).find("this user may not use it"), std::string::npos);
  h.nvidia_control = HostFacts::Node::kUsable;
  EXPECT_NE(no_gpu_reason(h, missing).find("NVIDIA_DRIVER_CAPABILITIES"), std::string::npos);
  EXPECT_EQ(no_gpu_reason(h, "the driver is there and shows no GPU"),
            "the driver is there and shows no GPU");
}

TEST(TorchCuda, OfTheVersionsSuffix) {
  EXPECT_EQ(torch_cuda("2.11.0+cu130"), 13000);
  EXPECT_EQ(torch_cuda("2.9.1+cu128"), 12080);
  EXPECT_EQ(torch_cuda("2.9.1"), 0);
  EXPECT_EQ(torch_cuda("2.9.1+rocm6.4"), 0);
}

}  // namespace
}  // namespace sglint::gpu
