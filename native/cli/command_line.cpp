#include "command_line.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>

#include "sglint/sglint.h"

namespace sglint {
namespace {

using Words = std::vector<std::string>;

bool begins_with(const std::string& s, const char* prefix) { return s.rfind(prefix, 0) == 0; }

bool is_folder(const std::string& path) {
  struct stat info {};
  return stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
}
bool is_file(const std::string& path) {
  struct stat info {};
  return stat(path.c_str(), &info) == 0 && !S_ISDIR(info.st_mode);
}

bool has_blank(const std::string& word) { return word.find_first_of(" \t\n") != word.npos; }

// The program that a launch begins with, or an environment variable before it.
bool begins_launch(const std::string& word) {
  static constexpr const char* kPrograms[] = {
      "sglang", "docker", "podman",  "nerdctl", "uv",       "uvx",  "env", "exec",  "sudo",
      "nohup",  "srun",   "numactl", "mpirun",  "torchrun", "bash", "sh",  "export"};
  const size_t equals = word.find('=');
  if (equals != word.npos && equals > 0 &&
      word.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_") ==
          equals)
    return true;
  const std::string name = word.substr(word.rfind('/') + 1);
  return begins_with(name, "python") ||
         std::find(std::begin(kPrograms), std::end(kPrograms), name) != std::end(kPrograms);
}

// A whole command in quotes.
bool is_whole_command(const std::string& word) {
  return has_blank(word) && !is_file(word) &&
         (word.find("sglang") != word.npos ||
          begins_launch(word.substr(0, word.find_first_of(" \t\n"))));
}

std::string joined(const Words& words) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : " ") + shell_quoted(word);
  return out;
}

