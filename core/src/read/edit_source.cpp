#include "read/edit_source.h"

#include <algorithm>

#include "base/sort.h"
#include "base/text.h"
#include "read/lists.h"
#include "read/quoting.h"
#include "read/reader.h"
#include "read/templates.h"

namespace sglint {
namespace {

bool same(const Token& a, const Token& b) { return a.span == b.span && a.text == b.text; }

class Editor {
 public:
  Editor(std::string_view text, const Launch& launch) : text_(text), launch_(launch) {}

  std::optional<std::vector<TextEdit>> run(const std::vector<Token>& after,
                                           const std::vector<EnvChange>& env) {
    if (launch_.form == Form::argv || launch_.printed_fields) return std::nullopt;
    if (launch_.templated) {
      tags_ = template_tags(text_);
      blocks_ = template_blocks(text_, launch_.span.begin);
    }
    plan(after);
    find_shared();
    if (launch_.form == Form::yaml_map)
      edit_map();
    else if (launch_.form == Form::python_call)
      edit_call();
    else
      edit_words();
    for (const EnvChange& change : env) edit_env(change);
    if (failed_) return std::nullopt;
    return joined();
  }

 private:
  struct Step {
    bool removed = false;
    bool replaced = false;
    std::string text;                   // if replaced
    std::vector<std::string> inserted;  // behind this token
  };

  const std::vector<Token>& argv() const { return launch_.argv; }
  size_t count() const { return launch_.argv.size(); }
  Step& step(int i) { return steps_[static_cast<size_t>(i + 1)]; }  // -1: behind the program
  const Token& token(int i) const { return launch_.argv[static_cast<size_t>(i)]; }

  // Pairs the tokens of both sides: kept ones first, then within each gap one by one.
  void plan(const std::vector<Token>& after) {
    steps_.assign(count() + 1, {});
    size_t next = 0;
    std::vector<const Token*> inserted;
    const auto close_gap = [&](size_t end) {
      size_t k = 0;
      for (size_t i = next; i < end; ++i) {
        Step& s = steps_[i + 1];
        if (k < inserted.size()) {
          if (inserted[k]->text != argv()[i].text) {
            s.replaced = true;
            s.text = inserted[k]->text;
          }
          ++k;
        } else {
          s.removed = true;
        }
      }
      for (; k < inserted.size(); ++k) steps_[end].inserted.push_back(inserted[k]->text);
      inserted.clear();
    };
    for (const Token& t : after) {
      size_t found = next;
      while (found < count() && !same(argv()[found], t)) ++found;
      if (found == count()) {
        inserted.push_back(&t);
        continue;
      }
      close_gap(found);
      next = found + 1;
    }
    close_gap(count());
  }

  uint32_t line_begin(uint32_t i) const {
    while (i > 0 && text_[i - 1] != '\n') --i;
    return i;
  }
  uint32_t line_end(uint32_t i) const {  // before the line break
    const size_t eol = text_.find('\n', i);
    return static_cast<uint32_t>(eol == text_.npos ? text_.size() : eol);
  }
  std::string_view cut(uint32_t begin, uint32_t end) const {
    return text_.substr(begin, end - begin);
  }
  std::string_view source(const Token& t) const { return cut(t.span.begin, t.span.end); }

  // Is the text between two words of one notation nothing but what separates words?
  bool separates(std::string_view s, uint16_t context) const {
    bool escaped_breaks = false;
    uint16_t c = context;
    for (int depth = 0; depth < 20 && c != 0 && c < launch_.contexts.size(); ++depth) {
      const Writing w = launch_.contexts[c].writing;
      escaped_breaks = escaped_breaks || w == Writing::yaml_double || w == Writing::json_string ||
                       w == Writing::python_string;
      c = launch_.contexts[c].outer;
    }
    if (s.empty() || s.size() > 400) return false;
    for (size_t i = 0; i < s.size(); ++i) {
      if (escaped_breaks && s[i] == '\\' && i + 1 < s.size() && s[i + 1] == 'n') {
        ++i;
        continue;
      }
      if (!contains(" \t\r\n\\`^,-", s.substr(i, 1))) return false;
    }
    return true;
  }

