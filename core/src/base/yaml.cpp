#include "base/yaml.h"

#include <yaml.h>

#include <algorithm>
#include <cstdio>
#include <map>

#include "base/text.h"

namespace sglint {
namespace {

constexpr int kMaxDepth = 200;

// libyaml's words where PyYAML says the same thing differently.
constexpr std::pair<std::string_view, std::string_view> kPyYamlWords[] = {
    {"mapping values are not allowed in this context", "mapping values are not allowed here"},
    {"mapping keys are not allowed in this context", "mapping keys are not allowed here"},
    {"block sequence entries are not allowed in this context",
     "sequence entries are not allowed here"},
    {"found unexpected document indicator", "found unexpected document separator"},
    {"found an indentation indicator equal to 0",
     "expected indentation indicator in the range 1-9, but found 0"},
    {"did not find expected comment or line break",
     "expected chomping or indentation indicators, but found {}"},
    {"did not find expected key", "expected <block end>, but found {}"},
    {"did not find expected '-' indicator", "expected <block end>, but found {}"},
    {"did not find expected ',' or ']'", "expected ',' or ']', but got {}"},
    {"did not find expected ',' or '}'", "expected ',' or '}', but got {}"},
    {"did not find expected node content", "expected the node content, but found {}"},
    {"did not find expected <document start>", "expected '<document start>', but found {}"},
    {"found character that cannot start any token",
     "found character {} that cannot start any token"},
    {"found unknown escape character", "found unknown escape character {}"},
    {"control characters are not allowed", "special characters are not allowed"},
};

// PyYAML's name of the token that starts at `at`, for messages that quote it.
std::string_view token_name(std::string_view text, size_t at) {
  const std::string_view rest = text.substr(at);
  const bool line_start = at == 0 || text[at - 1] == '\n';
  if (rest.empty()) return "'<stream end>'";
  const char next = rest.size() > 1 ? rest[1] : ' ';
  const bool spaced = next == ' ' || next == '\n' || next == '\t' || next == '\r';
  switch (rest[0]) {
    case '[':
      return "'['";
    case ']':
      return "']'";
    case '{':
      return "'{'";
    case '}':
      return "'}'";
    case ',':
      return "','";
    case '&':
      return "'<anchor>'";
    case '*':
      return "'<alias>'";
    case '!':
      return "'<tag>'";
    case '-':
      if (line_start && starts_with(rest, "---")) return "'<document start>'";
      if (spaced) return "'-'";
      break;
    case '.':
      if (line_start && starts_with(rest, "...")) return "'<document end>'";
      break;
    case '?':
      if (spaced) return "'?'";
      break;
    case ':':
      if (spaced) return "':'";
      break;
    default:
      break;
  }
  const size_t eol = rest.find('\n');
  const std::string_view line = rest.substr(0, eol);
  if (line.find(": ") != line.npos || ends_with(line, ":")) return "'<block mapping start>'";
  return "'<scalar>'";
}

class Builder {
 public:
  explicit Builder(std::string_view text) : text_(text) {
    if (starts_with(text, "\xEF\xBB\xBF")) bom_ = 3;
    for (const char c : text)
      if (static_cast<unsigned char>(c) >= 0x80) {
        index_characters();
        break;
      }
    yaml_parser_initialize(&parser_);
    yaml_parser_set_encoding(&parser_, YAML_UTF8_ENCODING);
    const std::string_view body = text.substr(bom_);
    yaml_parser_set_input_string(&parser_, reinterpret_cast<const unsigned char*>(body.data()),
                                 body.size());
  }
  ~Builder() { yaml_parser_delete(&parser_); }
  Builder(const Builder&) = delete;
  Builder& operator=(const Builder&) = delete;

  YamlStream run() {
    YamlStream out;
    for (;;) {
      yaml_event_t event;
      if (!next(&event)) break;
      const yaml_event_type_t type = event.type;
      const YamlMark start = place(event.start_mark);
      yaml_event_delete(&event);
      if (type == YAML_STREAM_END_EVENT) break;
      if (type != YAML_DOCUMENT_START_EVENT) continue;
      out.starts.push_back(start);
      anchors_.clear();
      YamlPtr root = node(0);
      if (!root) {
        out.partial = std::move(partial_);
        break;
      }
      out.documents.push_back(std::move(root));
    }
    out.error = std::move(error_);
    return out;
  }

