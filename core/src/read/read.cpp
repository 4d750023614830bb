#include "read/launch.h"

namespace sglint {

// First cut: words of one shell line.
ReadResult read(std::string_view text) {
  ReadResult out;
  Launch launch;
  launch.form = Form::shell;
  size_t i = 0;
  std::vector<Token> words;
  while (i < text.size()) {
    while (i < text.size() && (text[i] == ' ' || text[i] == '\n' || text[i] == '\t' || (text[i] == '\\' && i + 1 < text.size() && text[i + 1] == '\n'))) ++i;
    const size_t begin = i;
    std::string word;
    char quote = 0;
    while (i < text.size() && (quote || (text[i] != ' ' && text[i] != '\n' && text[i] != '\t'))) {
      if (quote ? text[i] == quote : text[i] == '\'' || text[i] == '"') quote = quote ? '\0' : text[i];
      else word += text[i];
      ++i;
    }
    if (i > begin) words.push_back({word, {static_cast<uint32_t>(begin), static_cast<uint32_t>(i)}, false, false});
  }
  size_t first = 0;
  for (size_t k = 0; k < words.size(); ++k)
    if (words[k].text == "sglang.launch_server" || words[k].text == "serve") first = k + 1;
  launch.argv.assign(words.begin() + static_cast<long>(first), words.end());
  if (!launch.argv.empty()) {
    launch.span = {words.front().span.begin, words.back().span.end};
    out.launches.push_back(std::move(launch));
  }
  return out;
}

}  // namespace sglint