  // Do tokens i and i + 1 stand side by side? -1 is the program.
  bool adjacent(int i) const {
    if (i + 1 >= static_cast<int>(count())) return false;
    const Token& b = token(i + 1);
    if (b.span.empty()) return false;
    const uint32_t end = i < 0 ? launch_.program_end : token(i).span.end;
    const uint16_t context = i < 0 ? launch_.program_context : token(i).context;
    return context == b.context && end < b.span.begin && separates(cut(end, b.span.begin), context);
  }

  std::string separator(int near, uint16_t context, bool before_flag) const {
    // The nearest pair of the same kind before the place, else any.
    for (int pass = 0; pass < 2; ++pass) {
      for (int i = pass == 0 ? near - 1 : static_cast<int>(count()) - 2; i >= -1; --i) {
        const int second = i + 1;
        if (second >= static_cast<int>(count()) || !adjacent(i)) continue;
        if (token(second).context != context) continue;
        if (is_flag(token(second).text) != before_flag) continue;
        if (!before_flag && (i < 0 || !is_flag(token(i).text))) continue;
        const uint32_t end = i < 0 ? launch_.program_end : token(i).span.end;
        return std::string(cut(end, token(second).span.begin));
      }
    }
    switch (context < launch_.contexts.size() ? launch_.contexts[context].writing
                                              : Writing::shell) {
      case Writing::json_list:
      case Writing::python_list:
      case Writing::yaml_flow_list:
        return ", ";
      case Writing::yaml_block_list: {
        const uint32_t at = near >= 0 ? token(near).span.begin : launch_.program_end;
        const uint32_t line = line_begin(at);
        const size_t dash = cut(line, at).find_last_of('-');
        return "\n" +
               std::string(cut(line, at).substr(0, dash == std::string_view::npos ? 0 : dash)) +
               "- ";
      }
      default:
        return " ";
    }
  }

  void add(uint32_t begin, uint32_t end, std::string text) {
    if (begin == end && text.empty()) return;
    if (within(tags_, begin, end)) failed_ = true;
    edits_.push_back({{begin, end}, std::move(text)});
  }

  // Does any of the spans reach into the range?
  static bool within(const std::vector<Span>& spans, uint32_t begin, uint32_t end) {
    const auto i = std::lower_bound(spans.begin(), spans.end(), begin,
                                    [](const Span& a, uint32_t at) { return a.end <= at; });
    return i != spans.end() && i->begin < end;
  }
  // {{ if … }} decides whether what stands there is there at all.
  bool conditional(uint32_t at) const { return within(blocks_, at, at); }

  // Of a word with a template in it only what stands before the template is written anew.
  bool edit_before_template(const Token& t, std::string_view after) {
    const size_t old = template_in(t.text), fresh = template_in(after);
    if (tags_.empty() || old == std::string::npos || fresh == std::string::npos) return false;
    const size_t at = source(t).find(t.text.substr(0, old + 2));
    if (t.text.substr(old) != after.substr(fresh) || at > 1 ||
        after.substr(0, fresh).find_first_of("\"'\\ ") != after.npos)
      return false;
    const auto begin = static_cast<uint32_t>(t.span.begin + at);
    add(begin, begin + static_cast<uint32_t>(old), std::string(after.substr(0, fresh)));
    return true;
  }

