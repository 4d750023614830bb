#include "native/gpu/cuda/selftest/fleet.h"

#include <poll.h>
#include <rapidjson/document.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <vector>

#include "native/gpu/cuda/detect/nvml.h"
#include "native/gpu/cuda/selftest/tests.h"
#include "native/gpu/cuda/support/uuid.h"
#include "native/gpu/plugin.h"

namespace sglint::gpu {
namespace {

using Clock = std::chrono::steady_clock;
using Json = rapidjson::Writer<rapidjson::StringBuffer>;

constexpr int kReportSchema = 1;

struct Request {
  Settings settings;
  std::string mode = "normal";
  int timeout_s = 0;
  int fault_gpu = -1;  // -1: the planted fault is on all
  std::string error;
};

void number(Json& w, double x) {
  if (std::isfinite(x))
    w.Double(x);
  else
    w.Null();  // JSON has no NaN
}

Request parse(const std::string& text) {
  Request r;
  Settings& s = r.settings;
  rapidjson::Document d;
  d.Parse<rapidjson::kParseIterativeFlag>(text.c_str());
  if (d.HasParseError() || !d.IsObject()) {
    r.error = "the request is not a JSON object";
    return r;
  }
  auto string_of = [&d](const char* name, std::string otherwise) {
    return d.HasMember(name) && d[name].IsString() ? std::string(d[name].GetString())
                                                   : std::move(otherwise);
  };
  auto integer = [](const rapidjson::Value& v, const char* name, int otherwise) {
    return v.HasMember(name) && v[name].IsInt() ? v[name].GetInt() : otherwise;
  };
  r.mode = string_of("mode", "normal");
  s.depth = r.mode == "quick" ? Depth::kQuick : r.mode == "full" ? Depth::kFull : Depth::kNormal;
  if (r.mode != "quick" && r.mode != "normal" && r.mode != "full")
    r.error = "mode is quick, normal or full";
  if (d.HasMember("model") && d["model"].IsObject()) {
    const auto& m = d["model"];
    if (m.HasMember("name") && m["name"].IsString()) s.model.name = m["name"].GetString();
    if (m.HasMember("kda") && m["kda"].IsBool())
      s.model.gate = m["kda"].GetBool() ? Gate::kKda : Gate::kGdn;
    if (m.HasMember("safe_gate") && m["safe_gate"].IsBool())
      s.model.safe_gate = m["safe_gate"].GetBool();
    Heads& h = s.model.heads;
    h = {integer(m, "k_heads", h.k_heads), integer(m, "v_heads", h.v_heads),
         integer(m, "head_k", h.head_k), integer(m, "head_v", h.head_v)};
    s.model.layers = integer(m, "layers", 0);
    if (h.k_heads < 1 || h.v_heads < 1 || h.v_heads % h.k_heads != 0 ||
        (h.head_k != 64 && h.head_k != 128) || h.head_v < 64 || h.head_v % 64 != 0 ||
        h.head_v > 1024)
      r.error =
          "heads or dims that the kernels do not serve: K is 64 or 128, V a multiple of 64, HV one "
          "of H";
  }
  const std::string state = string_of("state", "f32");
  s.state = state == "bf16" ? Dtype::kBf16 : state == "f16" ? Dtype::kF16 : Dtype::kF32;
  if (state != "f32" && state != "bf16" && state != "f16") r.error = "state is f32, bf16 or f16";
  s.ring_length = integer(d, "ring_length", 16);
  if (s.ring_length < 1 || s.ring_length > kMaxRingLength) r.error = "ring_length is 1 to 64";
  if (d.HasMember("batches") && d["batches"].IsArray())
    for (const auto& b : d["batches"].GetArray())
      if (b.IsInt() && b.GetInt() > 0) s.batches.push_back(b.GetInt());
  std::sort(s.batches.begin(), s.batches.end());
  r.timeout_s = integer(d, "timeout_s", r.mode == "quick" ? 90 : r.mode == "full" ? 1200 : 400);
  if (std::string fault = string_of("fault", ""); !fault.empty()) {  // "name" or "name@gpu"
    if (const size_t at = fault.find('@'); at != std::string::npos) {
      r.fault_gpu = std::atoi(fault.c_str() + at + 1);
      fault.resize(at);
    }
    if (!kFaultInjection) r.error = "this plugin is not built with planted faults";
    for (int i = 0; fault_name(static_cast<Fault>(i)) != nullptr; ++i)
      if (fault == fault_name(static_cast<Fault>(i))) s.fault = static_cast<Fault>(i);
    if (r.error.empty() && s.fault == Fault::kNone && fault != "none")
      r.error = "no such fault: " + fault;
  }
  return r;
}

void write_result(Json& w, const Result& r) {
  w.StartObject();
  w.Key("rule"), w.String(r.rule.c_str());
  w.Key("verdict"), w.String(verdict_name(r.verdict));
  w.Key("value"), number(w, r.value);
  w.Key("limit"), number(w, r.limit);
  w.Key("unit"), w.String(r.unit.c_str());
  if (!r.reason.empty()) w.Key("reason"), w.String(r.reason.c_str());
  w.EndObject();
}

// The batch from which on buffered decode is faster at every size measured, and the factor at the
// largest.
struct Payoff {
  int from_batch = 0;  // 0: at none
  double factor = 0;
};
Payoff payoff(const std::vector<Timing>& timings) {
  Payoff p;
  for (auto t = timings.rbegin(); t != timings.rend(); ++t) {
    const double factor = t->plain_us / std::max(t->cycle_us, t->mixed_us);
    if (p.factor == 0) p.factor = factor;
    if (!(factor > 1.02)) break;
    p.from_batch = t->rows;
  }
  return p;
}

// As nvidia-smi counts it, the driver's part included; CUDA's count where NVML is not there.
uint64_t memory_mib(const cudaDeviceProp& properties) {
  uint64_t bytes = properties.totalGlobalMem;
  const auto nvml = make_nvml();
  const Asked<int> count = nvml->start().value ? nvml->count() : Asked<int>::failed("");
  for (int i = 0; i < count.value.value_or(0); ++i)
    if (nvml->uuid(i).value == uuid_text(properties.uuid))
      bytes = nvml->memory(i).value.value_or(MemoryInfo{bytes, 0, 0}).total;
  return bytes >> 20;
}

// The report of one GPU, as the child writes it.
std::string gpu_json(int index, const GpuReport& report, double seconds) {
  rapidjson::StringBuffer buffer;
  Json w(buffer);
  cudaDeviceProp properties{};
  const bool known = cudaGetDeviceProperties(&properties, index) == cudaSuccess;
  int failed = 0, warned = 0;
  for (const Result& r : report.results) {
    failed += r.verdict == Verdict::kFail;
    warned += r.verdict == Verdict::kWarn;
  }
  w.StartObject();
  w.Key("index"), w.Int(index);
  w.Key("name"), w.String(known ? properties.name : "");
  w.Key("uuid"), w.String(known ? uuid_text(properties.uuid).c_str() : "");
  w.Key("compute_capability"), w.Double(properties.major + properties.minor / 10.0);
  w.Key("memory_mib"), w.Uint64(known ? memory_mib(properties) : 0);
  w.Key("verdict"), w.String(failed > 0 ? "fail" : warned > 0 ? "warn" : "pass");
  w.Key("failed"), w.Int(failed);
  w.Key("warned"), w.Int(warned);
  w.Key("seconds"), w.Double(seconds);
  w.Key("copy_gbs"), number(w, report.ceilings.copy_gbs);
  w.Key("read_gbs"), number(w, report.ceilings.read_gbs);
  w.Key("timings"), w.StartArray();
  for (const Timing& t : report.timings) {
    w.StartObject();
    w.Key("batch"), w.Int(t.rows);
    w.Key("plain_us"), number(w, t.plain_us);
    w.Key("replay_cycle_us"), number(w, t.cycle_us);
    w.Key("replay_mixed_us"), number(w, t.mixed_us);
    w.Key("plain_floor_us"), number(w, t.plain_floor_us);
    w.Key("replay_floor_us"), number(w, t.replay_floor_us);
    w.Key("speedup"), number(w, t.plain_us / std::max(t.cycle_us, t.mixed_us));
    w.EndObject();
  }
  w.EndArray();
  if (!report.timings.empty()) {
    const Payoff p = payoff(report.timings);
    w.Key("replay"), w.StartObject();
    w.Key("pays"), w.Bool(p.from_batch > 0);
    w.Key("from_batch"), w.Int(p.from_batch);
    w.Key("largest_batch"), w.Int(report.timings.back().rows);
    w.Key("speedup_at_largest_batch"), number(w, p.factor);
    w.EndObject();
  }
  w.Key("tests"), w.StartArray();
  for (const Result& r : report.results) write_result(w, r);
  w.EndArray();
  w.EndObject();
  return buffer.GetString();
}

// A child process that writes lines; the last begins with '=' and is its answer.
struct Worker {
  pid_t pid = -1;
  int from = -1;
  std::string pending, answer;
  bool done = false, late = false;
  int status = 0;
};

template <typename F>
Worker spawn(F work) {
  Worker w;
  int ends[2];
  if (pipe(ends) != 0) return w;
  w.pid = fork();
  if (w.pid == 0) {
    close(ends[0]);
    FILE* to = fdopen(ends[1], "w");
    work([to](const std::string& line) {
      std::fwrite(line.data(), 1, line.size(), to);
      std::fputc('\n', to);
      std::fflush(to);
    });
    std::fclose(to);
    _exit(0);
  }
  close(ends[1]);
  w.from = ends[0];
  return w;
}

// Until all workers are done or the time is up.
void collect(std::vector<Worker>& workers, int timeout_s,
             const std::function<void(const std::string&)>& progress) {
  const auto end = Clock::now() + std::chrono::seconds(timeout_s);
  for (;;) {
    std::vector<pollfd> wait;
    for (Worker& w : workers)
      if (!w.done) wait.push_back({w.from, POLLIN, 0});
    if (wait.empty()) return;
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count();
    if (left <= 0) {
      for (Worker& w : workers)
        if (!w.done) {
          w.late = w.done = true;
          kill(w.pid, SIGKILL);
          waitpid(w.pid, &w.status, 0);
          close(w.from);
        }
      return;
    }
    if (poll(wait.data(), wait.size(), static_cast<int>(left)) <= 0) continue;
    for (const pollfd& p : wait) {
      if (p.revents == 0) continue;
      Worker& w = *std::find_if(workers.begin(), workers.end(),
                                [&p](const Worker& w) { return w.from == p.fd && !w.done; });
      char buffer[65536];
      const ssize_t n = read(w.from, buffer, sizeof buffer);
      if (n > 0) w.pending.append(buffer, static_cast<size_t>(n));
      for (size_t eol; (eol = w.pending.find('\n')) != std::string::npos;
           w.pending.erase(0, eol + 1)) {
        const std::string line = w.pending.substr(0, eol);
        if (!line.empty() && line[0] == '=')
          w.answer = line.substr(1);
        else if (progress)
          progress(line);
      }
      if (n <= 0) {
        w.done = true;
        waitpid(w.pid, &w.status, 0);
        close(w.from);
      }
    }
  }
}

std::string failure_json(const std::string& what) {
  rapidjson::StringBuffer buffer;
  Json w(buffer);
  w.StartObject(), w.Key("error"), w.String(what.c_str()), w.EndObject();
  return buffer.GetString();
}

// What a worker that gave no answer says about its GPU.
std::string lost_json(int index, const Worker& w, int timeout_s) {
  std::string reason = "the self-test's process ended without a report";
  if (w.late) reason = "the self-test did not end within " + std::to_string(timeout_s) + " s";
  if (!w.late && WIFSIGNALED(w.status))
    reason = std::string("the self-test's process was ended by a signal: ") +
             strsignal(WTERMSIG(w.status));
  rapidjson::StringBuffer buffer;
  Json j(buffer);
  j.StartObject();
  j.Key("index"), j.Int(index);
  j.Key("verdict"), j.String("fail");
  j.Key("failed"), j.Int(1);
  j.Key("warned"), j.Int(0);
  j.Key("tests"), j.StartArray();
  write_result(j, {w.late ? "gpu/timeout" : "gpu/crash", Verdict::kFail, 1, 0, "", reason});
  j.EndArray();
  j.EndObject();
  return buffer.GetString();
}

// The number of GPUs, found by a child so that this process never initialises CUDA (forks after
// that do not work).
int count_gpus(std::string& why_none) {
  std::vector<Worker> worker;
  worker.push_back(spawn([](auto line) {
    int count = -1;  // left alone by the call when it fails
    const cudaError_t e = cudaGetDeviceCount(&count);
    if (e == cudaSuccess)
      line("=" + std::to_string(count));
    else
      line("=" + std::string(cudaGetErrorName(e)) + ": " + cudaGetErrorString(e));
  }));
  collect(worker, 60, {});
  if (worker[0].answer.empty()) {
    why_none = worker[0].late ? "the CUDA driver does not answer"
                              : "the CUDA driver crashes when it is asked for GPUs";
    return 0;
  }
  char* end;
  const long count = std::strtol(worker[0].answer.c_str(), &end, 10);
  if (*end != 0) {
    why_none = worker[0].answer;
    return 0;
  }
  if (count == 0)
    why_none = "the driver shows no GPU (CUDA_VISIBLE_DEVICES, or none in the container)";
  return static_cast<int>(count);
}

}  // namespace

FleetAnswer selftest_all_gpus(const std::string& text,
                              const std::function<void(const std::string&)>& progress) {
  Request request = parse(text);
  if (!request.error.empty()) return {SGLINT_GPU_COULD_NOT_RUN, failure_json(request.error)};
  std::string why_none;
  const int gpus = count_gpus(why_none);
  if (gpus <= 0) return {SGLINT_GPU_COULD_NOT_RUN, failure_json(why_none)};

  std::vector<Worker> workers;
  for (int index = 0; index < gpus; ++index)
    workers.push_back(spawn([&request, index](auto line) {
      const auto start = Clock::now();
      Settings settings = request.settings;
      if (request.fault_gpu >= 0 && request.fault_gpu != index) settings.fault = Fault::kNone;
      settings.progress = [&](const Result& r) {
        rapidjson::StringBuffer buffer;
        Json w(buffer);
        w.StartObject();
        w.Key("gpu"), w.Int(index);
        w.Key("test"), write_result(w, r);
        w.EndObject();
        line(buffer.GetString());
      };
      const GpuReport report = run_selftest(index, settings);
      line("=" +
           gpu_json(index, report, std::chrono::duration<double>(Clock::now() - start).count()));
    }));
  collect(workers, request.timeout_s, progress);

  char host[256] = "";
  gethostname(host, sizeof host - 1);
  // In a pod the host's name is the pod's; the examples in native/deploy pass the node's.
  const char* node = std::getenv("NODE_NAME");
  char now[32] = "";
  const std::time_t seconds = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&seconds, &utc);
  std::strftime(now, sizeof now, "%Y-%m-%dT%H:%M:%SZ", &utc);
  const Settings& s = request.settings;
  rapidjson::StringBuffer buffer;
  Json w(buffer);
  w.StartObject();
  w.Key("schema"), w.Int(kReportSchema);
  w.Key("kind"), w.String("sglint-selftest");
  w.Key("version"), w.String(SGLINT_VERSION);
  w.Key("host"), w.String(node != nullptr && *node != 0 ? node : host);
  w.Key("time"), w.String(now);
  w.Key("mode"), w.String(request.mode.c_str());
  w.Key("model"), w.StartObject();
  w.Key("name"), w.String(s.model.name.c_str());
  w.Key("gate"), w.String(gate_name(s.model.gate));
  w.Key("k_heads"), w.Int(s.model.heads.k_heads);
  w.Key("v_heads"), w.Int(s.model.heads.v_heads);
  w.Key("head_k"), w.Int(s.model.heads.head_k);
  w.Key("head_v"), w.Int(s.model.heads.head_v);
  w.Key("safe_gate"), w.Bool(s.model.safe_gate);
  w.EndObject();
  w.Key("state"), w.String(dtype_name(s.state));
  w.Key("ring_length"), w.Int(s.ring_length);
  if (s.fault != Fault::kNone) w.Key("planted_fault"), w.String(fault_name(s.fault));
  bool failed = false;
  w.Key("gpus"), w.StartArray();
  for (int index = 0; index < gpus; ++index) {
    const std::string& answer = workers[index].answer;
    const std::string json =
        answer.empty() ? lost_json(index, workers[index], request.timeout_s) : answer;
    rapidjson::Document d;
    d.Parse<rapidjson::kParseIterativeFlag>(json.c_str());
    failed |= d.IsObject() && d.HasMember("failed") && d["failed"].GetInt() > 0;
    w.RawValue(json.data(), json.size(), rapidjson::kObjectType);
  }
  w.EndArray();
  w.Key("verdict"), w.String(failed ? "fail" : "pass");
  w.EndObject();
  return {failed ? SGLINT_GPU_FOUND_FAULTS : SGLINT_GPU_OK, buffer.GetString()};
}

}  // namespace sglint::gpu
