#include "repair/edits.h"

namespace sglint {
namespace {

std::string flag_of(Release release, Field field) {
  if (const Option* option = option_of(release, field)) return std::string(option->names.front());
  std::string flag = "--" + std::string(field_name(field));
  for (char& c : flag)
    if (c == '_') c = '-';
  return flag;
}

std::vector<Token> flag_tokens(Release release, const Edit& edit) {
  std::vector<Token> tokens{{flag_of(release, edit.field), {}, false, false}};
  size_t begin = 0;
  while (begin < edit.value.size()) {  // several values are separated by one space
    size_t end = edit.value.find(' ', begin);
    if (end == std::string::npos) end = edit.value.size();
    tokens.push_back({edit.value.substr(begin, end - begin), {}, false, false});
    begin = end + 1;
  }
  return tokens;
}

}  // namespace

std::vector<Token> apply_to_argv(const Arguments& arguments, const std::vector<Token>& argv,
                                 const std::vector<Edit>& edits) {
  std::vector<bool> dropped(argv.size(), false);
  std::vector<std::vector<Token>> inserted(argv.size() + 1);  // before the token of that index
  for (const Edit& edit : edits) {
    if (edit.kind == Edit::Kind::set_env || edit.kind == Edit::Kind::unset_env) continue;
    const Origin& origin = arguments.origins[static_cast<size_t>(edit.field)];
    const bool in_argv = origin.kind == Origin::Kind::typed && origin.first_token >= 0 &&
                         origin.last_token < static_cast<int>(argv.size());
    if (in_argv)
      for (int i = origin.first_token; i <= origin.last_token; ++i) dropped[static_cast<size_t>(i)] = true;
    if (edit.kind != Edit::Kind::set_flag) continue;
    std::vector<Token>& place = inserted[in_argv ? static_cast<size_t>(origin.first_token) : argv.size()];
    for (Token& token : flag_tokens(arguments.release, edit)) place.push_back(std::move(token));
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

std::string title_of(Release release, const std::vector<Edit>& edits) {
  std::string title;
  for (const Edit& edit : edits) {
    if (!title.empty()) title += ", ";
    const bool first = title.empty();
    switch (edit.kind) {
      case Edit::Kind::set_flag:
        title += edit.value.empty() ? (first ? "Add " : "add ") + flag_of(release, edit.field)
                                    : (first ? "Set " : "set ") + flag_of(release, edit.field) + " to " + edit.value;
        break;
      case Edit::Kind::unset_flag: title += (first ? "Remove " : "remove ") + flag_of(release, edit.field); break;
      case Edit::Kind::set_env: title += (first ? "Set " : "set ") + edit.env + "=" + edit.value; break;
      case Edit::Kind::unset_env: title += (first ? "Unset " : "unset ") + edit.env; break;
    }
  }
  return title;
}

}  // namespace sglint
