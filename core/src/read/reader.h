#pragma once
// What the readers of all forms share: the text, the result, the way from words to a launch.

#include <functional>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "read/launch.h"
#include "read/source.h"

namespace sglint {

// What a shell knows at one point.
struct Variable {
  std::vector<Word> words;  // one for a scalar
  bool array = false;
  bool exported = false;
  EnvSetting setting;
};

struct ShellState {
  std::map<std::string, Variable, std::less<>> variables;
  std::vector<std::string> export_order;
  bool export_all = false;  // set -a
};

// What surrounds the words of one command.
struct Surroundings {
  Form form = Form::shell;
  std::vector<EnvSetting> env;
  std::optional<Release> release;
  std::string version;  // as in Launch
  Span version_span;
  std::vector<std::string> assumptions;
  std::optional<int> gpu_count;
  std::string_view machine, machine_word;  // as in Launch
  std::string name;
  Network network;
  EnvPlace env_place;
  ShellState* shell = nullptr;
  Span span;  // of the command as a whole
};

struct Templates;

class Reader {
 public:
  explicit Reader(std::string_view text);
  ReadResult finish();

  std::string_view text() const { return text_; }
  Source whole() const { return Source(text_, 0); }

  // Forms. Each says whether it took the text as its own. Those that most texts are not have their
  // work in a function apart (gnu::noinline): WebAssembly is compiled function by function when
  // called.
  void read_text(const Source& source);  // finds out the form
  void read_shell(const Source& source, ShellState& state, const Surroundings& around);
  bool read_markdown(const Source& source);
  bool read_inline_code(const Source& source);
  bool read_yaml(const Source& source);
  bool read_dockerfile(const Source& source);
  bool read_systemd(const Source& source);
  bool read_powershell(const Source& source);
  bool read_cmd(const Source& source);
  bool read_python(const Source& source);
  // Engine(…) or ServerArgs(…) whose bracket is at `open`; moves `i` behind it.
  bool read_python_call(const Source& source, size_t open, const std::vector<EnvSetting>& env,
                        size_t* i);
  // A log with server_args=ServerArgs(…): the command, if the log shows it, else what is printed.
  [[gnu::noinline]] bool read_printed(const Source& source);
  // Leaves out the launches from this one on that only a text about launches shows.
  void drop_loose(size_t from);
  bool read_json_list(const Source& source);
  bool read_notebook(const Source& source);

  // Looks for SGLang in the words of one command and adds a launch. True if it took them, also when
  // it is a command that is left out on purpose.
  bool read_words(std::vector<Word>& words, Surroundings around);
  // Words that are flags without a program.
  void add_launch(std::vector<Word> words, size_t first, const Surroundings& around);
  // The text inside a word, read as a shell command line.
  void read_inside(const Word& word, const Surroundings& around, bool own_shell);

  [[gnu::cold]] void find(const Rule& rule, Span span, std::initializer_list<Arg> args,
                          std::vector<TextEdit> edits = {}, std::string title = {});

  uint16_t context(Writing writing, uint16_t outer);
  uint16_t context(Writing writing, const Source& source) {
    return source.nested() ? context(writing, source.outer()) : top(writing);
  }
  uint16_t top(Writing writing);
  size_t launches() const { return out_.launches.size(); }
  void add_router(const std::vector<Word>& words, size_t first);
  std::vector<Launch>& all_launches() { return out_.launches; }

  bool hash_is_prompt = false;           // second try: `# cmd` is root's prompt and not a comment
  bool flags_alone = true;               // a line of nothing but flags is a launch
  int depth = 0;                         // of commands within commands
  size_t expanded = 0;                   // bytes that variables stood for so far
  size_t settings = 0;                   // environment variables of all launches so far
  const Templates* templates = nullptr;  // of the YAML that is being read
  // Is the word what a template writes, which may be flags or the program?
  bool inserted(const Word& word) const;

 private:
  bool read_plain_yaml(const Source& source);
  struct YamlLines {
    size_t keys = 0, other = 0;  // among the first lines
    bool braces = false;         // the first line begins with a bracket
  };
  [[gnu::noinline]] bool read_documents(const Source& source, const YamlLines& lines);
  [[gnu::noinline]] bool read_python_strings(const Source& source);
  [[gnu::noinline]] bool read_instructions(const Source& source);
  [[gnu::noinline]] void put_back(const Templates& templates, size_t launch, size_t router,
                                  size_t finding);

  std::string_view text_;
  ReadResult out_;
  // `pip install sglang==…`, `docker run -it IMAGE`: the release of what is launched below
  Surroundings installed_;
  std::vector<Context> contexts_;
};

// Helpers of one concept each.
bool is_placeholder(std::string_view word);              // placeholders.cpp
size_t placeholder_at(std::string_view text, size_t i);  // length of a `<x>` or `{{ x }}` there, 0
bool is_secret_name(std::string_view env_name);          // secrets.cpp
void check_characters(Reader& reader, const Launch& launch);  // smart_characters.cpp
size_t dash_like(std::string_view text, size_t i);   // length of a typographic dash there, else 0
size_t space_like(std::string_view text, size_t i);  // of a space that a shell does not know
bool is_flag(std::string_view word);                 // "--x", "-x" or a typographic dash
// What an image says of the release: by its tag, or nothing.
void take_image(Surroundings& around, std::string_view image, Span span);
void mark_secrets(std::vector<Token>& argv);
bool mentions_sglang(std::string_view text);
bool may_launch(const std::vector<Word>& words);            // is the command worth a look?
bool among(std::string_view s, size_t i, const char* set);  // is the byte at i one of the set?
std::string_view base_name(std::string_view path);
bool names_model(std::string_view word);                 // --model-path, --model=x
bool is_name(std::string_view s);                        // of a variable
size_t prompt_length(std::string_view line, bool hash);  // prompts.cpp
// "8000:30000", "127.0.0.1:8000:30000/tcp", "30000"
Network::Published published_port(std::string_view text, Span span);
bool docker_options(std::vector<Word>& words, size_t& i, bool run, Surroundings& around);
// NAME=value as one word; the edit of such a setting replaces the whole word.
EnvSetting env_setting(const Word& word);
void put_setting(std::vector<EnvSetting>& env, EnvSetting setting);
// The words of a string that is split but not run by a shell.
std::vector<Word> split_words(Reader& reader, const Source& source);
std::vector<Word> json_words(Reader& reader, const Source& source, Writing writing);  // lists.cpp
void check_list_items(Reader& reader, const std::vector<Word>& words);

}  // namespace sglint
