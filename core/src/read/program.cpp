// Where in the words of a command SGLang's arguments begin, behind wrappers and launchers.
#include <algorithm>

#include "read/read_rules.h"
#include "read/reader.h"

namespace sglint {
namespace {

bool is_python(std::string_view word) {
  const std::string_view base = base_name(word);
  if (starts_with(base, "python") || starts_with(base, "pypy")) {
    for (const char c : base.substr(base.find_first_not_of("pythonpy") == base.npos
                                        ? base.size()
                                        : base.find_first_not_of("pythonpy")))
      if (!(c >= '0' && c <= '9') && c != '.' && c != 't' && c != 'e' && c != 'x' && c != 'w')
        return false;
    return true;
  }
  return base == "py";
}

bool is_shell(std::string_view word) {
  return one_of(base_name(word), {"sh", "bash", "zsh", "dash", "ash", "ksh", "fish"});
}

// Commands whose words only talk about a launch.
bool only_talks(std::string_view base) {
  return one_of(base, {"echo",    "printf",     "grep",
                       "egrep",   "rg",         "pgrep",
                       "pkill",   "kill",       "killall",
                       "ps",      "pip",        "pip3",
                       "cat",     "which",      "whereis",
                       "man",     "git",        "curl",
                       "wget",    "ls",         "vim",
                       "vi",      "nano",       "less",
                       "tail",    "head",       "sed",
                       "awk",     "find",       "cp",
                       "mv",      "rm",         "mkdir",
                       "chmod",   "tee",        "apt",
                       "apt-get", "alias",      "huggingface-cli",
                       "hf",      "modelscope", "nvidia-smi",
                       "trap",    "test",       "["});
}

bool is_router_module(std::string_view module) {
  return starts_with(module, "sglang_router") ||
         starts_with(module, "sglang.srt.disaggregation.mini_lb") ||
         starts_with(module, "sglang.srt.disaggregation.launch_lb") || module == "smg" ||
         starts_with(module, "sglang.srt.router") || starts_with(module, "sglang_model_gateway");
}

// `sglang==0.5.17`, `sglang[all]==0.5.17`
std::string_view pinned(std::string_view word) {
  if (!starts_with(word, "sglang")) return {};
  const size_t at = word.find("==");
  if (at == word.npos || (at > 6 && word[6] != '[')) return {};
  word = word.substr(at + 2);
  return word.substr(0, word.find_first_of(",; "));
}

bool dash_m(std::string_view w) {
  if (w == "-m") return true;
  const size_t n = dash_like(w, 0);
  return n > 0 && w.substr(n) == "m";
}

bool has_blank(std::string_view w) { return contains(w, " ") || contains(w, "\n"); }

// NAME of NAME=value, "" if the word is none.
std::string_view assigned_name(std::string_view w) {
  const size_t equals = w.find('=');
  if (equals == w.npos || equals == 0) return {};
  return is_name(w.substr(0, equals)) ? w.substr(0, equals) : std::string_view();
}

}  // namespace

std::string_view base_name(std::string_view path) {
  size_t i = path.size();
  while (i > 0 && path[i - 1] != '/' && path[i - 1] != '\\') --i;
  path.remove_prefix(i);
  if (ends_with(path, ".exe")) path.remove_suffix(4);
  return path;
}

bool is_name(std::string_view s) {
  if (s.empty() || (s[0] >= '0' && s[0] <= '9')) return false;
  for (const char c : s)
    if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'))
      return false;
  return true;
}

bool mentions_sglang(std::string_view text) {
  return contains(text, "sglang") || contains(text, "launch_server");
}

bool among(std::string_view s, size_t i, const char* set) {
  if (i >= s.size()) return false;
  while (*set && *set != s[i]) ++set;
  return *set;
}

// Flags that only the server of diffusion models has.
static bool of_diffusion(std::string_view word) {
  return one_of(word.substr(0, word.find('=')), {"--num-gpus",
                                                 "--ulysses-degree",
                                                 "--ring-degree",
                                                 "--sp-degree",
                                                 "--cfg-parallel-size",
                                                 "--enable-cfg-parallel",
                                                 "--performance-mode",
                                                 "--model-variant",
                                                 "--dit-cpu-offload",
                                                 "--dit-layerwise-offload",
                                                 "--text-encoder-cpu-offload",
                                                 "--image-encoder-cpu-offload",
                                                 "--vae-cpu-offload",
                                                 "--pin-cpu-memory",
                                                 "--use-fsdp-inference",
                                                 "--pipeline-class-name",
                                                 "--webui",
                                                 "--disagg-role",
                                                 "--denoiser-tp",
                                                 "--denoiser-sp",
                                                 "--encoder-urls",
                                                 "--cache-dit-config",
                                                 "--component-residency",
                                                 "--warmup-resolutions"});
}

bool names_model(std::string_view word) {
  word = word.substr(0, word.find('='));
  return word == "--model-path" || word == "--model" || word == "--model_path";
}

// Most commands of a script have nothing to do with SGLang.
bool may_launch(const std::vector<Word>& words) {
  for (const Word& word : words) {
    const std::string_view w = word.text;
    for (size_t i = 0; i + 2 < w.size(); ++i) {
      if (w[i] == 's' ? w[i + 1] == 'g' || w[i + 1] == 'm'
                      : (w[i] == 'l' || w[i] == 'm') && (w[i + 1] == 'a' || w[i + 1] == 'i'))
        for (const char* part : {"sglang", "launch_server", "sgl-", "smg", "mini_lb"})
          if (starts_with(w.substr(i), part)) return true;
    }
  }
  return false;
}

EnvSetting env_setting(const Word& word) {
  EnvSetting e;
  const size_t equals = word.text.find('=');
  e.name = word.text.substr(0, equals);
  e.value = equals == std::string::npos ? "" : word.text.substr(equals + 1);
  e.span = word.span;
  e.unknown = word.unknown || is_placeholder(e.value);
  e.secret = is_secret_name(e.name);
  e.context = word.context;
  return e;
}

void put_setting(std::vector<EnvSetting>& env, EnvSetting setting) {
  for (EnvSetting& e : env) {
    if (e.name != setting.name) continue;
    e = std::move(setting);
    return;
  }
  env.push_back(std::move(setting));
}

void Reader::add_launch(std::vector<Word> words, size_t first, const Surroundings& around) {
  Launch launch;
  launch.form = around.form;
  launch.env = around.env;
  settings += around.env.size();
  launch.assumptions = around.assumptions;
  const Surroundings& said = around.release || !around.version.empty() ? around : installed_;
  launch.release = said.release;
  launch.version = said.version;
  if (said.release && !said.version.empty())
    find(kUnknownRelease, said.version_span, {said.version, release_name(*said.release)});
  launch.gpu_count = around.gpu_count;
  launch.machine = around.machine;
  launch.machine_word = around.machine_word;
  launch.name = around.name;
  launch.network = around.network;
  launch.env_place = around.env_place;
  if (first > 0) {
    launch.program_end = words[first - 1].span.end;
    launch.program_context = words[first - 1].context;
  } else if (!words.empty()) {
    launch.program_end = words[0].span.begin;
    launch.program_context = words[0].context;
  }
  Span span = around.span;
  for (size_t i = first; i < words.size(); ++i) {
    Word& w = words[i];
    Token t;
    t.unknown = w.unknown || is_placeholder(w.text);
    t.text = std::move(w.text);
    t.span = w.span;
    t.context = w.context;
    launch.argv.push_back(std::move(t));
  }
  if (span.empty()) {
    for (const Word& w : words) {
      if (w.span.empty()) continue;
      if (span.empty()) span = w.span;
      span = {std::min(span.begin, w.span.begin), std::max(span.end, w.span.end)};
    }
  }
  launch.span = span;
  mark_secrets(launch.argv);
  out_.launches.push_back(std::move(launch));
  check_characters(*this, out_.launches.back());

  // JSON whose quotes the shell took: `{"a": 1}` arrives as `{a:` and `1}`.
  const std::vector<Token>& argv = out_.launches.back().argv;
  if (around.form != Form::shell && around.form != Form::docker) return;
  for (size_t i = 0; i < argv.size(); ++i) {
    const Token& t = argv[i];
    if (t.span.empty() || text_[t.span.begin] != '{' || t.text[0] != '{') continue;
    if (!contains(text_.substr(t.span.begin, t.span.end - t.span.begin), "\"")) continue;
    int depth = 0;
    size_t last = i;
    for (; last < argv.size() && last < i + 50; ++last) {
      for (const char c : argv[last].text) depth += c == '{' ? 1 : c == '}' ? -1 : 0;
      if (depth <= 0) break;
    }
    if (last >= argv.size() || depth != 0) continue;
    std::string received;
    for (size_t k = i; k <= last; ++k) received += (k > i ? " " : "") + argv[k].text;
    const Span range{t.span.begin, argv[last].span.end};
    const bool simple = range.end > range.begin &&
                        !contains(text_.substr(range.begin, range.end - range.begin), "'");
    find(kLostQuotes, range, {received},
         simple ? std::vector<TextEdit>{{{range.begin, range.begin}, "'"},
                                        {{range.end, range.end}, "'"}}
                : std::vector<TextEdit>{},
         "Put single quotes around the JSON");
    i = last;
  }
}

void Reader::add_router(const std::vector<Word>& words, size_t first) {
  RouterLine line;
  for (size_t i = first; i < words.size(); ++i) {
    Token t;
    t.text = words[i].text;
    t.span = words[i].span;
    t.unknown = words[i].unknown || is_placeholder(words[i].text);
    line.argv.push_back(std::move(t));
  }
  out_.routers.push_back(std::move(line));
}

bool Reader::read_words(std::vector<Word>& words, Surroundings around) {
  size_t i = 0;
  size_t command = 0;  // where a command name is expected
  const auto base = [&](size_t k) { return base_name(words[k].text); };
  const auto set_env = [&](EnvSetting e, size_t at) {
    if (at + 1 < words.size() && words[at + 1].span.begin >= words[at].span.end)
      e.removal = {words[at].span.begin, words[at + 1].span.begin};
    put_setting(around.env, std::move(e));
  };
  // The arguments begin at `first`; `sglang serve` knows a positional model and --model-type.
  const auto launch = [&](size_t first, bool serve) {
    std::vector<Word> argv = std::move(words);
    if (serve) {
      for (size_t k = first; k < argv.size(); ++k)
        if (of_diffusion(argv[k].text)) {
          find(kDiffusionLeftOut, argv[k].span, {argv[k].text});
          return true;
        }
      for (size_t k = first; k < argv.size(); ++k) {
        const bool pair = argv[k].text == "--model-type";
        if (!pair && !starts_with(argv[k].text, "--model-type=")) continue;
        const size_t end = std::min(argv.size(), k + (pair ? 2 : 1));
        if (argv[end - 1].text == (pair ? "diffusion" : "--model-type=diffusion")) {
          find(kDiffusionLeftOut, argv[k].span, {argv[k].text});
          return true;
        }
        argv.erase(argv.begin() + static_cast<long>(k), argv.begin() + static_cast<long>(end));
        break;
      }
      if (first < argv.size() && !starts_with(argv[first].text, "-") &&
          !is_flag(argv[first].text)) {
        Word flag;
        flag.text = "--model-path";
        flag.span = {argv[first].span.begin, argv[first].span.begin};
        flag.context = argv[first].context;
        argv.insert(argv.begin() + static_cast<long>(first), std::move(flag));
      }
    }
    add_launch(std::move(argv), first, around);
    return true;
  };

  while (i < words.size()) {
    const std::string& w = words[i].text;
    const std::string_view b = base(i);
    if (i == command) {
      if (only_talks(b)) {
        if (starts_with(b, "pip"))
          for (const Word& word : words)
            if (const std::string_view version = pinned(word.text); !version.empty()) {
              installed_.release = parse_release(version);
              installed_.version = installed_.release ? "" : std::string(version);
              if (!installed_.release) installed_.release = nearest_release(version);
              installed_.version_span = word.span;
            }
        return false;
      }
      // 'A=1 sglang serve …' in quotes is a command line of its own.
      const bool line = has_blank(w) && mentions_sglang(w);
      if (!assigned_name(w).empty() && !line) {
        set_env(env_setting(words[i]), i);
        command = ++i;
        continue;
      }
      if (one_of(b, {"docker", "podman", "nerdctl"})) {
        size_t k = i + 1;
        while (k < words.size() && starts_with(words[k].text, "-")) {
          if (one_of(words[k].text, {"-H", "--host", "--context", "-c", "--config"})) ++k;
          ++k;
        }
        if (k < words.size() && words[k].text == "container") ++k;
        if (k < words.size() && one_of(words[k].text, {"run", "create", "exec"})) {
          const bool run = words[k].text != "exec";
          around.env.clear();
          around.form = Form::docker;
          around.env_place.style = EnvPlace::Style::docker_option;
          around.env_place.at = words[k].span.end;
          around.env_place.context = words[k].context;
          ++k;
          if (!docker_options(words, k, run, around)) return false;
          if (k < words.size() && is_flag(words[k].text) && !dash_m(words[k].text)) {
            if (run && !mentions_sglang(words[k - 1].text)) return false;
            find(kImageWithoutProgram, words[k].span, {words[k].text});
            return launch(k, false);
          }
          command = i = k;
          continue;
        }
        if (k < words.size() && one_of(words[k].text, {"pull", "build", "push", "images", "logs",
                                                       "ps", "stop", "rm", "tag", "inspect"}))
          return false;
      }
      if (is_shell(b)) {
        size_t k = i + 1;
        while (k < words.size() &&
               (starts_with(words[k].text, "-") || starts_with(words[k].text, "+"))) {
          const std::string& option = words[k].text;
          if (option == "-o" || option == "-O" || option == "--rcfile" || option == "--init-file") {
            k += 2;
            continue;
          }
          if (option.size() > 1 && option[1] != '-' && contains(option, "c")) {
            if (k + 1 >= words.size()) return false;
            const size_t before = launches();
            read_inside(words[k + 1], around, true);
            return launches() > before;
          }
          ++k;
        }
        return false;
      }
      if (one_of(b, {"eval",   "exec",      "nohup",    "setsid", "command", "builtin",   "time",
                     "sudo",   "env",       "unbuffer", "doas",   "tini",    "dumb-init", "nice",
                     "stdbuf", "catchsegv", "conda",    "uv",     "poetry",  "timeout",   "ionice",
                     "chrt",   "taskset",   "numactl",  "srun"})) {
        if (b == "eval" && i + 2 == words.size()) {
          const size_t before = launches();
          read_inside(words[i + 1], around, false);
          return launches() > before;
        }
        ++i;
        bool ignore = false;
        while (i < words.size() && starts_with(words[i].text, "-") && !dash_m(words[i].text)) {
          const std::string& option = words[i].text;
          if (b == "env" && (option == "-i" || option == "--ignore-environment" || option == "-"))
            around.env.clear();
          if (b == "env" && option == "-S") {
            ++i;
            continue;
          }
          if (b == "env" && one_of(option, {"-u", "--unset"}) && i + 1 < words.size()) {
            const std::string& name = words[i + 1].text;
            around.env.erase(std::remove_if(around.env.begin(), around.env.end(),
                                            [&](const EnvSetting& e) { return e.name == name; }),
                             around.env.end());
          }
          ignore = one_of(option, {"-u", "-g", "-n", "-k", "-s", "-C", "-p", "-N", "-m", "-D", "-o",
                                   "-e", "-i", "-c", "--unset"}) &&
                   !(b == "sudo" && one_of(option, {"-i", "-s", "-n", "-k"})) &&
                   !(b == "env" && option == "-i") && !(b == "ionice" && option == "-k") &&
                   !contains(option, "=");
          ++i;
          if (ignore && i < words.size() && !is_python(words[i].text) && base(i) != "sglang" &&
              !(b == "exec" || b == "nohup" || b == "time" || b == "setsid"))
            ++i;
        }
        if (b == "timeout" && i < words.size()) ++i;  // its duration
        if (b == "taskset" && i < words.size() && !is_python(words[i].text)) ++i;
        command = i;
        continue;
      }
      if (b == "ssh" || b == "pdsh") {
        around.env.clear();
        around.env_place.style = EnvPlace::Style::none;
        ++i;
        while (i < words.size() && starts_with(words[i].text, "-")) {
          if (words[i].text.size() == 2 &&
              contains("pilohFJLRDbcEeIkmOQSWw", words[i].text.substr(1)))
            ++i;
          ++i;
        }
        command = ++i;  // behind the host
        continue;
      }
    }
    // A quoted command among the words: tmux, screen, ssh, watch, parallel…
    if (has_blank(w) && mentions_sglang(w) && words[i].at.size() == words[i].text.size()) {
      const size_t before = launches();
      read_inside(words[i], around, false);
      if (launches() > before) return true;
    }
    if (b == "sglang" && i + 1 < words.size() && words[i + 1].text == "serve") {
      // In prose ("run sglang serve with …") nothing that follows is a flag.
      if (i == command || i + 2 == words.size() || is_flag(words[i + 2].text) ||
          one_of(base(0), {"tmux", "screen", "kubectl", "mpirun", "mpiexec", "singularity",
                           "apptainer", "nsys", "ncu", "xargs", "enroot"}))
        return launch(i + 2, true);
    }
    if (one_of(b, {"sglang-router", "smg", "sgl-router", "sgl-model-gateway", "mini_lb"}) &&
        i == command) {
      find(kRouterLeftOut, words[i].span, {words[i].text});
      add_router(words, i + 1);
      return true;
    }
    if (dash_m(w) && i + 1 < words.size()) {
      const std::string& module = words[i + 1].text;
      if (is_router_module(module)) {
        find(kRouterLeftOut, words[i + 1].span, {module});
        add_router(words, i + 2);
        return true;
      }
      if (module == "sglang.launch_server") return launch(i + 2, false);
      if (module == "sglang" || module == "sglang.cli.main" || module == "sglang.cli") {
        if (i + 2 < words.size() && words[i + 2].text == "serve") return launch(i + 3, true);
        return false;
      }
      if (starts_with(module, "sglang.") || starts_with(module, "pip")) return false;
    }
    if (starts_with(w, "-m") && w.substr(2) == "sglang.launch_server") return launch(i + 1, false);
    if (b == "launch_server.py" &&
        (contains(w, "sglang") || (i > 0 && is_python(words[i - 1].text))))
      return launch(i + 1, false);
    ++i;
  }
  return false;
}

}  // namespace sglint
