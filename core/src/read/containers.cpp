// Docker compose services and Kubernetes containers, and where they stand in a document.
#include <algorithm>
#include <cstdlib>

#include "read/read_rules.h"
#include "read/templates.h"
#include "read/yaml_text.h"

namespace sglint {
namespace {

std::string indent_of(const YamlNode& node) { return std::string(node.mark.column, ' '); }

uint32_t line_begin(std::string_view s, size_t i) {
  while (i > 0 && s[i - 1] != '\n') --i;
  return static_cast<uint32_t>(i);
}
uint32_t line_end(std::string_view s, size_t i) {  // behind the line break
  const size_t eol = s.find('\n', i);
  return static_cast<uint32_t>(eol == s.npos ? s.size() : eol + 1);
}

const YamlNode* path(const YamlNode& node, std::initializer_list<const char*> keys) {
  const YamlNode* at = &node;
  for (std::string_view key : keys) {
    at = at->find(key);
    if (!at) return nullptr;
  }
  return at;
}

// Compose replaces $$ by $ and ${X:-default} before anything else sees the string. What it takes
// from the host's environment stays as written, and unknown.
void interpolate(Word& w) {
  if (!contains(w.text, "$")) return;
  const std::string text = std::move(w.text);
  const std::vector<Span> at = std::move(w.at);
  w.text.clear();
  w.at.clear();
  const auto keep = [&](size_t i) {
    w.text += text[i];
    if (i < at.size()) w.at.push_back(at[i]);
  };
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '$' && i + 1 < text.size() && text[i + 1] == '$') {
      keep(++i);
      continue;
    }
    if (text[i] == '$' && i + 1 < text.size() && text[i + 1] == '{') {
      const size_t end = text.find('}', i);
      const size_t minus = text.find('-', i);
      if (end != std::string::npos && minus < end) {
        const size_t name = text[minus - 1] == ':' ? minus - 1 : minus;
        if (is_name(std::string_view(text).substr(i + 2, name - i - 2))) {
          for (size_t k = minus + 1; k < end; ++k) keep(k);
          i = end;
          continue;
        }
      }
      if (end != std::string::npos) w.unknown = true;
    } else if (text[i] == '$' && i + 1 < text.size() &&
               is_name(std::string_view(text).substr(i + 1, 1))) {
      w.unknown = true;
    }
    keep(i);
  }
}

// Kubernetes replaces $(NAME) by the container's environment; $$(NAME) escapes it.
void substitute(Word& w, const std::vector<EnvSetting>& env) {
  if (!contains(w.text, "$(")) return;
  const std::string text = std::move(w.text);
  const std::vector<Span> at = std::move(w.at);
  w.text.clear();
  w.at.clear();
  for (size_t i = 0; i < text.size();) {
    if (starts_with(std::string_view(text).substr(i), "$$(")) {
      ++i;
      w.text += text[i];
      if (i < at.size()) w.at.push_back(at[i]);
      ++i;
      continue;
    }
    const size_t end =
        starts_with(std::string_view(text).substr(i), "$(") ? text.find(')', i) : std::string::npos;
    if (end != std::string::npos) {
      const std::string_view name = std::string_view(text).substr(i + 2, end - i - 2);
      const EnvSetting* found = nullptr;
      for (const EnvSetting& e : env)
        if (e.name == name) found = &e;
      if (found && !found->unknown) {
        w.text += found->value;
        if (i < at.size())
          w.at.insert(w.at.end(), found->value.size(), Span{at[i].begin, at[end].end});
        i = end + 1;
        continue;
      }
      if (is_name(name)) w.unknown = true;
    }
    w.text += text[i];
    if (i < at.size()) w.at.push_back(at[i]);
    ++i;
  }
}

class Container {
 public:
  Container(Reader& reader, const Source& source, const YamlNode& node, std::string_view name,
            bool compose, const Network& pod)
      : reader_(reader), source_(source), node_(node), compose_(compose) {
    around_.form = compose ? Form::compose : Form::kubernetes;
    around_.name = std::string(name);
    around_.network = pod;
    if (compose) around_.network.kind = Network::Kind::own;
  }

