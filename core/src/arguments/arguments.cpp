#include "arguments/arguments.h"

#include <algorithm>

#include "arguments/config_file.h"
#include "arguments/convert.h"
#include "arguments/option_index.h"
#include "arguments/rules.h"
#include "arguments/suggest.h"
#include "base/python_text.h"
#include "base/text.h"
#include "read/reader.h"

namespace sglint {
namespace {

// argparse of Python 3.11 as SGLang uses it: no positionals, prefix "-", abbreviations allowed. It
// classifies every word first, which is why an ambiguous flag is reported before anything else.
class Parser {
 public:
  Parser(Release release, const std::vector<Token>& argv, const std::vector<int>* source,
         Arguments& out)
      : release_(release), index_(option_index(release)), argv_(argv), source_(source), out_(out) {}

  void run() {
    words_.reserve(argv_.size());
    bool only_values = false;
    for (size_t i = 0; i < argv_.size(); ++i) {
      words_.push_back({});
      if (only_values) continue;
      if (argv_[i].text == "--") {
        words_[i].kind = Kind::end_of_flags;
        only_values = true;
      } else if (!classify(i)) {
        return;
      }
    }
    size_t i = 0;
    while (i < argv_.size()) {
      if (words_[i].kind == Kind::flag) {
        i = consume(i);
        if (out_.error) return;
      } else {
        // An unknown flag or a word that no flag takes. A placeholder may stand for anything.
        if (argv_[i].unknown)
          unknown_word_ = true;
        else
          leftovers_.push_back(i);
        ++i;
      }
    }
    check_required();
    if (!out_.error && !leftovers_.empty()) refuse_leftovers();
    if (!out_.error) check_log_level();
  }

 private:
  static constexpr size_t kManyLeftovers = 20;
  enum class Kind : uint8_t { value, flag, unknown_flag, end_of_flags };
  struct Word {
    Kind kind = Kind::value;
    const Option* option = nullptr;
    std::string_view name;  // the whole option string, also where the word is cut short
    bool glued = false;     // --name=value
    std::string_view value;
  };

  // ArgumentParser._parse_optional
  bool classify(size_t i) {
    const std::string_view word = argv_[i].text;
    Word& w = words_[i];
    if (word.empty() || word.front() != '-') return true;
    if (const OptionName* exact = index_.find(word)) return flag(w, *exact);
    if (word.size() == 1) return true;
    const size_t equals = word.find('=');
    const std::string_view stem = word.substr(0, equals);
    if (equals != word.npos) {
      if (const OptionName* exact = index_.find(stem))
        return flag(w, *exact, word.substr(equals + 1));
    }
    if (word[1] == '-') {
      const std::vector<OptionName> matches = index_.beginning_with(stem);
      if (matches.size() > 1) return ambiguous(i, matches);
      if (matches.size() == 1) {
        if (equals == word.npos) return flag(w, matches.front());
        return flag(w, matches.front(), word.substr(equals + 1));
      }
    } else if (const OptionName* single = index_.find(word.substr(0, 2))) {
      return flag(w, *single, word.substr(2));
    }
    if (is_negative_number(word) || word.find(' ') != word.npos) return true;
    w.kind = Kind::unknown_flag;
    return true;
  }

  static bool flag(Word& w, const OptionName& name) {
    w.kind = Kind::flag;
    w.option = name.option;
    w.name = name.name;
    return true;
  }
  static bool flag(Word& w, const OptionName& name, std::string_view value) {
    w.glued = true;
    w.value = value;
    return flag(w, name);
  }

  // ^-\d+$|^-\d*\.\d+$
  static bool is_negative_number(std::string_view word) {
    size_t i = 1;
    const auto digits = [&] {
      const size_t from = i;
      while (i < word.size() && word[i] >= '0' && word[i] <= '9') ++i;
      return i - from;
    };
    const size_t whole = digits();
    if (i == word.size()) return whole > 0;
    if (word[i] != '.') return false;
    ++i;
    return digits() > 0 && i == word.size();
  }

  // consume_optional of ArgumentParser._parse_known_args. Returns the word to go on with.
  size_t consume(size_t at) {
    const Word& w = words_[at];
    const Option& option = *w.option;
    const std::string_view nargs = option.nargs;
    const bool is_switch = nargs == "0";
    if (w.glued) {
      if (is_switch) {
        refuse_glued(w, at);
      } else {
        take(option, at, at, {{w.value, at}});
      }
      return at + 1;
    }
    size_t end = at + 1;
    size_t most = is_switch ? 0 : nargs.empty() || nargs == "?" ? 1 : argv_.size();
    while (most > 0 && end < words_.size() && words_[end].kind == Kind::value) {
      ++end;
      --most;
    }
    if (end == at + 1 && (nargs.empty() || nargs == "+")) {
      fail(kMissingValue, at,
           fill(kMissingValue.message,
                {display_name(option), nargs.empty() ? "one argument" : "at least one argument"}));
      return end;
    }
    std::vector<Given> values;
    for (size_t i = at + 1; i < end; ++i) values.push_back({argv_[i].text, i});
    take(option, at, end - 1, values);
    return end;
  }