 private:
  // libyaml counts characters; spans are bytes.
  void index_characters() {
    offsets_.reserve(text_.size());
    for (size_t i = bom_; i < text_.size(); ++i)
      if ((static_cast<unsigned char>(text_[i]) & 0xC0) != 0x80)
        offsets_.push_back(static_cast<uint32_t>(i));
  }
  uint32_t offset(const yaml_mark_t& mark) const {
    if (offsets_.empty()) return static_cast<uint32_t>(std::min(mark.index + bom_, text_.size()));
    return mark.index < offsets_.size() ? offsets_[mark.index]
                                        : static_cast<uint32_t>(text_.size());
  }
  size_t character_index(uint32_t at) const {
    size_t index = 0;
    for (size_t i = bom_; i < at; ++i)
      index += (static_cast<unsigned char>(text_[i]) & 0xC0) != 0x80;
    return index;
  }
  uint32_t line_start(uint32_t at) const {
    while (at > 0 && text_[at - 1] != '\n') --at;
    return at;
  }
  static YamlMark place(const yaml_mark_t& mark) {
    return {static_cast<uint32_t>(mark.line), static_cast<uint32_t>(mark.column)};
  }

  bool next(yaml_event_t* event) {
    if (error_) return false;
    if (yaml_parser_parse(&parser_, event)) return true;
    YamlError e;
    e.exception = parser_.error == YAML_READER_ERROR   ? "ReaderError"
                  : parser_.error == YAML_PARSER_ERROR ? "ParserError"
                                                       : "ScannerError";
    std::string problem = parser_.problem ? parser_.problem : "out of memory";
    if (parser_.error == YAML_READER_ERROR) {
      const auto at = static_cast<uint32_t>(std::min(parser_.problem_offset + bom_, text_.size()));
      e.span = {at, static_cast<uint32_t>(std::min<size_t>(at + 1, text_.size()))};
      e.reader_position = static_cast<uint32_t>(parser_.offset ? character_index(at) : at);
      e.reader_character = parser_.problem_value;
    } else {
      const uint32_t at = offset(parser_.problem_mark);
      e.span = {at, static_cast<uint32_t>(std::min<size_t>(at + 1, text_.size()))};
      e.problem_mark = place(parser_.problem_mark);
      // libyaml ends a last line that has no line break; PyYAML does not.
      if (at == text_.size() && e.problem_mark->column == 0 && at > 0 && text_[at - 1] != '\n') {
        --e.problem_mark->line;
        e.problem_mark->column =
            static_cast<uint32_t>(character_index(at) - character_index(line_start(at)));
      }
      if (problem == "found a tab character that violates indentation") {
        // To PyYAML the scalar before the tab is complete.
        e.context = "while scanning for the next token";
        problem = "found character that cannot start any token";
      } else if (parser_.context) {
        e.context = parser_.context;
        e.context_mark = place(parser_.context_mark);
      }
    }
    for (const auto& [ours, theirs] : kPyYamlWords) {
      if (problem != ours) continue;
      if (contains(theirs, "indicators, but found") && !contains(e.context, "block scalar")) break;
      if (contains(theirs, "character {}") || contains(theirs, "indicators, but found")) {
        const size_t escaped = contains(theirs, "escape") && text_[e.span.begin] == '\\' ? 1 : 0;
        problem = fill(theirs, {repr(text_.substr(e.span.begin + escaped, 1))});
        if (escaped) {
          e.context = "while scanning a double-quoted scalar";
          ++e.problem_mark->column;
        }
      } else if (contains(ours, "'-' indicator") &&
                 token_name(text_, e.span.begin) == "'<block mapping start>'") {
        problem = fill(theirs, {"'?'"});  // the mapping goes on where the sequence had begun
      } else {
        problem = fill(theirs, {token_name(text_, e.span.begin)});
      }
      break;
    }
    e.problem = std::move(problem);
    error_ = std::move(e);
    return false;
  }

  YamlPtr fail(const char* exception, std::string problem, const yaml_mark_t& mark) {
    YamlError e;
    e.exception = exception;
    e.problem = std::move(problem);
    e.problem_mark = place(mark);
    e.span = {offset(mark), offset(mark)};
    error_ = std::move(e);
    return nullptr;
  }

  // Steps over `&anchor` and `!tag`, which libyaml counts as part of the node.
  uint32_t skip_properties(uint32_t begin, uint32_t end) const {
    while (begin < end && (text_[begin] == '&' || text_[begin] == '!')) {
      while (begin < end && !is_space(text_[begin])) ++begin;
      while (begin < end && is_space(text_[begin])) ++begin;
    }
    return begin;
  }
  static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