  void edit_words() {
    for (int i = -1; i < static_cast<int>(count()); ++i) {
      Step& s = step(i);
      if (s.replaced) {
        const Token& t = token(i);
        if (t.span.empty() || shared(i)) {
          failed_ = true;
          return;
        }
        if (!edit_before_template(t, s.text))
          add(t.span.begin, t.span.end, encode(s.text, launch_.contexts, t.context, source(t)));
      }
      if (!s.inserted.empty()) insert(i, s.inserted);
    }
    for (int i = 0; i < static_cast<int>(count()); ++i) {
      if (!step(i).removed) continue;
      int j = i;
      while (j + 1 < static_cast<int>(count()) && step(j + 1).removed &&
             (adjacent(j) || token(j + 1).span == token(j).span))
        ++j;
      remove(i, j);
      i = j;
    }
  }

  // Tokens that come from the same place, such as a variable used twice or {1..4}, cannot be
  // changed apart.
  void find_shared() {
    std::vector<size_t> order;
    for (size_t i = 0; i < count(); ++i)
      if (!argv()[i].span.empty()) order.push_back(i);
    stable_sort(order, [&](size_t a, size_t b) {
      const Span x = argv()[a].span, y = argv()[b].span;
      return x.begin != y.begin ? x.begin < y.begin : x.end < y.end;
    });
    shared_.assign(count(), false);
    for (size_t k = 1; k < order.size(); ++k) {
      if (!(argv()[order[k - 1]].span == argv()[order[k]].span)) continue;
      shared_[order[k - 1]] = shared_[order[k]] = true;
      if (steps_[order[k - 1] + 1].removed != steps_[order[k] + 1].removed) failed_ = true;
    }
  }
  bool shared(int i) const { return shared_[static_cast<size_t>(i)]; }

  void insert(int i, const std::vector<std::string>& words) {
    // Behind a word that the text implies: behind the program.
    while (i >= 0 && token(i).span.empty()) --i;
    // Behind the last flag that no template may take away together with what is put behind it.
    while (!tags_.empty() && i >= 0 &&
           (conditional(token(i).span.begin) ||
            (i + 1 < static_cast<int>(count()) && !is_flag(token(i + 1).text))))
      if (--i < 0 && launch_.program_end == token(0).span.begin) failed_ = true;
    const uint16_t context = i < 0 ? launch_.program_context : token(i).context;
    uint32_t at = i < 0 ? launch_.program_end : token(i).span.end;
    const Writing writing =
        context < launch_.contexts.size() ? launch_.contexts[context].writing : Writing::shell;
    if (writing == Writing::yaml_block_list) at = line_end(at);
    // Flags alone, nothing before them: the new ones go first.
    const bool leading = i < 0 && count() > 0 && launch_.program_end == token(0).span.begin;
    std::string text;
    for (size_t k = 0; k < words.size(); ++k) {
      const std::string gap = separator(i, context, is_flag(words[k]));
      if (!leading || k > 0) text += gap;
      text += encode(words[k], launch_.contexts, context, {});
    }
    if (leading) text += separator(i, context, true);
    add(at, at, std::move(text));
  }

  void remove(int i, int j) {
    const Token& first = token(i);
    const Token& last = token(j);
    if (first.span.empty() && i == j) return;  // implied: goes with the word that implies it
    const uint32_t begin = first.span.begin;
    const uint32_t end = last.span.end;
    const Writing writing = first.context < launch_.contexts.size()
                                ? launch_.contexts[first.context].writing
                                : Writing::shell;
    if (writing == Writing::yaml_block_list) {
      const uint32_t line = line_begin(begin);
      if (cut(line, begin).find_first_not_of(" \t-") == std::string_view::npos) {
        const uint32_t stop = line_end(end);
        if (stop < text_.size())
          add(line, stop + 1, "");
        else
          add(line > 0 ? line - 1 : line, stop, "");
        return;
      }
    }
    const bool alone = i == 0 && launch_.program_end == begin;
    if (!alone && adjacent(i - 1)) {
      add(i == 0 ? launch_.program_end : token(i - 1).span.end, end, "");
    } else if (adjacent(j)) {
      add(begin, token(j + 1).span.begin, "");
    } else {
      uint32_t from = begin, to = end;
      while (from > 0 && (text_[from - 1] == ' ' || text_[from - 1] == '\t')) --from;
      if (one_of_lists(writing)) {
        // Comments around it stay; a comma goes: its own, or for the last item the one before.
        const uint32_t own = comma_behind(end);
        if (own > 0) to = own;
        for (int k = i - 1; own == 0; --k) {
          const uint32_t item = k < 0 ? launch_.program_end : token(k).span.end;
          const uint32_t comma = comma_behind(item);
          if (comma > 0 && comma <= begin) add(item, comma, "");
          if (k < 0 || !step(k).removed) break;
        }
      }
      add(from, to, "");
    }
  }