  // A single-dash switch may have more of its kind behind it (-hh); anything else is too much.
  void refuse_glued(const Word& w, size_t at) {
    std::string_view rest = w.value;
    if (w.name == "-h" && !rest.empty()) {
      while (starts_with(rest, "h")) rest.remove_prefix(1);
      if (rest.empty()) return fail(kHelp, at, std::string(kHelp.message));
    }
    fail(kValueNotExpected, at,
         fill(kValueNotExpected.message, {display_name(*w.option), repr(rest)}));
    if (out_.error->token >= 0)
      out_.error->token_fixes.emplace_back(out_.error->token, std::string(w.name));
  }

  struct Given {
    std::string_view text;
    size_t word;
  };

  // The value that _get_values makes, and then the action.
  void take(const Option& option, size_t first, size_t last, std::vector<Given> given) {
    // Even a glued `--` is taken out of the values.
    const auto dashes =
        std::find_if(given.begin(), given.end(), [](const Given& g) { return g.text == "--"; });
    if (dashes != given.end()) given.erase(dashes);

    const std::string_view nargs = option.nargs;
    Value value;
    if (given.empty() && nargs == "?") {
      value = option.constant();
    } else if (given.size() == 1 && (nargs.empty() || nargs == "?")) {
      if (!convert(option, given.front(), &value)) return;
      if (unknown_value_) return note_typed(option, first, last);
    } else if (nargs != "0") {
      Value::List items(given.size());
      for (size_t i = 0; i < given.size(); ++i) {
        if (!convert(option, given[i], &items[i], /*check=*/false)) return;
        if (unknown_value_) return note_typed(option, first, last);
      }
      for (size_t i = 0; i < given.size(); ++i)
        if (!check(option, given[i], items[i])) return;
      if (unknown_value_) return note_typed(option, first, last);
      value = Value(std::move(items));
    }
    act(option, first, last, std::move(value));
  }

  bool convert(const Option& option, const Given& given, Value* value, bool check_too = true) {
    ConversionError error;
    unknown_value_ = false;
    if (convert_value(option, release_, given.text, value, &error))
      return !check_too || check(option, given, *value);
    if (argv_[given.word].unknown) return unknown_value_ = true;
    return refuse_value(option, given, error);
  }

  bool check(const Option& option, const Given& given, const Value& value) {
    ConversionError error;
    if (option.choices.empty() || check_choice(option, value, &error)) return true;
    if (argv_[given.word].unknown) return unknown_value_ = true;
    return refuse_value(option, given, error);
  }

  bool refuse_value(const Option& option, const Given& given, const ConversionError& error) {
    fail(*error.rule, given.word, fill("argument {}: {}", {display_name(option), error.message}));
    if (out_.error->token < 0) return false;
    for (std::string& better : suggest_value(option, given.text)) {
      const Word& w = words_[given.word];
      if (w.kind == Kind::flag) better = std::string(w.name) + "=" + better;
      out_.error->token_fixes.emplace_back(out_.error->token, std::move(better));
    }
    return false;
  }

  void act(const Option& option, size_t first, size_t last, Value value) {
    const std::string_view name = words_[first].name;
    switch (option.action) {
      case Action::help:
        return fail(kHelp, first, std::string(kHelp.message));
      case Action::store:
        break;
      case Action::store_true:
        value = true;
        break;
      case Action::boolean_optional:
        value = !starts_with(name, "--no-");
        break;
      case Action::lora_path:
        if (!read_lora_paths(first, &value)) return;
        break;
      case Action::deprecated_removed:
        if (!option.error_message().empty())
          return fail(kRemovedFlag, first, std::string(option.error_message()));
        warn_deprecated(first,
                        fill("The command line argument '{}' is deprecated and will be removed in "
                             "future versions.",
                             {name}));
        return note_typed(option, first, last);
      case Action::deprecated_store_true:
      case Action::deprecated_store_const:
      case Action::deprecated_alias_store: {
        std::string message =
            fill("'{}' is deprecated and will be removed in a future release.", {name});
        if (!option.replacement().empty())
          message += fill(" Use '{}' instead.", {option.replacement()});
        warn_deprecated(first, std::move(message));
        if (option.action == Action::deprecated_store_true) value = true;
        if (option.action == Action::deprecated_store_const) value = Value(option.stores());
        break;
      }
    }
    if (option.dest == kNoField) return;
    const size_t field = static_cast<size_t>(option.dest);
    Value& held = out_.values[field];
    const Origin& before = out_.origins[field];
    if (before.kind == Origin::Kind::typed && held != value)
      out_.findings.push_back(
          {&kRepeatedFlag, fill(kRepeatedFlag.message, {name}), before.first_token, {}});
    held = std::move(value);
    note_typed(option, first, last);
  }