  static YamlNode::Style style_of(yaml_scalar_style_t style) {
    switch (style) {
      case YAML_SINGLE_QUOTED_SCALAR_STYLE:
        return YamlNode::Style::single_quoted;
      case YAML_DOUBLE_QUOTED_SCALAR_STYLE:
        return YamlNode::Style::double_quoted;
      case YAML_LITERAL_SCALAR_STYLE:
        return YamlNode::Style::literal;
      case YAML_FOLDED_SCALAR_STYLE:
        return YamlNode::Style::folded;
      default:
        return YamlNode::Style::plain;
    }
  }
  static std::string text_of(const yaml_char_t* s) {
    return s ? std::string(reinterpret_cast<const char*>(s)) : std::string();
  }
  void remember(const yaml_char_t* anchor, const std::shared_ptr<YamlNode>& node) {
    if (!anchor) return;
    node->anchored = true;
    anchors_[text_of(anchor)] = node;
  }

  YamlPtr node(int depth) {
    yaml_event_t event;
    if (!next(&event)) return nullptr;
    YamlPtr out = node_of(event, depth);
    yaml_event_delete(&event);
    return out;
  }

  YamlPtr node_of(const yaml_event_t& event, int depth) {
    if (depth > kMaxDepth) return fail("RecursionError", "nested too deep", event.start_mark);
    switch (event.type) {
      case YAML_ALIAS_EVENT: {
        const std::string name = text_of(event.data.alias.anchor);
        const auto found = anchors_.find(name);
        if (found == anchors_.end())
          return fail("ComposerError", "found undefined alias " + repr(std::string_view(name)),
                      event.start_mark);
        if (!found->second)
          return fail("ConstructorError", "found unconstructable recursive node", event.start_mark);
        if (!found->second->is_scalar()) return found->second;
        auto copy = std::make_shared<YamlNode>(*found->second);
        copy->alias = true;
        copy->span = {offset(event.start_mark), offset(event.end_mark)};
        copy->mark = place(event.start_mark);
        return copy;
      }
      case YAML_SCALAR_EVENT: {
        const auto& s = event.data.scalar;
        auto out = std::make_shared<YamlNode>();
        out->style = style_of(s.style);
        out->text.assign(reinterpret_cast<const char*>(s.value), s.length);
        out->tag = text_of(s.tag);
        out->mark = place(event.start_mark);
        const uint32_t end = offset(event.end_mark);
        out->span = {skip_properties(offset(event.start_mark), end), end};
        // A block scalar's end mark is where the next token starts.
        if (out->style == YamlNode::Style::literal || out->style == YamlNode::Style::folded)
          while (out->span.end > out->span.begin && is_space(text_[out->span.end - 1]))
            --out->span.end;
        remember(s.anchor, out);
        return out;
      }
      case YAML_SEQUENCE_START_EVENT: {
        const auto& s = event.data.sequence_start;
        auto out = collection(event, YamlNode::Kind::sequence, s.style == YAML_FLOW_SEQUENCE_STYLE,
                              text_of(s.tag));
        if (s.anchor) anchors_[text_of(s.anchor)] = nullptr;
        yaml_event_t inner;
        while (next(&inner)) {
          if (inner.type == YAML_SEQUENCE_END_EVENT) {
            finish(*out, inner);
            yaml_event_delete(&inner);
            remember(s.anchor, out);
            return out;
          }
          YamlPtr item = node_of(inner, depth + 1);
          yaml_event_delete(&inner);
          if (!item) return cut_short(out, nullptr);
          hold(*out, *item);
          out->items.push_back(std::move(item));
        }
        return cut_short(out, nullptr);
      }
      case YAML_MAPPING_START_EVENT: {
        const auto& s = event.data.mapping_start;
        auto out = collection(event, YamlNode::Kind::mapping, s.style == YAML_FLOW_MAPPING_STYLE,
                              text_of(s.tag));
        if (s.anchor) anchors_[text_of(s.anchor)] = nullptr;
        out->pairs.reserve(4);
        yaml_event_t inner;
        while (next(&inner)) {
          if (inner.type == YAML_MAPPING_END_EVENT) {
            finish(*out, inner);
            yaml_event_delete(&inner);
            remember(s.anchor, out);
            return out;
          }
          YamlPtr key = node_of(inner, depth + 1);
          yaml_event_delete(&inner);
          if (!key) return cut_short(out, nullptr);
          YamlPtr value = node(depth + 1);
          if (!value) return cut_short(out, std::move(key));
          hold(*out, *key);
          hold(*out, *value);
          out->pairs.emplace_back(std::move(key), std::move(value));
        }
        return cut_short(out, nullptr);
      }
      default:
        return fail("ParserError", "unexpected event", event.start_mark);
    }
  }

