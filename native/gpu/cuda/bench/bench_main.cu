// The benchmark behind the tables: cycle and mixed phases of ReplaySSM decode, plain decode, floors
// from ceilings measured in the same run. Output: one line of JSON a cell, and tables for the eye
// with --table.
//
//   sglint_gpu_bench [--rows 1,8,32] [--tiles] [--positions] [--slots N] [--ring-length L]
//                    [--only gdn-bf16] [--cuda-cores]
//
// bench_sglang.py times SGLang's kernels the same way; compare.py joins the two.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "native/gpu/cuda/measure/timing.h"

namespace sglint::gpu {
namespace {

struct Options {
  std::vector<int> rows = {1, 8, 32, 64, 128, 256, 512, 1024};
  int slots = 2048, ring_length = 16;
  bool tiles = false, positions = false, cuda_cores = false;
  const char* only = "";  // a gate and a state
};

std::vector<int> numbers(const char* text) {
  std::vector<int> list;
  for (char* end; *text != 0; text = *end == ',' ? end + 1 : end) {
    list.push_back(static_cast<int>(std::strtol(text, &end, 10)));
    if (end == text) break;
  }
  return list;
}

void run(Device& device, const Options& o) {
  const Ceilings c = measure_ceilings(device, size_t{2} << 30);
  std::printf("{\"what\":\"ceilings\",\"copy_gbs\":%.0f,\"read_gbs\":%.0f}\n", c.copy_gbs,
              c.read_gbs);
  for (Gate gate : {Gate::kGdn, Gate::kKda})
    for (Dtype dtype : {Dtype::kF32, Dtype::kBf16}) {
      if (*o.only != 0 &&
          std::string(gate_name(gate)) + "-" + dtype_name(dtype) != std::string(o.only))
        continue;
      Config config;
      if (o.cuda_cores) config.products = Products::kCudaCores;
      config.gate = gate;
      config.state = config.ring = dtype;
      config.ring_length = o.ring_length;
      if (gate == Gate::kKda) config.heads.k_heads = 32;
      Pool pool(device, config, o.slots, 1024);
      for (int rows : o.rows) {
        const double plain = pool.time(Phase::kPlain, rows), cycle = pool.time(Phase::kCycle, rows),
                     mixed = pool.time(Phase::kMixed, rows);
        std::printf(
            "{\"what\":\"decode\",\"who\":\"sglint\",\"gate\":\"%s\",\"state\":\"%s\",\"rows\":%d,"
            "\"plain_us\":%.2f,"
            "\"plain_floor_us\":%.2f,\"cycle_us\":%.2f,\"mixed_us\":%.2f,\"replay_floor_us\":%.2f}"
            "\n",
            gate_name(gate), dtype_name(dtype), rows, plain,
            floor_us(config, Phase::kPlain, rows, c.copy_gbs, c.read_gbs), cycle, mixed,
            floor_us(config, Phase::kCycle, rows, c.copy_gbs, c.read_gbs));
        if (o.tiles)
          for (Tile tile : {Tile::kRows32, Tile::kRows64, Tile::kRows128})
            std::printf(
                "{\"what\":\"tile\",\"gate\":\"%s\",\"state\":\"%s\",\"rows\":%d,\"tile\":%d,"
                "\"plain_us\":%.2f,\"cycle_us\":%.2f,\"mixed_us\":%.2f}\n",
                gate_name(gate), dtype_name(dtype), rows, static_cast<int>(tile) * 16,
                pool.time(Phase::kPlain, rows, 0, tile), pool.time(Phase::kCycle, rows, 0, tile),
                pool.time(Phase::kMixed, rows, 0, tile));
        if (o.positions)
          for (int position = 0; position < config.ring_length; position += position < 14 ? 7 : 1)
            std::printf(
                "{\"what\":\"position\",\"gate\":\"%s\",\"state\":\"%s\",\"rows\":%d,\"position\":%"
                "d,\"us\":%.2f}\n",
                gate_name(gate), dtype_name(dtype), rows, position,
                pool.time(Phase::kPosition, rows, position));
        std::fflush(stdout);
        if (!device.ok()) return;
      }
    }
}

}  // namespace
}  // namespace sglint::gpu

int main(int argc, char** argv) {
  using namespace sglint::gpu;
  Options o;
  for (int i = 1; i < argc; ++i) {
    const bool more = i + 1 < argc;
    if (std::strcmp(argv[i], "--rows") == 0 && more) {
      o.rows = numbers(argv[++i]);
    } else if (std::strcmp(argv[i], "--slots") == 0 && more) {
      o.slots = std::atoi(argv[++i]);
    } else if (std::strcmp(argv[i], "--ring-length") == 0 && more) {
      o.ring_length = std::atoi(argv[++i]);
    } else if (std::strcmp(argv[i], "--only") == 0 && more) {
      o.only = argv[++i];
    } else if (std::strcmp(argv[i], "--cuda-cores") == 0) {
      o.cuda_cores = true;
    } else if (std::strcmp(argv[i], "--tiles") == 0) {
      o.tiles = true;
    } else if (std::strcmp(argv[i], "--positions") == 0) {
      o.positions = true;
    } else {
      std::fprintf(stderr, "sglint_gpu_bench: unknown option '%s'\n", argv[i]);
      return 2;
    }
  }
  Device device(0);
  run(device, o);
  if (!device.ok()) std::fprintf(stderr, "sglint_gpu_bench: %s\n", device.failure().c_str());
  return device.ok() ? 0 : 2;
}
