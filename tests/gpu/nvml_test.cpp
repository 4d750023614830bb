// NVML as it is called: a library that stands for the driver's, with a fault in one function at a
// time.
#include "native/gpu/cuda/detect/nvml.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "native/gpu/detect/facts.h"

namespace sglint::gpu {
namespace {

class FakeCuda : public Cuda {
 public:
  Asked<int> runtime_version() override { return Asked<int>::of(13000); }
  Asked<std::vector<CudaDevice>> devices() override {
    return Asked<std::vector<CudaDevice>>::of(
        {{"GPU-0", "0000:19:00.0", 132, 62914560}, {"GPU-1", "", 132, 62914560}});
  }
};

const std::string kLibrary = std::string(PLUGIN_FOLDER) + "/fake_nvml.so";

Detection collect(const std::string& faults, const std::string& library = kLibrary) {
  setenv("SGLINT_FAKE_NVML", faults.c_str(), 1);
  Detection d;
  FakeCuda cuda;
  const auto nvml = make_nvml(library.c_str());
  collect_gpus(*nvml, cuda, d);
  unsetenv("SGLINT_FAKE_NVML");
  return d;
}

TEST(NvmlCalls, EveryFieldArrives) {
  const Detection d = collect("");
  EXPECT_EQ(d.driver.problem, "");
  EXPECT_EQ(d.driver.version, "580.159.04");
  EXPECT_EQ(d.driver.cuda, 13000);
  ASSERT_EQ(d.gpus.size(), 2u);
  const GpuFacts& g = d.gpus[0];
  EXPECT_TRUE(g.gaps.empty()) << g.gaps[0];
  EXPECT_EQ(g.name, "NVIDIA H200");
  EXPECT_EQ(g.uuid, "GPU-0");
  EXPECT_EQ(g.pci_bus, "00000000:19:00.0");
  EXPECT_EQ(g.memory.total, 150754820096u);
  EXPECT_EQ(g.memory.free, 150000000000u);
  EXPECT_EQ(g.memory.used, 754820096u);
  EXPECT_EQ(g.major * 10 + g.minor, 90);
  EXPECT_EQ(g.clock_mhz, 345);
  EXPECT_EQ(g.max_memory_clock_mhz, 1980);
  EXPECT_DOUBLE_EQ(g.power_watts, 80.5);
  EXPECT_DOUBLE_EQ(g.power_limit_watts, 700);
  EXPECT_TRUE(g.ecc.value_or(false));
  EXPECT_FALSE(g.mig.value_or(true));
  EXPECT_EQ(g.compute_mode, "exclusive-process");
  ASSERT_EQ(g.processes.size(), 2u);
  EXPECT_EQ(g.processes[0].pid, 4242u);
  EXPECT_EQ(g.processes[0].memory, 1u << 30);
  EXPECT_EQ(g.processes[1].memory, 0u);
  EXPECT_EQ(g.pcie.width, 8);
  EXPECT_EQ(g.pcie.max_width, 16);
  EXPECT_EQ(g.nvlinks, 3);
  EXPECT_EQ(g.peers, (std::vector<bool>{true, true}));
  EXPECT_EQ(g.multiprocessors, 132);
}

struct Fault {
  const char* function;
  const char* gap;
};
class OneCallFails : public ::testing::TestWithParam<Fault> {};

TEST_P(OneCallFails, IsAGapAndNoMore) {
  const Detection d = collect(std::string(GetParam().function) + "=3");
  EXPECT_EQ(d.driver.problem, "");
  ASSERT_EQ(d.gpus.size(), 2u);
  ASSERT_FALSE(d.gpus[0].gaps.empty());
  for (const std::string& gap : d.gpus[0].gaps) {
    EXPECT_NE(gap.find(GetParam().gap), std::string::npos) << gap;
    EXPECT_NE(gap.find("Not Supported"), std::string::npos) << gap;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Calls, OneCallFails,
    ::testing::Values(
        Fault{"nvmlDeviceGetName", "name"}, Fault{"nvmlDeviceGetUUID", "uuid"},
        Fault{"nvmlDeviceGetPciInfo_v3", "pci_bus"}, Fault{"nvmlDeviceGetMemoryInfo", "memory"},
        Fault{"nvmlDeviceGetCudaComputeCapability", "compute_capability"},
        Fault{"nvmlDeviceGetClockInfo", "clock"}, Fault{"nvmlDeviceGetMaxClockInfo", "max_"},
        Fault{"nvmlDeviceGetPowerUsage", "power"},
        Fault{"nvmlDeviceGetEnforcedPowerLimit", "power_limit"},
        Fault{"nvmlDeviceGetEccMode", "ecc"}, Fault{"nvmlDeviceGetMigMode", "mig"},
        Fault{"nvmlDeviceGetComputeMode", "compute_mode"},
        Fault{"nvmlDeviceGetComputeRunningProcesses_v3", "processes"},
        Fault{"nvmlDeviceGetCurrPcieLinkGeneration", "pcie"},
        Fault{"nvmlDeviceGetCurrPcieLinkWidth", "pcie"},
        Fault{"nvmlDeviceGetMaxPcieLinkGeneration", "pcie"},
        Fault{"nvmlDeviceGetMaxPcieLinkWidth", "pcie"},
        Fault{"nvmlDeviceGetNvLinkState", "nvlinks"}, Fault{"nvmlDeviceGetP2PStatus", "peer 1"}),
    [](const auto& info) { return std::string(info.param.function); });

TEST(NvmlCalls, AGpuWithoutItsUuidIsKnownByItsBus) {
  const Detection d = collect("nvmlDeviceGetUUID=3");
  EXPECT_TRUE(d.gpus[0].visible);
}

TEST(NvmlCalls, TheDriversOwnFailures) {
  EXPECT_EQ(collect("nvmlInit_v2=4").driver.problem,
            "the NVIDIA driver does not start: Insufficient Permissions");
  EXPECT_EQ(collect("nvmlInit_v2=12").driver.problem,
            "the NVIDIA driver's user and kernel parts do not match");
  EXPECT_EQ(collect("nvmlDeviceGetCount_v2=4").driver.problem,
            "the driver does not count its GPUs: Insufficient Permissions");
  EXPECT_EQ(collect("", "/nowhere/libnvidia-ml.so.1").driver.problem,
            "no NVIDIA driver is installed here (libnvidia-ml.so.1 is missing)");
  EXPECT_EQ(collect("", std::string(PLUGIN_FOLDER) + "/plugin_no_symbols.so").driver.problem,
            "the NVIDIA driver's library lacks nvmlInit_v2");
  EXPECT_EQ(collect("nvmlSystemGetDriverVersion=3").driver.version, "");
  EXPECT_EQ(collect("nvmlSystemGetCudaDriverVersion_v2=3").driver.cuda, 0);
}

TEST(NvmlCalls, AGpuThatIsNotForThisProcess) {
  Detection d = collect("nvmlDeviceGetHandleByIndex_v2#1=4");
  ASSERT_EQ(d.gpus.size(), 2u);
  EXPECT_EQ(d.gpus[1].denied, "Insufficient Permissions");
  EXPECT_FALSE(d.gpus[1].visible);
  EXPECT_TRUE(d.gpus[0].visible);
  bool said = false;
  for (const Finding& f : host_findings(d))
    said = said || (f.rule == "host/gpu-denied" &&
                    f.message ==
                        "GPU 1 is in this host and not for this process: Insufficient Permissions");
  EXPECT_TRUE(said);
  EXPECT_NE(detection_json(d).find("\"num_gpus\":1"), std::string::npos);
  EXPECT_NE(detection_text(d).find("GPU 1: not for this process"), std::string::npos);
  d = collect("nvmlDeviceGetHandleByIndex_v2=4");
  EXPECT_EQ(d.driver.problem,
            "the driver has 2 GPUs, none of which this process may use: Insufficient Permissions");
  EXPECT_TRUE(d.gpus.empty());
  d = collect("nvmlDeviceGetHandleByIndex_v2#0=15");
  EXPECT_EQ(d.gpus[0].denied, "GPU is lost");
}

TEST(NvmlCalls, MoreProcessesThanTheListHolds) {
  EXPECT_EQ(collect("nvmlDeviceGetComputeRunningProcesses_v3=7").gpus[0].processes.size(), 2u);
}

}  // namespace
}  // namespace sglint::gpu
