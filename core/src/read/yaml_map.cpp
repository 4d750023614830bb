// Maps of SGLang arguments: --config files, and recipes with one map for each role.
#include <cmath>

#include "read/read_rules.h"
#include "read/yaml_text.h"

namespace sglint {
namespace {

// Keys that hardly mean anything but an SGLang option. By prefix, so that new options are known.
bool strong_key(std::string_view key) {
  if (ends_with(key, "-kwargs") || key == "enable-thinking") return false;  // of a request
  if (key == "model-path") return true;
  for (const char* prefix : {"served-model-name",
                             "tp-size",
                             "dp-size",
                             "ep-size",
                             "pp-size",
                             "tensor-parallel",
                             "data-parallel",
                             "expert-parallel",
                             "pipeline-parallel",
                             "mem-fraction",
                             "max-running",
                             "max-total",
                             "max-prefill",
                             "max-queued",
                             "max-mamba",
                             "max-lora",
                             "chunked-prefill",
                             "attention-backend",
                             "prefill-attention",
                             "decode-attention",
                             "enable-",
                             "disable-",
                             "speculative-",
                             "mamba-",
                             "kv-cache",
                             "cuda-graph",
                             "moe-",
                             "disaggregation-",
                             "tool-call-parser",
                             "reasoning-parser",
                             "trust-remote-code",
                             "context-length",
                             "page-size",
                             "schedule-",
                             "hicache-",
                             "linear-attn",
                             "lora-paths",
                             "random-seed",
                             "tokenizer-",
                             "load-format",
                             "sampling-backend",
                             "watchdog-",
                             "dist-init-addr",
                             "dist-timeout",
                             "node-rank",
                             "chat-template",
                             "json-model-override",
                             "model-loader",
                             "stream-interval",
                             "eplb-",
                             "deepep-mode",
                             "deepep-config",
                             "ep-dispatch",
                             "ep-num",
                             "load-balance-method",
                             "decode-log-interval",
                             "mm-",
                             "constrained-json",
                             "grammar-backend",
                             "radix-eviction",
                             "skip-server-warmup",
                             "skip-tokenizer",
                             "allow-auto-truncate",
                             "scheduler-recv",
                             "crash-dump",
                             "prefill-round-robin",
                             "base-gpu-id",
                             "gpu-id-step",
                             "torch-compile",
                             "triton-attention",
                             "num-continuous",
                             "fp8-gemm",
                             "nsa-",
                             "weight-version",
                             "collect-tokens",
                             "bucket-",
                             "log-level-http",
                             "flashinfer-",
                             "quantization-param"})
    if (!key.empty() && *prefix == key[0] && starts_with(key, prefix)) return true;
  return false;
}

bool weak_key(std::string_view key) {
  return one_of(key, {"model",
                      "host",
                      "port",
                      "tp",
                      "dp",
                      "ep",
                      "pp",
                      "dtype",
                      "device",
                      "nnodes",
                      "quantization",
                      "api-key",
                      "log-level",
                      "log-requests",
                      "revision",
                      "config",
                      "download-dir",
                      "is-embedding",
                      "nccl-port",
                      "show-time-cost",
                      "warmups",
                      "file-storage-path",
                      "preferred-sampling-params",
                      "tokenizer-path"});
}

constexpr size_t kLargestJson = 1 << 16;  // aliases of aliases grow without end

// json.dumps: what --config makes of a map.
void dump(const Value& v, std::string& out) {
  if (out.size() > kLargestJson) return;
  if (v.is_dict()) {
    out += '{';
    bool first = true;
    for (const Value::Item& item : v.as_dict()) {
      if (!first) out += ", ";
      first = false;
      out += '"';
      for (const char c : item.first) {
        if (c == '"' || c == '\\') out += '\\';
        out += c;
      }
      out += "\": ";
      dump(item.second, out);
    }
    out += '}';
  } else if (v.is_list()) {
    out += '[';
    for (size_t i = 0; i < v.as_list().size(); ++i) {
      if (i) out += ", ";
      dump(v.as_list()[i], out);
    }
    out += ']';
  } else if (v.is_str()) {
    out += '"';
    for (const char c : v.as_str()) {
      if (c == '\n') {
        out += "\\n";
        continue;
      }
      if (c == '"' || c == '\\') out += '\\';
      out += c;
    }
    out += '"';
  } else if (v.is_none()) {
    out += "null";
  } else if (v.is_bool()) {
    out += v.truthy() ? "true" : "false";
  } else {
    out += str(v);
  }
}

}  // namespace

std::string json_of(const YamlNode& node) {
  std::string out;
  dump(yaml_value(node).value_or(Value()), out);
  return out;
}

bool looks_like_flags(const YamlNode& node) {
  if (!node.is_mapping() || node.pairs.empty() || node.find("image") || node.find("services") ||
      node.find("kind"))
    return false;
  size_t strong = 0, weak = 0;
  bool model = false;
  for (const auto& [key, value] : node.pairs) {
    if (!key->is_scalar()) return false;
    std::string name = hyphens(key->text);
    if (starts_with(name, "--")) name.erase(0, 2);
    if (value->is_sequence())
      for (const YamlPtr& item : value->items)
        if (!item->is_scalar() && !item->is_sequence()) return false;
    if (strong_key(name)) {
      ++strong;
      if (name == "model-path") model = value->is_scalar();
    } else if (weak_key(name) && !value->is_mapping()) {
      ++weak;
    }
  }
  if (strong == 0) {
    // `model: x` with `tp: 2` and nothing else
    const YamlNode* m = node.find("model");
    return m && m->is_scalar() && weak >= 2 && weak == node.pairs.size();
  }
  return model || strong + weak == node.pairs.size() ||
         (strong > 1 && (strong + weak) * 2 >= node.pairs.size());
}

bool flag_map(Reader& reader, const Source& source, const YamlNode& node, const Surroundings& given,
              bool top) {
  const uint16_t context = reader.context(Writing::yaml_map, source);
  std::vector<Word> words;
  for (const auto& [key, value] : node.pairs) {
    if (!key->is_scalar() || key->text == "<<" || value->weight > 10000) continue;
    Word flag;
    flag.text = "--" + hyphens(starts_with(key->text, "--") ? key->text.substr(2) : key->text);
    flag.span = source.span(key->span.begin, key->span.end);
    flag.context = context;
    if (is_placeholder(key->text)) {  // what a template inserts: any number of lines
      flag.text = key->text;
      words.push_back(std::move(flag));
      continue;
    }
    if (top && contains(key->text, "_"))
      reader.find(kUnderscoreKey, flag.span, {key->text}, {{flag.span, hyphens(key->text)}},
                  "Write hyphens");
    const auto add = [&](const YamlNode& v, std::string text) {
      Word w;
      w.text = std::move(text);
      w.span = source.span(v.span.begin, v.span.end);
      w.context = context;
      w.unknown = contains(v.text, "${") || contains(v.text, "{{") || is_placeholder(v.text);
      words.push_back(std::move(w));
    };
    if (value->is_scalar()) {
      const Value v = yaml_scalar(*value).value_or(Value(value->text));
      if (v.is_bool()) {
        if (v.truthy()) words.push_back(std::move(flag));
        continue;
      }
      if (v.is_none() && !top) continue;
      words.push_back(std::move(flag));
      add(*value, str(v));
      continue;
    }
    const Value v = yaml_value(*value).value_or(Value());
    if (value->is_mapping()) {
      words.push_back(std::move(flag));
      add(*value, json_of(*value));
      continue;
    }
    if (value->items.empty()) continue;
    words.push_back(std::move(flag));
    for (size_t i = 0; i < value->items.size(); ++i) add(*value->items[i], str(v.as_list()[i]));
  }
  if (words.empty()) return false;
  // A command may name the model of a --config file; the model and the nodes of one of many maps
  // are the recipe's.
  bool model = top, nodes = top;
  bool many = false;
  for (size_t i = 0; i < words.size(); ++i) {
    const std::string& w = words[i].text;
    model = model || names_model(w) || w == "--config";
    nodes = nodes || w == "--nnodes";
    if (i > 0 && one_of(words[i - 1].text, {"--tp-size", "--tensor-parallel-size", "--tp"}))
      many = w.size() > 1 || w == "9";
  }
  for (const char* implied : {"--model-path", "<model>", "--nnodes", "<nodes>"}) {
    const bool of_nodes = contains(implied, "node");
    if (of_nodes ? nodes || !many : model) continue;
    Word w;
    w.text = implied;
    w.span = {words.back().span.end, words.back().span.end};
    w.context = context;
    words.push_back(std::move(w));
  }
  Surroundings around = given;
  around.form = Form::yaml_map;
  around.span = source.span(node.span.begin, node.span.end);
  const Span first = source.span(node.pairs[0].first->span.begin, node.pairs[0].first->span.begin);
  const size_t before = reader.launches();
  reader.add_launch(std::move(words), 0, around);
  if (reader.launches() > before) {
    Launch& launch = reader.all_launches().back();
    launch.program_end = first.begin;
    launch.program_context = context;
  }
  return true;
}

}  // namespace sglint
