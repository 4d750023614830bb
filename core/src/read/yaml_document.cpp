// Finds the launches in a YAML document of any kind.
#include <algorithm>
#include <set>
#include <utility>

#include "read/read_rules.h"
#include "read/templates.h"
#include "read/yaml_text.h"

namespace sglint {
namespace {

// Does a line look like `key:` or `- item`? Cheap, and before any parser runs.
bool key_line(std::string_view line) {
  size_t i = line.find_first_not_of(" \t");
  if (i == line.npos) return false;
  if (starts_with(line.substr(i), "- ") || line.substr(i) == "-") return true;
  if (starts_with(line.substr(i), "? ")) return true;
  if (line[i] == '"' || line[i] == '\'') ++i;
  const size_t begin = i;
  if (among(line, i, "\xF3")) i += 4;  // what stands for a template
  while (i < line.size() && (isalnum(static_cast<unsigned char>(line[i])) || line[i] == '_' ||
                             line[i] == '-' || line[i] == '.' || line[i] == '/'))
    ++i;
  if (i == begin) return starts_with(line.substr(i), "<<:");
  if (i < line.size() && (line[i] == '"' || line[i] == '\'')) ++i;
  while (i < line.size() && line[i] == ' ') ++i;
  return i < line.size() && line[i] == ':' &&
         (i + 1 == line.size() || line[i + 1] == ' ' || line[i + 1] == '\t' || line[i + 1] == '\r');
}

// Blocks at the left margin that have nothing to do with SGLang become spaces: they cost the parser
// next to nothing, and every offset stays. Items go with the key above them.
constexpr size_t kLargeText = 1 << 16;

std::string relevant_blocks(std::string_view s) {
  std::string out(s);
  struct Block {
    size_t begin = 0;
    bool item = false, relevant = false;
  };
  std::vector<Block> blocks(1);
  const auto speaks_of_it = [&](size_t begin, size_t end) {
    const std::string_view part = s.substr(begin, end - begin);
    for (const char* word : {"sglang", "model", "launch_server", "&", "*"})
      if (contains(part, word)) return true;
    return false;
  };
  for (size_t i = 0; i < s.size();) {
    const size_t eol = std::min(s.find('\n', i), s.size());
    const std::string_view line = s.substr(i, eol - i);
    const bool mark = starts_with(line, "---") || starts_with(line, "...");
    if (mark || (!line.empty() && line[0] != ' ' && line[0] != '\t' && key_line(line))) {
      blocks.back().relevant = blocks.back().relevant || speaks_of_it(blocks.back().begin, i);
      blocks.push_back({i, line[0] == '-' && !mark, mark});
    }
    i = eol + 1;
  }
  blocks.back().relevant = blocks.back().relevant || speaks_of_it(blocks.back().begin, s.size());
  for (size_t b = 0, head = 0; b < blocks.size(); ++b) {
    if (!blocks[b].item) head = b;
    blocks[head].relevant = blocks[head].relevant || blocks[b].relevant;
  }
  for (size_t b = 0; b < blocks.size(); ++b) {
    if (blocks[b].relevant) continue;
    const size_t end = b + 1 < blocks.size() ? blocks[b + 1].begin : s.size();
    for (size_t k = blocks[b].begin; k < end; ++k)
      if (out[k] != '\n') out[k] = ' ';
  }
  return out;
}

class Document {
 public:
  Document(Reader& reader, const Source& source) : reader_(reader), source_(source) {}

  bool read(const YamlNode& root) {
    const size_t before = reader_.launches();
    walk(root, "", true, false);
    return reader_.launches() > before || taken_;
  }