  static bool one_of_lists(Writing w) {
    return w == Writing::json_list || w == Writing::python_list || w == Writing::yaml_flow_list;
  }

  // Behind the comma that follows an item; 0 if none does.
  uint32_t comma_behind(uint32_t i) const {
    const size_t comma = text_.find_first_not_of(" \t\r\n\\", i);
    return comma != text_.npos && text_[comma] == ',' ? static_cast<uint32_t>(comma + 1) : 0;
  }

  // key: value lines
  void edit_map() {
    int i = 0;
    const int n = static_cast<int>(count());
    // Groups of a flag with its values.
    std::vector<std::string> fresh = step(-1).inserted;
    int last_kept = -1;
    while (i < n) {
      int j = i;
      while (j + 1 < n && !is_key(j + 1)) ++j;
      bool all_removed = true, changed = false;
      for (int k = i; k <= j; ++k) {
        all_removed = all_removed && step(k).removed;
        changed = changed || step(k).removed || step(k).replaced;
        if (k < j || !step(k).inserted.empty()) changed = changed || !step(k).inserted.empty();
      }
      const bool only_value = !step(i).replaced && !step(i).removed && j == i + 1 &&
                              step(j).replaced && step(i).inserted.empty() &&
                              (step(j).inserted.empty() || is_flag(step(j).inserted[0]));
      if (only_value) {
        const Token& t = token(j);
        add(t.span.begin, t.span.end, encode(step(j).text, launch_.contexts, t.context, source(t)));
        append(fresh, step(j).inserted);
        last_kept = j;
      } else if (step(i).replaced && only_new_flags_behind(i + 1, j) && step(i).inserted.empty() &&
                 starts_with(step(i).text, "--") && !contains(step(i).text, "=")) {
        std::string name = step(i).text.substr(2);
        if (contains(source(token(i)), "_")) name = underscores(name);
        add(token(i).span.begin, token(i).span.end, std::move(name));
        append(fresh, step(j).inserted);
        last_kept = j;
      } else if (!changed || (j == i && !step(i).removed && !step(i).replaced)) {
        append(fresh, step(j).inserted);
        last_kept = j;
      } else if (only_new_flags_behind(i, j)) {
        append(fresh, step(j).inserted);
        last_kept = j;
      } else {
        // Written anew: what is left of the group and what came into it.
        remove_lines(i, j);
        for (int k = i; k <= j; ++k) {
          if (!step(k).removed) fresh.push_back(step(k).replaced ? step(k).text : token(k).text);
          append(fresh, step(k).inserted);
        }
        (void)all_removed;
      }
      i = j + 1;
    }
    if (!fresh.empty()) insert_lines(last_kept, fresh);
  }