size_t distance(const std::string& a, const std::string& b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j < row.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t corner = row[0]++;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t swap = corner + (a[i - 1] != b[j - 1]);
      corner = row[j];
      row[j] = std::min({swap, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row.back();
}

std::string nearest(const std::string& word, const Words& names) {
  std::string best;
  size_t least = word.size() > 4 ? 3 : 2;  // fewer than this many letters differ
  for (const std::string& name : names)
    if (const size_t d = distance(word, name); d < least) least = d, best = name;
  return best;
}

// One of sglint's own words: how many words it takes, 0 if it is none of its options.
size_t own_words(const CLI::App& command, const std::string& word) {
  if (!begins_with(word, "-") || word.size() < 2) return 0;
  const size_t equals = word.find('=');
  const CLI::Option* option = command.get_option_no_throw(word.substr(0, equals));
  if (!option) return 0;
  return option->get_items_expected_max() > 0 && equals == word.npos ? 2 : 1;
}

// Options that no release of SGLang has, not even cut short.
bool only_ours(const CLI::App& command, const std::string& word) {
  const std::string name = word.substr(0, word.find('='));
  return begins_with(name, "--") && own_words(command, word) > 0 && name != "--model" &&
         name != "--model-config" && name != "--to" && name != "--help";
}

// Without the API keys and tokens that stand in it: stderr ends up in logs.
std::string without_secrets(std::string text) {
  Request request;
  request.text = text;
  const std::vector<SourceSpan> spans = check(request).secret_spans;
  for (size_t i = spans.size(); i-- > 0;)
    if (spans[i].begin <= spans[i].end && spans[i].end <= text.size())
      text.replace(spans[i].begin, spans[i].end - spans[i].begin, "***");
  return text;
}

std::string line(const CLI::App& command, const Words& own, const Words& launch) {
  const std::string words = joined(own);
  return "sglint " + command.get_name() + (words.empty() ? "" : " " + words) + " -- " +
         without_secrets(joined(launch));
}

std::string empty(const std::string& name) {
  return name + " is empty; is a shell variable not set?" +
         (begins_with(name, "--") ? " Leave the option out for its default" : "");
}

}  // namespace

std::string shell_quoted(const std::string& word) {
  if (!word.empty() &&
      word.find_first_not_of(
          "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:=,@%+") == word.npos)
    return word;
  std::string out = "'";
  for (char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

Typed divide(const Words& words, const CLI::App& command, bool takes_launch) {
  Typed out;
  const std::string& verb = command.get_name();
  const auto fail = [&](std::string sentence) {
    out.problem = std::move(sentence);
    return out;
  };
  const auto rest = [&](size_t i) {
    return Words(words.begin() + static_cast<long>(std::min(i, words.size())), words.end());
  };
  Words own;  // without the subcommand
  std::string file;
  for (size_t i = 1; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (word == "--" && takes_launch) {
      out.command = rest(i + 1);
      for (const std::string& w : out.command) {
        if (!only_ours(command, w)) continue;
        fprintf(stderr,
                "sglint: %s stands behind --, so it is taken for SGLang's; sglint's own options go "
                "before --\n",
                w.substr(0, w.find('=')).c_str());
        break;
      }
      break;
    }
    if (word.empty())
      return fail(empty(takes_launch ? "FILE" : verb == "explain" ? "RULE" : "a word"));
    if (const size_t n = own_words(command, word); n > 0) {
      const std::string name = word.substr(0, word.find('='));
      if (n == 2 &&
          (i + 1 == words.size() || words[i + 1] == "--" || own_words(command, words[i + 1]) > 0))
        return fail(name + " needs a value; `sglint " + verb + " --help` says which");
      const std::string& value = n == 2 ? words[i + 1] : word;
      const size_t begin = n == 2 || value.find('=') == value.npos ? 0 : value.find('=') + 1;
      if ((n == 2 || begin > 0) && value.find_first_not_of(", \t\n", begin) == value.npos)
        return fail(empty(name));
      own.push_back(word);
      if (n == 2) own.push_back(words[++i]);
      continue;
    }
    if (!takes_launch) {
      own.push_back(word);
      continue;
    }
    if (begins_with(word, "-") && word != "-") {
      const std::string name = word.substr(0, word.find('='));
      Words names;
      for (const CLI::Option* o : command.get_options())
        for (const std::string& l : o->get_lnames()) names.push_back("--" + l);
      const std::string meant = nearest(name, names);
      std::string problem = verb + " has no option " + name;
      const Words behind = rest(i);
      if (!meant.empty()) return fail(problem + "; did you mean " + meant + "?");
      if (!file.empty())
        return fail(problem + "; if it is SGLang's, it belongs to the command in " + file);
      if (!out.command.empty())
        return fail(problem + "; if it is SGLang's, it belongs inside the quotes");
      if (std::find(behind.begin(), behind.end(), "--") != behind.end())
        return fail(problem + "; if it is SGLang's, it belongs to the command after --");
      return fail(problem + ". If it is SGLang's, put it after --:\n  " +
                  line(command, own, behind));
    }
    if (!file.empty()) {
      if (is_file(word))
        return fail(verb + " takes one file; for several: for f in " + shell_quoted(file) + " " +
                    shell_quoted(word) + "; do sglint " + verb + " \"$f\"; done");
      return fail("what is " + shell_quoted(word) + " behind " + shell_quoted(file) + "? " + verb +
                  " takes one file, or a launch command after --");
    }
    if (is_whole_command(word) && out.command.empty()) {
      out.command = {word};
      continue;
    }
    const bool last = i + 1 == words.size() || own_words(command, words[i + 1]) > 0;
    if (begins_launch(word) && !(last && is_file(word))) {
      out.command = rest(i);
      Words launch, ours = own;
      for (size_t k = i; k < words.size(); ++k) {
        const bool move = only_ours(command, words[k]);
        for (size_t n = move ? own_words(command, words[k]) : 1; n > 0 && k < words.size();
             --n, ++k)
          (move ? ours : launch).push_back(words[k]);
        --k;
      }
      if (ours.size() > own.size())
        return fail(ours[own.size()].substr(0, ours[own.size()].find('=')) +
                    " stands in the launch command; put sglint's own options before it:\n  " +
                    line(command, ours, launch));
      break;
    }
    if (is_folder(word)) {
      const std::string some = shell_quoted(word.back() == '/' ? word : word + "/");
      return fail(word + " is a folder; check its files one by one: for f in " + some +
                  "*.yaml; do sglint " + verb + " \"$f\"; done");
    }
    if (word != "-" && !is_file(word)) {
      struct stat info {};
      if (stat(word.c_str(), &info) != 0 && errno == ENOENT)
        return fail("there is no file " + word +
                    "; name one, - for standard input, or put the launch command after --");
    }
    file = word;
    own.push_back(word);
  }
  out.own = std::move(own);
  return out;
}

std::string no_such_command(const Words& words, const CLI::App& app) {
  const std::string& word = words[0];
  const CLI::App& check = *app.get_subcommand("check");
  if (word == "--" && words.size() > 1)
    return "say what to do with the command:\n  " +
           line(check, {}, Words(words.begin() + 1, words.end()));
  if (word.empty()) return empty("the command of sglint");
  if (own_words(check, word) > 0)
    return word.substr(0, word.find('=')) +
           " belongs behind check, matrix or upgrade: sglint check " + word + " …";
  if (is_file(word)) return "say what to do with the file: sglint check " + joined(words);
  if (begins_launch(word) || is_whole_command(word))
    return "say what to do with the command:\n  " + line(check, {}, words);
  Words names;
  for (const CLI::App* command : app.get_subcommands(nullptr)) names.push_back(command->get_name());
  const std::string meant = nearest(word, names);
  return "there is no command " + shell_quoted(word) +
         (meant.empty() ? "; `sglint --help` lists them"
                        : "; did you mean `sglint " + meant + "`?");
}

}  // namespace sglint