 private:
  void walk(const YamlNode& node, std::string_view name, bool top, bool in_containers) {
    if (node.is_scalar()) {
      command_text(node, name);
      return;
    }
    if (node.anchored && !seen_.insert(&node).second) return;  // an alias of what was read
    if (node.is_sequence()) {
      sequence(node, name, in_containers);
      return;
    }
    const YamlNode* services = node.find("services");
    if (services && services->is_mapping()) {
      const size_t before = reader_.launches();
      bool taken = false;
      for (const auto& [key, value] : services->pairs)
        if (value->is_mapping())
          taken |= container(reader_, source_, with_merges(*value), key->text, true, {});
      taken_ |= taken;
      if (taken || reader_.launches() > before) return;  // else others', such as Dynamo's
    }
    if (const YamlNode* roles = node.find("sglang_config")) {
      recipe(node, *roles);
      return;
    }
    const bool runs = scalar_or_list(node.find("command")) || scalar_or_list(node.find("args")) ||
                      scalar_or_list(node.find("entrypoint")) || scalar_or_list(node.find("cmd"));
    const bool flags = looks_like_flags(node);
    if (runs && !flags) {
      const bool compose = !in_containers && !node.find("args") && !node.find("env") &&
                           (node.find("environment") || node.find("entrypoint") ||
                            node.find("deploy") || !node.find("resources"));
      const size_t before = reader_.launches();
      if (container(reader_, source_, node, name, compose, pod_) || reader_.launches() > before) {
        taken_ = true;
        return;
      }
    }
    if (flags) {
      Surroundings around;
      around.name = top ? "" : std::string(name);
      taken_ |= flag_map(reader_, source_, node, around, top);
      return;
    }
    for (const auto& [key, value] : node.pairs) {
      const std::string_view k = key->is_scalar() ? std::string_view(key->text) : "";
      const Network around = pod_;
      if (k == "containers") {  // they run side by side; initContainers run before
        const YamlNode* host = node.find("hostNetwork");
        pod_.pod = static_cast<int>(key->span.begin);
        pod_.kind = host && host->text == "true" ? Network::Kind::host : Network::Kind::own;
      }
      walk(*value, k, false, one_of(k, {"containers", "initContainers"}));
      pod_ = around;
    }
  }

  static bool scalar_or_list(const YamlNode* n) { return n && !n->is_mapping(); }

  // `<<: *base` of a compose file: what the service does not set itself comes from there.
  const YamlNode& with_merges(const YamlNode& node) {
    const YamlNode* merge = node.find("<<");
    if (!merge || !merge->is_mapping()) return node;
    auto joined = std::make_shared<YamlNode>(node);
    for (const auto& pair : merge->pairs)
      if (pair.first->is_scalar() && !node.find(pair.first->text)) joined->pairs.push_back(pair);
    kept_.push_back(joined);
    return *joined;
  }

  void sequence(const YamlNode& node, std::string_view name, bool in_containers) {
    const std::vector<Word> items = list_words(reader_, source_, node);
    if (items.empty()) {
      for (const YamlPtr& item : node.items) walk(*item, name, false, in_containers);
      return;
    }
    bool sglang = false, model = false;
    for (const Word& w : items) {
      sglang = sglang || mentions_sglang(w.text);
      model = model || starts_with(w.text, "--model");
    }
    if (!sglang && !model) return;
    Surroundings around;
    around.form = node.style == YamlNode::Style::flow ? Form::json_list : Form::kubernetes;
    std::vector<Word> words = items;
    const size_t before = reader_.launches();
    if (is_flag(words[0].text) || reader_.inserted(words[0])) {
      if (model) reader_.add_launch(std::move(words), 0, around);
    } else {
      taken_ |= reader_.read_words(words, around);
    }
    if (reader_.launches() > before) {
      check_items(reader_, items);
      return;
    }
    // A list of script lines: each item is a command of its own.
    for (const YamlPtr& item : node.items) command_text(*item, name);
  }

