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

// Arguments that dynamo.sglang, a worker around SGLang's engine, takes itself.
bool of_dynamo(std::string_view word) {
  for (const char* own : {"--dyn-",
                          "--multimodal-",
                          "--disagg-config",
                          "--media-output-",
                          "--endpoint",
                          "--store-kv",
                          "--discovery-backend",
                          "--request-plane",
                          "--event-plane",
                          "--migration-limit",
                          "--connector",
                          "--custom-jinja-template",
                          "--dump-config-to",
                          "--embedding-worker",
                          "--image-diffusion-worker",
                          "--video-generation-worker",
                          "--use-sglang-tokenizer",
                          "--durable-kv-events",
                          "--enable-local-indexer",
                          "--output-modalities",
                          "--namespace"})
    if (starts_with(word, own)) return true;
  return false;
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

// Flags that only the server of diffusion models has.
bool of_diffusion(std::string_view word) {
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

// Looks through the words of one command for the place where SGLang's arguments begin.
class CommandSearch {
 public:
  // `installed` is what `pip install sglang==…` says of the launches below.
  CommandSearch(Reader& reader, Surroundings& installed, std::vector<Word>& words,
                Surroundings around)
      : reader_(reader), installed_(installed), words_(words), around_(std::move(around)) {}

  // True if the words were taken, also when the command is left out on purpose.
  bool run() {
    while (i_ < words_.size()) {
      Step step = i_ == command_ ? at_command() : Step::other;
      if (step == Step::other) step = at_program();
      if (step == Step::taken || step == Step::dropped) return step == Step::taken;
      if (step == Step::other) ++i_;
    }
    return false;
  }

 private:
  enum class Step : uint8_t {
    other,    // the word is none of those asked for
    moved,    // the search goes on at i_
    taken,    // the command was read
    dropped,  // it launches nothing
  };
  static Step taken_if(bool taken) { return taken ? Step::taken : Step::dropped; }

  std::string_view base(size_t k) const { return base_name(words_[k].text); }
  bool is(size_t k, const char* word) const { return k < words_.size() && words_[k].text == word; }
  bool dash(size_t k) const { return k < words_.size() && starts_with(words_[k].text, "-"); }

  bool read_inside(size_t k, bool own_shell) {
    const size_t before = reader_.launches();
    reader_.read_inside(words_[k], around_, own_shell);
    return reader_.launches() > before;
  }

  // Where the name of a command is expected.
  Step at_command() {
    const std::string& w = words_[i_].text;
    const std::string_view b = base(i_);
    if (only_talks(b)) {
      if (starts_with(b, "pip")) note_installed();
      return Step::dropped;
    }
    // 'A=1 sglang serve …' in quotes is a command line of its own.
    if (!assigned_name(w).empty() && !(has_blank(w) && mentions_sglang(w))) {
      EnvSetting e = env_setting(words_[i_]);
      if (i_ + 1 < words_.size() && words_[i_ + 1].span.begin >= words_[i_].span.end)
        e.removal = {words_[i_].span.begin, words_[i_ + 1].span.begin};
      put_setting(around_.env, std::move(e));
      command_ = ++i_;
      return Step::moved;
    }
    if (one_of(b, {"docker", "podman", "nerdctl"})) return container();
    if (is_shell(b)) return shell();
    if (one_of(b, {"eval",   "exec",      "nohup",    "setsid", "command", "builtin",   "time",
                   "sudo",   "env",       "unbuffer", "doas",   "tini",    "dumb-init", "nice",
                   "stdbuf", "catchsegv", "conda",    "uv",     "poetry",  "timeout",   "ionice",
                   "chrt",   "taskset",   "numactl",  "srun"}))
      return wrapper(b);
    if (b == "ssh" || b == "pdsh") return remote();
    return Step::other;
  }

  void note_installed() {
    for (const Word& word : words_) {
      const std::string_view version = pinned(word.text);
      if (version.empty()) continue;
      installed_.release = parse_release(version);
      installed_.version = installed_.release ? "" : std::string(version);
      if (!installed_.release) installed_.release = nearest_release(version);
      installed_.version_span = word.span;
    }
  }

  // docker run, create or exec.
  Step container() {
    size_t k = i_ + 1;
    for (; dash(k); ++k)
      if (one_of(words_[k].text, {"-H", "--host", "--context", "-c", "--config"})) ++k;
    if (is(k, "container")) ++k;
    if (k >= words_.size()) return Step::other;
    const std::string& verb = words_[k].text;
    if (one_of(verb,
               {"pull", "build", "push", "images", "logs", "ps", "stop", "rm", "tag", "inspect"}))
      return Step::dropped;
    if (!one_of(verb, {"run", "create", "exec"})) return Step::other;
    const bool run = verb != "exec";
    around_.env.clear();
    around_.form = Form::docker;
    around_.env_place.style = EnvPlace::Style::docker_option;
    around_.env_place.at = words_[k].span.end;
    around_.env_place.context = words_[k].context;
    ++k;
    const bool more = docker_options(words_, k, run, around_);
    // Its shell is where the commands below are typed.
    const bool shell = std::none_of(words_.begin() + static_cast<long>(k), words_.end(),
                                    [](const Word& w) { return mentions_sglang(w.text); });
    if (run && shell && (around_.release || !around_.version.empty())) {
      installed_ = {};
      installed_.release = around_.release;
      installed_.version = around_.version;
      installed_.version_span = around_.version_span;
      installed_.machine = around_.machine;
      installed_.machine_word = around_.machine_word;
    }
    if (!more) return Step::dropped;
    if (k < words_.size() && is_flag(words_[k].text) && !dash_m(words_[k].text)) {
      if (run && !mentions_sglang(words_[k - 1].text)) return Step::dropped;
      reader_.find(kImageWithoutProgram, words_[k].span, {words_[k].text});
      return launch(k);
    }
    command_ = i_ = k;
    return Step::moved;
  }

  // bash -c '…'
  Step shell() {
    for (size_t k = i_ + 1; k < words_.size(); ++k) {
      const std::string& option = words_[k].text;
      if (!starts_with(option, "-") && !starts_with(option, "+")) break;
      if (one_of(option, {"-o", "-O", "--rcfile", "--init-file"}))
        ++k;
      else if (option.size() > 1 && option[1] != '-' && contains(option, "c"))
        return taken_if(k + 1 < words_.size() && read_inside(k + 1, true));
    }
    return Step::dropped;
  }

  // Programs that run the one behind them.
  Step wrapper(std::string_view b) {
    if (b == "eval" && i_ + 2 == words_.size()) return taken_if(read_inside(i_ + 1, false));
    ++i_;
    while (dash(i_) && !dash_m(words_[i_].text)) {
      const std::string& option = words_[i_].text;
      if (b == "env" && one_of(option, {"-i", "--ignore-environment", "-"})) around_.env.clear();
      if (b == "env" && option == "-S") {
        ++i_;
        continue;
      }
      if (b == "env" && one_of(option, {"-u", "--unset"}) && i_ + 1 < words_.size()) {
        const std::string& name = words_[i_ + 1].text;
        around_.env.erase(std::remove_if(around_.env.begin(), around_.env.end(),
                                         [&](const EnvSetting& e) { return e.name == name; }),
                          around_.env.end());
      }
      const bool has_value = one_of(option, {"-u", "-g", "-n", "-k", "-s", "-C", "-p", "-N", "-m",
                                             "-D", "-o", "-e", "-i", "-c", "--unset"}) &&
                             !(b == "sudo" && one_of(option, {"-i", "-s", "-n", "-k"})) &&
                             !(b == "env" && option == "-i") &&
                             !(b == "ionice" && option == "-k") &&
                             !one_of(b, {"exec", "nohup", "time", "setsid"});
      ++i_;
      if (has_value && i_ < words_.size() && !is_python(words_[i_].text) && base(i_) != "sglang")
        ++i_;
    }
    if (b == "timeout" && i_ < words_.size()) ++i_;  // its duration
    if (b == "taskset" && i_ < words_.size() && !is_python(words_[i_].text)) ++i_;
    command_ = i_;
    return Step::moved;
  }

  Step remote() {
    around_.env.clear();
    around_.env_place.style = EnvPlace::Style::none;
    ++i_;
    for (; dash(i_); ++i_)
      if (words_[i_].text.size() == 2 &&
          contains("pilohFJLRDbcEeIkmOQSWw", words_[i_].text.substr(1)))
        ++i_;
    command_ = ++i_;  // behind the host
    return Step::moved;
  }

  // At any word: is it SGLang's program, or a line that holds it?
  Step at_program() {
    const std::string& w = words_[i_].text;
    const std::string_view b = base(i_);
    // A quoted command among the words: tmux, screen, ssh, watch, parallel…
    if (has_blank(w) && mentions_sglang(w) && words_[i_].at.size() == w.size() &&
        read_inside(i_, false))
      return Step::taken;
    if (b == "sglang" && i_ == command_ && is(i_ + 1, "generate") && i_ + 2 < words_.size() &&
        is_flag(words_[i_ + 2].text)) {
      reader_.find(kDiffusionLeftOut, words_[i_ + 1].span, {"sglang generate"});
      return Step::taken;
    }
    // In prose ("run sglang serve with …") nothing that follows is a flag.
    if (b == "sglang" && is(i_ + 1, "serve") &&
        (i_ == command_ || i_ + 2 == words_.size() || is_flag(words_[i_ + 2].text) ||
         one_of(base(0), {"tmux", "screen", "kubectl", "mpirun", "mpiexec", "singularity",
                          "apptainer", "nsys", "ncu", "xargs", "enroot"})))
      return serve(i_ + 2);
    if (i_ == command_ &&
        one_of(b, {"sglang-router", "smg", "sgl-router", "sgl-model-gateway", "mini_lb"}))
      return router(i_);
    if (dash_m(w) && i_ + 1 < words_.size()) {
      const std::string& module = words_[i_ + 1].text;
      if (is_router_module(module)) return router(i_ + 1);
      if (module == "sglang.launch_server") return launch(i_ + 2);
      if (one_of(module, {"sglang", "sglang.cli.main", "sglang.cli"}))
        return is(i_ + 2, "serve") ? serve(i_ + 3) : Step::dropped;
      if (module == "dynamo.sglang") return dynamo(i_ + 2);
      if (starts_with(module, "sglang.") || starts_with(module, "pip")) return Step::dropped;
    }
    if (w == "-msglang.launch_server") return launch(i_ + 1);
    if (b == "launch_server.py" &&
        (contains(w, "sglang") || (i_ > 0 && is_python(words_[i_ - 1].text))))
      return launch(i_ + 1);
    return Step::other;
  }

  // The arguments begin at `first`.
  Step launch(size_t first) {
    reader_.add_launch(std::move(words_), first, around_);
    return Step::taken;
  }

  // Without the arguments that Dynamo's worker has besides SGLang's.
  Step dynamo(size_t first) {
    std::vector<Word> rest;
    std::string own;
    for (size_t k = 0; k < words_.size(); ++k) {
      if (k < first || !of_dynamo(words_[k].text)) {
        rest.push_back(std::move(words_[k]));
        continue;
      }
      own += (own.empty() ? "" : ", ") + words_[k].text;
      if (!contains(words_[k].text, "=") && k + 1 < words_.size() && !is_flag(words_[k + 1].text))
        ++k;
    }
    if (!own.empty()) around_.assumptions.push_back("Left out as Dynamo's own: " + own + ".");
    words_ = std::move(rest);
    return launch(first);
  }

  // `sglang serve` knows a positional model and --model-type besides.
  Step serve(size_t first) {
    for (size_t k = first; k < words_.size(); ++k)
      if (of_diffusion(words_[k].text)) return diffusion(k);
    for (size_t k = first; k < words_.size(); ++k) {
      const bool pair = words_[k].text == "--model-type";
      if (!pair && !starts_with(words_[k].text, "--model-type=")) continue;
      const size_t end = std::min(words_.size(), k + (pair ? 2 : 1));
      if (words_[end - 1].text == (pair ? "diffusion" : "--model-type=diffusion"))
        return diffusion(k);
      words_.erase(words_.begin() + static_cast<long>(k), words_.begin() + static_cast<long>(end));
      break;
    }
    if (first < words_.size() && !dash(first) && !is_flag(words_[first].text)) {
      Word flag;
      flag.text = "--model-path";
      flag.span = {words_[first].span.begin, words_[first].span.begin};
      flag.context = words_[first].context;
      words_.insert(words_.begin() + static_cast<long>(first), std::move(flag));
    }
    return launch(first);
  }

  Step diffusion(size_t k) {
    reader_.find(kDiffusionLeftOut, words_[k].span, {words_[k].text});
    return Step::taken;
  }

  Step router(size_t k) {
    reader_.find(kRouterLeftOut, words_[k].span, {words_[k].text});
    reader_.add_router(words_, k + 1);
    return Step::taken;
  }

  Reader& reader_;
  Surroundings& installed_;
  std::vector<Word>& words_;
  Surroundings around_;
  size_t i_ = 0;
  size_t command_ = 0;  // where the name of a command is expected
};

}  // namespace

bool Reader::read_words(std::vector<Word>& words, Surroundings around) {
  return CommandSearch(*this, installed_, words, std::move(around)).run();
}

}  // namespace sglint
