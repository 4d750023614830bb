#include "facts/machine_text.h"

#include <gtest/gtest.h>

namespace sglint {
namespace {

TEST(MachineText, ReadsTheTableOfNvidiaSmi) {
  std::string why;
  const std::optional<Machine> m = machine_from_text(
      "Thu Aug 20 10:00:00 2026\n"
      "+-----------------------------------------------------------------------------------------+"
      "\n"
      "| NVIDIA-SMI 570.86.15              Driver Version: 570.86.15      CUDA Version: 12.8     "
      "|\n"
      "|-----------------------------------------+------------------------+----------------------+"
      "\n"
      "| GPU  Name                 Persistence-M | Bus-Id          Disp.A | Volatile Uncorr. ECC "
      "|\n"
      "| Fan  Temp   Perf          Pwr:Usage/Cap |           Memory-Usage | GPU-Util  Compute M. "
      "|\n"
      "|=========================================+========================+======================|"
      "\n"
      "|   0  NVIDIA B200                    On  |   00000000:18:00.0 Off |                    0 "
      "|\n"
      "| N/A   30C    P0            144W / 1000W |       4MiB / 183359MiB |      0%      Default "
      "|\n"
      "|                                         |                        |             Disabled "
      "|\n"
      "+-----------------------------------------+------------------------+----------------------+"
      "\n"
      "|   1  NVIDIA B200                    On  |   00000000:2A:00.0 Off |                    0 "
      "|\n"
      "| N/A   31C    P0            143W / 1000W |       4MiB / 183359MiB |      0%      Default "
      "|\n"
      "+-----------------------------------------+------------------------+----------------------+"
      "\n"
      "| Processes:                                                                              "
      "|\n"
      "|  GPU   GI   CI              PID   Type   Process name                        GPU Memory "
      "|\n"
      "|    0   N/A  N/A            4242      C   python3                                5000MiB "
      "|\n",
      &why);
  ASSERT_TRUE(m) << why;
  EXPECT_EQ(m->gpu_name, "NVIDIA B200");
  EXPECT_EQ(m->num_gpus, 2);
  EXPECT_EQ(m->gpu_mem_mib, 183359);
  EXPECT_EQ(m->driver, "570.86.15");
  EXPECT_EQ(m->cuda, "12.8") << "the driver runs nothing newer";
  EXPECT_TRUE(is_sm100_supported(*m));
}

TEST(MachineText, ReadsQueryGpuWithAndWithoutHeader) {
  std::string why;
  std::optional<Machine> m = machine_from_text(
      "name, memory.total [MiB], compute_cap, driver_version\n"
      "NVIDIA RTX 6000 Ada Generation, 49140 MiB, 8.9, 580.95.05\n"
      "NVIDIA RTX 6000 Ada Generation, 49140 MiB, 8.9, 580.95.05\n",
      &why);
  ASSERT_TRUE(m) << why;
  EXPECT_EQ(m->num_gpus, 2);
  EXPECT_EQ(device_sm(*m), 89);
  EXPECT_EQ(m->gpu_mem_mib, 49140);
  m = machine_from_text("NVIDIA H20, 97871 MiB\n", &why);
  ASSERT_TRUE(m) << why;
  EXPECT_EQ(device_sm(*m), 90);
  EXPECT_EQ(m->num_gpus, 1);
}

TEST(MachineText, ReadsQueryInFullAndLists) {
  std::string why;
  std::optional<Machine> m = machine_from_text(
      "==============NVSMI LOG==============\n"
      "Driver Version                            : 580.95.05\n"
      "CUDA Version                              : 13.0\n"
      "Attached GPUs                             : 8\n"
      "GPU 00000000:18:00.0\n"
      "    Product Name                          : NVIDIA H200\n"
      "    FB Memory Usage\n"
      "        Total                             : 143771 MiB\n"
      "        Used                              : 0 MiB\n"
      "    BAR1 Memory Usage\n"
      "        Total                             : 262144 MiB\n",
      &why);
  ASSERT_TRUE(m) << why;
  EXPECT_EQ(m->num_gpus, 8);
  EXPECT_EQ(m->gpu_mem_mib, 143771) << "not the BAR1 window";
  m = machine_from_text(
      "GPU 0: NVIDIA GeForce RTX 4090 (UUID: GPU-1)\nGPU 1: NVIDIA GeForce RTX 4090 (UUID: "
      "GPU-2)\n",
      &why);
  ASSERT_TRUE(m) << why;
  EXPECT_EQ(m->num_gpus, 2);
  EXPECT_EQ(m->gpu_mem_mib, 24564);
}

TEST(MachineText, ReadsRocmSmi) {
  std::string why;
  const std::optional<Machine> m = machine_from_text(
      "GPU[0]\t\t: Card Series: \t\tAMD Instinct MI325X\n"
      "GPU[0]\t\t: GFX Version: \t\tgfx942\n"
      "GPU[0]\t\t: VRAM Total Memory (B): 274861129728\n",
      &why);
  ASSERT_TRUE(m) << why;
  EXPECT_TRUE(is_hip(*m));
  EXPECT_EQ(m->gfx, "gfx942");
  EXPECT_EQ(m->gpu_mem_mib, 262128);
  EXPECT_FALSE(is_flashinfer_available(*m));
}

TEST(MachineText, SaysWhatIsMissing) {
  std::string why;
  EXPECT_FALSE(machine_from_text("no devices were found\n", &why));
  EXPECT_NE(why.find("No GPU"), std::string::npos);
  EXPECT_FALSE(machine_from_text("name, memory.total [MiB]\nNVIDIA Z9000, 4096 MiB\n", &why));
  EXPECT_NE(why.find("compute_cap"), std::string::npos);
}

TEST(MachineText, SurvivesRubbish) {
  for (const char* text :
       {"", "|", "||||\n|0|", "GPU 0: (UUID:", "GPU[", "GPU[0]:", ",,,\n,,,", "name\n\n",
        "| 0 |  /  iB |", "Product Name :", "name, memory.total\nNVIDIA H100,-5 MiB\n",
        "|   0  A\n|  1/99999999999999999999999iB |"})
    machine_from_text(text, nullptr);
}

}  // namespace
}  // namespace sglint