  // A string that holds a command line: `run: |`, `script:`…
  void command_text(const YamlNode& node, std::string_view name) {
    if (!mentions_sglang(node.text) || node.text.find_first_of(" \n") == std::string::npos) return;
    Word w = scalar_word(reader_, source_, node, reader_.context(Writing::yaml_map, source_));
    if (w.at.size() != w.text.size()) w.at = decode_scalar(source_, node).at;
    w.inside = reader_.context(writing_of(node.style), w.context);
    Surroundings around;
    around.name = std::string(name);
    reader_.read_inside(w, around, true);
  }

  // One map of arguments for each role, with an environment beside it.
  void recipe(const YamlNode& node, const YamlNode& roles) {
    if (looks_like_flags(roles)) {
      Surroundings around;
      environment(node.find("environment"), around);
      taken_ |= flag_map(reader_, source_, roles, around, false);
    } else {
      for (const auto& [key, value] : roles.pairs) {
        if (!value->is_mapping() || !key->is_scalar()) continue;
        Surroundings around;
        around.name = key->text;
        environment(node.find("environment"), around);
        environment(node.find(key->text + "_environment"), around);
        taken_ |= flag_map(reader_, source_, *value, around, false);
      }
    }
    for (const auto& [key, value] : node.pairs)
      if (key->text != "sglang_config" && !ends_with(key->text, "environment"))
        walk(*value, key->text, false, false);
  }

  void environment(const YamlNode* env, Surroundings& around) {
    if (!env || !env->is_mapping()) return;
    const std::string_view s = source_.text();
    for (const auto& [key, value] : env->pairs) {
      if (!key->is_scalar() || !value->is_scalar()) continue;
      EnvSetting e;
      e.name = key->text;
      e.value = value->text;
      e.unknown = is_placeholder(e.value) || contains(e.value, "${");
      e.secret = is_secret_name(e.name);
      e.span = source_.span(key->span.begin, value->span.end);
      e.value_span = source_.span(value->span.begin, value->span.end);
      e.context = reader_.context(Writing::yaml_map, source_);
      size_t begin = key->span.begin;
      while (begin > 0 && s[begin - 1] != '\n') --begin;
      const size_t eol = s.find('\n', value->span.end);
      if (env->style == YamlNode::Style::block)
        e.removal = source_.span(begin, eol == s.npos ? s.size() : eol + 1);
      put_setting(around.env, std::move(e));
    }
    if (env->style == YamlNode::Style::block && !env->pairs.empty()) {
      around.env_place.style = EnvPlace::Style::yaml_map;
      around.env_place.at = source_.span(env->pairs.back().second->span.end, 0).begin;
      around.env_place.before = "\n" + std::string(env->pairs.back().first->mark.column, ' ');
      around.env_place.context = reader_.context(Writing::yaml_map, source_);
    }
  }

