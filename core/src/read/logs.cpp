// Logs in which SGLang printed its arguments: what a terminal or a collector of logs put around
// them is taken off.
#include <algorithm>

#include "read/lists.h"

namespace sglint {
namespace {

constexpr std::string_view kPrinted = "server_args=ServerArgs(";
constexpr std::string_view kField = "server_args";  // colours may stand behind it
constexpr size_t kPrintedFields = 100;              // nobody types so many

// {"log": "…", "time": …}: the string of a JSON object that holds the place, if one does.
bool json_string_around(std::string_view line, size_t place, Literal* l) {
  for (size_t i = line.find('"'); i < place; i = line.find('"', l->end)) {
    if (!literal_at(line, i, l)) return false;
    if (l->end <= place) continue;
    const size_t before = i ? line.find_last_not_of(" \t", i - 1) : line.npos;
    return before != line.npos && line[before] == ':';
  }
  return false;
}

// Without the JSON around a line, without colours (ESC[…m), and with the lines that a terminal
// broke at its margin joined: all but the last are as long as the first.
Decoded plain_log(const Source& source) {
  const std::string_view s = source.text();
  Decoded out;
  size_t margin = 0;
  for (size_t i = 0; i < s.size();) {
    const size_t end = std::min(s.find('\n', i), s.size());
    const Source line = source.part(i, end);
    const size_t place = line.text().find(kField);
    Decoded message;
    Literal l;
    const bool json = place != s.npos && json_string_around(line.text(), place, &l);
    if (json)
      message = decode_literal(line, l);
    else
      line.copy(0, line.size(), &message.text, &message.at);
    const std::string_view text = message.text;
    if (place != s.npos) margin = json || !contains(text, "ServerArgs") ? 0 : text.size();
    for (size_t k = 0; k < text.size(); ++k) {
      if (text[k] == '\x1b' && text.substr(k + 1, 1) == "[") {
        const size_t stop = text.find_first_not_of("0123456789;", k + 2);
        if (stop != text.npos && text[stop] == 'm') {
          k = stop;
          continue;
        }
      }
      out.add(text[k], message.at[k]);
    }
    const bool broken =
        margin > 40 && text.size() == margin && end + 1 < s.size() && s[end + 1] != '[';
    if (!broken) {
      margin = 0;
      if (end < s.size()) out.add('\n', source.span(end, end + 1));
    }
    i = end + 1;
  }
  return out;
}

}  // namespace

bool Reader::read_printed(const Source& given) {
  const Decoded plain = plain_log(given);
  const Source source = given.with(plain);
  const std::string_view s = source.text();
  std::string rest(s);
  bool any = false;
  for (size_t at = s.find(kPrinted), next = 0; at != s.npos; at = s.find(kPrinted, next)) {
    const size_t end = std::min(s.find('\n', at), s.size());
    next = at + kPrinted.size();
    if (static_cast<size_t>(std::count(s.begin() + static_cast<long>(at),
                                       s.begin() + static_cast<long>(end), '=')) < kPrintedFields)
      continue;
    any = true;
    next = end;
    std::fill(rest.begin() + static_cast<long>(at), rest.begin() + static_cast<long>(end), ' ');
  }
  if (!any) return false;
  const size_t before = launches();
  read_text(source.with(rest));
  drop_loose(before);
  return launches() > before || read_python(source);
}

}  // namespace sglint
