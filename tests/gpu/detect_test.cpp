// Detection with providers that answer, and with one that fails one question at a time.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <fstream>

#include "native/gpu/detect/facts.h"

namespace sglint::gpu {
namespace {

constexpr uint64_t kGiB = uint64_t{1} << 30;

// Two alike GPUs; `fails` names the question that is not answered.
class FakeNvml : public Nvml {
 public:
  explicit FakeNvml(std::string fails = "") : fails_(std::move(fails)) {}
  int gpus = 2;
  std::string second_name = "NVIDIA H200";

  Asked<bool> start() override { return answer("start", true); }
  Asked<std::string> driver_version() override {
    return answer("driver_version", std::string("580.159.04"));
  }
  Asked<int> cuda_version() override { return answer("cuda_version", 13000); }
  Asked<int> count() override { return answer("count", int{gpus}); }
  Asked<std::string> name(int i) override {
    return answer("name", i == 1 ? second_name : std::string("NVIDIA H200"));
  }
  Asked<std::string> uuid(int i) override { return answer("uuid", "GPU-" + std::to_string(i)); }
  Asked<std::string> pci_bus(int) override {
    return answer("pci_bus", std::string("00000000:19:00.0"));
  }
  Asked<MemoryInfo> memory(int) override {
    return answer("memory", MemoryInfo{141 * kGiB, 140 * kGiB, kGiB});
  }
  Asked<std::pair<int, int>> compute_capability(int) override {
    return answer("compute_capability", std::make_pair(9, 0));
  }
  Asked<int> clock_mhz(int, bool memory, bool maximum) override {
    const char* what = memory ? (maximum ? "max_memory_clock" : "memory_clock")
                              : (maximum ? "max_clock" : "clock");
    return answer(what, memory ? 3201 : 1980);
  }
  Asked<double> power_watts(int) override { return answer("power", 80.0); }
  Asked<double> power_limit_watts(int) override { return answer("power_limit", 700.0); }
  Asked<bool> ecc(int) override { return answer("ecc", true); }
  Asked<bool> mig(int) override { return answer("mig", false); }
  Asked<std::string> compute_mode(int) override {
    return answer("compute_mode", std::string("default"));
  }
  Asked<std::vector<GpuProcess>> processes(int) override {
    return answer("processes", std::vector<GpuProcess>());
  }
  Asked<PcieLink> pcie(int) override { return answer("pcie", PcieLink{5, 16, 5, 16}); }
  Asked<int> nvlinks(int) override { return answer("nvlinks", 18); }
  Asked<bool> peer(int, int) override { return answer("peer", true); }

