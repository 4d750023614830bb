#include "selftest.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "native/gpu/loader.h"
#include "native/gpu/models.h"
#include "native/gpu/selftest_report.h"
#include "output.h"

namespace sglint {
namespace {

constexpr char kUsage[] =
    "Usage: sglint selftest [options] [-- LAUNCH COMMAND]\n"
    "Checks the linear-attention decode kernels, plain and ReplaySSM, on every visible GPU: right, "
    "then fast.\n"
    "\n"
    "  --quick            about 10 s a GPU\n"
    "  --full             long runs and all batch sizes\n"
    "  --json             the report as JSON instead of text\n"
    "  --model NAME       whose shapes are timed: qwen3-next (default), qwen3.5-397b, "
    "qwen3.5-122b, qwen3.5,\n"
    "                     kimi-linear-48b, kimi-k3; or give the launch command after --\n"
    "  --tp N             GPUs that share the heads (default 1)\n"
    "  --state TYPE       f32 (default), bf16 or f16\n"
    "  --ring-length N    1 to 64 (default 16)\n"
    "  --batches LIST     batch sizes to time, such as 1,8,64\n"
    "  --plugin FILE      the GPU plugin, instead of looking for it\n"
    "  --merge FILE…      reports of many hosts as one table with outliers; runs nothing\n"
    "\n"
    "Exit codes: 0 all GPUs pass, 1 a GPU fails, 2 the self-test could not be run.\n";

struct Options {
  std::string mode = "normal", plugin, model, state, batches, fault;
  int tp = 1, ring_length = 0;
  bool json = false, merge = false, help = false;
  std::vector<std::string> files, command;
  std::string error;
};

bool positive(const std::string& text, int& value) {
  char* end;
  const long n = std::strtol(text.c_str(), &end, 10);
  value = static_cast<int>(n);
  return !text.empty() && *end == 0 && n > 0 && n < 100000;
}

Options parse(const std::vector<std::string>& args) {
  Options o;
  for (size_t i = 0; i < args.size() && o.error.empty(); ++i) {
    std::string name = args[i], value;
    bool has_value = false;
    if (const size_t equals = name.find('=');
        name.rfind("--", 0) == 0 && equals != std::string::npos) {
      value = name.substr(equals + 1);
      name.resize(equals);
      has_value = true;
    }
    auto take = [&]() -> const std::string& {
      if (!has_value && i + 1 < args.size())
        value = args[++i];
      else if (!has_value)
        o.error = name + " needs a value";
      if (value.empty() && o.error.empty())
        o.error = name + " is empty; is a shell variable not set?";
      return value;
    };
    auto take_number = [&](int& to) {
      if (!positive(take(), to) && o.error.empty())
        o.error = name + " needs a positive number, not '" + value + "'";
    };
    if (name == "--") {
      o.command.assign(args.begin() + i + 1, args.end());
      break;
    }
    if (name == "--quick") {
      o.mode = "quick";
    } else if (name == "--full") {
      o.mode = "full";
    } else if (name == "--json") {
      o.json = true;
    } else if (name == "--help" || name == "-h") {
      o.help = true;
    } else if (name == "--merge") {
      o.merge = true;
      if (has_value) o.files.push_back(value);
    } else if (name == "--model") {
      o.model = take();
    } else if (name == "--tp") {
      take_number(o.tp);
    } else if (name == "--state") {
      o.state = take();
    } else if (name == "--ring-length") {
      take_number(o.ring_length);
    } else if (name == "--batches") {
      o.batches = take();
      if (o.batches.empty() || o.batches.find_first_not_of("0123456789,") != std::string::npos)
        o.error = "--batches needs numbers with commas between them, not '" + o.batches + "'";
    } else if (name == "--plugin") {
      o.plugin = take();
    } else if (name == "--fault") {  // of a plugin built with planted faults
      o.fault = take();
    } else if (o.merge && name.rfind("-", 0) != 0) {
      o.files.push_back(name);
    } else {
      o.error = "unknown option '" + name + "'";
    }
  }
  if (o.merge && o.files.empty() && o.error.empty()) o.error = "--merge needs files";
  return o;
}

std::string quoted(const std::string& s) {
  std::string q = "\"";
  for (const char c : s) {
    if (c == '"' || c == '\\') q += '\\';
    if (static_cast<unsigned char>(c) >= 0x20) q += c;
  }
  return q + "\"";
}

std::string request_json(const Options& o, const gpu::LinearShape& s) {
  std::string r =
      "{\"mode\":" + quoted(o.mode) + ",\"model\":{\"name\":" + quoted(s.model) +
      ",\"kda\":" + (s.kda ? "true" : "false") + ",\"k_heads\":" + std::to_string(s.k_heads) +
      ",\"v_heads\":" + std::to_string(s.v_heads) + ",\"head_k\":" + std::to_string(s.head_k) +
      ",\"head_v\":" + std::to_string(s.head_v) +
      ",\"safe_gate\":" + (s.safe_gate ? "true" : "false") +
      ",\"layers\":" + std::to_string(s.layers) + "},\"state\":" + quoted(s.state) +
      ",\"ring_length\":" + std::to_string(s.ring_length);
  if (!o.batches.empty()) r += ",\"batches\":[" + o.batches + "]";
  if (!o.fault.empty()) r += ",\"fault\":" + quoted(o.fault);
  return r + "}";
}

bool read_file(const std::string& path, std::string& content) {
  FILE* f = std::fopen(path.c_str(), "rb");
  if (f == nullptr) return false;
  char buffer[65536];
  size_t n;
  while ((n = std::fread(buffer, 1, sizeof buffer, f)) > 0) content.append(buffer, n);
  const bool ok = std::ferror(f) == 0;
  std::fclose(f);
  return ok;
}

int merge(const Options& o) {
  std::vector<gpu::HostReport> reports;
  for (const std::string& file : o.files) {
    gpu::HostReport r{file, ""};
    if (!read_file(file, r.json)) {
      std::fprintf(stderr, "sglint selftest: cannot read %s\n", file.c_str());
      return 2;
    }
    reports.push_back(std::move(r));
  }
  const gpu::Merged m = gpu::merge_reports(reports);
  put(o.json ? m.json + "\n" : m.text);
  return m.failed ? 1 : m.unreadable > 0 ? 2 : 0;
}

// --model, else the launch command, else the default model; --state and --ring-length go before
// what a command says.
std::string choose_shape(const Options& o, gpu::LinearShape& shape) {
  std::string error;
  if (!o.model.empty()) {
    const gpu::LinearModel* model = gpu::find_linear_model(o.model);
    error = model == nullptr ? "no such model: " + o.model : gpu::shape_of(*model, o.tp, shape);
  } else if (!o.command.empty()) {
    error = gpu::shape_of_command(o.command, shape);
  } else {
    error = gpu::shape_of(*gpu::find_linear_model(shape.model), o.tp, shape);
  }
  if (!o.state.empty()) shape.state = o.state;
  if (o.ring_length > 0) shape.ring_length = o.ring_length;
  return error;
}

}  // namespace

int selftest_main(int argc, char** argv) {
  const Options o = parse(std::vector<std::string>(argv + (argc > 0 ? 1 : 0), argv + argc));
  if (o.help) {
    put(kUsage);
    return 0;
  }
  gpu::LinearShape shape;
  const std::string error = !o.error.empty() || o.merge ? o.error : choose_shape(o, shape);
  if (!error.empty()) {
    std::fprintf(stderr, "sglint selftest: %s\n%s", error.c_str(), o.error.empty() ? "" : kUsage);
    return 2;
  }
  if (o.merge) return merge(o);

  const gpu::Plugin plugin = gpu::Plugin::load(o.plugin);
  if (!plugin.loaded()) {
    std::fprintf(stderr, "sglint selftest: no GPU test was run: %s\n", plugin.why_not().c_str());
    return 2;
  }
  if (!plugin.offers("selftest")) {
    std::fprintf(stderr, "sglint selftest: the GPU plugin %s has no self-test\n",
                 plugin.file().c_str());
    return 2;
  }
  std::function<void(const std::string&)> progress;
  if (!o.json && isatty(STDERR_FILENO) != 0)
    progress = [](const std::string& line) {
      std::fputs(gpu::render_progress(line).c_str(), stderr);
    };
  const gpu::Plugin::Answer answer = plugin.call("selftest", request_json(o, shape), progress);
  const gpu::Rendered text = gpu::render_report(answer.json);
  if (!text.readable) {
    std::fprintf(stderr, "sglint selftest: no GPU test was run: %s\n", text.text.c_str());
    if (o.json) put(answer.json + "\n");
    return 2;
  }
  put(o.json ? answer.json + "\n" : text.text);
  return answer.status;
}

}  // namespace sglint
