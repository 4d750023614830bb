// From the words behind SGLang's program to a launch.
#include <algorithm>

#include "read/read_rules.h"
#include "read/reader.h"

namespace sglint {

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
  launch.machine = said.machine;
  launch.machine_word = said.machine_word;
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

}  // namespace sglint