  // Engine(key=value, …): values are replaced in place, arguments taken out and added.
  void edit_call() {
    const int n = static_cast<int>(count());
    std::vector<std::string> fresh = step(-1).inserted;
    uint32_t end = launch_.program_end;  // of the last argument that stays
    bool any = false;
    for (int i = 0; i < n;) {
      int j = i;
      while (j + 1 < n && !starts_with(token(j + 1).text, "--")) ++j;
      uint32_t stop = 0;  // the comma or bracket behind the argument
      const uint32_t last = argument_end(token(j).span.end, &stop);
      bool removed = true;
      for (int k = i; k <= j; ++k) removed = removed && step(k).removed;
      if (removed) {
        remove_argument(token(i).span.begin, last, stop, any ? end : 0);
      } else {
        for (int k = i; k <= j; ++k) {
          const Step& s = step(k);
          failed_ = failed_ || s.removed || (k < j && !s.inserted.empty());
          if (!s.replaced) continue;
          std::string text = k == i ? name_of(s.text) : python_value(s.text);
          add(token(k).span.begin, token(k).span.end, std::move(text));
        }
        end = last;
        any = true;
      }
      append(fresh, step(j).inserted);
      i = j + 1;
    }
    std::string more;
    for (size_t k = 0; k < fresh.size();) {
      std::string name = fresh[k++];
      std::vector<std::string> values;
      const size_t equals = name.find('=');
      if (equals != std::string::npos) {
        values.push_back(name.substr(equals + 1));
        name.resize(equals);
      }
      while (k < fresh.size() && !is_flag(fresh[k])) values.push_back(python_value(fresh[k++]));
      more += ", " + name_of(name) + "=";
      if (values.empty()) more += "True";
      if (values.size() == 1) more += values[0];
      if (values.size() < 2) continue;
      for (size_t v = 0; v < values.size(); ++v) more += (v ? ", " : "[") + values[v];
      more += "]";
    }
    if (more.empty()) return;
    if (!any) failed_ = true;
    add(end, end, std::move(more));
  }

  // Behind the last value may stand brackets, behind a bare flag =True, and comments.
  uint32_t argument_end(uint32_t last, uint32_t* stop) const {
    uint32_t i = last;
    for (; i < text_.size() && text_[i] != ',' && text_[i] != ')'; ++i) {
      if (text_[i] == '#')
        i = line_end(i) - 1;
      else if (!contains(" \t\r\n", text_.substr(i, 1)))
        last = i + 1;
    }
    *stop = i;
    return last;
  }

  // `kept`: the end of the last argument that stays, 0 if there is none.
  void remove_argument(uint32_t begin, uint32_t last, uint32_t stop, uint32_t kept) {
    const bool comma = text_.substr(stop, 1) == ",";
    const uint32_t behind = comma ? stop + 1 : last;
    const auto is_blank = [](std::string_view s) {
      return s.find_first_not_of(" \t\r") == std::string_view::npos;
    };
    // Alone on its lines it goes with them, and with its own comment.
    const uint32_t line = line_begin(begin), eol = line_end(behind);
    const std::string_view rest = cut(behind, eol);
    if (eol < text_.size() && is_blank(cut(line, begin)) &&
        is_blank(rest.substr(0, rest.find('#'))))
      return add(line, eol + 1, "");
    if (kept > 0 && cut(kept, begin).find_first_not_of(" \t\r\n,") == std::string_view::npos)
      return add(kept, stop, "");
    if (!comma && kept == 0) failed_ = true;
    while (!comma && begin > 0 && contains(" \t", text_.substr(begin - 1, 1))) --begin;
    const size_t next = text_.find_first_not_of(" \t\n", behind);
    add(begin, comma ? static_cast<uint32_t>(std::min(next, text_.size())) : last, "");
  }

  static std::string name_of(std::string_view flag) { return call_keyword(flag); }
  static std::string python_value(std::string_view word) {
    const bool number = !word.empty() && word.find_first_not_of("0123456789.-") == word.npos;
    return number ? std::string(word) : quote_json(word);
  }

  bool only_new_flags_behind(int i, int j) {
    for (int k = i; k <= j; ++k)
      if (step(k).removed || step(k).replaced || (k < j && !step(k).inserted.empty())) return false;
    return step(j).inserted.empty() || is_flag(step(j).inserted[0]);
  }

  // A key's source has no hyphens in front, so that `--x` as a value is no key.
  bool is_key(int i) const {
    return starts_with(token(i).text, "--") && !starts_with(source(token(i)), "--") &&
           !contains("\"'", source(token(i)).substr(0, 1));
  }

