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

namespace {

// The strings of a program that hold a command, and its lists of strings that are one.
class PythonStrings {
 public:
  PythonStrings(Reader& reader, const Source& source)
      : reader_(reader), source_(source), s_(source.text()), budget_(4 * source.size() + 1000) {}

  void run() {
    while (i_ < s_.size()) {
      const char c = s_[i_];
      if (c == '#')
        i_ = std::min(s_.find('\n', i_), s_.size());
      else if (c == '[' && budget_ > 0)
        i_ += environment() || list() ? 0 : 1;
      else if (c == '(' && budget_ > 0)
        call();
      else if (!string())
        ++i_;
    }
  }

 private:
  // At the bracket of os.environ["NAME"] = "value".
  bool environment() {
    Literal name, value;
    if (i_ < 7 || s_.substr(i_ - 7, 7) != "environ" || !literal_at(s_, i_ + 1, &name)) return false;
    size_t k = name.end;
    while (k < s_.size() && among(s_, k, "] =")) ++k;
    if (!literal_at(s_, k, &value)) return false;
    EnvSetting e;
    e.name = decode_literal(source_, name).text;
    e.value = decode_literal(source_, value).text;
    e.secret = is_secret_name(e.name);
    e.span = source_.span(i_, value.end);
    e.value_span = source_.span(value.begin, value.end);
    e.context = reader_.context(Writing::python_list, source_);
    put_setting(env_, std::move(e));
    i_ = value.end;
    return true;
  }

  // At a bracket: a list whose items are a command.
  bool list() {
    std::vector<Word> words;
    size_t end = 0;
    if (!list_items(reader_, source_, i_, Writing::python_list, &words, &end)) {
      const size_t cost = 200 + words.size() * 8;
      budget_ = budget_ > cost ? budget_ - cost : 0;
      return false;
    }
    bool sglang = false, model = false;
    for (const Word& w : words) {
      sglang = sglang || mentions_sglang(w.text);
      model = model || names_model(w.text);
    }
    if (!sglang && !model) return false;
    Surroundings around = image_;
    around.form = Form::python_list;
    around.env = env_;
    around.span = source_.span(i_, end);
    const std::vector<Word> items = words;
    const size_t before = reader_.launches();
    if (is_flag(words[0].text))
      reader_.add_launch(std::move(words), 0, around);
    else
      reader_.read_words(words, around);
    if (reader_.launches() == before) return false;
    // What the program adds later is not known.
    const std::string_view later = s_.substr(end);
    if (!model && !is_flag(items[0].text) &&
        (contains(later, ".extend(") || contains(later, ".append(") || contains(later, "+="))) {
      Token rest;
      rest.text = "...";
      rest.span = {source_.span(end - 1, end).begin, source_.span(end - 1, end).begin};
      rest.unknown = true;
      rest.context = reader_.context(Writing::python_list, source_);
      reader_.all_launches().back().argv.push_back(std::move(rest));
    }
    check_items(reader_, items);
    i_ = end;
    return true;
  }

  void call() {
    const size_t from = i_;
    if (reader_.read_python_call(source_, from, env_, &i_)) return;
    budget_ -= std::min(budget_, i_ - from);
    i_ = from + 1;
  }

  // A string literal, together with those beside it, which Python joins.
  bool string() {
    const char c = s_[i_];
    Literal l;
    const bool starts =
        c == '"' || c == '\'' ||
        (isalpha(static_cast<unsigned char>(c)) && among(s_, i_, "rRbBfFuU") &&
         (i_ == 0 || !(isalnum(static_cast<unsigned char>(s_[i_ - 1])) || s_[i_ - 1] == '_')));
    if (!starts || !literal_at(s_, i_, &l)) return false;
    const size_t begin = i_;
    i_ = l.end;
    const std::string_view raw = s_.substr(begin, l.end - begin);
    // Terraform: image = "lmsysorg/sglang:v0.5.17"
    const std::string_view left = s_.substr(0, begin);
    const size_t name = left.find_last_not_of(" =");
    if (name != left.npos && contains(left.substr(name), "=") &&
        ends_with(left.substr(0, name + 1), "image"))
      take_image(image_, decode_literal(source_, l).text, source_.span(l.inner, l.inner_end));
    if (!mentions_sglang(raw) && !contains(raw, "python")) return true;
    Decoded text = decode_literal(source_, l);
    bool format = l.format;
    while (mentions_sglang(text.text) || contains(text.text, "python")) {
      size_t k = i_;
      while (k < s_.size() && among(s_, k, " \t\r\n\\")) ++k;
      Literal more;
      if (!literal_at(s_, k, &more)) break;
      const Decoded next = decode_literal(source_, more);
      text.text += next.text;
      text.at.insert(text.at.end(), next.at.begin(), next.at.end());
      format = format || more.format;
      i_ = more.end;
    }
    format = format || starts_with(s_.substr(i_), ".format(");
    if (!mentions_sglang(text.text) || text.text.find_first_of(" \n") == std::string::npos)
      return true;
    Word w;
    w.text = std::move(text.text);
    w.at = std::move(text.at);
    w.span = source_.span(begin, i_);
    w.context = reader_.context(Writing::python_list, source_);
    w.inside = reader_.context(l.triple         ? Writing::raw
                               : l.quote == '"' ? Writing::json_string
                                                : Writing::python_string,
                               w.context);
    command_line(w, format);
    return true;
  }

  void command_line(Word& w, bool format) {
    // An expression of an f-string is one value, whatever blanks and quotes it has.
    int braces = 0;
    for (char& k : w.text) {
      if (format && (k == '{' || k == '}')) braces += k == '{' ? 1 : -1;
      if (braces == 1 && among({&k, 1}, 0, " \"'()")) k = '_';
    }
    const size_t before = reader_.launches();
    Surroundings around;
    around.env = env_;
    reader_.read_inside(w, around, true);
    if (!format) return;
    // {name} of an f-string is what the program puts in.
    for (size_t k = before; k < reader_.launches(); ++k)
      for (Token& t : reader_.all_launches()[k].argv)
        if (contains(t.text, "{") && contains(t.text, "}")) t.unknown = true;
  }

  Reader& reader_;
  const Source& source_;
  std::string_view s_;
  Surroundings image_;           // the release that an image before names
  std::vector<EnvSetting> env_;  // what os.environ was given so far
  size_t budget_;                // lists and calls that are given up cost a pass each
  size_t i_ = 0;
};

}  // namespace

bool Reader::read_python_strings(const Source& source) {
  const size_t before = launches();
  PythonStrings(*this, source).run();
  return launches() > before;
}

}  // namespace sglint
