#include "report/launch_facts.h"

#include <algorithm>
#include <span>

#include "arguments/config_file.h"
#include "base/json.h"
#include "base/text.h"
#include "facts/machine_text.h"
#include "report/printed_args.h"

namespace sglint {
namespace {

// An object, or JSON text of one.
std::optional<Value> object(const Value& v, std::string_view key, std::string* why) {
  if (v.is_dict()) return v;
  JsonError error;
  std::optional<Value> parsed;
  if (v.is_str()) parsed = parse_json(v.as_str(), &error);
  if (parsed && parsed->is_dict()) return parsed;
  *why = v.is_str() && !parsed ? fill("{} is not JSON at byte {}: {}",
                                      {key, static_cast<int64_t>(error.offset), error.what})
                               : fill("{} must be a JSON object.", {key});
  return std::nullopt;
}

std::optional<ModelFiles> model_of(const Value& config, const Value& files, std::string name,
                                   std::string* why) {
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

// The value of one of the flags in argv, the last one wins; nullptr, "" where there is none.
struct ValueInArgv {
  const Token* token = nullptr;
  std::string_view text;
};
ValueInArgv value_of(const std::vector<Token>& argv, std::span<const std::string_view> flags) {
  ValueInArgv out;
  for (size_t i = 0; i < argv.size(); ++i) {
    const std::string_view word = argv[i].text;
    for (std::string_view flag : flags) {
      if (word == flag && i + 1 < argv.size()) out = {&argv[i + 1], argv[i + 1].text};
      if (starts_with(word, flag) && word.size() > flag.size() && word[flag.size()] == '=')
        out = {&argv[i], word.substr(flag.size() + 1)};
    }
  }
  return out;
}

// With the words of the --config file, which `merged` holds, where it was given.
const std::vector<Token>& all_words(const Launch& launch, const Files& files, MergedArgv& merged) {
  const bool config = std::any_of(launch.argv.begin(), launch.argv.end(),
                                  [](const Token& t) { return t.text == "--config"; });
  if (!config) return launch.argv;
  merged = merge_config_file(launch.release.value_or(kReferenceRelease), launch.argv, files);
  return merged.error ? launch.argv : merged.argv;
}

constexpr std::string_view kModelFlags[] = {"--model-path", "--model"};
constexpr std::string_view kDraftFlags[] = {"--speculative-draft-model-path",
                                            "--speculative-draft-model"};

// Of a text only what is given with it is known: the file may be there where the launch runs.
void mark_unread_configs(LaunchFacts& given) {
  for (Launch& launch : given.launches)
    for (size_t i = 1; i < launch.argv.size(); ++i) {
      Token& t = launch.argv[i];
      if (launch.argv[i - 1].text == "--config" && !t.unknown && is_config_name(t.text) &&
          !find_file(given.shared.files, t.text))
        t.unknown = t.unread = true;
    }
}

Value strings(const std::map<std::string, std::string, std::less<>>& map) {
  Value::Dict out;
  for (const auto& [key, value] : map) out.emplace_back(key, value);
  return Value::dict(std::move(out));
}

}  // namespace

Value request_value(const Request& request) {
  Value::Dict d;
  if (!request.text.empty() || request.argv.empty()) {
    d.emplace_back("text", request.text);
  } else {
    Value::List argv;
    for (const std::string& word : request.argv) argv.emplace_back(word);
    d.emplace_back("argv", std::move(argv));
  }
  const auto put = [&](const char* key, const std::string& value) {
    if (!value.empty()) d.emplace_back(key, value);
  };
  put("release", request.release);
  put("machine", request.machine);
  put("model", request.model);
  put("model_config", request.model_config);
  d.emplace_back("model_files", strings(request.model_files));
  d.emplace_back("extra_models", strings(request.extra_models));
  d.emplace_back("env", strings(request.env));
  d.emplace_back("files", strings(request.files));
  Value::List ignore;
  for (const std::string& rule : request.ignore) ignore.emplace_back(rule);
  if (!ignore.empty()) d.emplace_back("ignore", std::move(ignore));
  return Value::dict(std::move(d));
}

std::optional<Release> release_of(const Value& name, std::string* why) {
  const std::optional<Release> release = parse_release(name.as_str());
  if (release) return release;
  std::string known;
  for (int i = 0; i < kReleaseCount; ++i)
    known += (i ? ", " : "") + std::string(release_name(static_cast<Release>(i)));
  *why = fill("Unknown release {}; known: {}.", {repr(name), known});
  return std::nullopt;
}

std::optional<Machine> machine_of(const Value& machine, std::string* why) {
  if (machine.is_none()) {
    std::optional<Machine> usual = find_machine("h100");
    usual->assumed.push_back("Machine: 8 × H100, because none was named.");
    return usual;
  }
  const std::string_view text = machine.as_str();
  if (machine.is_str() && !starts_with(text, "{")) {
    if (contains(text, "\n")) return machine_from_text(text, why);
    if (std::optional<Machine> found = find_machine(text)) return found;
    std::string known;
    for (std::string_view n : machine_names())
      known += (known.empty() ? "" : ", ") + std::string(n);
    *why = fill("Unknown machine {}; known: {}. For any other give the output of nvidia-smi.",
                {repr(machine), known});
    return std::nullopt;
  }
  const std::optional<Value> facts = object(machine, "machine", why);
  if (!facts) return std::nullopt;
  const Value::Dict& stated = facts->as_dict();
  const bool any = std::any_of(stated.begin(), stated.end(), [](const Value::Item& fact) {
    return one_of(fact.first, {"platform", "sm", "gpu_name", "num_gpus", "gpu_mem_mib", "cuda",
                               "hip", "gfx", "flashinfer", "packages"});
  });
  if (!any) {
    *why =
        "The machine's facts say nothing that is known, such as \"sm\", \"num_gpus\" or "
        "\"gpu_mem_mib\".";
    return std::nullopt;
  }
  std::optional<Machine> parsed = machine_from_facts(*facts, why);
  if (parsed && (*facts)["name"].is_str()) parsed->name = std::string((*facts)["name"].as_str());
  return parsed;
}

std::optional<LaunchFacts> launch_facts(const Value& request, std::string* why) {
  const auto fail = [&](std::string text) -> std::optional<LaunchFacts> {
    *why = std::move(text);
    return std::nullopt;
  };
  if (!request.is_dict()) return fail("A request must be a JSON object.");
  // A member of the wrong kind would be taken for one that is absent.
  for (std::string_view key : {"text", "release", "model"})
    if (!request[key].is_none() && !request[key].is_str())
      return fail(fill("{} must be a string.", {key}));
  for (std::string_view key : {"env", "files", "model_files", "extra_models"}) {
    if (request[key].is_none()) continue;
    const bool of_strings = key == "env" || key == "files";
    bool good = request[key].is_dict();
    for (const Value::Item& item : request[key].as_dict())
      good = good && (!of_strings || item.second.is_str());
    if (!good)
      return fail(
          fill(of_strings ? "{} must be an object of strings." : "{} must be an object.", {key}));
  }
  LaunchFacts out;
  if (request["text"].is_str()) {
    out.text = std::string(request["text"].as_str());
    ReadResult read_result = read(out.text);
    out.launches = std::move(read_result.launches);
    out.read_findings = std::move(read_result.findings);
    out.routers = std::move(read_result.routers);
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
  if (!request["release"].is_none() && !(out.release = release_of(request["release"], why)))
    return std::nullopt;
  std::optional<Machine> machine = machine_of(request["machine"], why);
  if (!machine) return std::nullopt;
  if (request["machine"].is_none())
    if (std::optional<Machine> told = machine_in_text(out.text)) machine = std::move(told);
  out.shared.machine = std::move(*machine);
  out.machine_named = !request["machine"].is_none();
  if (request["model"].is_str()) out.model_name = std::string(request["model"].as_str());
  if (!request["model_config"].is_none()) {
    out.model = model_of(request["model_config"], request["model_files"], out.model_name, why);
    if (!out.model) return std::nullopt;
  }
  for (const Value::Item& extra : request["extra_models"].as_dict()) {
    std::optional<ModelFiles> model;
    if (extra.second.is_str() && !starts_with(extra.second.as_str(), "{")) {
      model = find_model(extra.second.as_str());
    } else {
      const std::optional<Value> files = object(extra.second, extra.first, why);
      const bool several = files && files->has("config.json");
      if (files)
        model = model_of(several ? (*files)["config.json"] : *files, several ? *files : Value(),
                         extra.first, why);
      if (!model) return std::nullopt;
    }
    if (model) out.shared.extra_models.emplace_back(extra.first, std::move(*model));
  }
  for (const Value::Item& e : request["env"].as_dict()) out.shared.env.put(e.first, str(e.second));
  for (const Value::Item& e : request["files"].as_dict())
    out.shared.files[std::string(file_name(e.first))] = std::string(e.second.as_str());
  out.shared.all_files = !request["text"].is_str();
  if (!out.shared.all_files) mark_unread_configs(out);
  const Value& ignore = request["ignore"];
  bool ids = ignore.is_none() || ignore.is_list();
  for (const Value& rule : ignore.as_list()) {
    ids = ids && rule.is_str();
    out.ignore.emplace_back(rule.as_str());
  }
  if (!ids) return fail("ignore must be a list of rule ids.");
  drop_chosen(out);
  return out;
}

namespace {

// Instead of the machine that is assumed without a name: the one that the launch is made for.
void assume_machine(Facts& facts, const Launch& launch, const std::vector<Token>& words) {
  constexpr std::string_view kDevice[] = {"--device"};
  std::string_view name = launch.machine, word = launch.machine_word, where = "the image's tag";
  if (name.empty()) {
    name = word = value_of(words, kDevice).text;
    where = "--device";
    if (!one_of(name, {"npu", "xpu", "cpu", "mps"})) return;
  }
  std::optional<Machine> machine = find_machine(name);
  if (!machine) return;
  machine->assumed.push_back(
      fill("Machine: {}, because none was named and {} says {}.",
           {machine->num_gpus > 1       ? fill("{} × {}", {machine->num_gpus, machine->gpu_name})
            : machine->gpu_name.empty() ? std::string("a server without GPU")
                                        : machine->gpu_name,
            where, word}));
  facts.machine = std::move(*machine);
}

}  // namespace

Facts facts_of(const LaunchFacts& given, const Launch& launch) {
  Facts facts = given.shared;
  facts.release = given.release ? *given.release : launch.release.value_or(kReferenceRelease);
  for (const EnvSetting& e : launch.env)
    e.unknown ? facts.env.put_unknown(e.name, e.value) : facts.env.put(e.name, e.value);
  MergedArgv merged;
  const std::vector<Token>& words = all_words(launch, facts.files, merged);
  if (!given.machine_named) assume_machine(facts, launch, words);
  if (launch.gpu_count && !facts.machine.assumed.empty())
    facts.machine.num_gpus = *launch.gpu_count;
  if (given.model) {
    facts.model = given.model;
  } else if (!given.model_name.empty()) {
    facts.model = find_model(given.model_name);
  } else {
    const std::string_view path = value_of(words, kModelFlags).text;
    facts.model = find_model(path);
    for (const auto& [name, files] : facts.extra_models)
      if (!facts.model && name == path) facts.model = files;
    if (!facts.model) facts.model = find_model_like(path);
  }
  put_machine(facts, std::move(facts.machine));
  return facts;
}

void put_machine(Facts& facts, Machine machine) {
  facts.machine = std::move(machine);
  const std::string flashinfer =
      lower(facts.env.raw("SGLANG_IS_FLASHINFER_AVAILABLE").value_or("true"));
  if (!one_of(flashinfer, {"true", "1"})) facts.machine.packages["flashinfer"] = std::nullopt;
}

std::vector<NamedFile> files_named(const Request& request) {
  std::vector<NamedFile> out;
  std::string why;
  const std::optional<LaunchFacts> given = launch_facts(request_value(request), &why);
  if (!given) return out;
  const auto add = [&](NamedFile::Kind kind, std::string_view path) {
    for (const NamedFile& known : out)
      if (known.path == path) return;
    out.push_back({kind, std::string(path)});
  };
  for (const Launch& launch : given->launches) {
    for (const Token& t : launch.argv)
      if (t.unread) add(NamedFile::Kind::config, t.text);
    MergedArgv merged;
    const std::vector<Token>& words = all_words(launch, given->shared.files, merged);
    for (std::span<const std::string_view> flags :
         {std::span(kModelFlags), std::span(kDraftFlags)}) {
      const ValueInArgv path = value_of(words, flags);
      if (path.token && !path.token->unknown && !path.text.empty() &&
          !request.extra_models.count(std::string(path.text)) && !find_model(path.text))
        add(NamedFile::Kind::model, path.text);
    }
  }
  return out;
}

}  // namespace sglint