  static void append(std::vector<std::string>& to, const std::vector<std::string>& from) {
    to.insert(to.end(), from.begin(), from.end());
  }

  void remove_lines(int i, int j) {
    const uint32_t begin = line_begin(token(i).span.begin);
    if (cut(begin, token(i).span.begin).find_first_not_of(' ') != std::string_view::npos) {
      failed_ = true;  // a flow mapping: its commas are not ours to guess
      return;
    }
    const uint32_t end = line_end(token(j).span.end);
    if (end < text_.size())
      add(begin, end + 1, "");
    else
      add(begin > 0 ? begin - 1 : 0, end, "");
  }

  void insert_lines(int behind, const std::vector<std::string>& words) {
    const Token& sample = token(behind >= 0 ? behind : 0);
    int key = behind >= 0 ? behind : 0;
    while (key > 0 && !is_key(key)) --key;
    const uint32_t line = line_begin(token(key).span.begin);
    const std::string indent(cut(line, token(key).span.begin));
    if (indent.find_first_not_of(' ') != std::string::npos) {
      failed_ = true;
      return;
    }
    const bool underscored = contains(source(token(key)), "_");
    std::string lines;
    for (size_t k = 0; k < words.size();) {
      std::string name = words[k++];
      name.erase(0, std::min(name.find_first_not_of('-'), name.size()));
      std::vector<std::string> values;
      const size_t equals = name.find('=');
      if (equals != std::string::npos) {
        values.push_back(name.substr(equals + 1));
        name.resize(equals);
      }
      while (k < words.size() && !is_flag(words[k])) values.push_back(words[k++]);
      if (underscored) name = underscores(name);
      std::string entry = indent + name + ":";
      if (values.empty()) {
        entry += " true";
      } else if (values.size() == 1) {
        entry += " " + quote_yaml(values[0], false);
      } else {
        entry += " [";
        for (size_t v = 0; v < values.size(); ++v)
          entry += (v ? ", " : "") + quote_yaml(values[v], false);
        entry += "]";
      }
      lines += (behind >= 0 ? "\n" + entry : entry + "\n");
    }
    const uint32_t at = behind >= 0 ? line_end(sample.span.end) : line;
    add(at, at, std::move(lines));
  }

  void edit_env(const EnvChange& change) {
    const EnvSetting* known = nullptr;
    for (const EnvSetting& e : launch_.env)
      if (e.name == change.name) known = &e;
    if (!change.value) {
      if (!known) return;
      if (known->removal.empty()) {
        failed_ = true;
        return;
      }
      add(known->removal.begin, known->removal.end, "");
      return;
    }
    const std::string& value = *change.value;
    if (known) {
      if (known->value == value) return;
      if (!known->value_span.empty())
        add(known->value_span.begin, known->value_span.end,
            env_value(value, known->context, cut(known->value_span.begin, known->value_span.end)));
      else if (!known->span.empty())
        add(known->span.begin, known->span.end,
            encode(change.name + "=" + value, launch_.contexts, known->context,
                   cut(known->span.begin, known->span.end)));
      else
        failed_ = true;
      return;
    }
    const EnvPlace& place = launch_.env_place;
    uint32_t at = place.at;
    failed_ = failed_ || conditional(at);
    const std::string& name = change.name;
    switch (place.style) {
      case EnvPlace::Style::none:
        failed_ = true;
        return;
      case EnvPlace::Style::shell_prefix:
        add(at, at, encode_assignment(name, value, place.context) + " ");
        return;
      case EnvPlace::Style::docker_option:
        // Before the image, or behind `docker run` where the image is not known.
        add(at, at,
            at > 0 && contains(" \t\n", text_.substr(at - 1, 1))
                ? "-e " + encode_assignment(name, value, place.context) + " "
                : " -e " + encode_assignment(name, value, place.context));
        return;
      case EnvPlace::Style::dockerfile:
        add(at, at, "ENV " + name + "=" + quote_shell(value) + "\n");
        return;
      case EnvPlace::Style::systemd:
        add(at, at,
            "Environment=" +
                (quote_shell(value) == value ? name + "=" + value
                                             : quote_json(name + "=" + value)) +
                "\n");
        return;
      case EnvPlace::Style::powershell:
        add(at, at, "$env:" + name + " = \"" + value + "\"\n");
        return;
      case EnvPlace::Style::cmd:
        add(at, at, "set " + name + "=" + value + "\n");
        return;
      case EnvPlace::Style::yaml_map:
      case EnvPlace::Style::yaml_list:
      case EnvPlace::Style::yaml_name_value:
        break;
    }
    if (starts_with(place.before, "\n")) at = line_end(at);
    std::string entry;
    if (place.style == EnvPlace::Style::yaml_map) {
      entry = name + ": " + quote_json(value);
    } else if (place.style == EnvPlace::Style::yaml_list) {
      entry = quote_yaml(name + "=" + value, true);
    } else {
      const size_t line = place.before.find_last_of('\n');
      const size_t column = line == std::string::npos ? 2 : place.before.size() - line - 1;
      entry = "name: " + name + "\n" + std::string(column, ' ') + "value: " + quote_json(value);
    }
    add(at, at, place.before + entry + place.after);
  }