  bool read() {
    if (const YamlNode* image = node_.find("image")) {
      Word w;
      const YamlNode* repository = image->find("repository");  // Helm's values
      const YamlNode* tag = image->find("tag");
      w.text = repository && tag ? repository->text + ":" + tag->text : image->text;
      interpolate(w);
      if (reader_.templates) {
        std::string usual = w.text;
        if (reader_.templates->restore(usual, true)) {
          around_.assumptions.push_back(
              fill("Image: {} for {}, by its defaults.", {usual, w.text}));
          w.text = usual;
        }
      }
      image_ = w.text;
      const Span at = (tag ? tag : image)->span;
      take_image(around_, image_, source_.span(at.begin, at.end));
    }
    hidden_environment();
    if (const YamlNode* n = node_.find("container_name"); n && n->is_scalar())
      around_.name = n->text;
    if (!compose_)
      if (const YamlNode* n = node_.find("name"); n && n->is_scalar()) around_.name = n->text;
    environment();
    resources();
    ports();
    around_.span = source_.span(node_.span.begin, node_.span.end);
    const size_t before = reader_.launches();
    commands();
    return reader_.launches() > before || taken_;
  }

 private:
  const YamlNode* first_of(std::initializer_list<const char*> keys) const {
    for (std::string_view key : keys)
      if (const YamlNode* n = node_.find(key)) return n;
    return nullptr;
  }

  void setting(const std::string& name, const YamlNode& value, Span whole, Span removal,
               uint16_t context) {
    Word w = scalar_word(reader_, source_, value, context);
    if (compose_) interpolate(w);
    EnvSetting e;
    e.name = name;
    e.value = w.text;
    e.unknown = w.unknown || is_placeholder(e.value);
    e.secret = is_secret_name(name);
    e.span = whole;
    e.value_span = w.span;
    e.removal = removal;
    e.context = context;
    put_setting(around_.env, std::move(e));
  }

  // Variables whose values stand somewhere else.
  void hidden_environment() {
    for (std::string_view key : {"env_file", "envFrom"})
      if (const YamlNode* from = node_.find(key)) {
        std::string names = from->text;
        for (const YamlPtr& item : from->items) {
          const YamlNode* path = item->find("path");
          if (item->is_scalar() || path)
            names += (names.empty() ? "" : ", ") + (path ? path->text : item->text);
        }
        around_.assumptions.push_back(
            fill("The variables in {} are not known.",
                 {names.empty() ? std::string(key) : names + " (" + std::string(key) + ")"}));
      }
    std::string names;
    if (const YamlNode* env = node_.find("env"))
      for (const YamlPtr& item : env->items)
        if (const YamlNode* name = item->find("name"); name && item->find("valueFrom"))
          names += (names.empty() ? "" : ", ") + name->text;
    if (!names.empty())
      around_.assumptions.push_back(
          fill("The values of {} come from the cluster (valueFrom) and are not known.", {names}));
  }

  Span lines(const YamlNode& first, const YamlNode& last) const {
    const std::string_view s = source_.text();
    return source_.span(line_begin(s, first.span.begin), line_end(s, last.span.end));
  }

