#include "repair/edits.h"

#include <algorithm>

#include "arguments/option_index.h"
#include "base/text.h"
#include "repair/flag_groups.h"

namespace sglint {
namespace {

std::string usual_name(Release release, Field field) {
  if (const Option* option = option_of(release, field)) return std::string(option->names.front());
  return "--" + hyphens(field_name(field));
}

// The flag's own word if what was typed is the usual option for the field, and not a deprecated one
// or the negative of a switch.
const Token* typed_flag(const Arguments& arguments, const std::vector<Token>& argv, Field field) {
  const Origin& origin = arguments.origins[static_cast<size_t>(field)];
  if (origin.kind != Origin::Kind::typed || origin.first_token < 0 ||
      origin.last_token >= static_cast<int>(argv.size()))
    return nullptr;
  const OptionName* name = option_index(arguments.release).find(origin.flag);
  if (!name || name->option != option_of(arguments.release, field) ||
      starts_with(origin.flag, "--no-"))
    return nullptr;
  return &argv[static_cast<size_t>(origin.first_token)];
}

std::vector<Token> flag_tokens(const Arguments& arguments, const std::vector<Token>& argv,
                               const Edit& edit) {
  const Token* typed = typed_flag(arguments, argv, edit.field);
  const Option* option = option_of(arguments.release, edit.field);
  const bool one = option && one_of(option->nargs, {"", "?"});
  std::vector<Token> tokens;
  const size_t equals = typed ? typed->text.find('=') : std::string::npos;
  if (equals != std::string::npos && (one || !contains(edit.value, " "))) {
    tokens.push_back({typed->text.substr(0, equals + 1) + edit.value, typed->span, false, false});
    return tokens;
  }
  if (typed && equals == std::string::npos) {
    tokens.push_back(*typed);
  } else {
    tokens.push_back({usual_name(arguments.release, edit.field), {}, false, false});
  }
  size_t begin = 0;
  while (begin < edit.value.size()) {  // several values are separated by one space
    const size_t end =
        one ? edit.value.size() : std::min(edit.value.find(' ', begin), edit.value.size());
    tokens.push_back({edit.value.substr(begin, end - begin), {}, false, false});
    begin = end + 1;
  }
  return tokens;
}

bool of_env(const Edit& edit) {
  return edit.kind == Edit::Kind::set_env || edit.kind == Edit::Kind::unset_env;
}

}  // namespace

std::string shown(const Token& token) { return token.secret ? "***" : token.text; }

std::string flag_name(const Arguments& arguments, const std::vector<Token>& argv, Field field) {
  const Origin& origin = arguments.origins[static_cast<size_t>(field)];
  if (origin.kind != Origin::Kind::typed || origin.first_token < 0)
    return usual_name(arguments.release, field);
  const std::string& word = argv[static_cast<size_t>(origin.first_token)].text;
  return word.substr(0, word.find('='));
}

std::vector<Token> apply_to_argv(const Arguments& arguments, const std::vector<Token>& argv,
                                 const std::vector<Edit>& edits) {
  const std::vector<FlagGroup> groups = flag_groups(arguments.release, argv);
  std::vector<bool> dropped(argv.size(), false);
  std::vector<std::vector<Token>> inserted(argv.size() + 1);  // before the token of that index
  for (const Edit& edit : edits) {
    if (of_env(edit)) continue;
    size_t place = argv.size();
    for (const FlagGroup& group : groups) {
      if (!group.option || group.option->dest != edit.field) continue;
      for (size_t i = group.first; i <= group.last; ++i) dropped[i] = true;
      place = group.first;
    }
    if (edit.kind != Edit::Kind::set_flag) continue;
    for (Token& token : flag_tokens(arguments, argv, edit))
      inserted[place].push_back(std::move(token));
  }
  std::vector<Token> out;
  for (size_t i = 0; i <= argv.size(); ++i) {
    for (Token& token : inserted[i]) out.push_back(std::move(token));
    if (i < argv.size() && !dropped[i]) out.push_back(argv[i]);
  }
  return out;
}

void apply_to_env(Environment& env, const std::vector<Edit>& edits) {
  for (const Edit& edit : edits) {
    if (edit.kind == Edit::Kind::set_env) env.put(edit.env, edit.value);
    if (edit.kind == Edit::Kind::unset_env) env.erase(edit.env);
  }
}

std::string title_of(const Arguments& arguments, const std::vector<Token>& argv,
                     const std::vector<Edit>& edits) {
  std::string title;
  for (const Edit& edit : edits) {
    const std::string flag = of_env(edit) ? edit.env : flag_name(arguments, argv, edit.field);
    if (!title.empty()) title += ", ";
    const size_t verb = title.size();
    switch (edit.kind) {
      case Edit::Kind::set_flag:
        title += edit.value.empty() ? "Add " + flag : "Set " + flag + " to " + edit.value;
        break;
      case Edit::Kind::unset_flag:
        title += "Remove " + flag;
        break;
      case Edit::Kind::set_env:
        title += "Set " + flag + "=" + edit.value;
        break;
      case Edit::Kind::unset_env:
        title += "Unset " + flag;
        break;
    }
    if (verb > 0) title[verb] = static_cast<char>(title[verb] + ('a' - 'A'));
  }
  return title;
}

}  // namespace sglint
