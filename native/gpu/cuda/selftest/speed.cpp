#include <algorithm>
#include <cstdio>
#include <cstring>

#include "native/gpu/cuda/selftest/tests.h"

namespace sglint::gpu {
namespace {

// What a card should reach, GB/s. `measured`: read off such a card; otherwise a share of the
// datasheet's peak that good cards of other kinds reach (0.87 copy, 0.92 read).
struct Card {
  const char* name;  // as the driver names it; the longest match counts
  double copy, read;
  bool measured;
};
constexpr double kCopyShare = 0.87, kReadShare = 0.92;
constexpr Card from_peak(const char* name, double peak) {
  return {name, kCopyShare * peak, kReadShare * peak, false};
}
constexpr Card kCards[] = {
    {"NVIDIA H200", 4185, 4551, true},
    from_peak("NVIDIA H200 NVL", 4800),
    from_peak("NVIDIA H100 80GB HBM3", 3350),
    from_peak("NVIDIA H100 PCIe", 2000),
    from_peak("NVIDIA H100 NVL", 3900),
    from_peak("NVIDIA GH200 480GB", 4000),
    from_peak("NVIDIA H20", 4000),
    from_peak("NVIDIA A100-SXM4-80GB", 2039),
    from_peak("NVIDIA A100 80GB PCIe", 1935),
    from_peak("NVIDIA A100-SXM4-40GB", 1555),
    from_peak("NVIDIA A100-PCIE-40GB", 1555),
    from_peak("NVIDIA B200", 8000),
    from_peak("NVIDIA GB200", 8000),
    from_peak("NVIDIA B300", 8000),
    from_peak("NVIDIA RTX PRO 6000 Blackwell", 1792),
    from_peak("NVIDIA GeForce RTX 5090", 1792),
    from_peak("NVIDIA GeForce RTX 4090", 1008),
    from_peak("NVIDIA L40S", 864),
    from_peak("NVIDIA L4", 300),
    from_peak("NVIDIA A10", 600),
};
constexpr double kWarnBelow = 0.93, kFailBelow = 0.80;

const Card* find_card(const char* name) {
  const Card* best = nullptr;
  for (const Card& c : kCards)
    if (std::strncmp(name, c.name, std::strlen(c.name)) == 0 &&
        (best == nullptr || std::strlen(c.name) > std::strlen(best->name)))
      best = &c;
  return best;
}

std::string text(const char* format, double a, double b = 0) {
  char buffer[200];
  std::snprintf(buffer, sizeof buffer, format, a, b);
  return buffer;
}

Result bandwidth(const char* rule, double measured, double expected, bool from_measurement) {
  Result r{rule, Verdict::kPass, measured, kWarnBelow * expected, "GB/s", ""};
  if (measured >= r.limit) return r;
  r.verdict = measured >= kFailBelow * expected ? Verdict::kWarn : Verdict::kFail;
  r.reason = text("%.0f%% of what this card should reach", 100 * measured / expected) +
             (from_measurement ? " (measured on another)" : " (a share of its datasheet's peak)") +
             ": another process, a lower memory clock, or a failing card";
  return r;
}

}  // namespace

void test_speed(Device& device, const Settings& settings, GpuReport& report) {
  cudaDeviceProp properties;
  size_t free_bytes = 0, total = 0;
  device.check(cudaGetDeviceProperties(&properties, device.index()), "properties");
  device.check(cudaMemGetInfo(&free_bytes, &total), "memory");
  if (!device.ok()) return;

  const size_t copied = std::min<size_t>(size_t{2} << 30, free_bytes / 4);
  report.ceilings = measure_ceilings(device, copied);
  if (const Card* card = find_card(properties.name)) {
    report.results.push_back(
        bandwidth("gpu/bandwidth/copy", report.ceilings.copy_gbs, card->copy, card->measured));
    report.results.push_back(
        bandwidth("gpu/bandwidth/read", report.ceilings.read_gbs, card->read, card->measured));
  } else {
    for (const char* rule : {"gpu/bandwidth/copy", "gpu/bandwidth/read"})
      report.results.push_back(
          {rule, Verdict::kSkipped, 0, 0, "GB/s",
           std::string("no expectation is known for '") + properties.name + "'"});
  }

  Config config;
  config.gate = settings.model.gate;
  config.heads = settings.model.heads;
  config.state = config.ring = settings.state;
  config.ring_length = settings.ring_length;
  std::vector<int> batches = settings.batches;
  if (batches.empty()) {
    batches = {1, 8, 64, 256};
    if (settings.depth != Depth::kQuick) batches = {1, 2, 4, 8, 16, 32, 64, 128, 256};
    if (settings.depth == Depth::kFull) batches = {1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024};
  }
  // Slots enough that no cache holds a launch's states until they come again.
  const double slot_bytes = 1.0 * config.heads.v_heads * config.heads.head_k * config.heads.head_v *
                            dtype_bytes(config.state);
  const double ring_bytes =
      (bytes_moved(config, Phase::kPosition, 1, config.ring_length - 1).read - slot_bytes);
  const int fit = static_cast<int>(free_bytes * 0.8 / (slot_bytes + 1.3 * ring_bytes));
  const int wanted = std::max(2 * *std::max_element(batches.begin(), batches.end()),
                              static_cast<int>(12.0 * properties.l2CacheSize / slot_bytes) + 1);
  const int slots = std::min(wanted, fit);
  Pool pool(device, config, slots,
            std::min(slots, *std::max_element(batches.begin(), batches.end())));
  for (int rows : batches) {
    if (rows > slots) {
      report.results.push_back({"gpu/speed/batch-" + std::to_string(rows), Verdict::kSkipped, 0, 0,
                                "us", "the states of so many requests do not fit the free memory"});
      continue;
    }
    const int replays = settings.depth == Depth::kQuick ? 5 : 9;
    Timing t;
    t.rows = rows;
    t.plain_us = pool.time(Phase::kPlain, rows, 0, Tile::kAuto, replays);
    t.cycle_us = pool.time(Phase::kCycle, rows, 0, Tile::kAuto, replays);
    t.mixed_us = pool.time(Phase::kMixed, rows, 0, Tile::kAuto, replays);
    t.plain_floor_us =
        floor_us(config, Phase::kPlain, rows, report.ceilings.copy_gbs, report.ceilings.read_gbs);
    t.replay_floor_us =
        floor_us(config, Phase::kCycle, rows, report.ceilings.copy_gbs, report.ceilings.read_gbs);
    if (!device.ok()) return;
    report.timings.push_back(t);
  }

  // From some batch on a launch is bound by memory; below, by latency, where only a gross slowness
  // is a finding.
  for (const Timing& t : report.timings) {
    const std::string batch = "batch-" + std::to_string(t.rows);
    const bool bound = t.plain_floor_us > 60;
    struct Item {
      const char* name;
      double us, floor;
    };
    for (const Item& i : {Item{"plain", t.plain_us, t.plain_floor_us},
                          Item{"replay", t.mixed_us, t.replay_floor_us}}) {
      const double limit = bound ? i.floor / 0.7 : 2.5 * i.floor + 10;
      Result r{
          "gpu/speed/" + std::string(i.name) + "/" + batch, Verdict::kPass, i.us, limit, "us", ""};
      if (!(i.us <= limit)) {
        r.verdict = Verdict::kWarn;
        r.reason = text("%.1f us against a floor of %.1f us", i.us, i.floor);
      }
      report.results.push_back(r);
    }
  }
}

GpuReport run_selftest(int index, const Settings& settings) {
  GpuReport report;
  Device device(index);
  size_t reported = 0;
  auto tell = [&] {
    for (; reported < report.results.size(); ++reported)
      if (settings.progress) settings.progress(report.results[reported]);
  };
  test_numerics(device, settings, report.results), tell();
  test_shapes(device, settings, report.results), tell();
  test_consistency(device, settings, report.results), tell();
  test_speculative(device, settings, report.results), tell();
  test_speed(device, settings, report), tell();
  if (!device.ok())
    report.results.push_back(
        {"gpu/device", Verdict::kFail, 1, 0, "failed calls", device.failure()});
  tell();
  return report;
}

}  // namespace sglint::gpu