  void environment() {
    const YamlNode* env = first_of({"environment", "env"});
    const std::string_view s = source_.text();
    const uint16_t context = reader_.context(Writing::yaml_map, source_);
    EnvPlace& place = around_.env_place;
    place.context = context;
    if (env && env->is_mapping()) {
      const bool block = env->style == YamlNode::Style::block && !source_.nested();
      for (const auto& [key, value] : env->pairs) {
        if (!key->is_scalar() || !value->is_scalar()) continue;
        if (value->style == YamlNode::Style::plain && (value->text.empty() || value->text == "~"))
          continue;  // handed on from the host
        setting(key->text, *value, source_.span(key->span.begin, value->span.end),
                block ? lines(*key, *value) : Span{}, context);
      }
      if (block && !env->pairs.empty()) {
        place.style = EnvPlace::Style::yaml_map;
        const YamlNode& last = *env->pairs.back().second;
        const YamlNode& key = *env->pairs.back().first;
        place.at = source_.span(std::max(last.span.end, key.span.end), 0).begin;
        place.before = "\n" + indent_of(key);
      }
    } else if (env && env->is_sequence()) {
      const bool block = env->style == YamlNode::Style::block && !source_.nested();
      const uint16_t list =
          reader_.context(block ? Writing::yaml_block_list : Writing::yaml_flow_list, source_);
      for (const YamlPtr& item : env->items) {
        if (item->is_scalar()) {
          Word w = scalar_word(reader_, source_, *item, list);
          if (compose_) interpolate(w);
          if (!contains(w.text, "=")) continue;
          EnvSetting e = env_setting(w);
          if (block) e.removal = lines(*item, *item);
          put_setting(around_.env, std::move(e));
        } else if (item->is_mapping()) {
          const YamlNode* name = item->find("name");
          const YamlNode* value = item->find("value");
          if (!name || !value || !name->is_scalar() || !value->is_scalar()) continue;
          setting(name->text, *value, source_.span(item->span.begin, item->span.end),
                  block ? Span{source_.span(line_begin(s, item->span.begin), 0).begin,
                               source_.span(0, line_end(s, item->span.end)).end}
                        : Span{},
                  context);
        }
      }
      if (block && !env->items.empty()) {
        const YamlNode& last = *env->items.back();
        const uint32_t begin = line_begin(s, last.span.begin);
        std::string before(s.substr(begin, last.span.begin - begin));
        place.at = source_.span(last.span.end, 0).begin;
        place.style =
            last.is_mapping() ? EnvPlace::Style::yaml_name_value : EnvPlace::Style::yaml_list;
        const size_t dash = before.find_last_of('-');
        place.before = "\n" + (dash == std::string::npos ? before : before.substr(0, dash)) + "- ";
      }
    }
    if (place.style != EnvPlace::Style::none || source_.nested() || env) return;
    // A section of its own, before the command.
    for (const auto& [key, value] : node_.pairs) {
      if (!key->is_scalar() || !one_of(key->text, {"command", "args", "entrypoint"})) continue;
      const std::string indent = indent_of(*key);
      place.at = source_.span(key->span.begin, 0).begin;
      place.style = compose_ ? EnvPlace::Style::yaml_map : EnvPlace::Style::yaml_name_value;
      place.before = compose_ ? "environment:\n" + indent + "  " : "env:\n" + indent + "- ";
      place.after = "\n" + indent;
      break;
    }
  }

  void resources() {
    for (const char* kind : {"limits", "requests"}) {
      if (const YamlNode* limits = path(node_, {"resources", kind}))
        for (const auto& [key, value] : limits->pairs)
          if (ends_with(key->text, "/gpu") && value->is_scalar() && !around_.gpu_count &&
              !value->text.empty() && value->text[0] >= '0' && value->text[0] <= '9')
            around_.gpu_count = atoi(value->text.c_str());
    }
    if (const YamlNode* devices = path(node_, {"deploy", "resources", "reservations", "devices"}))
      for (const YamlPtr& device : devices->items) {
        if (const YamlNode* count = device->find("count");
            count && count->is_scalar() && !count->text.empty() && count->text[0] >= '0' &&
            count->text[0] <= '9')
          around_.gpu_count = atoi(count->text.c_str());
        if (const YamlNode* ids = device->find("device_ids"))
          around_.gpu_count = static_cast<int>(ids->items.size());
      }
  }

  void ports() {
    if (const YamlNode* mode = node_.find("network_mode"))
      if (mode->text == "host") around_.network.kind = Network::Kind::host;
    const YamlNode* list = node_.find("ports");
    if (!list) return;
    for (const YamlPtr& port : list->items) {
      const Span span = source_.span(port->span.begin, port->span.end);
      Word w;
      w.text = port->text;
      for (std::string_view key : {"target", "containerPort"})
        if (const YamlNode* n = port->find(key)) w.text = n->text;
      for (std::string_view key : {"published", "hostPort"})
        if (const YamlNode* n = port->find(key)) w.text = n->text + ":" + w.text;
      if (compose_) interpolate(w);
      around_.network.published.push_back(published_port(w.text, span));
    }
  }