 private:
  template <typename T>
  Asked<T> answer(const std::string& what, T value) const {
    return what == fails_ ? Asked<T>::failed("Insufficient Permissions")
                          : Asked<T>::of(std::move(value));
  }
  std::string fails_;
};

class FakeCuda : public Cuda {
 public:
  std::vector<CudaDevice> list = {{"GPU-0", "", 132, 62914560}, {"GPU-1", "", 132, 62914560}};
  bool fails = false;
  Asked<int> runtime_version() override {
    return fails ? Asked<int>::failed("no driver") : Asked<int>::of(13000);
  }
  Asked<std::vector<CudaDevice>> devices() override {
    return fails ? Asked<std::vector<CudaDevice>>::failed("cudaErrorInsufficientDriver")
                 : Asked<std::vector<CudaDevice>>::of(list);
  }
};

Detection collect(FakeNvml nvml = FakeNvml(), FakeCuda cuda = FakeCuda()) {
  Detection d;
  collect_gpus(nvml, cuda, d);
  return d;
}

bool has(const Detection& d, const std::string& rule) {
  const auto all = host_findings(d);
  return std::any_of(all.begin(), all.end(), [&](const Finding& f) { return f.rule == rule; });
}

TEST(Detect, CollectsEverything) {
  const Detection d = collect();
  EXPECT_EQ(d.driver.problem, "");
  ASSERT_EQ(d.gpus.size(), 2u);
  const GpuFacts& g = d.gpus[1];
  EXPECT_EQ(g.name, "NVIDIA H200");
  EXPECT_EQ(g.multiprocessors, 132);
  EXPECT_EQ(g.pcie.max_width, 16);
  EXPECT_EQ(g.nvlinks, 18);
  EXPECT_TRUE(g.visible);
  EXPECT_EQ(g.peers, (std::vector<bool>{true, true}));
  EXPECT_TRUE(g.gaps.empty());
  EXPECT_TRUE(host_findings(d).empty());
}

class OneQuestionFails : public ::testing::TestWithParam<std::string> {};

TEST_P(OneQuestionFails, TheOthersAreStillAnswered) {
  const Detection d = collect(FakeNvml(GetParam()));
  ASSERT_EQ(d.gpus.size(), 2u);
  const auto& gaps = d.gpus[0].gaps;
  ASSERT_EQ(gaps.size(), 1u);
  EXPECT_EQ(gaps[0].rfind(GetParam(), 0), 0u) << gaps[0];
  EXPECT_NE(gaps[0].find("Insufficient Permissions"), std::string::npos);
  EXPECT_NE(detection_text(d).find("not answered: " + gaps[0]), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Questions, OneQuestionFails,
                         ::testing::Values("name", "pci_bus", "memory", "compute_capability",
                                           "clock", "max_clock", "memory_clock", "max_memory_clock",
                                           "power", "power_limit", "ecc", "mig", "compute_mode",
                                           "processes", "pcie", "nvlinks", "peer"));

TEST(Detect, NoDriverNoCountNoGpu) {
  EXPECT_EQ(collect(FakeNvml("start")).driver.problem, "Insufficient Permissions");
  EXPECT_EQ(collect(FakeNvml("count")).driver.problem,
            "the driver does not count its GPUs: Insufficient Permissions");
  FakeNvml none;
  none.gpus = 0;
  const Detection d = collect(none);
  EXPECT_EQ(d.driver.problem, "the driver is there and shows no GPU");
  EXPECT_TRUE(has(d, "host/no-gpu"));
  EXPECT_NE(detection_json(d).find("\"machine\":null"), std::string::npos);
}

TEST(Detect, VersionsThatAreNotToldAreLeftOut) {
  EXPECT_EQ(collect(FakeNvml("driver_version")).driver.version, "");
  EXPECT_EQ(collect(FakeNvml("cuda_version")).driver.cuda, 0);
  EXPECT_FALSE(has(collect(FakeNvml("cuda_version")), "host/driver-too-old"));
}

TEST(Detect, CudaSeesSomeOfTheDevices) {
  FakeCuda one;
  one.list.resize(1);
  Detection d = collect(FakeNvml(), one);
  EXPECT_TRUE(d.gpus[0].visible);
  EXPECT_FALSE(d.gpus[1].visible);
  EXPECT_NE(detection_json(d).find("\"num_gpus\":1"), std::string::npos);
  one.list.clear();
  d = collect(FakeNvml(), one);
  d.host.cuda_visible_devices = "7";
  EXPECT_TRUE(has(d, "host/no-visible-gpu"));
  FakeCuda broken;
  broken.fails = true;
  d = collect(FakeNvml(), broken);
  EXPECT_TRUE(d.gpus[0].visible);
  EXPECT_EQ(d.gpus[0].gaps, std::vector<std::string>{"cuda: cudaErrorInsufficientDriver"});
}

TEST(Findings, EachFiresOnItsCauseAlone) {
  struct Case {
    const char* rule;
    void (*spoil)(Detection&);
  };
  const Case cases[] = {
      {"host/driver-too-old", [](Detection& d) { d.driver.cuda = 12040; }},
      {"host/driver-too-old",
       [](Detection& d) { d.driver.cuda = 11080, d.software["torch"] = "2.9.1+cu128"; }},
      {"host/gpu-denied", [](Detection& d) { d.gpus[1].denied = "x", d.gpus[1].visible = false; }},
      {"host/some-gpus", [](Detection& d) { d.host.nvidia_gpus = 8; }},
      {"host/mixed-gpus", [](Detection& d) { d.gpus[1].name = "NVIDIA H100 80GB HBM3"; }},
      {"host/gpu-busy",
       [](Detection& d) {
         d.gpus[0].processes.push_back({7, kGiB});
       }},
      {"host/gpu-busy", [](Detection& d) { d.gpus[0].memory.free = 90 * kGiB; }},
      {"host/mig", [](Detection& d) { d.gpus[1].mig = true; }},
      {"host/compute-prohibited", [](Detection& d) { d.gpus[0].compute_mode = "prohibited"; }},
      {"host/compute-exclusive",
       [](Detection& d) { d.gpus[0].compute_mode = "exclusive-process"; }},
      {"host/pcie-width", [](Detection& d) { d.gpus[0].pcie.width = 8; }},
      {"host/ecc-off", [](Detection& d) { d.gpus[0].ecc = false; }},
      {"host/no-peer-access", [](Detection& d) { d.gpus[0].peers[1] = false; }},
      {"host/shm-too-small", [](Detection& d) { d.host.shm_total = 64 << 20; }},
      {"host/open-files", [](Detection& d) { d.host.open_files = 1024; }},
  };
  for (const Case& c : cases) {
    Detection d = collect();
    d.host.shm_total = 64 * kGiB;
    d.host.open_files = UINT64_MAX;
    EXPECT_TRUE(host_findings(d).empty());
    c.spoil(d);
    const auto found = host_findings(d);
    ASSERT_EQ(found.size(), 1u) << c.rule;
    EXPECT_EQ(found[0].rule, c.rule);
    EXPECT_FALSE(found[0].message.empty());
  }
}

TEST(Findings, AnOlderDriverRunsBuildsOfItsMajorVersion) {
  Detection d = collect();
  d.driver.cuda = 12040;
  d.software["torch"] = "2.9.1+cu128";
  EXPECT_FALSE(has(d, "host/driver-too-old"));
  EXPECT_NE(detection_json(d).find("\"cuda\":\"12.8\""), std::string::npos);
  d.software.clear();
  EXPECT_TRUE(has(d, "host/driver-too-old"));
  EXPECT_NE(detection_json(d).find("\"cuda\":\"12.4\""), std::string::npos);
}

TEST(Detect, JsonComesBackAsItWent) {
  const Detection d = collect();
  Detection back;
  ASSERT_TRUE(read_gpus(gpus_json(d), back));
  EXPECT_EQ(gpus_json(back), gpus_json(d));
  EXPECT_FALSE(read_gpus("{}", back));
  EXPECT_FALSE(read_gpus("x", back));
}

TEST(Detect, JsonHoldsTheMachine) {
  Detection d = collect();
  d.software["flashinfer_python"] = "0.6.17";
  d.software["torch"] = "2.11.0+cu130";
  EXPECT_NE(
      detection_json(d).find("\"machine\":{\"platform\":\"cuda\",\"sm\":[9,0],\"gpu_name\":"
                             "\"NVIDIA H200\",\"num_gpus\":2,"
                             "\"gpu_mem_mib\":144384,\"cuda\":\"13.0\",\"driver\":\"580.159.04\","
                             "\"flashinfer\":\"0.6.17\"}"),
      std::string::npos)
      << detection_json(d);
}

TEST(Detect, TheMachineIsTakenOutOfADetection) {
  EXPECT_EQ(machine_of_detection(detection_json(collect())),
            "{\"platform\":\"cuda\",\"sm\":[9,0],\"gpu_name\":\"NVIDIA H200\",\"num_gpus\":2,"
            "\"gpu_mem_mib\":144384,\"driver\":\"580.159.04\"}");
  EXPECT_EQ(machine_of_detection(detection_json(Detection())), "");  // no GPU
  EXPECT_EQ(machine_of_detection("{\"platform\":\"cuda\"}"), "");
  EXPECT_EQ(machine_of_detection("GPU 0"), "");
}

TEST(Detect, AHostWithoutAPluginSaysSo) {
  const Detection d = detect_here("/nowhere/plugin.so");
  EXPECT_EQ(d.driver.problem,
            "GPUs were not asked: there is no GPU plugin; looked for /nowhere/plugin.so");
  EXPECT_GT(d.host.cpus, 0);
  EXPECT_TRUE(has(d, "host/no-gpu"));
}

// A host described by files.
class Root {
 public:
  Root() {
    path_ = ::testing::TempDir() + "/sglint_root_" + std::to_string(getpid());
    folder("");
  }
  void folder(const std::string& name) {
    for (size_t at = 1; at != std::string::npos; at = name.find('/', at + 1)) {
      const std::string part = path_ + name.substr(0, name.find('/', at));
      mkdir(part.c_str(), 0755);
      if (name.find('/', at) == std::string::npos) break;
    }
    mkdir((path_ + name).c_str(), 0755);
  }
  void file(const std::string& name, const std::string& content) {
    folder(name.substr(0, name.rfind('/')));
    std::ofstream(path_ + name) << content;
  }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

TEST(Host, ReadsMemoryLimitsAndContainer) {
  Root root;
  root.file("/proc/meminfo", "MemTotal:       1000 kB\nMemFree: 5 kB\nMemAvailable:   800 kB\n");
  root.file("/proc/cpuinfo", "processor\t: 0\nmodel name\t: Some CPU\n");
  root.file("/sys/fs/cgroup/memory.max", "524288\n");
  root.file("/sys/fs/cgroup/cpu.max", "250000 100000\n");
  root.file("/.dockerenv", "");
  HostFacts h = collect_host(root.path());
  EXPECT_EQ(h.memory, 1000u * 1024);
  EXPECT_EQ(h.memory_available, 800u * 1024);
  EXPECT_EQ(h.cpu, "Some CPU");
  EXPECT_EQ(h.memory_limit, 524288u);
  EXPECT_DOUBLE_EQ(h.cpu_quota, 2.5);
  EXPECT_EQ(h.container, "docker");
  root.file("/sys/fs/cgroup/memory.max", "max\n");
  root.file("/sys/fs/cgroup/cpu.max", "max 100000\n");
  h = collect_host(root.path());
  EXPECT_EQ(h.memory_limit, 0u);
  EXPECT_EQ(h.cpu_quota, 0);
  EXPECT_EQ(h.nvidia_driver, "");
  EXPECT_EQ(h.nvidia_control, HostFacts::Node::kMissing);
  root.file("/proc/driver/nvidia/version",
            "NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.159.04  Mon Aug  3 2026\nGCC "
            "version: gcc version 12.3.0\n");
  root.folder("/proc/driver/nvidia/gpus/0000:19:00.0");
  root.folder("/proc/driver/nvidia/gpus/0000:2a:00.0");
  root.file("/dev/nvidiactl", "");
  h = collect_host(root.path());
  EXPECT_EQ(h.nvidia_driver, "580.159.04");
  EXPECT_EQ(h.nvidia_gpus, 2);
  EXPECT_EQ(h.nvidia_control, HostFacts::Node::kUsable);
  root.file("/sys/bus/pci/devices/0000:ab:00.0/numa_node", "1\n");
  EXPECT_EQ(numa_node(root.path(), "00000000:AB:00.0"), 1);
  EXPECT_EQ(numa_node(root.path(), "00000000:CD:00.0"), -1);
}

TEST(Software, ReadsMetadataFolderNames) {
  Root root;
  root.folder("/usr/lib/python3.12/dist-packages/torch-2.11.0+cu130.dist-info");
  root.folder("/usr/lib/python3.12/dist-packages/flashinfer_python-0.6.17.dist-info");
  root.folder("/usr/lib/python3.12/dist-packages/sglang-0.5.18.dist-info");
  root.folder("/usr/lib/python3.12/dist-packages/torchvision-1.0.dist-info");
  root.folder("/usr/lib/python3.12/dist-packages/torch");
  const auto found = collect_software(site_folders(root.path()));
  EXPECT_EQ(found.size(), 3u);
  EXPECT_EQ(found.at("torch"), "2.11.0+cu130");
  EXPECT_EQ(found.at("sglang"), "0.5.18");
  EXPECT_EQ(found.at("flashinfer_python"), "0.6.17");
}

}  // namespace
}  // namespace sglint::gpu
