#include "report/launch_facts.h"

#include "base/json.h"
#include "base/text.h"
#include "facts/machine_text.h"

namespace sglint {
namespace {

// An object, or JSON text of one.
std::optional<Value> object(const Value& v, std::string_view key, std::string* why) {
  if (v.is_dict()) return v;
  JsonError error;
  std::optional<Value> parsed;
  if (v.is_str()) parsed = parse_json(v.as_str(), &error);
  if (parsed && parsed->is_dict()) return parsed;
  *why = v.is_str() && !parsed ? fill("{} is not JSON at byte {}: {}", {key, static_cast<int64_t>(error.offset), error.what})
                               : fill("{} must be a JSON object.", {key});
  return std::nullopt;
}

std::optional<ModelFiles> model_of(const Value& config, const Value& files, std::string name, std::string* why) {
  ModelFiles model;
  model.name = std::move(name);
  std::optional<Value> parsed = object(config, "model_config", why);
  if (!parsed) return std::nullopt;
  model.config = std::move(*parsed);
  const auto beside = [&](std::string_view file, Value& slot) {
    if (files.has(file)) {
      std::optional<Value> v = object(files[file], file, why);
      if (!v) return false;
      slot = std::move(*v);
    }
    return true;
  };
  if (!beside("hf_quant_config.json", model.hf_quant_config)) return std::nullopt;
  if (!beside("generation_config.json", model.generation_config)) return std::nullopt;
  return model;
}

// The value of --model-path / --model in argv, the last one wins.
std::string model_path_of(const Launch& launch) {
  std::string path;
  for (size_t i = 0; i < launch.argv.size(); ++i) {
    for (std::string_view flag : {"--model-path", "--model"}) {
      const std::string& word = launch.argv[i].text;
      if (word == flag && i + 1 < launch.argv.size()) path = launch.argv[i + 1].text;
      if (starts_with(word, flag) && word.size() > flag.size() && word[flag.size()] == '=')
        path = word.substr(flag.size() + 1);
    }
  }
  return path;
}

}  // namespace

std::optional<LaunchFacts> launch_facts(const Value& request, std::string* why) {
  const auto fail = [&](std::string text) -> std::optional<LaunchFacts> {
    *why = std::move(text);
    return std::nullopt;
  };
  if (!request.is_dict()) return fail("A request must be a JSON object.");
  LaunchFacts out;
  if (request["text"].is_str()) {
    out.text = std::string(request["text"].as_str());
    ReadResult read_result = read(out.text);
    out.launches = std::move(read_result.launches);
    out.read_findings = std::move(read_result.findings);
  } else if (request["argv"].is_list()) {
    Launch launch;
    for (const Value& word : request["argv"].as_list()) {
      if (!word.is_str()) return fail("argv must be a list of strings.");
      launch.argv.push_back({std::string(word.as_str()), {}, false, false});
    }
    out.launches.push_back(std::move(launch));
  } else {
    return fail("A request needs \"text\" (a string) or \"argv\" (a list of strings).");
  }
  if (!request["release"].is_none()) {
    out.release = parse_release(request["release"].as_str());
    if (!out.release) {
      std::string known;
      for (int i = 0; i < kReleaseCount; ++i)
        known += (i ? ", " : "") + std::string(release_name(static_cast<Release>(i)));
      return fail(fill("Unknown release {}; known: {}.", {repr(request["release"]), known}));
    }
  }
  const Value& machine = request["machine"];
  if (machine.is_str() && contains(machine.as_str(), "\n") && !starts_with(machine.as_str(), "{")) {
    std::optional<Machine> parsed = machine_from_text(machine.as_str(), why);
    if (!parsed) return std::nullopt;
    out.shared.machine = std::move(*parsed);
  } else if (machine.is_str() && !starts_with(machine.as_str(), "{")) {
    std::optional<Machine> found = find_machine(machine.as_str());
    if (!found) {
      std::string known;
      for (std::string_view n : machine_names()) known += (known.empty() ? "" : ", ") + std::string(n);
      return fail(fill("Unknown machine {}; known: {}.", {repr(machine), known}));
    }
    out.shared.machine = std::move(*found);
  } else if (!machine.is_none()) {
    const std::optional<Value> facts = object(machine, "machine", why);
    if (!facts) return std::nullopt;
    std::optional<Machine> parsed = machine_from_facts(*facts, why);
    if (!parsed) return std::nullopt;
    out.shared.machine = std::move(*parsed);
  } else {
    out.shared.machine = *find_machine("h100");
    out.shared.machine.assumed.push_back("Machine: 8 × H100, because none was named.");
  }
  if (request["model"].is_str()) out.model_name = std::string(request["model"].as_str());
  if (!request["model_config"].is_none()) {
    out.model = model_of(request["model_config"], request["model_files"], out.model_name, why);
    if (!out.model) return std::nullopt;
  }
  for (const Value::Item& extra : request["extra_models"].as_dict()) {
    std::optional<ModelFiles> model;
    if (extra.second.is_str() && !starts_with(extra.second.as_str(), "{")) {
      model = find_model(extra.second.as_str());
    } else if (extra.second.has("config.json")) {
      model = model_of(extra.second["config.json"], extra.second, extra.first, why);
      if (!model) return std::nullopt;
    } else {
      model = model_of(extra.second, {}, extra.first, why);
      if (!model) return std::nullopt;
    }
    if (model) out.shared.extra_models.emplace_back(extra.first, std::move(*model));
  }
  for (const Value::Item& e : request["env"].as_dict()) out.shared.env.put(e.first, str(e.second));
  for (const Value::Item& e : request["files"].as_dict()) out.shared.files[e.first] = std::string(e.second.as_str());
  return out;
}

Facts facts_of(const LaunchFacts& given, const Launch& launch) {
  Facts facts = given.shared;
  facts.release = given.release ? *given.release : launch.release.value_or(kReferenceRelease);
  for (const EnvSetting& e : launch.env) facts.env.put(e.name, e.value);
  if (launch.gpu_count && !facts.machine.assumed.empty()) facts.machine.num_gpus = *launch.gpu_count;
  if (given.model) {
    facts.model = given.model;
  } else if (!given.model_name.empty()) {
    facts.model = find_model(given.model_name);
  } else {
    facts.model = find_model(model_path_of(launch));
  }
  if (!facts.model) {
    const std::string path = model_path_of(launch);
    for (const auto& [name, files] : facts.extra_models)
      if (name == path) facts.model = files;
  }
  const std::string flashinfer = lower(facts.env.raw("SGLANG_IS_FLASHINFER_AVAILABLE").value_or("true"));
  if (!one_of(flashinfer, {"true", "1"})) facts.machine.packages["flashinfer"] = std::nullopt;
  return facts;
}

}  // namespace sglint
