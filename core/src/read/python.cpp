// Python that starts a server: strings and lists of strings, wherever they stand.
#include <algorithm>

#include "read/lists.h"
#include "read/yaml_text.h"

namespace sglint {
namespace {

bool python_line(std::string_view line) {
  const size_t c = line.find_first_not_of(" \t");
  if (c == line.npos) return false;
  line = line.substr(c);
  for (const char* word :
       {"import ", "from ", "def ", "subprocess.", "os.system", "os.environ", "print(",
        "launch_server_cmd(", "execute_shell_command(", "class ", "with ", "async def "})
    if (starts_with(line, word)) return true;
  if (contains(line, "launch_server_cmd(") || contains(line, "execute_shell_command(") ||
      contains(line, "Popen(") || contains(line, "subprocess.run(") ||
      contains(line, "shlex.split(") || contains(line, "Engine(") || contains(line, "ServerArgs("))
    return true;
  // name = "…", name = […], name = ( … : a shell has no spaces there.
  size_t i = 0;
  while (i < line.size() &&
         (isalnum(static_cast<unsigned char>(line[i])) || line[i] == '_' || line[i] == '.'))
    ++i;
  if (i == 0 || !starts_with(line.substr(i), " = ")) return false;
  const std::string_view value = line.substr(i + 3);
  return !value.empty() && (contains("\"'[({", value.substr(0, 1)) || starts_with(value, "f\"") ||
                            starts_with(value, "f'") || starts_with(value, "shlex"));
}

// Quotes that a shell needs around an apostrophe stand three in a row too, but never behind a
// bracket, a space or an equals sign.
bool triple_quotes(std::string_view s) {
  for (std::string_view quotes : {"\"\"\"", "'''"}) {
    for (size_t i = s.find(quotes); i != s.npos; i = s.find(quotes, i + 3)) {
      size_t before = i;
      while (before > 0 && i - before < 2 && among(s, before - 1, "rRbBfFuU")) --before;
      if (before == 0 || among(s, before - 1, "(=,[ \n\t")) return true;
    }
  }
  return false;
}

}  // namespace

bool Reader::read_python(const Source& source) {
  const std::string_view s = source.text();
  bool python = triple_quotes(s);
  for (size_t i = 0, line = 0; i < s.size() && !python && line < 2000; ++line) {
    const size_t eol = std::min(s.find('\n', i), s.size());
    python = python_line(s.substr(i, eol - i));
    i = eol + 1;
  }
  return python && read_python_strings(source);
}

bool Reader::read_python_strings(const Source& source) {
  const std::string_view s = source.text();
  const size_t before = launches();
  std::vector<EnvSetting> env;
  size_t budget = 4 * s.size() + 1000;  // lists that are given up cost a pass each
  for (size_t i = 0; i < s.size();) {
    const char c = s[i];
    if (c == '#') {
      i = std::min(s.find('\n', i), s.size());
      continue;
    }
    if (c == '[' && budget > 0) {
      // os.environ["NAME"] = "value"
      Literal name, value;
      if (i >= 7 && s.substr(i - 7, 7) == "environ" && literal_at(s, i + 1, &name)) {
        size_t k = name.end;
        while (k < s.size() && among(s, k, "] =")) ++k;
        if (literal_at(s, k, &value)) {
          EnvSetting e;
          e.name = decode_literal(source, name).text;
          e.value = decode_literal(source, value).text;
          e.secret = is_secret_name(e.name);
          e.span = source.span(i, value.end);
          e.value_span = source.span(value.begin, value.end);
          e.context = context(Writing::python_list, source);
          put_setting(env, std::move(e));
          i = value.end;
          continue;
        }
      }
      std::vector<Word> words;
      size_t end = 0;
      const bool list = list_items(*this, source, i, Writing::python_list, &words, &end);
      bool sglang = false, model = false;
      for (const Word& w : words) {
        sglang = sglang || mentions_sglang(w.text);
        model = model || names_model(w.text);
      }
      if (list && (sglang || model)) {
        Surroundings around;
        around.form = Form::python_list;
        around.env = env;
        around.span = source.span(i, end);
        const std::vector<Word> copy = words;
        const size_t count = launches();
        if (is_flag(words[0].text))
          add_launch(std::move(words), 0, around);
        else
          read_words(words, around);
        if (launches() > count) {
          // What the program adds later is not known.
          const std::string_view later = s.substr(end);
          if (!model && !is_flag(copy[0].text) &&
              (contains(later, ".extend(") || contains(later, ".append(") ||
               contains(later, "+="))) {
            Token rest;
            rest.text = "...";
            rest.span = {source.span(end - 1, end).begin, source.span(end - 1, end).begin};
            rest.unknown = true;
            rest.context = context(Writing::python_list, source);
            out_.launches.back().argv.push_back(std::move(rest));
          }
          check_items(*this, copy);
          i = end;
          continue;
        }
      } else if (!list) {
        const size_t cost = 200 + words.size() * 8;
        budget = budget > cost ? budget - cost : 0;
      }
      ++i;
      continue;
    }
    if (c == '(' && budget > 0) {
      const size_t from = i;
      if (read_python_call(source, from, env, &i)) continue;
      budget -= std::min(budget, i - from);
      i = from + 1;
      continue;
    }
    Literal l;
    const bool starts =
        c == '"' || c == '\'' ||
        (isalpha(static_cast<unsigned char>(c)) && among(s, i, "rRbBfFuU") &&
         (i == 0 || !(isalnum(static_cast<unsigned char>(s[i - 1])) || s[i - 1] == '_')));
    if (starts && literal_at(s, i, &l)) {
      const std::string_view raw = s.substr(i, l.end - i);
      if (!mentions_sglang(raw) && !contains(raw, "python")) {
        i = l.end;
        continue;
      }
      // Neighbouring literals are one string.
      Decoded text = decode_literal(source, l);
      bool format = l.format;
      size_t end = l.end;
      while (mentions_sglang(text.text) || contains(text.text, "python")) {
        size_t k = end;
        while (k < s.size() && among(s, k, " \t\r\n\\")) ++k;
        Literal more;
        if (!literal_at(s, k, &more)) break;
        const Decoded next = decode_literal(source, more);
        text.text += next.text;
        text.at.insert(text.at.end(), next.at.begin(), next.at.end());
        format = format || more.format;
        end = more.end;
      }
      format = format || starts_with(s.substr(end), ".format(");
      if (mentions_sglang(text.text) && text.text.find_first_of(" \n") != std::string::npos) {
        Word w;
        w.text = std::move(text.text);
        w.at = std::move(text.at);
        w.span = source.span(i, end);
        w.context = context(Writing::python_list, source);
        w.inside = context(l.triple         ? Writing::raw
                           : l.quote == '"' ? Writing::json_string
                                            : Writing::python_string,
                           w.context);
        // An expression of an f-string is one value, whatever blanks and quotes it has.
        int braces = 0;
        for (char& k : w.text) {
          if (format && (k == '{' || k == '}')) braces += k == '{' ? 1 : -1;
          if (braces == 1 && among({&k, 1}, 0, " \"'()")) k = '_';
        }
        const size_t count = launches();
        Surroundings around;
        around.env = env;
        read_inside(w, around, true);
        // {name} of an f-string is what the program puts in.
        if (format)
          for (size_t k = count; k < launches(); ++k)
            for (Token& t : out_.launches[k].argv)
              if (contains(t.text, "{") && contains(t.text, "}")) t.unknown = true;
      }
      i = end;
      continue;
    }
    ++i;
  }
  return launches() > before;
}

}  // namespace sglint
