// Dockerfiles: the image tag, ENV, ENTRYPOINT and CMD of the last stage that starts SGLang.
#include <algorithm>

#include "read/reader.h"

namespace sglint {
namespace {

struct Instruction {
  std::string name;
  size_t begin = 0;  // of the line
  size_t args = 0;   // of what follows the name
  size_t end = 0;    // before the line break of the last line
};

std::vector<Instruction> instructions_of(std::string_view s) {
  std::vector<Instruction> out;
  size_t i = 0;
  while (i < s.size()) {
    size_t begin = i;
    while (begin < s.size() && (s[begin] == ' ' || s[begin] == '\t')) ++begin;
    size_t end = std::min(s.find('\n', i), s.size());
    if (begin < s.size() && s[begin] != '#' && begin < end) {
      Instruction in;
      in.begin = begin;
      size_t k = begin;
      while (k < end && isalpha(static_cast<unsigned char>(s[k]))) ++k;
      in.name = upper(s.substr(begin, k - begin));
      while (k < end && (s[k] == ' ' || s[k] == '\t')) ++k;
      in.args = k;
      // Continued lines; comments between them are left out by Docker.
      size_t line = i;
      for (;;) {
        size_t last = end;
        while (last > line && (s[last - 1] == ' ' || s[last - 1] == '\t' || s[last - 1] == '\r'))
          --last;
        size_t first = line;
        while (first < end && (s[first] == ' ' || s[first] == '\t')) ++first;
        const bool comment = line != i && first < end && s[first] == '#';
        if (!comment && !(last > line && s[last - 1] == '\\')) break;
        if (end >= s.size()) break;
        line = end + 1;
        end = std::min(s.find('\n', line), s.size());
      }
      in.end = end;
      out.push_back(std::move(in));
    }
    i = end + 1;
  }
  return out;
}

class Dockerfile {
 public:
  Dockerfile(Reader& reader, const Source& source) : reader_(reader), source_(source) {}

  void read(const std::vector<Instruction>& instructions) {
    for (const Instruction& in : instructions) {
      if (in.name == "FROM") {
        finish();
        env_.clear();
        state_ = {};
        entry_ = cmd_ = nullptr;
        std::vector<Word> words = split_words(reader_, source_.part(in.args, in.end));
        for (const Word& w : words)
          if (!starts_with(w.text, "--")) {
            take_image(image_, w.text, w.span);
            sglang_image_ = contains(w.text, "sglang");
            break;
          }
      } else if (in.name == "ENV" || in.name == "ARG") {
        settings(in);
      } else if (in.name == "ENTRYPOINT") {
        entry_ = &in;
        cmd_ = nullptr;
      } else if (in.name == "CMD") {
        cmd_ = &in;
      }
    }
    finish();
  }

 private:
  void settings(const Instruction& in) {
    const Source part = source_.part(in.args, in.end);
    std::vector<Word> words = split_words(reader_, part);
    if (words.empty()) return;
    Span removal = source_.span(in.begin, std::min(in.end + 1, source_.size()));
    if (!contains(words[0].text, "=") && words.size() > 1 && in.name == "ENV") {
      // ENV NAME the rest of the line
      EnvSetting e;
      e.name = words[0].text;
      for (size_t i = 1; i < words.size(); ++i) e.value += (i > 1 ? " " : "") + words[i].text;
      e.value_span = {words[1].span.begin, words.back().span.end};
      e.span = {words[0].span.begin, words.back().span.end};
      e.removal = removal;
      e.secret = is_secret_name(e.name);
      e.context = words[0].context;
      add(std::move(e));
      return;
    }
    for (size_t i = 0; i < words.size(); ++i) {
      if (!contains(words[i].text, "=")) continue;
      EnvSetting e = env_setting(words[i]);
      if (words.size() == 1)
        e.removal = removal;
      else if (i > 0)
        e.removal = {words[i - 1].span.end, words[i].span.end};
      if (in.name == "ARG")
        variable(e);
      else
        add(std::move(e));
    }
  }

  void variable(const EnvSetting& e) {
    Variable v;
    Word w;
    w.text = e.value;
    w.span = e.span;
    w.at.assign(w.text.size(), e.span);
    v.words.push_back(std::move(w));
    state_.variables[e.name] = std::move(v);
  }

  void add(EnvSetting e) {
    variable(e);
    put_setting(env_, std::move(e));
  }

  bool exec_form(const Instruction& in) const { return source_[in.args] == '['; }

  std::vector<Word> words_of(const Instruction& in) {
    if (!exec_form(in)) return split_words(reader_, source_.part(in.args, in.end));
    return json_words(reader_, source_.part(in.args, in.end), Writing::json_list);
  }

  void finish() {
    const Instruction* first = entry_ ? entry_ : cmd_;
    if (!first) return;
    Surroundings around = image_;
    around.form = Form::dockerfile;
    around.env = env_;
    around.shell = &state_;
    around.span = source_.span(first->begin, (entry_ && cmd_ ? cmd_ : first)->end);
    around.env_place.style = EnvPlace::Style::dockerfile;
    around.env_place.at =
        source_.span(std::min(first->begin, cmd_ ? cmd_->begin : first->begin), 0).begin;
    around.env_place.after = "\n";
    around.env_place.context = reader_.context(Writing::shell, source_);
    if (!exec_form(*first)) {
      // Shell form: a command line, and CMD behind a shell-form ENTRYPOINT is ignored.
      ShellState state = state_;
      const bool alone = reader_.flags_alone;
      reader_.flags_alone = sglang_image_;
      Source part = source_.part(first->args, first->end);
      reader_.read_shell(part, state, around);
      reader_.flags_alone = alone;
      return;
    }
    std::vector<Word> words = words_of(*first);
    if (entry_ && cmd_)
      for (Word& w : words_of(*cmd_)) words.push_back(std::move(w));
    if (words.empty()) return;
    const std::vector<Word> copy = words;
    const size_t before = reader_.launches();
    if (is_flag(words[0].text))
      reader_.add_launch(std::move(words), 0, around);
    else
      reader_.read_words(words, around);
    if (reader_.launches() > before) check_list_items(reader_, copy);
  }

  Reader& reader_;
  const Source& source_;
  std::vector<EnvSetting> env_;
  ShellState state_;
  const Instruction* entry_ = nullptr;
  const Instruction* cmd_ = nullptr;
  Surroundings image_;
  bool sglang_image_ = false;
};

}  // namespace

bool Reader::read_dockerfile(const Source& source) {
  return (contains(source.text(), "CMD") || contains(source.text(), "ENTRYPOINT")) &&
         read_instructions(source);
}

bool Reader::read_instructions(const Source& source) {
  const std::vector<Instruction> instructions = instructions_of(source.text());
  // The words of a Dockerfile are in capitals; a shell line that starts with `from` is none.
  bool from = false, starts = false;
  for (const Instruction& in : instructions) {
    const std::string_view name = source.text().substr(in.begin, in.name.size());
    if (name != in.name) continue;
    from = from || in.name == "FROM";
    starts = starts || ((in.name == "CMD" || in.name == "ENTRYPOINT") && in.args < in.end &&
                        in.args > in.begin + in.name.size());
  }
  if (!starts || (!from && instructions.size() > 30)) return false;
  const size_t before = launches();
  Dockerfile(*this, source).read(instructions);
  return from || launches() > before;
}

}  // namespace sglint
