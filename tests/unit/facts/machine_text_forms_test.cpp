// Outputs as the tools print them, shortened where they repeat.
#include <gtest/gtest.h>

#include "facts/machine_text.h"

namespace sglint {
namespace {

Machine read(const char* text) {
  std::string why;
  const std::optional<Machine> m = machine_from_text(text, &why);
  EXPECT_TRUE(m) << why;
  return m.value_or(Machine());
}

TEST(MachineTextForms, TableOfAnOlderDriver) {
  const Machine m = read(R"(Tue Mar  5 09:12:44 2024
+---------------------------------------------------------------------------------------+
| NVIDIA-SMI 535.161.08             Driver Version: 535.161.08   CUDA Version: 12.2     |
|-----------------------------------------+----------------------+----------------------+
| GPU  Name                 Persistence-M | Bus-Id        Disp.A | Volatile Uncorr. ECC |
| Fan  Temp   Perf          Pwr:Usage/Cap |         Memory-Usage | GPU-Util  Compute M. |
|                                         |                      |               MIG M. |
|=========================================+======================+======================|
|   0  NVIDIA A100-SXM4-80GB          On  | 00000000:07:00.0 Off |                    0 |
| N/A   29C    P0              60W / 400W |      4MiB / 81920MiB |      0%      Default |
|                                         |                      |             Disabled |
+-----------------------------------------+----------------------+----------------------+
|   1  NVIDIA A100-SXM4-80GB          On  | 00000000:0A:00.0 Off |                    0 |
| N/A   28C    P0              58W / 400W |  71234MiB / 81920MiB |     97%      Default |
|                                         |                      |             Disabled |
+-----------------------------------------+----------------------+----------------------+

+---------------------------------------------------------------------------------------+
| Processes:                                                                            |
|  GPU   GI   CI        PID   Type   Process name                            GPU Memory |
|        ID   ID                                                             Usage      |
|=======================================================================================|
|    1   N/A  N/A     88231      C   /opt/conda/bin/python3.10                 71220MiB |
+---------------------------------------------------------------------------------------+
)");
  EXPECT_EQ(m.gpu_name, "NVIDIA A100-SXM4-80GB");
  EXPECT_EQ(m.num_gpus, 2);
  EXPECT_EQ(m.gpu_mem_mib, 81920);
  EXPECT_EQ(device_sm(m), 80);
  EXPECT_EQ(m.driver, "535.161.08");
  EXPECT_EQ(m.cuda, "12.2");
}

TEST(MachineTextForms, TableWithSlices) {
  const Machine m = read(
      R"(+-----------------------------------------------------------------------------------------+
| NVIDIA-SMI 550.54.15              Driver Version: 550.54.15      CUDA Version: 12.4     |
|-----------------------------------------+------------------------+----------------------+
|   0  NVIDIA H100 80GB HBM3          On  |   00000000:19:00.0 Off |                   On |
| N/A   31C    P0             71W /  700W |      88MiB /  81559MiB |     N/A      Default |
|                                         |                        |              Enabled |
+-----------------------------------------+------------------------+----------------------+
+-----------------------------------------------------------------------------------------+
| MIG devices:                                                                            |
+------------------+----------------------------------+-----------+-----------------------+
| GPU  GI  CI  MIG |                     Memory-Usage |        Vol|      Shared           |
|      ID  ID  Dev |                       BAR1-Usage | SM     Unc| CE ENC  DEC  OFA  JPG |
|==================+==================================+===========+=======================|
|  0    2   0   0  |              44MiB / 40448MiB    | 60      0 |  3   0    3    0    3 |
|                  |                 0MiB / 65535MiB  |           |                       |
+------------------+----------------------------------+-----------+-----------------------+
)");
  EXPECT_EQ(m.num_gpus, 1);
  EXPECT_EQ(m.gpu_mem_mib, 81559) << "the GPU's, which SGLang reads, not the slice's";
}

TEST(MachineTextForms, QueryInFullOfTwoGpus) {
  const Machine m = read(R"(
==============NVSMI LOG==============

Timestamp                                 : Sun Nov 29 14:40:01 2026
Driver Version                            : 580.159.04
CUDA Version                              : 13.0

Attached GPUs                             : 2
GPU 00000000:00:0A.0
    Product Name                          : NVIDIA H200
    Product Brand                         : NVIDIA
    Product Architecture                  : Hopper
    Display Mode                          : Requested functionality has been deprecated
    Persistence Mode                      : Enabled
    MIG Mode
        Current                           : Enabled
        Pending                           : Enabled
    GPU UUID                              : GPU-00000000-1111-2222-3333-444444444444
    PCI
        Bus                               : 0x00
        GPU Link Info
            PCIe Generation
                Max                       : 5
                Current                   : 5
            Link Width
                Max                       : 16x
                Current                   : 16x
    FB Memory Usage
        Total                             : 143771 MiB
        Reserved                          : 613 MiB
        Used                              : 0 MiB
        Free                              : 143159 MiB
    BAR1 Memory Usage
        Total                             : 262144 MiB
    MIG Devices
    MIG Device
        Index                             : 0
        FB Memory Usage
            Total                         : 16384 MiB
    Clocks
        SM                                : 345 MHz
GPU 00000000:00:0B.0
    Product Name                          : NVIDIA H200
    FB Memory Usage
        Total                             : 143771 MiB
)");
  EXPECT_EQ(m.gpu_name, "NVIDIA H200");
  EXPECT_EQ(m.num_gpus, 2);
  EXPECT_EQ(m.gpu_mem_mib, 143771);
  EXPECT_EQ(m.driver, "580.159.04");
  EXPECT_EQ(m.cuda, "13.0");
}

TEST(MachineTextForms, QueryGpuInItsVariants) {
  for (const char* text :
       {"index, name, memory.total [MiB], driver_version, compute_cap\n0, NVIDIA H200, 143771 MiB, "
        "580.159.04, 9.0\n1, NVIDIA H200, 143771 MiB, 580.159.04, 9.0\n",
        "name,memory.total [MiB]\nNVIDIA H200,143771\nNVIDIA H200,143771\n",
        "0, NVIDIA H200, 143771 MiB\n1, NVIDIA H200, 143771 MiB\n",
        "0, NVIDIA H200, 143771, 1980, 9.0\r\n1, NVIDIA H200, 143771, 1980, 9.0\r\n"}) {
    const Machine m = read(text);
    EXPECT_EQ(m.gpu_name, "NVIDIA H200") << text;
    EXPECT_EQ(m.num_gpus, 2) << text;
    EXPECT_EQ(m.gpu_mem_mib, 143771) << text;
    EXPECT_EQ(device_sm(m), 90) << text;
  }
}

TEST(MachineTextForms, AmdSmiTable) {
  const Machine m =
      read(R"(+------------------------------------------------------------------------------+
| AMD-SMI 26.0.0+37d158ab      amdgpu version: 6.14.14  ROCm version: 7.0.1     |
| VBIOS version: 022.040.003.043.000001                                         |
| Platform: Linux Baremetal                                                     |
|-------------------------------------+----------------------------------------|
| BDF                        GPU-Name | Mem-Uti   Temp   UEC       Power-Usage |
| GPU  HIP-ID  OAM-ID  Partition-Mode | GFX-Uti    Fan               Mem-Usage |
|=====================================+========================================|
| 0000:05:00.0    AMD Instinct MI300X | 0 %      36 °C   0           137/750 W |
|   0       0       7        SPX/NPS1 | 0 %        N/A           283/196592 MB |
|-------------------------------------+----------------------------------------|
| 0000:26:00.0    AMD Instinct MI300X | 0 %      37 °C   0           139/750 W |
|   1       1       6        SPX/NPS1 | 0 %        N/A           283/196592 MB |
+-------------------------------------+----------------------------------------+
+------------------------------------------------------------------------------+
| Processes:                                                                   |
|  GPU        PID  Process Name          GTT_MEM  VRAM_MEM  MEM_USAGE     CU % |
|==============================================================================|
|  No running processes found                                                  |
+------------------------------------------------------------------------------+
)");
  EXPECT_TRUE(is_hip(m));
  EXPECT_EQ(m.gpu_name, "AMD Instinct MI300X");
  EXPECT_EQ(m.num_gpus, 2);
  EXPECT_EQ(m.gpu_mem_mib, 196592);
  EXPECT_EQ(m.gfx, "gfx942");
}

TEST(MachineTextForms, AmdSmiStatic) {
  const Machine m = read(R"(GPU: 0
    ASIC:
        MARKET_NAME: AMD Instinct MI355X
        VENDOR_ID: 0x1002
        VENDOR_NAME: Advanced Micro Devices, Inc. [AMD/ATI]
        DEVICE_ID: 0x75a3
        NUM_COMPUTE_UNITS: 256
        TARGET_GRAPHICS_VERSION: gfx950
    BUS:
        BDF: 0000:05:00.0
        MAX_PCIE_WIDTH: 16
    DRIVER:
        NAME: amdgpu
        VERSION: 6.14.14
    VRAM:
        TYPE: HBM
        VENDOR: N/A
        SIZE: 294896 MB
GPU: 1
    ASIC:
        MARKET_NAME: AMD Instinct MI355X
        TARGET_GRAPHICS_VERSION: gfx950
    VRAM:
        TYPE: HBM
        SIZE: 294896 MB
)");
  EXPECT_TRUE(is_gfx95_supported(m));
  EXPECT_EQ(m.gpu_name, "AMD Instinct MI355X");
  EXPECT_EQ(m.num_gpus, 2);
  EXPECT_EQ(m.gpu_mem_mib, 294896);
}

TEST(MachineTextForms, RocmSmiTable) {
  const Machine m = read(R"(
======================================== ROCm System Management Interface ========================================
================================================== Concise Info ==================================================
Device  Node  IDs              Temp        Power     Partitions          SCLK    MCLK    Fan  Perf  PwrCap  VRAM%  GPU%
              (DID,     GUID)  (Junction)  (Socket)  (Mem, Compute, ID)
==================================================================================================================
0       2     0x74a1,   28851  39.0C       137.0W    NPS1, SPX, 0        132Mhz  900Mhz  0%   auto  750.0W  0%     0%
1       3     0x74a1,   51499  36.0C       140.0W    NPS1, SPX, 0        132Mhz  900Mhz  0%   auto  750.0W  0%     0%
==================================================================================================================
============================================== End of ROCm SMI Log ===============================================
)");
  EXPECT_TRUE(is_hip(m));
  EXPECT_EQ(m.gpu_name, "AMD Instinct MI300X");
  EXPECT_EQ(m.num_gpus, 2);
  EXPECT_GT(m.gpu_mem_mib, 190000);
}

TEST(MachineTextForms, RocmSmiProductNames) {
  const Machine m = read(R"(
============================ ROCm System Management Interface ============================
====================================== Product Info ======================================
GPU[0]		: Card Series: 		AMD Instinct MI325X
GPU[0]		: Card Model: 		0x74a5
GPU[0]		: Card Vendor: 		Advanced Micro Devices, Inc. [AMD/ATI]
GPU[0]		: Card SKU: 		M3250101
GPU[0]		: GFX Version: 		gfx942
GPU[1]		: Card Series: 		AMD Instinct MI325X
GPU[1]		: Card Model: 		0x74a5
GPU[1]		: GFX Version: 		gfx942
==================================== Memory Usage (Bytes) ================================
GPU[0]		: VRAM Total Memory (B): 274861129728
GPU[0]		: VRAM Total Used Memory (B): 297570304
GPU[1]		: VRAM Total Memory (B): 274861129728
================================== End of ROCm SMI Log ===================================
)");
  EXPECT_EQ(m.gpu_name, "AMD Instinct MI325X");
  EXPECT_EQ(m.num_gpus, 2);
  EXPECT_EQ(m.gpu_mem_mib, 262128);
  EXPECT_EQ(m.gfx, "gfx942");
}

TEST(MachineTextForms, SurvivesRubbish) {
  for (const char* text : {"AMD-SMI\n| AMD |\n|/MB|", "ROCm System Management Interface\n0x74",
                           "ROCm System Management Interface\n0 0x74a1",
                           "0, NVIDIA H200, 99999999999", "MIG Device\nGPU 0", " , 9.0"})
    machine_from_text(text, nullptr);
}

}  // namespace
}  // namespace sglint