  std::string encode_assignment(const std::string& name, const std::string& value,
                                uint16_t context) const {
    // NAME= stays outside the quotes, or a shell would not see an assignment.
    return name + "=" + (value.empty() ? "" : encode(value, launch_.contexts, context, {}));
  }

  std::string env_value(const std::string& value, uint16_t context, std::string_view old) const {
    const Writing w =
        context < launch_.contexts.size() ? launch_.contexts[context].writing : Writing::shell;
    if (w == Writing::yaml_map && !starts_with(old, "'")) return quote_json(value);
    if (w == Writing::powershell) return "\"" + value + "\"";
    return encode(value, launch_.contexts, context, old);
  }

  std::optional<std::vector<TextEdit>> joined() {
    stable_sort(edits_, [](const TextEdit& a, const TextEdit& b) {
      return a.span.begin != b.span.begin ? a.span.begin < b.span.begin : a.span.end < b.span.end;
    });
    std::vector<TextEdit> out;
    for (TextEdit& e : edits_) {
      // An insertion where a deletion begins, or where one ends, is one edit with it.
      if (!out.empty() && out.back().span.empty() && out.back().span.begin == e.span.begin) {
        out.back().text += e.text;
        out.back().span.end = e.span.end;
        continue;
      }
      if (!out.empty() && e.span.begin < out.back().span.end) {
        if (!e.text.empty() || !out.back().text.empty()) return std::nullopt;
        out.back().span.end = std::max(out.back().span.end, e.span.end);
        continue;
      }
      out.push_back(std::move(e));
    }
    return out;
  }

  std::string_view text_;
  const Launch& launch_;
  std::vector<Step> steps_;
  std::vector<bool> shared_;
  std::vector<TextEdit> edits_;
  std::vector<Span> tags_, blocks_;  // of templates
  bool failed_ = false;
};

}  // namespace

std::optional<std::vector<TextEdit>> edit_source(std::string_view text, const Launch& launch,
                                                 const std::vector<Token>& after,
                                                 const std::vector<EnvChange>& env) {
  return Editor(text, launch).run(after, env);
}

std::string apply_edits(std::string_view text, const std::vector<TextEdit>& edits) {
  std::string out;
  size_t at = 0;
  for (const TextEdit& e : edits) {
    out += text.substr(at, e.span.begin - at);
    out += e.text;
    at = e.span.end;
  }
  out += text.substr(std::min(at, text.size()));
  return out;
}

}  // namespace sglint
