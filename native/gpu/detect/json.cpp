#include <rapidjson/document.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <cstdio>
#include <cstdlib>

#include "native/gpu/detect/facts.h"

namespace sglint::gpu {
namespace {

using Json = rapidjson::Writer<rapidjson::StringBuffer>;
using Value = rapidjson::Value;

constexpr uint64_t kMiB = uint64_t{1} << 20;

void put(Json& w, const char* key, const std::string& text) { w.Key(key), w.String(text.c_str()); }
void put(Json& w, const char* key, int x) { w.Key(key), w.Int(x); }
void put(Json& w, const char* key, uint64_t x) { w.Key(key), w.Uint64(x); }
void put(Json& w, const char* key, double x) { w.Key(key), w.Double(x); }
void put(Json& w, const char* key, const std::optional<bool>& x) {
  w.Key(key);
  if (x)
    w.Bool(*x);
  else
    w.Null();
}
// A limit; null is unlimited.
void put_limit(Json& w, const char* key, uint64_t x) {
  w.Key(key);
  if (x == UINT64_MAX)
    w.Null();
  else
    w.Uint64(x);
}

void write_gpu(Json& w, const GpuFacts& g) {
  w.StartObject();
  put(w, "index", g.index);
  put(w, "name", g.name);
  put(w, "uuid", g.uuid);
  put(w, "pci_bus", g.pci_bus);
  w.Key("compute_capability"), w.StartArray(), w.Int(g.major), w.Int(g.minor), w.EndArray();
  w.Key("memory"), w.StartObject();
  put(w, "total", g.memory.total), put(w, "free", g.memory.free), put(w, "used", g.memory.used);
  w.EndObject();
  put(w, "multiprocessors", g.multiprocessors);
  put(w, "l2_bytes", g.l2_bytes);
  put(w, "clock_mhz", g.clock_mhz), put(w, "max_clock_mhz", g.max_clock_mhz);
  put(w, "memory_clock_mhz", g.memory_clock_mhz),
      put(w, "max_memory_clock_mhz", g.max_memory_clock_mhz);
  put(w, "power_watts", g.power_watts), put(w, "power_limit_watts", g.power_limit_watts);
  put(w, "ecc", g.ecc), put(w, "mig", g.mig);
  put(w, "compute_mode", g.compute_mode);
  w.Key("processes"), w.StartArray();
  for (const GpuProcess& p : g.processes)
    w.StartObject(), put(w, "pid", static_cast<int>(p.pid)), put(w, "memory", p.memory),
        w.EndObject();
  w.EndArray();
  w.Key("pcie"), w.StartObject();
  put(w, "generation", g.pcie.generation), put(w, "width", g.pcie.width);
  put(w, "max_generation", g.pcie.max_generation), put(w, "max_width", g.pcie.max_width);
  w.EndObject();
  put(w, "nvlinks", g.nvlinks);
  put(w, "numa_node", g.numa_node);
  if (!g.denied.empty()) put(w, "denied", g.denied);
  w.Key("visible"), w.Bool(g.visible);
  w.Key("peers"), w.StartArray();
  for (const bool peer : g.peers) w.Bool(peer);
  w.EndArray();
  w.Key("gaps"), w.StartArray();
  for (const std::string& gap : g.gaps) w.String(gap.c_str());
  w.EndArray();
  w.EndObject();
}

void write_gpus(Json& w, const Detection& d) {
  w.Key("driver"), w.StartObject();
  put(w, "version", d.driver.version), put(w, "cuda", d.driver.cuda),
      put(w, "cuda_runtime", d.driver.cuda_runtime);
  put(w, "problem", d.driver.problem);
  w.EndObject();
  w.Key("gpus"), w.StartArray();
  for (const GpuFacts& g : d.gpus) write_gpu(w, g);
  w.EndArray();
}

std::string cuda_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

// What `sglint check --machine` takes: the visible GPUs, as nvidia-smi counts their memory.
void write_machine(Json& w, const Detection& d) {
  int visible = 0;
  const GpuFacts* first = nullptr;
  for (const GpuFacts& g : d.gpus)
    if (g.visible && visible++ == 0) first = &g;
  w.Key("machine");
  if (first == nullptr) {
    w.Null();
    return;
  }
  w.StartObject();
  put(w, "platform", std::string("cuda"));
  w.Key("sm"), w.StartArray(), w.Int(first->major), w.Int(first->minor), w.EndArray();
  put(w, "gpu_name", first->name);
  put(w, "num_gpus", visible);
  put(w, "gpu_mem_mib", first->memory.total / kMiB);
  // PyTorch's CUDA, which the driver's bounds. Where neither is known the check assumes one.
  const auto torch = d.software.find("torch");
  int cuda = torch == d.software.end() ? 0 : torch_cuda(torch->second);
  if (cuda == 0 && d.driver.cuda > 0 && d.driver.cuda < kReleaseCuda) cuda = d.driver.cuda;
  if (cuda > 0) put(w, "cuda", cuda_text(cuda));
  if (!d.driver.version.empty()) put(w, "driver", d.driver.version);
  if (const auto f = d.software.find("flashinfer_python"); f != d.software.end())
    put(w, "flashinfer", f->second);
  w.EndObject();
}

std::string string_of(const Value& v, const char* name) {
  return v.HasMember(name) && v[name].IsString() ? v[name].GetString() : "";
}
int int_of(const Value& v, const char* name) {
  return v.HasMember(name) && v[name].IsInt() ? v[name].GetInt() : 0;
}
uint64_t size_of(const Value& v, const char* name) {
  return v.HasMember(name) && v[name].IsUint64() ? v[name].GetUint64() : 0;
}
double double_of(const Value& v, const char* name) {
  return v.HasMember(name) && v[name].IsNumber() ? v[name].GetDouble() : 0;
}
std::optional<bool> bool_of(const Value& v, const char* name) {
  if (!v.HasMember(name) || !v[name].IsBool()) return std::nullopt;
  return v[name].GetBool();
}
template <typename F>
void each(const Value& v, const char* name, F f) {
  if (v.HasMember(name) && v[name].IsArray())
    for (const Value& item : v[name].GetArray()) f(item);
}

GpuFacts read_gpu(const Value& v) {
  GpuFacts g;
  g.index = int_of(v, "index");
  g.name = string_of(v, "name"), g.uuid = string_of(v, "uuid"), g.pci_bus = string_of(v, "pci_bus");
  g.compute_mode = string_of(v, "compute_mode");
  if (v.HasMember("compute_capability") && v["compute_capability"].IsArray() &&
      v["compute_capability"].Size() == 2) {
    g.major = v["compute_capability"][0].GetInt();
    g.minor = v["compute_capability"][1].GetInt();
  }
  if (v.HasMember("memory") && v["memory"].IsObject())
    g.memory = {size_of(v["memory"], "total"), size_of(v["memory"], "free"),
                size_of(v["memory"], "used")};
  g.multiprocessors = int_of(v, "multiprocessors");
  g.l2_bytes = size_of(v, "l2_bytes");
  g.clock_mhz = int_of(v, "clock_mhz"), g.max_clock_mhz = int_of(v, "max_clock_mhz");
  g.memory_clock_mhz = int_of(v, "memory_clock_mhz"),
  g.max_memory_clock_mhz = int_of(v, "max_memory_clock_mhz");
  g.power_watts = double_of(v, "power_watts"),
  g.power_limit_watts = double_of(v, "power_limit_watts");
  g.ecc = bool_of(v, "ecc"), g.mig = bool_of(v, "mig");
  each(v, "processes", [&](const Value& p) {
    g.processes.push_back({static_cast<unsigned>(int_of(p, "pid")), size_of(p, "memory")});
  });
  if (v.HasMember("pcie") && v["pcie"].IsObject())
    g.pcie = {int_of(v["pcie"], "generation"), int_of(v["pcie"], "width"),
              int_of(v["pcie"], "max_generation"), int_of(v["pcie"], "max_width")};
  g.nvlinks = int_of(v, "nvlinks");
  g.numa_node = v.HasMember("numa_node") ? int_of(v, "numa_node") : -1;
  g.denied = string_of(v, "denied");
  g.visible = bool_of(v, "visible").value_or(true);
  each(v, "peers", [&](const Value& p) { g.peers.push_back(p.IsBool() && p.GetBool()); });
  each(v, "gaps", [&](const Value& p) { g.gaps.push_back(p.IsString() ? p.GetString() : ""); });
  return g;
}

}  // namespace

int torch_cuda(const std::string& torch_version) {
  const size_t at = torch_version.find("+cu");
  if (at == std::string::npos) return 0;
  const int digits = std::atoi(torch_version.c_str() + at + 3);  // 130: the last is the minor
  return digits / 10 * 1000 + digits % 10 * 10;
}

std::string gpus_json(const Detection& d) {
  rapidjson::StringBuffer buffer;
  Json w(buffer);
  w.StartObject();
  write_gpus(w, d);
  w.EndObject();
  return buffer.GetString();
}

bool read_gpus(const std::string& json, Detection& d) {
  rapidjson::Document v;
  v.Parse<rapidjson::kParseIterativeFlag>(json.c_str());
  if (v.HasParseError() || !v.IsObject() || !v.HasMember("driver") || !v["driver"].IsObject())
    return false;
  d.driver = {string_of(v["driver"], "version"), int_of(v["driver"], "cuda"),
              int_of(v["driver"], "cuda_runtime"), string_of(v["driver"], "problem")};
  each(v, "gpus", [&](const Value& g) {
    if (g.IsObject()) d.gpus.push_back(read_gpu(g));
  });
  return true;
}

std::string detection_json(const Detection& d) {
  rapidjson::StringBuffer buffer;
  Json w(buffer);
  const HostFacts& h = d.host;
  w.StartObject();
  put(w, "schema", 1);
  put(w, "kind", std::string("sglint-detect"));
  w.Key("host"), w.StartObject();
  put(w, "name", h.name), put(w, "kernel", h.kernel), put(w, "cpu", h.cpu), put(w, "cpus", h.cpus);
  put(w, "cpu_quota", h.cpu_quota);
  put(w, "memory", h.memory), put(w, "memory_available", h.memory_available),
      put(w, "memory_limit", h.memory_limit);
  put(w, "shm_total", h.shm_total), put(w, "shm_free", h.shm_free);
  put_limit(w, "open_files", h.open_files), put_limit(w, "locked_memory", h.locked_memory);
  put(w, "nvidia_driver", h.nvidia_driver), put(w, "nvidia_gpus", h.nvidia_gpus);
  put(w, "container", h.container), put(w, "cuda_visible_devices", h.cuda_visible_devices);
  w.EndObject();
  write_gpus(w, d);
  w.Key("software"), w.StartObject();
  for (const auto& [name, version] : d.software) put(w, name.c_str(), version);
  w.EndObject();
  w.Key("findings"), w.StartArray();
  for (const Finding& f : host_findings(d))
    w.StartObject(), put(w, "rule", f.rule), put(w, "severity", f.severity),
        put(w, "message", f.message), w.EndObject();
  w.EndArray();
  write_machine(w, d);
  w.EndObject();
  return buffer.GetString();
}

std::string machine_of_detection(const std::string& json) {
  rapidjson::Document v;
  v.Parse<rapidjson::kParseIterativeFlag>(json.c_str());
  if (v.HasParseError() || !v.IsObject() || string_of(v, "kind") != "sglint-detect" ||
      !v.HasMember("machine") || !v["machine"].IsObject())
    return "";
  rapidjson::StringBuffer buffer;
  Json w(buffer);
  v["machine"].Accept(w);
  return buffer.GetString();
}

std::string detection_text(const Detection& d) {
  std::string t;
  auto add = [&t](const char* pattern, auto... arguments) {
    char buffer[600];
    std::snprintf(buffer, sizeof buffer, pattern, arguments...);
    t += buffer;
  };
  const HostFacts& h = d.host;
  add("%s: %s, %d CPUs, %.0f GiB memory (%.0f GiB available), /dev/shm %.1f GiB, kernel %s%s%s\n",
      h.name.c_str(), h.cpu.empty() ? "CPU unknown" : h.cpu.c_str(), h.cpus,
      h.memory / 1073741824.0, h.memory_available / 1073741824.0, h.shm_total / 1073741824.0,
      h.kernel.c_str(), h.container.empty() ? "" : ", in ", h.container.c_str());
  if (h.memory_limit > 0)
    add("  memory limit of the container: %.1f GiB\n", h.memory_limit / 1073741824.0);
  if (h.cpu_quota > 0) add("  CPU quota of the container: %.1f\n", h.cpu_quota);
  if (!d.driver.version.empty())
    add("driver %s, CUDA up to %s\n", d.driver.version.c_str(), cuda_text(d.driver.cuda).c_str());
  for (const GpuFacts& g : d.gpus) {
    if (!g.denied.empty()) {
      add("GPU %d: not for this process: %s\n", g.index, g.denied.c_str());
      continue;
    }
    add("GPU %d %s (sm_%d%d, %d SMs): %.1f of %.1f GiB free, PCIe gen %d x%d (max gen %d x%d), %d "
        "NVLinks, NUMA node %d%s\n",
        g.index, g.name.c_str(), g.major, g.minor, g.multiprocessors, g.memory.free / 1073741824.0,
        g.memory.total / 1073741824.0, g.pcie.generation, g.pcie.width, g.pcie.max_generation,
        g.pcie.max_width, g.nvlinks, g.numa_node, g.visible ? "" : ", not visible to CUDA");
    add("  %d of %d MHz, memory %d of %d MHz, %.0f of %.0f W, ECC %s, MIG %s, compute mode %s\n",
        g.clock_mhz, g.max_clock_mhz, g.memory_clock_mhz, g.max_memory_clock_mhz, g.power_watts,
        g.power_limit_watts,
        !g.ecc   ? "unknown"
        : *g.ecc ? "on"
                 : "off",
        !g.mig   ? "none"
        : *g.mig ? "on"
                 : "off",
        g.compute_mode.c_str());
    for (const GpuProcess& p : g.processes)
      add("  process %u: %.1f GiB\n", p.pid, p.memory / 1073741824.0);
    for (const std::string& gap : g.gaps) add("  not answered: %s\n", gap.c_str());
  }
  for (const auto& [name, version] : d.software) add("%s %s\n", name.c_str(), version.c_str());
  for (const Finding& f : host_findings(d))
    add("%s[%s]: %s\n", f.severity.c_str(), f.rule.c_str(), f.message.c_str());
  return t;
}

}  // namespace sglint::gpu