  Reader& reader_;
  const Source& source_;
  bool taken_ = false;
  Network pod_;
  std::set<const YamlNode*> seen_;
  std::vector<YamlPtr> kept_;
};

}  // namespace

bool Reader::read_yaml(const Source& source) {
  if (!has_templates(source.text())) return read_plain_yaml(source);
  const Templates rendered = render_templates(source);
  const size_t launch = launches(), router = out_.routers.size(), finding = out_.findings.size();
  const Templates* const around = std::exchange(templates, &rendered);
  const bool taken = read_plain_yaml(source.with(rendered.text));
  templates = around;
  put_back(rendered, launch, router, finding);
  return taken;
}

// The templates stand again in all that was found.
void Reader::put_back(const Templates& t, size_t launch, size_t router, size_t finding) {
  const auto cut = [&](const std::vector<Span>& places, Span within) {
    std::string names;
    size_t count = 0;
    for (auto i = std::lower_bound(places.begin(), places.end(), within.begin,
                                   [](Span a, uint32_t at) { return a.begin < at; });
         i != places.end() && i->end <= within.end; ++i) {
      if (++count > 3) return names + ", …";
      names += (count > 1 ? ", " : "") + std::string(text_.substr(i->begin, i->end - i->begin));
    }
    return names;
  };
  for (size_t i = launch; i < out_.launches.size(); ++i) {
    Launch& l = out_.launches[i];
    l.templated = true;
    for (std::string* s : {&l.version, &l.name, &l.env_place.before, &l.env_place.after})
      t.restore(*s);
    for (std::string& s : l.assumptions) t.restore(s);
    for (Token& token : l.argv) t.restore(token.text);
    for (EnvSetting& e : l.env) {
      t.restore(e.name);
      t.restore(e.value);
    }
    if (const std::string names = cut(t.conditions, l.span); !names.empty())
      l.assumptions.push_back(fill(
          "What stands behind {} counts as given, and what stands behind else does not.", {names}));
    if (const std::string names = cut(t.left_out, l.span); !names.empty())
      l.assumptions.push_back(fill("What {} stands for is not known.", {names}));
  }
  for (size_t i = router; i < out_.routers.size(); ++i)
    for (Token& token : out_.routers[i].argv) t.restore(token.text);
  for (size_t i = finding; i < out_.findings.size(); ++i) {
    t.restore(out_.findings[i].message);
    for (TextEdit& e : out_.findings[i].edits) t.restore(e.text);
  }
}

bool Reader::read_plain_yaml(const Source& source) {
  const std::string_view s = source.text();
  YamlLines lines;
  size_t i = 0;
  bool first = true, first_is_key = false;
  for (int line = 0; i < s.size() && line < 200; ++line) {
    const size_t eol = std::min(s.find('\n', i), s.size());
    const std::string_view text = s.substr(i, eol - i);
    i = eol + 1;
    const size_t c = text.find_first_not_of(" \t\r");
    if (c == text.npos || text[c] == '#' || starts_with(text, "---") || starts_with(text, "%"))
      continue;
    const bool key = key_line(text);
    if (first) {
      first_is_key = key;
      lines.braces = text[c] == '{' || text[c] == '[';
    }
    first = false;
    ++(key ? lines.keys : lines.other);
  }
  return (first_is_key || lines.braces) && read_documents(source, lines);
}

bool Reader::read_documents(const Source& source, const YamlLines& lines) {
  const std::string_view s = source.text();
  const auto [keys, other, braces] = lines;
  // A large text that never says what SGLang needs is a log or noise: not worth a parser.
  if (s.size() > (1 << 14) && !contains(s, "sglang") && !contains(s, "model")) return false;
  const std::string relevant = s.size() > kLargeText ? relevant_blocks(s) : std::string();
  YamlStream stream = parse_yaml(relevant.empty() ? s : std::string_view(relevant));
  const size_t before = out_.launches.size();
  const size_t found_before = out_.findings.size();
  if (stream.partial && !braces) stream.documents.push_back(std::move(stream.partial));
  bool taken = false;
  for (const YamlPtr& root : stream.documents) {
    if (out_.launches.size() > 5000) break;
    taken |= Document(*this, source).read(*root);
  }
  const auto unclosed = [&] {
    if (!templates || !templates->unclosed) return false;
    find(kUnclosedTemplate, *templates->unclosed, {});
    return true;
  };
  if (stream.error) {
    const bool certain = taken || (keys >= 2 && keys >= other) ||
                         (keys >= 1 && (contains(s, "model-path") || contains(s, "model_path")) &&
                          !contains(s, "--model"));
    if (!certain || (braces && out_.launches.size() == before)) {
      out_.findings.resize(found_before);
      out_.launches.resize(before);
      return false;
    }
    const Span at = source.span(stream.error->span.begin, stream.error->span.end);
    // What follows a template that is not closed may well be broken by it.
    if (!unclosed()) find(kBrokenYaml, at, {stream.error->one_line()});
    return true;
  }
  if (!taken && out_.launches.size() == before) {
    out_.findings.resize(found_before);
    return false;
  }
  unclosed();
  return true;
}

}  // namespace sglint
