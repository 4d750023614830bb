// Python that starts SGLang without a command line: Engine(model_path="…", tp_size=2).
#include <algorithm>
#include <climits>

#include "read/lists.h"
#include "read/yaml_text.h"

namespace sglint {
namespace {

bool name_char(char c) { return isalnum(static_cast<unsigned char>(c)) || c == '_'; }

constexpr size_t kLongestExpression = 4000;

// A server prints its arguments when it starts: all of them, while nobody types so many.
constexpr std::string_view kPrinted = "server_args=";
constexpr size_t kPrintedFields = 100;

// Fields of ServerArgs that no flag sets.
bool has_no_flag(std::string_view key) {
  return one_of(key, {"custom_sigquit_handler", "stat_loggers", "uses_mamba_radix_cache",
                      "_speculative_draft_quantization_explicitly_set"});
}

// Arguments whose flag is not named like them.
constexpr const char* kOtherNames[][2] = {
    {"fp8_gemm_runner_backend", "fp8_gemm_backend"},
    {"fp4_gemm_runner_backend", "fp4_gemm_backend"},
    {"ep_join_mode", "elastic_ep_join_mode"},
    {"ep_join_rank_offset", "elastic_ep_join_rank_offset"},
};

// `False` is the default of every other one, and there is no flag to say it.
bool may_be_turned_off(std::string_view key) {
  return one_of(key, {"dllm_fdfo", "lora_strict_loading", "experts_shared_outer_loras",
                      "dcp_replicate_q_proj", "enable_tp_lm_head_all_to_all"});
}

// The end of the expression at i: the next comma or closing bracket outside of brackets and
// strings. `last`: where the expression itself ends, before spaces and comments.
size_t expression_end(std::string_view s, size_t i, size_t* last) {
  const size_t stop = std::min(s.size(), i + kLongestExpression);
  *last = i;
  int depth = 0;
  while (i < stop) {
    const char c = s[i];
    Literal l;
    if ((c == '"' || c == '\'') && literal_at(s, i, &l)) {
      *last = i = l.end;
      continue;
    }
    if (depth == 0 && (c == ',' || c == ')')) return i;
    if (c == '#') {
      i = std::min(s.find('\n', i), s.size());
      continue;
    }
    if (c == '(' || c == '[' || c == '{') ++depth;
    if (c == ')' || c == ']' || c == '}') --depth;
    ++i;
    if (!among({&c, 1}, 0, " \t\r\n")) *last = i;
  }
  return s.npos;
}

// CudaGraphConfig(decode=PhaseConfig(max_bs=8, bs=None)) -> {decode: {max_bs: 8}}
std::string map_of_object(std::string_view s) {
  std::string out;
  for (size_t i = 0; i < s.size(); ++i) {
    const size_t name = i;
    while (i < s.size() && name_char(s[i])) ++i;
    const std::string_view word = s.substr(name, i - name);
    const char c = i < s.size() ? s[i] : ' ';
    if (word == "None") {
      out.erase(out.find_last_of("{,") + 1);
      if (c == ',') continue;
    } else if (c != '(') {
      out += word;
    }
    out += c == '(' ? "{" : c == ')' ? "}" : c == '=' ? ": " : std::string(1, c);
  }
  return out;
}

// [LoRARef(lora_name='a', lora_path='/l/a', pinned=False)] -> a=/l/a
void add_lora_refs(const Source& source, size_t begin, size_t end, uint16_t context,
                   std::vector<Word>* words) {
  const std::string_view s = source.text();
  const auto text_after = [&](std::string_view key, size_t* i) {
    *i = s.find(key, *i);
    Literal l;
    if (*i == s.npos || *i >= end || !literal_at(s, *i + key.size(), &l)) return std::string();
    *i = l.end;
    return decode_literal(source, l).text;
  };
  for (size_t i = begin; i < end;) {
    const std::string name = text_after("lora_name=", &i);
    if (name.empty()) return;
    const std::string path = text_after("lora_path=", &i);
    if (path.empty()) return;
    Word pair;
    pair.text = name + "=" + path;
    pair.span = source.span(begin, end);
    pair.context = context;
    words->push_back(std::move(pair));
  }
}

}  // namespace

std::string call_flag(std::string_view keyword) {
  for (const auto& [name, flag] : kOtherNames)
    if (keyword == std::string_view(name)) keyword = flag;
  return "--" + hyphens(keyword);
}

std::string call_keyword(std::string_view flag) {
  const std::string keyword =
      underscores(flag.substr(std::min(flag.find_first_not_of('-'), flag.size())));
  for (const auto& [name, other] : kOtherNames)
    if (keyword == other) return name;
  return keyword;
}

bool Reader::read_python_call(const Source& source, size_t open, const std::vector<EnvSetting>& env,
                              size_t* at) {
  const std::string_view s = source.text();
  size_t begin = open;
  while (begin > 0 && (name_char(s[begin - 1]) || s[begin - 1] == '.')) --begin;
  std::string_view callee = s.substr(begin, open - begin);
  callee.remove_prefix(std::min(callee.rfind('.') + 1, callee.size()));
  if (!one_of(callee, {"Engine", "ServerArgs", "Runtime", "EngineBase"})) return false;

  const uint16_t context = this->context(Writing::python_call, source);
  Surroundings around;
  around.form = Form::python_call;
  around.env = env;
  std::vector<Word> words;
  bool model = false;
  size_t keywords = 0, not_literal = 0;
  const bool in_log = ends_with(s.substr(0, begin), kPrinted);
  bool cut = false;  // the log ends within
  for (size_t i = open + 1;;) {
    while (i < s.size() && among(s, i, " \t\r\n,")) ++i;
    *at = i;
    cut = i >= s.size() && in_log;
    if (cut) break;
    if (i >= s.size()) return false;
    if (s[i] == '#') {
      i = std::min(s.find('\n', i), s.size());
      continue;
    }
    if (s[i] == ')') {
      *at = i + 1;
      break;
    }
    size_t k = i;
    while (k < s.size() && name_char(s[k])) ++k;
    const std::string_view key = s.substr(i, k - i);
    size_t equals = k;
    while (equals < s.size() && s[equals] == ' ') ++equals;
    const bool keyword =
        !key.empty() && s.substr(equals, 1) == "=" && s.substr(equals + 1, 1) != "=";
    const bool star = starts_with(s.substr(i), "**");
    cut = !keyword && in_log && k >= s.size();
    if (cut) break;
    if (!keyword && !star) return false;
    size_t value = keyword ? equals + 1 : i + 2;
    while (value < s.size() && among(s, value, " \t\r\n")) ++value;
    size_t end = value;
    const size_t next = expression_end(s, value, &end);
    *at = std::min(s.size(), value + kLongestExpression);
    cut = next == s.npos && in_log && *at == s.size();
    if (cut) break;
    if (next == s.npos) return false;
    const std::string_view expression = s.substr(value, end - value);
    if (star) {
      around.assumptions.push_back(fill("The arguments in **{} are not known.", {expression}));
      i = next;
      continue;
    }
    Word flag;
    flag.text = call_flag(key);
    flag.span = source.span(i, k);
    flag.context = context;
    i = next;
    ++keywords;
    if (has_no_flag(key)) continue;
    const bool off = expression == "False";
    if (off && may_be_turned_off(key))
      flag.text.replace(0, 2, "--no-");
    else if (off || one_of(expression, {"None", "[]", ""}))
      continue;
    words.push_back(std::move(flag));
    if (off || expression == "True") continue;
    if (key == "lora_paths" && contains(expression, "LoRARef(")) {
      add_lora_refs(source, value, end, context, &words);
      continue;
    }
    model = model || key == "model_path";
    size_t list_end = 0;
    if (expression[0] == '[' &&
        list_items(*this, source, value, Writing::python_call, &words, &list_end))
      continue;
    Word w;
    w.span = source.span(value, end);
    w.context = context;
    std::string fields;
    if (expression[0] == '{') fields = std::string(expression);
    if (in_log && key == "cuda_graph_config" && expression.back() == ')')
      fields = map_of_object(expression);
    YamlStream map;
    if (!fields.empty()) map = parse_yaml(fields);
    Literal l;
    if (literal_at(s, value, &l) && l.end == end) {
      w.text = decode_literal(source, l).text;
      w.unknown = l.format && contains(w.text, "{");
    } else if (map.documents.size() == 1 && !map.error) {
      const auto& pairs = map.documents[0]->pairs;
      const bool set = !pairs.empty() && std::all_of(pairs.begin(), pairs.end(), [](const auto& p) {
        return p.second->is_scalar() && p.second->text.empty() &&
               p.second->style == YamlNode::Style::plain;
      });
      if (set) {  // {'q_proj', 'k_proj'}
        for (const auto& p : pairs) {
          words.push_back(w);
          words.back().text = p.first->text;
        }
        continue;
      }
      // {"name": "path"} is what --lora-paths writes name=path.
      if (key == "lora_paths") {
        for (const auto& [name, path] : pairs) {
          Word pair = w;
          pair.text = name->text + "=" + path->text;
          pair.unknown = !path->is_scalar() || path->style == YamlNode::Style::plain;
          words.push_back(std::move(pair));
        }
        continue;
      }
      w.text = json_of(*map.documents[0]);
    } else if (expression[0] == '{') {
      return false;
    } else {
      w.text = std::string(expression);
      w.unknown = expression.find_first_not_of("0123456789.-+e_") != expression.npos;
      not_literal += w.unknown;
      w.text.erase(std::remove(w.text.begin(), w.text.end(), w.unknown ? '\n' : '_'), w.text.end());
    }
    // What begins with a dash would be the next flag.
    if (in_log && starts_with(w.text, "-") && w.text.find_first_of("0123456789") != 1) {
      words.back().text += "=" + w.text;
      continue;
    }
    words.push_back(std::move(w));
    if (words.size() > 5000) return false;
  }
  if (!model) return false;
  const bool printed = keywords >= kPrintedFields && in_log;
  if (cut && !printed) return false;
  if (printed) {
    if (cut)
      around.assumptions.push_back(
          "The log ends within the arguments: those that are missing are taken for the default.");
    // Objects, such as CudaGraphConfig(…), have no flag that would say them.
    for (size_t k = words.size(); not_literal && k-- > 1;)
      if (words[k].unknown)
        words.erase(words.begin() + static_cast<long>(k) - 1,
                    words.begin() + static_cast<long>(k) + 1);
    around.assumptions.push_back(
        "Read from what SGLang printed: what it would choose by itself counts as not typed.");
  } else {
    around.assumptions.push_back(fill(
        "Read as the flags of `sglang serve`: {}(…) itself checks no types or choices.", {callee}));
  }
  around.span = source.span(begin, *at);
  add_launch(std::move(words), 0, around);
  out_.launches.back().program_end = source.span(open + 1, open + 1).begin;
  out_.launches.back().program_context = context;
  if (printed) out_.launches.back().printed_fields = cut ? INT_MAX : static_cast<int>(keywords);
  return true;
}

}  // namespace sglint