  std::shared_ptr<YamlNode> collection(const yaml_event_t& event, YamlNode::Kind kind, bool flow,
                                       std::string tag) const {
    auto out = std::make_shared<YamlNode>();
    out->kind = kind;
    out->style = flow ? YamlNode::Style::flow : YamlNode::Style::block;
    out->tag = std::move(tag);
    out->mark = place(event.start_mark);
    const uint32_t begin =
        skip_properties(offset(event.start_mark), static_cast<uint32_t>(text_.size()));
    out->span = {begin, std::max(begin, offset(event.end_mark))};
    return out;
  }

  static void hold(YamlNode& out, const YamlNode& child) {
    out.weight = std::min(out.weight + child.weight, 2 * kYamlMaxWeight);
    out.height = std::max(out.height, child.height + 1);
  }

  // What was read of a block before the line of the error. A flow collection that is not closed may
  // have swallowed anything, so it is dropped.
  YamlPtr cut_short(std::shared_ptr<YamlNode> out, YamlPtr key) {
    YamlPtr inner = std::move(partial_);
    partial_ = nullptr;
    if (out->style == YamlNode::Style::flow) return nullptr;
    const uint32_t line = error_->problem_mark ? error_->problem_mark->line : UINT32_MAX;
    while (!out->items.empty() && out->items.back()->mark.line >= line) out->items.pop_back();
    while (!out->pairs.empty() && out->pairs.back().first->mark.line >= line) out->pairs.pop_back();
    if (inner && out->kind == YamlNode::Kind::sequence) out->items.push_back(std::move(inner));
    if (inner && key) out->pairs.emplace_back(std::move(key), std::move(inner));
    if (out->items.empty() && out->pairs.empty()) return nullptr;
    finish(*out, {});
    partial_ = std::move(out);
    return nullptr;
  }

  // A block collection ends with its last child: libyaml's mark is where the next token starts.
  void finish(YamlNode& node, const yaml_event_t& end) const {
    if (node.style == YamlNode::Style::flow) {
      node.span.end = offset(end.end_mark);
      return;
    }
    if (!node.items.empty() && node.items.back()->span.end > node.span.begin)
      node.span.end = std::max(node.span.end, node.items.back()->span.end);
    if (!node.pairs.empty()) {
      node.span.end = std::max(node.span.end, node.pairs.back().first->span.end);
      node.span.end = std::max(node.span.end, node.pairs.back().second->span.end);
    }
  }

  std::string_view text_;
  size_t bom_ = 0;
  std::vector<uint32_t> offsets_;  // byte offset of each character; empty for ASCII text
  yaml_parser_t parser_{};
  std::map<std::string, YamlPtr> anchors_;  // nullptr while the anchor's node is being read
  std::optional<YamlError> error_;
  YamlPtr partial_;
};

}  // namespace

const YamlNode* YamlNode::find(std::string_view key) const {
  const YamlNode* found = nullptr;
  for (const auto& [k, v] : pairs)
    if (k->is_scalar() && k->text == key) found = v.get();
  return found;
}

// PyYAML's MarkedYAMLError.__str__ for a stream, which has no snippet.
std::string YamlError::python_message(std::string_view file) const {
  if (exception == "ReaderError" && problem == "special characters are not allowed") {
    char code[16];
    snprintf(code, sizeof code, "%04x", static_cast<unsigned>(reader_character));
    return fill("unacceptable character #x{}: {}\n  in \"{}\", position {}",
                {code, problem, file, static_cast<int64_t>(reader_position)});
  }
  const auto line = [&](const YamlMark& m) {
    return fill("  in \"{}\", line {}, column {}",
                {file, static_cast<int64_t>(m.line) + 1, static_cast<int64_t>(m.column) + 1});
  };
  std::string out = context;
  const bool same_place = context_mark && problem_mark &&
                          context_mark->line == problem_mark->line &&
                          context_mark->column == problem_mark->column;
  if (context_mark && !same_place) out += (out.empty() ? "" : "\n") + line(*context_mark);
  if (!problem.empty()) out += (out.empty() ? "" : "\n") + problem;
  if (problem_mark) out += "\n" + line(*problem_mark);
  return out;
}

std::string YamlError::one_line() const {
  std::string out = context.empty() ? problem : context + ", " + problem;
  if (problem_mark) out += fill(" (line {})", {static_cast<int64_t>(problem_mark->line) + 1});
  return out;
}

YamlStream parse_yaml(std::string_view text) { return Builder(text).run(); }

}  // namespace sglint
