#include "facts/machine_text.h"

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "base/python_text.h"
#include "base/text.h"

namespace sglint {
namespace {

std::string_view trim(std::string_view s) {
  const auto blank = [](char c) { return c == ' ' || c == '\t' || c == '\r' || c == '"'; };
  while (!s.empty() && blank(s.front())) s.remove_prefix(1);
  while (!s.empty() && blank(s.back())) s.remove_suffix(1);
  return s;
}

std::vector<std::string_view> split(std::string_view s, char at) {
  std::vector<std::string_view> parts;
  for (;;) {
    const size_t end = s.find(at);
    parts.push_back(s.substr(0, end));
    if (end == std::string_view::npos) return parts;
    s.remove_prefix(end + 1);
  }
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// The number that the text begins with, 0 if there is none.
int64_t number(std::string_view s) {
  s = trim(s);
  int64_t n = 0;
  for (size_t i = 0; i < s.size() && is_digit(s[i]) && n < (int64_t{1} << 50); ++i)
    n = n * 10 + (s[i] - '0');
  return n;
}

// The word after `label`, up to a blank, a bar or a comma.
std::string after(std::string_view line, std::string_view label) {
  const size_t at = line.find(label);
  if (at == std::string_view::npos) return {};
  std::string_view rest = trim(line.substr(at + label.size()));
  size_t end = 0;
  while (end < rest.size() && rest[end] != ' ' && rest[end] != '|' && rest[end] != ',' &&
         rest[end] != '\r')
    ++end;
  return std::string(rest.substr(0, end));
}

// "81559MiB", "79.65 GiB", "205822885888" (bytes) in MiB. `unit` stands where the number has none.
int64_t mebibytes(std::string_view text, std::string_view unit = "") {
  const std::string s = lower(trim(text));
  std::string_view rest = s;
  const double value = leading_number(rest).value_or(0);
  if (value > 1e18) return 0;
  std::string_view u = trim(rest);
  if (u.empty()) u = unit;
  if (starts_with(u, "g")) return static_cast<int64_t>(value * 1024);
  if (starts_with(u, "k")) return static_cast<int64_t>(value / 1024);
  if (u == "b") return static_cast<int64_t>(value / (1 << 20));
  return static_cast<int64_t>(value);
}

struct Seen {
  std::vector<std::string> names;   // one a GPU
  std::vector<int64_t> memory_mib;  // one a GPU, where the text says
  int64_t count = 0;                // where the text says
  std::string driver, driver_cuda, capability, gfx;
  bool amd = false;
  bool whole_gpus_done = false;  // what follows counts slices and processes
};

// |   0  NVIDIA H100 80GB HBM3          On  |   00000000:18:00.0 Off |                    0 |
bool table_name(std::string_view line, Seen& seen) {
  if (line.size() < 8 || line.front() != '|') return false;
  std::string_view cell = split(line, '|')[1];
  std::string_view row = trim(cell);
  size_t digits = 0;
  while (digits < row.size() && is_digit(row[digits])) ++digits;
  if (digits == 0 || digits > 3 || digits >= row.size() || row[digits] != ' ') return false;
  row = trim(row.substr(digits));
  const size_t gap = row.find("  ");
  if (gap != std::string_view::npos) row = row.substr(0, gap);
  for (std::string_view mode : {" On", " Off", " N/A"})
    if (ends_with(row, mode)) row.remove_suffix(mode.size());
  row = trim(row);
  if (row.empty() || is_digit(row.front()) || row == "N/A") return false;
  bool letter = false;
  for (char c : row) letter = letter || (c >= 'A' && c <= 'Z');
  if (!letter) return false;
  seen.names.emplace_back(row);
  return true;
}

// … |       0MiB /  81559MiB | …
void table_memory(std::string_view line, Seen& seen) {
  if (line.empty() || line.front() != '|') return;
  for (std::string_view cell : split(line, '|')) {
    const size_t slash = cell.find('/');
    if (slash == std::string_view::npos || cell.find("iB") == std::string_view::npos) continue;
    const int64_t total = mebibytes(cell.substr(slash + 1));
    if (total > 0) seen.memory_mib.push_back(total);
  }
}

// | 0000:05:00.0    AMD Instinct MI300X | 0 %      36 °C   0           137/750 W |
// |   0       0       7        SPX/NPS1 | 0 %        N/A           283/196592 MB |
void amd_table(std::string_view line, Seen& seen) {
  for (std::string_view cell : split(line, '|')) {
    cell = trim(cell);
    const size_t name = cell.find("AMD "), slash = cell.rfind('/');
    if (name != std::string_view::npos)
      seen.names.emplace_back(trim(cell.substr(name)));
    else if (slash != std::string_view::npos && ends_with(cell, "MB"))
      seen.memory_mib.push_back(mebibytes(cell.substr(slash + 1)));
  }
}

// rocm-smi without options names GPUs by their PCI device id alone.
struct AmdDevice {
  std::string_view id, name;
};
constexpr AmdDevice kAmdDevices[] = {
    {"0x74a1", "AMD Instinct MI300X"}, {"0x74b5", "AMD Instinct MI300X"},
    {"0x74a9", "AMD Instinct MI300X"}, {"0x74a0", "AMD Instinct MI300A"},
    {"0x74a2", "AMD Instinct MI308X"}, {"0x74a5", "AMD Instinct MI325X"},
    {"0x75a0", "AMD Instinct MI350X"}, {"0x75a3", "AMD Instinct MI355X"},
    {"0x740f", "AMD Instinct MI210"},  {"0x7408", "AMD Instinct MI250X"},
};
void rocm_table(std::string_view line, Seen& seen) {
  const size_t at = line.find("0x");
  if (at == std::string_view::npos || !is_digit(trim(line).front())) return;
  for (const AmdDevice& d : kAmdDevices)
    if (starts_with(lower(line.substr(at, 6)), d.id)) seen.names.emplace_back(d.name);
}

// A row of --query-gpu, with the columns of its header if there is one.
void csv_row(const std::vector<std::string_view>& cells, const std::vector<std::string>& columns,
             Seen& seen) {
  for (size_t i = 0; i < cells.size(); ++i) {
    const std::string_view cell = trim(cells[i]);
    const std::string column = i < columns.size() ? columns[i] : std::string();
    if (starts_with(column, "name") || starts_with(column, "gpu_name")) {
      seen.names.emplace_back(cell);
    } else if (starts_with(column, "memory.total")) {
      seen.memory_mib.push_back(mebibytes(cell));
    } else if (starts_with(column, "driver_version")) {
      seen.driver = std::string(cell);
    } else if (starts_with(column, "compute_cap")) {
      seen.capability = std::string(cell);
    } else if (column.empty()) {  // csv,noheader: by the look of the cell
      if (starts_with(cell, "NVIDIA ") || starts_with(cell, "Tesla ") ||
          starts_with(cell, "GeForce ") || starts_with(cell, "Quadro "))
        seen.names.emplace_back(cell);
      else if (ends_with(cell, "MiB") || (cell.find_first_not_of("0123456789") == cell.npos &&
                                          number(cell) >= 4096))  // nounits; clocks are less
        seen.memory_mib.push_back(mebibytes(cell));
      else if (cell.size() == 3 && cell[1] == '.')
        seen.capability = std::string(cell);
    }
  }
}

// "Product Name                 : NVIDIA H200" of nvidia-smi -q, "MARKET_NAME: AMD Instinct MI300X"
// of amd-smi, "GPU[0] : Card Series: AMD Instinct MI300X" of rocm-smi.
void key_value(std::string_view line, std::string& section, Seen& seen) {
  std::string_view rest = trim(line);
  if (starts_with(rest, "GPU[")) {
    const size_t colon = rest.find(':');
    if (colon == std::string_view::npos) return;
    rest = trim(rest.substr(colon + 1));
    seen.amd = true;
  }
  const size_t colon = rest.find(':');
  if (colon == std::string_view::npos) {
    if (!rest.empty()) section = lower(rest);
    // nvidia-smi -q lists slices behind their GPU.
    if (starts_with(section, "gpu 0")) seen.whole_gpus_done = false;
    if (starts_with(section, "mig device")) seen.whole_gpus_done = true;
    return;
  }
  const std::string key = lower(trim(rest.substr(0, colon)));
  const std::string_view value = trim(rest.substr(colon + 1));
  if (value.empty()) {
    section = key;
    return;
  }
  if (key == "product name" || key == "market_name" || key == "card series" ||
      key == "device name") {
    seen.names.emplace_back(value);
    seen.amd = seen.amd || key != "product name";
  } else if (key == "attached gpus") {
    seen.count = number(value);
  } else if (key == "driver version") {
    seen.driver = std::string(value);
  } else if (key == "cuda version") {
    seen.driver_cuda = std::string(value);
  } else if (key == "gfx version" || key == "target_graphics_version") {
    seen.gfx = std::string(value);
    seen.amd = true;
  } else if (key == "vram total memory (b)") {
    seen.memory_mib.push_back(mebibytes(value, "b"));
    seen.amd = true;
  } else if ((key == "total" && contains(section, "fb memory") && !seen.whole_gpus_done) ||
             (key == "size" && contains(section, "vram"))) {
    seen.memory_mib.push_back(mebibytes(value));
  }
}

Seen look(std::string_view text) {
  Seen seen;
  std::vector<std::string> columns;
  std::string section;
  bool rocm = false;
  for (std::string_view line : split(text, '\n')) {
    while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.remove_suffix(1);
    if (contains(line, "AMD-SMI")) seen.amd = true;
    if (contains(line, "ROCm System Management Interface")) rocm = true;
    if (contains(line, "MIG devices:") || contains(line, "Processes:")) seen.whole_gpus_done = true;
    if (rocm && !contains(line, "GPU[")) {
      if (!line.empty()) rocm_table(line, seen);
      seen.amd = true;
      continue;
    }
    if (contains(line, "Driver Version:") && line.find('|') != std::string_view::npos) {
      seen.driver = after(line, "Driver Version:");
      seen.driver_cuda = after(line, "CUDA Version:");
      continue;
    }
    if (!line.empty() && line.front() == '|') {
      if (seen.amd)
        amd_table(line, seen);
      else if (!seen.whole_gpus_done && !table_name(line, seen))
        table_memory(line, seen);
      continue;
    }
    const std::string_view bare = trim(line);
    // nvidia-smi -L: "GPU 0: NVIDIA H200 (UUID: …)"; sglang.check_env: "GPU 0,1: NVIDIA H200",
    // "GPU 0,1 Compute Capability: 9.0"
    if (const size_t colon = bare.find(": ");
        colon != bare.npos && starts_with(bare, "GPU ") && is_digit(bare[4])) {
      const std::string_view gpus = bare.substr(0, colon);
      std::string_view value = bare.substr(colon + 2);
      value = trim(value.substr(0, value.find("(UUID:")));
      if (ends_with(gpus, "Compute Capability"))
        seen.capability = std::string(value);
      else
        seen.names.insert(seen.names.end(), split(gpus, ',').size(), std::string(value));
      continue;
    }
    const std::vector<std::string_view> cells = split(line, ',');
    if (cells.size() > 1 || (columns.size() == 1 && !bare.empty())) {
      const std::string first = lower(line);
      if (columns.empty() &&
          (contains(first, "memory.total") || contains(first, "driver_version") ||
           contains(first, "compute_cap") || starts_with(first, "name"))) {
        for (std::string_view c : cells) columns.push_back(lower(trim(c)));
      } else {
        csv_row(cells, columns, seen);
      }
      continue;
    }
    if (columns.empty() && bare == "name") {
      columns.emplace_back("name");
      continue;
    }
    key_value(line, section, seen);
  }
  return seen;
}

// Compute capability by the name of the GPU, newest first: a name holds older names ("RTX 6000
// Ada").
struct Generation {
  std::string_view name;
  int major, minor;
};
constexpr Generation kGenerations[] = {
    {"GB300", 10, 3},     {"B300", 10, 3}, {"GB200", 10, 0},   {"B200", 10, 0},   {"B100", 10, 0},
    {"Thor", 11, 0},      {"GB10", 12, 1}, {"RTX PRO", 12, 0}, {"RTX 50", 12, 0}, {"GH200", 9, 0},
    {"H200", 9, 0},       {"H100", 9, 0},  {"H800", 9, 0},     {"H20", 9, 0},     {"L40", 8, 9},
    {"L4", 8, 9},         {"L20", 8, 9},   {" Ada", 8, 9},     {"RTX 40", 8, 9},  {"A100", 8, 0},
    {"A800", 8, 0},       {"A30", 8, 0},   {"A10", 8, 6},      {"A40", 8, 6},     {"A16", 8, 6},
    {"A2", 8, 6},         {"RTX A", 8, 6}, {"RTX 30", 8, 6},   {"T4", 7, 5},      {"RTX 20", 7, 5},
    {"Quadro RTX", 7, 5}, {"V100", 7, 0},  {"P100", 6, 0},     {"P40", 6, 1},
};

const char* gfx_of(std::string_view name) {
  if (contains(name, "MI35") || contains(name, "MI355")) return "gfx950";
  if (contains(name, "MI300") || contains(name, "MI325") || contains(name, "MI308"))
    return "gfx942";
  return contains(name, "MI2") ? "gfx90a" : "";
}

std::optional<Machine> catalogue_machine_with(std::string_view gpu_name) {
  for (std::string_view name : machine_names()) {
    std::optional<Machine> machine = find_machine(name);
    if (machine && !machine->gpu_name.empty() && machine->gpu_name == gpu_name) return machine;
  }
  return std::nullopt;
}

void set_amd(const Seen& seen, Machine& m) {
  m.platform = Platform::hip;
  m.hip = "7.0.51831";
  m.cuda.reset();
  m.flashinfer.reset();
  m.gfx = seen.gfx.empty() ? gfx_of(m.gpu_name) : seen.gfx;
  m.sm_major = 9;
  m.sm_minor = starts_with(m.gfx, "gfx95") ? 5 : 4;
  m.assumed.push_back("ROCm of PyTorch: 7.0, because the text does not say.");
}

bool set_nvidia(const Seen& seen, Machine& m, std::string* why) {
  m.platform = Platform::cuda;
  bool known = false;
  if (const size_t dot = seen.capability.find('.'); dot != std::string::npos) {
    m.sm_major = static_cast<int>(number(seen.capability));
    m.sm_minor = static_cast<int>(number(std::string_view(seen.capability).substr(dot + 1)));
    known = true;
  }
  for (const Generation& g : kGenerations) {
    if (known || !contains(m.gpu_name, g.name)) continue;
    m.sm_major = g.major;
    m.sm_minor = g.minor;
    known = true;
  }
  if (!known)
    *why = fill("The compute capability of {} is not known: add compute_cap to --query-gpu.",
                {repr(std::string_view(m.gpu_name))});
  return known;
}

}  // namespace

std::optional<Machine> machine_from_text(std::string_view text, std::string* why) {
  std::string ignored;
  if (!why) why = &ignored;
  const Seen seen = look(text);
  if (seen.names.empty()) {
    *why =
        "No GPU was found in the text: paste the output of nvidia-smi, rocm-smi or amd-smi, or "
        "name a machine.";
    return std::nullopt;
  }
  const std::string& gpu = seen.names.front();
  const bool amd = seen.amd || starts_with(gpu, "AMD ");
  std::optional<Machine> base = catalogue_machine_with(gpu);
  Machine m;
  if (base) {
    m = std::move(*base);
  } else {
    m = *find_machine("h100");
    m.gpu_mem_mib = 0;
    m.gpu_name = gpu;
    if (amd)
      set_amd(seen, m);
    else if (!set_nvidia(seen, m, why))
      return std::nullopt;
  }
  m.name.clear();
  if (!seen.gfx.empty()) m.gfx = seen.gfx;
  m.num_gpus = static_cast<int>(std::clamp<int64_t>(
      std::max<int64_t>(seen.count, static_cast<int64_t>(seen.names.size())), 1, 1024));
  int64_t least = 0;  // SGLang takes the smallest, too
  for (int64_t mib : seen.memory_mib)
    if (mib > 0 && (least == 0 || mib < least)) least = mib;
  if (least > 0)
    m.gpu_mem_mib = least;
  else if (m.gpu_mem_mib > 0)
    m.assumed.push_back(
        fill("Memory of a GPU: {} MiB, because the text does not say.", {m.gpu_mem_mib}));
  if (m.gpu_mem_mib <= 0) {
    *why = fill("The memory of {} is not in the text.", {repr(std::string_view(gpu))});
    return std::nullopt;
  }
  for (const std::string& other : seen.names) {
    if (other == gpu) continue;
    m.assumed.push_back(fill("All GPUs are taken for {}; the text also lists {}.", {gpu, other}));
    break;
  }
  if (!seen.driver.empty()) m.driver = seen.driver;
  if (m.platform != Platform::cuda) return m;
  // nvidia-smi shows the newest CUDA that the driver runs, not the one that PyTorch was built with.
  const auto version = [](std::string_view text) { return leading_number(text).value_or(0); };
  const double driver_cuda = version(seen.driver_cuda);
  if (driver_cuda > 0 && m.cuda && driver_cuda < version(*m.cuda)) m.cuda = seen.driver_cuda;
  m.assumed.push_back(fill("CUDA of PyTorch: {}; FlashInfer {} is installed.",
                           {m.cuda.value_or(""), m.flashinfer.value_or("")}));
  return m;
}

std::optional<Machine> machine_in_text(std::string_view text) {
  const bool table = contains(text, "NVIDIA-SMI");
  if (!table && !contains(text, "GPU 0")) return std::nullopt;
  std::string lines;
  for (std::string_view line : split(text, '\n'))
    if (line = trim(line); starts_with(line, "GPU ") || (table && starts_with(line, "|")))
      lines += std::string(line) + "\n";
  std::optional<Machine> machine = machine_from_text(lines, nullptr);
  if (machine)
    machine->assumed.insert(machine->assumed.begin(), fill("Machine: {} × {}, as the text says.",
                                                           {machine->num_gpus, machine->gpu_name}));
  return machine;
}

}  // namespace sglint