  void commands() {
    const YamlNode* entry = node_.find("entrypoint");
    const YamlNode* command = first_of({"command", "cmd"});
    const YamlNode* args = node_.find("args");
    // A string alone is a command line.
    const YamlNode* parts[] = {entry, command, args};
    int strings = 0, present = 0;
    const YamlNode* only = nullptr;
    for (const YamlNode* part : parts) {
      if (!part) continue;
      if (part->is_mapping()) return;
      if (part->is_scalar() && part->text.empty()) continue;
      ++present;
      only = part;
      if (part->is_scalar()) ++strings;
    }
    if (present == 1 && strings == 1) {
      shell_text(*only);
      return;
    }
    std::vector<Word> words;
    for (const YamlNode* part : parts) {
      if (!part) continue;
      if (part->is_scalar()) {
        if (part->text.empty()) continue;
        Word w = scalar_word(reader_, source_, *part, reader_.context(Writing::yaml_map, source_));
        prepare(w);
        fill_origin(w, *part);
        kept_.push_back(std::make_unique<Word>(std::move(w)));
        const Word& held = *kept_.back();
        const Source inner(held.text, held.at.data(), held.inside);
        // A string beside an entry point that is a shell is that shell's script.
        for (Word& word : split_words(reader_, inner)) words.push_back(std::move(word));
        continue;
      }
      std::vector<Word> items = list_words(reader_, source_, *part);
      for (Word& w : items) {
        prepare(w);
        words.push_back(std::move(w));
      }
    }
    if (words.empty()) return;
    if (is_flag(words[0].text) || reader_.inserted(words[0])) {
      bool model = contains(image_, "sglang");
      for (const Word& w : words)
        model = model || starts_with(w.text, "--model-path") || w.text == "--model";
      if (!model) return;
      check_items(reader_, words);
      reader_.add_launch(std::move(words), 0, around_);
      return;
    }
    std::vector<Word> copy = words;
    const size_t before = reader_.launches();
    taken_ = reader_.read_words(words, around_);
    if (reader_.launches() > before) check_items(reader_, copy);
  }

  void prepare(Word& w) const {
    if (compose_) {
      interpolate(w);
    } else {
      substitute(w, around_.env);
      if (contains(w.text, "${") && w.text.find(' ') == std::string::npos) w.unknown = true;
    }
  }

  void fill_origin(Word& w, const YamlNode& node) const {
    if (w.at.size() != w.text.size()) w.at = decode_scalar(source_, node).at;
    w.at.resize(w.text.size(), w.span);
    w.inside = reader_.context(writing_of(node.style), reader_.context(Writing::yaml_map, source_));
  }

  void shell_text(const YamlNode& node) {
    Word w = scalar_word(reader_, source_, node, reader_.context(Writing::yaml_map, source_));
    prepare(w);
    w.unknown = false;
    fill_origin(w, node);
    const size_t before = reader_.launches();
    const bool alone = reader_.flags_alone;
    reader_.read_inside(w, around_, true);
    if (reader_.launches() == before && is_flag(w.text) &&
        (contains(w.text, "--model") || contains(image_, "sglang"))) {
      const Source inner(w.text, w.at.data(), w.inside);
      std::vector<Word> words = split_words(reader_, inner);
      if (!words.empty()) reader_.add_launch(std::move(words), 0, around_);
    }
    reader_.flags_alone = alone;
  }

  Reader& reader_;
  const Source& source_;
  const YamlNode& node_;
  const bool compose_;
  Surroundings around_;
  std::string image_;
  bool taken_ = false;
  std::vector<std::unique_ptr<Word>> kept_;
};

}  // namespace

bool container(Reader& reader, const Source& source, const YamlNode& node, std::string_view name,
               bool compose, const Network& pod) {
  return Container(reader, source, node, name, compose, pod).read();
}

}  // namespace sglint
