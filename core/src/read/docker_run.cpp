// The options of `docker run` and `docker exec`, up to the image or container.
#include <cstdlib>

#include "read/reader.h"

namespace sglint {
namespace {

bool takes_no_value(std::string_view option) {
  return one_of(option, {"-d",
                         "--detach",
                         "-i",
                         "--interactive",
                         "-t",
                         "--tty",
                         "--rm",
                         "--privileged",
                         "--init",
                         "--read-only",
                         "--no-healthcheck",
                         "-P",
                         "--publish-all",
                         "--oom-kill-disable",
                         "--sig-proxy",
                         "--disable-content-trust",
                         "-q",
                         "--quiet",
                         "--replace",
                         "--help",
                         "--no-trunc",
                         "--userns-remap",
                         "--tls"});
}

// 4, "device=0,1", all, 'all,capabilities=utility'
std::optional<int> gpus_of(std::string_view value) {
  std::string v;
  for (const char c : value)
    if (c != '"' && c != '\'') v += c;
  if (starts_with(v, "device=")) {
    int n = 1;
    for (const char c : v.substr(7)) n += c == ',' ? 1 : 0;
    return n;
  }
  if (starts_with(v, "count=")) v.erase(0, 6);
  if (!v.empty() && v[0] >= '0' && v[0] <= '9') return atoi(v.c_str());
  return std::nullopt;
}

struct ImageKind {
  std::string_view word, machine;
};
constexpr ImageKind kImageKinds[] = {
    {"mi30x", "mi300x"}, {"mi35x", "mi355x"}, {"rocm", "mi300x"}, {"cann", "npu"},
    {"npu", "npu"},      {"xpu", "xpu"},      {"xeon", "cpu"},    {"blackwell", "b200"},
};

}  // namespace

// v0.5.18, v0.5.18-cu129, v0.5.18.post1-rocm630-mi30x, latest, none at all, a digest
void take_image(Surroundings& around, std::string_view image, Span span) {
  around.release = std::nullopt;
  around.version.clear();
  around.machine = around.machine_word = {};
  const size_t at = image.find('@');
  std::string_view name = image.substr(0, at);
  const size_t slash = name.find_last_of('/');
  const size_t colon = name.find(':', slash == name.npos ? 0 : slash);
  std::string_view tag = colon == name.npos ? std::string_view() : name.substr(colon + 1);
  name = name.substr(0, colon);
  if (!contains(name, "sglang") && !contains(name, "sgl-dev")) return;
  if (contains(name, "ai-dynamo/")) return;  // its releases are counted otherwise
  for (const ImageKind& kind : kImageKinds)
    if (around.machine.empty() && contains(tag, kind.word))
      around.machine = kind.machine, around.machine_word = kind.word;
  around.release = parse_release(tag.substr(0, tag.find('-')));
  if (around.release) return;
  around.version = std::string(!tag.empty()       ? tag
                               : at != image.npos ? image.substr(at + 1)
                                                  : "latest");
  around.release = nearest_release(tag.substr(0, tag.find('-')));
  around.version_span = span;
}

Network::Published published_port(std::string_view text, Span span) {
  text = text.substr(0, text.find('/'));
  const size_t colon = text.rfind(':');
  const auto number = [](std::string_view s) {
    return s.find_first_not_of("0123456789") == s.npos && s.size() < 6
               ? atoi(std::string(s).c_str())
               : 0;
  };
  if (colon == text.npos) return {0, number(text), span};
  const std::string_view outside = text.substr(0, colon);
  const size_t host = outside.rfind(':');
  return {number(outside.substr(host == outside.npos ? 0 : host + 1)),
          number(text.substr(colon + 1)), span};
}

bool docker_options(std::vector<Word>& words, size_t& i, bool run, Surroundings& around) {
  around.network = {};
  if (run) around.network.kind = Network::Kind::own;
  Word entrypoint;
  bool has_entrypoint = false;
  const auto env = [&](const Word& w, size_t from) {
    EnvSetting e;
    if (!contains(w.text, "=")) {
      // -e NAME hands the value of the calling shell on.
      if (around.shell) {
        const auto found = around.shell->variables.find(w.text);
        if (found != around.shell->variables.end() && found->second.exported)
          e = found->second.setting;
      }
      if (e.name.empty()) return;
    } else {
      e.name = w.text.substr(0, w.text.find('='));
      e.value = w.text.substr(e.name.size() + 1);
      e.unknown = w.unknown || is_placeholder(e.value);
      e.secret = is_secret_name(e.name);
      e.context = w.context;
    }
    e.span = w.span;
    // Removed with its option and the space or the line break before it.
    if (from > 0 && words[from - 1].span.end <= words[from].span.begin)
      e.removal = {words[from - 1].span.end, w.span.end};
    put_setting(around.env, std::move(e));
  };
  while (i < words.size() && starts_with(words[i].text, "-")) {
    const std::string& w = words[i].text;
    const size_t from = i;
    if (w == "--") {
      ++i;
      break;
    }
    std::string_view name = w;
    std::string_view value;
    bool has_value = false;
    if (starts_with(w, "--")) {
      const size_t equals = w.find('=');
      if (equals != w.npos) {
        name = std::string_view(w).substr(0, equals);
        value = std::string_view(w).substr(equals + 1);
        has_value = true;
      }
    } else if (w.size() > 2) {
      // -it, -dit; -p30000:30000, -eNAME=value
      bool flags = true;
      for (const char c : w.substr(1)) flags = flags && contains("ditPq", std::string_view(&c, 1));
      if (flags) {
        ++i;
        continue;
      }
      name = std::string_view(w).substr(0, 2);
      value = std::string_view(w).substr(2);
      has_value = true;
    }
    ++i;
    if (!has_value && !takes_no_value(name)) {
      if (i >= words.size()) return false;
      value = words[i++].text;
    }
    const Word& holder = words[i - 1];
    if (name == "-e" || name == "--env") {
      Word w2 = holder;
      if (has_value) {
        w2.text = std::string(value);
        const uint32_t skip = static_cast<uint32_t>(w.size() - value.size());
        if (w2.span.end - w2.span.begin > skip) w2.span.begin += skip;
      }
      env(w2, from);
    } else if (name == "--env-file") {
      around.assumptions.push_back(
          fill("The variables in {} (--env-file) are not known.", {value}));
    } else if (name == "--gpus") {
      around.gpu_count = gpus_of(value);
    } else if (one_of(name, {"--network", "--net"})) {
      if (run && value == "host") around.network.kind = Network::Kind::host;
    } else if (one_of(name, {"-p", "--publish"})) {
      around.network.published.push_back(published_port(value, holder.span));
    } else if (name == "--name") {
      around.name = std::string(value);
    } else if (name == "--entrypoint") {
      entrypoint = holder;
      entrypoint.text = std::string(value);
      has_entrypoint = true;
    }
  }
  if (i >= words.size()) return false;
  if (run) take_image(around, words[i].text, words[i].span);
  around.env_place.at = words[i].span.begin;
  around.env_place.context = words[i].context;
  ++i;
  if (has_entrypoint) words.insert(words.begin() + static_cast<long>(i), entrypoint);
  return i < words.size();
}

}  // namespace sglint