  void note_typed(const Option& option, size_t first, size_t last) {
    if (option.dest == kNoField) return;
    const std::string_view name = words_[first].name;
    bool unknown = false;
    for (size_t i = first; i <= last; ++i) unknown = unknown || argv_[i].unknown;
    out_.origins[static_cast<size_t>(option.dest)] = {
        token(first) < 0 ? Origin::Kind::config_file : Origin::Kind::typed, token(first),
        token(last), name, unknown};
    if (option.dest == Field::config) {
      // Only a `--config` that was merged away is ever read.
      const std::string text = token(first) < 0 ? "config in the --config file" : argv_[first].text;
      out_.findings.push_back(
          {&kConfigIgnored, fill(kConfigIgnored.message, {text}), token(first), {}});
    }
  }

  // arg_groups/argparse_actions.py: LoRAPathAction
  bool read_lora_paths(size_t first, Value* value) {
    Value::List paths;
    for (const Value& item : value->as_list()) {
      const std::string_view path = python_strip(item.as_str());
      if (!starts_with(path, "{") || !ends_with(path, "}")) {
        paths.emplace_back(path);
        continue;
      }
      std::string why;
      const std::optional<Value> parsed = python_json_loads(path, &why);
      if (!parsed) return fail(kLoraPathNotJson, first, std::move(why)), false;
      if (!parsed->has("lora_path") || !parsed->has("lora_name"))
        return fail(kLoraPathIncomplete, first, fill(kLoraPathIncomplete.message, {repr(path)})),
               false;
      paths.push_back(*parsed);
    }
    *value = Value(std::move(paths));
    return true;
  }

  void warn_deprecated(size_t first, std::string message) {
    out_.findings.push_back({&kDeprecatedFlag, message, token(first), {}});
    out_.logs.push_back({Level::warning, "\033[1;33m" + message + "\033[0m"});
  }

  bool ambiguous(size_t i, const std::vector<OptionName>& matches) {
    if (argv_[i].unknown) return true;
    std::string names;
    for (const OptionName& m : matches) names += (names.empty() ? "" : ", ") + std::string(m.name);
    fail(kAmbiguousFlag, i, fill(kAmbiguousFlag.message, {argv_[i].text, names}));
    if (out_.error->token < 0) return false;
    for (std::string& word : suggest_full_name(release_, argv_[i].text))
      out_.error->token_fixes.emplace_back(out_.error->token, std::move(word));
    return false;
  }

  void check_required() {
    std::string missing;
    for (const Option* option : index_.required()) {
      const Origin& origin = out_.origins[static_cast<size_t>(option->dest)];
      if (origin.kind != Origin::Kind::parser_default) continue;
      if (unknown_word_)  // $ARGS may hold it, and it gives the other two their defaults
        for (Field f : {option->dest, Field::tokenizer_path, Field::served_model_name})
          out_.origins[static_cast<size_t>(f)].unknown = true;
      else
        missing += (missing.empty() ? "" : ", ") + display_name(*option);
    }
    if (missing.empty() || out_.unread_config) return;
    fail(kRequired, argv_.size(), fill(kRequired.message, {missing}));
    for (size_t i : leftovers_) {  // the model may stand alone, or behind a misspelt flag
      if (token(i) < 0) continue;
      if (words_[i].kind == Kind::value && contains(argv_[i].text, "/")) {
        out_.error->token_fixes.emplace_back(token(i), "--model-path=" + argv_[i].text);
      } else if (words_[i].kind == Kind::unknown_flag) {
        for (std::string& word : suggest_flag(release_, argv_[i].text).words)
          if (starts_with(word, "--model"))
            out_.error->token_fixes.emplace_back(token(i), std::move(word));
      }
    }
  }

