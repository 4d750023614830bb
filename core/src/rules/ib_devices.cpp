// The InfiniBand devices that Mooncake sends KV cache over.
#include "rules/ib_devices.h"

#include <algorithm>

#include "base/json.h"
#include "base/sort.h"

namespace sglint {
namespace {

// The examples are PD servers with Mooncake: only there the devices are checked.
constexpr std::string_view kGood =
    "--model-path Qwen/Qwen3-8B --disaggregation-mode prefill --disaggregation-ib-device mlx5_0";

constexpr Rule kNoneGiven{
    .id = "ib-devices/none-given",
    .exception = "ValueError",
    .message = "No valid IB devices specified",
    .why = "The list is empty. Leave the flag out to let Mooncake find the devices.",
    .source = "server_args.py: ServerArgs._validate_ib_devices",
    .bad =
        {"--model-path Qwen/Qwen3-8B --disaggregation-mode prefill --disaggregation-ib-device ' '",
         "h100"},
    .good = {kGood, "h100"}};

constexpr Rule kNoneFor{
    .id = "ib-devices/none-given-for",
    .exception = "ValueError",
    .message = "No valid IB devices specified for {}",
    .why = "There are only commas and blanks. Leave the flag out to let Mooncake find the devices.",
    .source = "server_args.py: ServerArgs._validate_ib_devices",
    .bad = {"--model-path Qwen/Qwen3-8B --disaggregation-mode prefill --disaggregation-ib-device ,",
            "h100"},
    .good = {kGood, "h100"}};

constexpr Rule kUnknown{.id = "ib-devices/unknown",
                        .exception = "ValueError",
                        .message = "Invalid IB devices specified for {}: {}. Available devices: {}",
                        .why =
                            "The server has no such device; `ls /sys/class/infiniband` (inside the "
                            "container) lists those it has.",
                        .source = "server_args.py: ServerArgs._validate_ib_devices",
                        // No example: no catalogue machine lists its InfiniBand devices.
                        .bad = {},
                        .good = {}};

constexpr Rule kFileMissing{
    .id = "ib-devices/file-missing",
    .exception = "RuntimeError",
    .message = "File {} does not exist.",
    .why = "A value that ends in .json names a file with the map from GPU to devices.",
    .source = "mooncake_transfer_engine.py: parse_ib_device_config",
    // No example: only a request that brings all files of the server can show it.
    .bad = {},
    .good = {}};

constexpr Rule kFileNotJson{
    .id = "ib-devices/file-is-not-json",
    .exception = "RuntimeError",
    .message = "Failed to parse JSON content from file {}",
    .why = "The file holds a JSON object that maps GPU ids to device lists.",
    .source = "mooncake_transfer_engine.py: parse_ib_device_config",
    // No example: it needs a file.
    .bad = {},
    .good = {}};

constexpr Rule kNotJson{
    .id = "ib-devices/map-is-not-json",
    .exception = "ValueError",
    .message = "Invalid JSON mapping: {}",
    .why = "A value that starts with { is a JSON object that maps GPU ids to device lists.",
    .source = "mooncake_transfer_engine.py: parse_ib_device_config",
    .bad = {"--model-path Qwen/Qwen3-8B --disaggregation-mode prefill --disaggregation-ib-device "
            "'{0: mlx5_0}'",
            "h100"},
    .good = {"--model-path Qwen/Qwen3-8B --disaggregation-mode prefill --disaggregation-ib-device "
             "'{\"0\": \"mlx5_0\"}'",
             "h100"}};

constexpr Rule kNotAMap{
    .id = "ib-devices/not-a-map",
    .exception = "ValueError",
    .message = "Invalid format: expected a mapping from GPU id to IB device string",
    .why = "The file holds a JSON object that maps GPU ids to device lists.",
    .source = "mooncake_transfer_engine.py: parse_ib_device_config",
    // No example: it needs a file.
    .bad = {},
    .good = {}};

constexpr Rule kBadEntry{.id = "ib-devices/bad-map-entry",
                         .exception = "ValueError",
                         .message =
                             "Invalid format: keys must be integers (or string representations of "
                             "integers) and values must be strings",
                         .why = "Keys are GPU ids, values device names with commas between them.",
                         .source = "mooncake_transfer_engine.py: parse_ib_device_config",
                         .bad = {"--model-path Qwen/Qwen3-8B --disaggregation-mode prefill "
                                 "--disaggregation-ib-device '{\"a\": \"mlx5_0\"}'",
                                 "h100"},
                         .good = {"--model-path Qwen/Qwen3-8B --disaggregation-mode prefill "
                                  "--disaggregation-ib-device '{\"0\": \"mlx5_0\"}'",
                                  "h100"}};

constexpr Rule kEmptyMap{
    .id = "ib-devices/empty-map",
    .exception = "ValueError",
    .message = "No valid GPU mappings found in JSON",
    .why = "The map names no GPU.",
    .source = "mooncake_transfer_engine.py: parse_ib_device_config",
    .bad =
        {"--model-path Qwen/Qwen3-8B --disaggregation-mode prefill --disaggregation-ib-device {}",
         "h100"},
    .good = {"--model-path Qwen/Qwen3-8B --disaggregation-mode prefill --disaggregation-ib-device "
             "'{\"0\": \"mlx5_0\"}'",
             "h100"}};

using Flag = Key<std::optional<std::string_view>>;

std::vector<Fix> automatic(Flag flag) {
  return {{{unset(flag)}, "Mooncake finds the devices itself"}};
}

std::string_view strip(std::string_view s) {
  const size_t begin = s.find_first_not_of(" \t\n\r\f\v");
  if (begin == std::string_view::npos) return {};
  return s.substr(begin, s.find_last_not_of(" \t\n\r\f\v") - begin + 1);
}

std::string join(const std::vector<std::string>& parts) {
  std::string out;
  for (const std::string& p : parts) out += (out.empty() ? "" : ",") + p;
  return out;
}

// _normalize_device_group: names without blanks, each once, all known to the machine.
std::string normalize_group(Resolution& r, Flag flag, std::string_view text,
                            const std::string& context) {
  std::vector<std::string> devices;
  size_t count = 0;
  for (std::string_view rest = text;;) {
    const size_t comma = rest.find(',');
    const std::string_view device = strip(rest.substr(0, comma));
    if (!device.empty()) {
      ++count;
      if (std::find(devices.begin(), devices.end(), device) == devices.end())
        devices.emplace_back(device);
    }
    if (comma == std::string_view::npos) break;
    rest.remove_prefix(comma + 1);
  }
  if (devices.empty()) {
    r.reject(kNoneFor, {context}, automatic(flag));
    return "";
  }
  if (devices.size() != count)
    r.warn("Duplicate IB devices specified for {}: {}. Deduplicating to: {}",
           {context, text, join(devices)});
  std::vector<std::string> available = r.machine().ib_devices;
  if (available.empty()) {
    r.assume(fill("The InfiniBand devices {} exist on the server.", {join(devices)}));
    return join(devices);
  }
  stable_sort(available);
  Value::List unknown;
  for (const std::string& d : devices)
    if (!std::binary_search(available.begin(), available.end(), d)) unknown.emplace_back(d);
  if (!unknown.empty())
    r.reject(kUnknown,
             {context, repr(Value(std::move(unknown))),
              repr(Value(Value::List(available.begin(), available.end())))},
             automatic(flag));
  return join(devices);
}

// parse_ib_device_config for a map; None after a rejection.
Value parse_map(Resolution& r, Flag flag, std::string_view text) {
  const auto refuse = [&](const Rule& rule) {
    r.reject(rule, {text}, automatic(flag));
    return Value();
  };
  std::optional<Value> map;
  if (ends_with(text, ".json")) {
    const Files& files = r.facts().files;
    const auto file = files.find(text);
    if (file == files.end() && !r.facts().all_files) {
      r.assume(fill("{} exists on the server.", {text}));
      return {};
    }
    if (file == files.end()) return refuse(kFileMissing);
    map = parse_json(file->second);
    if (!map) return refuse(kFileNotJson);
  } else {
    map = parse_json(text);
    if (!map) return refuse(kNotJson);
  }
  if (!map->is_dict()) return refuse(kNotAMap);
  Value normalized = Value::dict();
  for (const auto& [gpu, devices] : map->as_dict()) {
    const bool digits = !gpu.empty() && gpu.find_first_not_of("0123456789") == std::string::npos;
    if (!digits || !devices.is_str()) return refuse(kBadEntry);
    const size_t leading = gpu.find_first_not_of('0');
    normalized = normalized.with(leading == std::string::npos ? "0" : gpu.substr(leading),
                                 strip(devices.as_str()));
  }
  if (normalized.as_dict().empty()) return refuse(kEmptyMap);
  return normalized;
}

}  // namespace

void validate_ib_devices(Resolution& r, Flag flag) {
  const auto given = r.get(flag);
  if (!given)
    return r.warn("No IB devices specified for Mooncake backend, falling back to auto discovery.");
  const std::string_view text = strip(*given);
  if (text.empty()) return r.reject(kNoneGiven, {}, automatic(flag));
  if (!ends_with(text, ".json") && text.front() != '{') {
    const std::string devices = normalize_group(r, flag, text, "all GPUs");
    if (devices != *given) r.set(flag, devices, "Blanks and repetitions are taken out.");
    return;
  }
  const Value map = parse_map(r, flag, text);
  if (map.is_none()) return;
  Value::Dict normalized;
  for (const auto& [gpu, devices] : map.as_dict())
    normalized.emplace_back(gpu, normalize_group(r, flag, devices.as_str(), "GPU " + gpu));
  r.set(flag, to_json(Value::dict(std::move(normalized))), "The map, as compact JSON.");
}

RuleList ib_devices_rules() {
  return {&kNoneGiven, &kNoneFor, &kUnknown,  &kFileMissing, &kFileNotJson,
          &kNotJson,   &kNotAMap, &kBadEntry, &kEmptyMap};
}

}  // namespace sglint