  void refuse_leftovers() {
    std::string all;
    for (size_t i : leftovers_) {
      if (i != leftovers_.front()) all += ' ';
      all += argv_[i].text;
    }
    // The first unknown flag is the cause; what follows it are its values.
    size_t cause = leftovers_.front();
    const auto flag_like = [&](size_t i) {  // one with a typographic dash is a value for argparse
      return words_[i].kind == Kind::unknown_flag || is_flag(argv_[i].text);
    };
    for (size_t i : leftovers_) {
      if (!flag_like(i)) continue;
      cause = i;
      break;
    }
    const bool misspelt = flag_like(cause);
    FlagSuggestions better;
    if (misspelt) better = suggest_flag(release_, argv_[cause].text);
    fail(misspelt ? *better.rule : kStrayValue, cause, fill(kUnknownFlag.message, {all}));
    if (out_.error->token < 0) return;
    if (leftovers_.size() > kManyLeftovers)
      for (size_t i : leftovers_)
        if (token(i) >= 0) out_.error->stray.push_back(token(i));
    for (std::string& word : better.words)
      out_.error->token_fixes.emplace_back(out_.error->token, std::move(word));
  }

  // prepare_server_args: getattr(logging, log_level.upper())
  void check_log_level() {
    const Value& level = out_.values[static_cast<size_t>(Field::log_level)];
    const std::string name = upper(level.as_str());
    if (!level.is_str() ||
        one_of(name, {"CRITICAL", "FATAL", "ERROR", "WARN", "WARNING", "INFO", "DEBUG", "NOTSET"}))
      return;
    const Origin& origin = out_.origins[static_cast<size_t>(Field::log_level)];
    const int at = origin.last_token;
    if (origin.unknown) return;
    const bool format = name == "BASIC_FORMAT";
    const Rule& rule = format ? kLogLevelIsFormat : kUnknownLogLevel;
    out_.error = ArgumentError{
        &rule,
        std::string(rule.exception),
        format ? std::string(rule.message) : fill(rule.message, {repr(std::string_view(name))}),
        at,
        {},
        {}};
    std::vector<std::string_view> close =
        nearest(lower(name), {"debug", "info", "warning", "error", "critical"}, 1);
    const std::string better(close.empty()
                                 ? (one_of(name, {"TRACE", "VERBOSE", "ALL"}) ? "debug" : "info")
                                 : close.front());
    if (at >= 0)
      out_.error->token_fixes.emplace_back(
          at, at == origin.first_token ? "--log-level=" + better : better);
  }

  [[gnu::cold]] void fail(const Rule& rule, size_t word, std::string message) {
    out_.error =
        ArgumentError{&rule, std::string(rule.exception), std::move(message), token(word), {}, {}};
  }

  // The place of a word in what the user wrote; -1 for words of a --config file and for none.
  int token(size_t word) const {
    if (word >= argv_.size()) return -1;
    return source_ ? (*source_)[word] : static_cast<int>(word);
  }

  static std::string display_name(const Option& option) {
    std::string name;
    for (std::string_view n : option.names) name += (name.empty() ? "" : "/") + std::string(n);
    return name;
  }

  Release release_;
  const OptionIndex& index_;
  const std::vector<Token>& argv_;
  const std::vector<int>* source_;  // of merged words; nullptr: they are the user's own
  Arguments& out_;
  std::vector<Word> words_;
  std::vector<size_t> leftovers_;
  bool unknown_word_ = false;   // one that no flag takes
  bool unknown_value_ = false;  // a placeholder that does not convert: nothing can be said
};

}  // namespace

Arguments parse_arguments(Release release, const std::vector<Token>& argv, const Files& files) {
  Arguments out;
  out.release = release;
  out.values = field_defaults(release);
  out.origins.resize(kFieldCount);
  const bool has_config =
      std::any_of(argv.begin(), argv.end(), [](const Token& t) { return t.text == "--config"; });
  if (!has_config) {
    Parser(release, argv, nullptr, out).run();
    return out;
  }
  MergedArgv merged = merge_config_file(release, argv, files);
  out.logs = std::move(merged.logs);
  out.error = std::move(merged.error);
  out.unread_config = merged.unread;
  if (!out.error) Parser(release, merged.argv, &merged.source, out).run();
  for (Origin& origin : out.origins)  // the file may set what is not typed
    if (out.unread_config && origin.kind == Origin::Kind::parser_default) origin.unknown = true;
  return out;
}

std::vector<int> typed_tokens(const Arguments& arguments, Field field) {
  const Origin& origin = arguments.origins[static_cast<size_t>(field)];
  std::vector<int> tokens;
  if (origin.kind == Origin::Kind::typed)
    for (int i = origin.first_token; i <= origin.last_token; ++i) tokens.push_back(i);
  return tokens;
}

}  // namespace sglint
