// Which form a text has, and what is refused outright.
#include <algorithm>

#include "base/sort.h"
#include "read/lists.h"
#include "read/read_rules.h"
#include "read/reader.h"

namespace sglint {
namespace {

// The first byte that is not part of UTF-8; npos if all are.
size_t first_invalid(std::string_view s) {
  for (size_t i = 0; i < s.size();) {
    const auto c = static_cast<unsigned char>(s[i]);
    if (c < 0x80) {
      ++i;
      continue;
    }
    const size_t n = c >= 0xF0 && c < 0xF5 ? 4 : c >= 0xE0 ? 3 : c >= 0xC2 ? 2 : 0;
    if (n == 0 || c >= 0xF5 || i + n > s.size()) return i;
    for (size_t k = 1; k < n; ++k)
      if ((static_cast<unsigned char>(s[i + k]) & 0xC0) != 0x80) return i;
    i += n;
  }
  return s.npos;
}

// An encoding of two or four bytes a letter, "" for none: by its mark, or by where NUL bytes stand.
const char* wide_encoding(std::string_view s) {
  using namespace std::string_view_literals;
  if (starts_with(s, "\xFF\xFE\0\0"sv) || starts_with(s, "\0\0\xFE\xFF"sv)) return "UTF-32";
  if (starts_with(s, "\xFF\xFE") || starts_with(s, "\xFE\xFF")) return "UTF-16";
  const std::string_view head = s.substr(0, 400);
  size_t nuls[4] = {};
  for (size_t i = 0; i < head.size(); ++i) nuls[i % 4] += head[i] == '\0';
  const size_t letters = head.size() / 4, even = nuls[0] + nuls[2], odd = nuls[1] + nuls[3];
  if (letters < 2 || even + odd == head.size()) return "";
  for (const size_t high : {0, 2})
    if (nuls[high] >= letters && nuls[high + 1] >= letters) return "UTF-32";
  return (even == 0 || odd == 0) && (even + odd) * 10 > head.size() ? "UTF-16" : "";
}

// What the first bytes say that this is, "" for nothing.
const char* kind_of_file(std::string_view s) {
  static constexpr const char* kKinds[][2] = {
      {"\x1F\x8B", "a gzip file"},
      {"\x89PNG", "a PNG image"},
      {"PK\3\4", "a zip archive"},
      {"\x7F"
       "ELF",
       "a program"},
      {"%PDF-", "a PDF"},
      {"\xFF\xD8\xFF", "a JPEG image"},
      {"\xFD"
       "7zXZ",
       "an xz file"},
      {"\x28\xB5\x2F\xFD", "a zstd file"},
      {"GGUF", "a GGUF checkpoint"},
  };
  for (const auto& [magic, kind] : kKinds)
    if (starts_with(s, magic)) return kind;
  return s.substr(std::min<size_t>(s.size(), 257), 5) == "ustar" ? "a tar archive" : "";
}

}  // namespace

Reader::Reader(std::string_view text) : text_(text) { contexts_.push_back({Writing::raw, 0}); }

uint16_t Reader::context(Writing writing, uint16_t outer) {
  for (size_t i = 0; i < contexts_.size(); ++i)
    if (contexts_[i].writing == writing && contexts_[i].outer == outer && i != 0)
      return static_cast<uint16_t>(i);
  if (contexts_.size() > 2000) return outer;
  contexts_.push_back({writing, outer});
  return static_cast<uint16_t>(contexts_.size() - 1);
}

uint16_t Reader::top(Writing writing) { return context(writing, uint16_t{0}); }

void Reader::find(const Rule& rule, Span span, std::initializer_list<Arg> args,
                  std::vector<TextEdit> edits, std::string title) {
  if (out_.findings.size() > 1000) return;
  for (const ReadFinding& f : out_.findings)
    if (f.rule == &rule && f.span == span) return;  // text that is read twice
  ReadFinding f;
  f.rule = &rule;
  f.message = fill(rule.message, args);
  f.span = span;
  if (!edits.empty()) {
    f.edits = std::move(edits);
    f.edit_title = std::move(title);
  }
  out_.findings.push_back(std::move(f));
}

// "> " in front of every line, as a mail or a comment quotes: blanked, byte for byte. "" for none.
static std::string without_quote_marks(std::string_view text) {
  std::string out;
  if (!starts_with(text, ">") || starts_with(text, ">>>")) return out;
  out = text;
  for (size_t i = 0; i < out.size();
       i = out.find('\n', i), i = i == out.npos ? out.size() : i + 1) {
    if (out[i] != '>' && out[i] != '\n' && out[i] != '\r') return {};
    for (size_t k = i; k < out.size() && (out[k] == '>' || out[k] == ' '); ++k) out[k] = ' ';
  }
  return out;
}

void Reader::read_text(const Source& source) {
  if (const std::string plain = without_quote_marks(source.text()); !plain.empty())
    return read_text(source.with(std::string_view(plain)));
  const size_t before = launches();
  const size_t found = out_.findings.size();
  const auto restart = [&] {
    out_.findings.resize(found);
    out_.launches.resize(before);
  };
  if (depth > 4) return;
  // Without SGLang's name there can only be bare flags or a map of arguments.
  const std::string_view text = source.text();
  const bool sglang =
      mentions_sglang(text) || contains(text, "Engine(") || contains(text, "ServerArgs(");
  const bool flags = contains(text, "--") || contains(text, "\xE2\x80");
  if (!sglang && !flags && !contains(text, ":")) return;
  if (contains(text, "server_args") && contains(text, "ServerArgs") && read_printed(source)) return;
  restart();
  if (read_notebook(source) || read_markdown(source)) return;
  restart();
  if ((sglang || flags) && read_dockerfile(source)) return;
  restart();
  if (sglang && read_systemd(source)) return;
  restart();
  if (read_json_list(source)) return;
  restart();
  if (read_yaml(source)) return;
  restart();
  if (!sglang && !flags) return;
  if (read_python(source)) return;
  restart();
  if (read_powershell(source)) return;
  restart();
  if (read_cmd(source)) return;
  restart();

  // A shell: first as it stands, then with the readings that are less likely.
  flags_alone = false;
  ShellState state;
  if (sglang) read_shell(source, state, {});
  if (launches() > before) {
    flags_alone = true;
    // Several launches in inline code look like fewer to a shell, which knows no such thing.
    if (contains(source.text(), "`")) {
      std::vector<Launch> launches_of_shell(out_.launches.begin() + static_cast<long>(before),
                                            out_.launches.end());
      std::vector<ReadFinding> findings(out_.findings.begin() + static_cast<long>(found),
                                        out_.findings.end());
      restart();
      flags_alone = false;
      read_inline_code(source);
      flags_alone = true;
      if (launches() <= before + launches_of_shell.size()) {
        restart();
        out_.launches.insert(out_.launches.end(), launches_of_shell.begin(),
                             launches_of_shell.end());
        out_.findings.insert(out_.findings.end(), findings.begin(), findings.end());
      }
    }
    return;
  }
  std::vector<ReadFinding> first(out_.findings.begin() + static_cast<long>(found),
                                 out_.findings.end());
  const bool left_out = std::any_of(first.begin(), first.end(), [](const ReadFinding& f) {
    return f.rule == &kRouterLeftOut || f.rule == &kDiffusionLeftOut;
  });
  if (sglang && contains(source.text(), "# ")) {
    restart();
    hash_is_prompt = true;
    ShellState fresh;
    read_shell(source, fresh, {});
    hash_is_prompt = false;
    if (launches() > before) {
      flags_alone = true;
      return;
    }
  }
  if (contains(source.text(), "`")) {
    restart();
    if (read_inline_code(source)) {
      flags_alone = true;
      return;
    }
  }
  restart();
  flags_alone = true;
  // Nothing but flags: what begins otherwise is a program that knows flags of its own.
  const size_t first_line = text.find_first_not_of(" \t\r\n\"'`");
  const std::string_view head = text.substr(std::min(first_line, text.size()), 200);
  if (!left_out && flags &&
      (is_flag(head) || is_placeholder(head.substr(0, head.find('\n'))) || head[0] == '#' ||
       space_like(head, 0) > 0 || prompt_length(head, true) > 0)) {
    ShellState fresh;
    read_shell(source, fresh, {});
    if (launches() > before) return;
    restart();
  }
  // What the first reading found stands only if the text was about SGLang at all.
  // Prose around code, which is no shell, has quotes that nothing closes.
  const bool prose = contains(text, "```");
  for (ReadFinding& f : first)
    if (sglang && (!prose || f.rule != &kUnclosedQuote)) out_.findings.push_back(std::move(f));
}

namespace {

// Flags without a program and without a model, a program without arguments or with --help: a text
// about launches names such things too, and what SGLang prints does.
bool loose(const Launch& launch) {
  const Form f = launch.form;
  if (f != Form::shell && f != Form::cmd && f != Form::powershell && f != Form::json_list &&
      f != Form::python_list)
    return false;
  if (launch.argv.empty()) return true;
  if (launch.argv.size() == 1 && one_of(launch.argv[0].text, {"--help", "-h", "\\", "..."}))
    return true;
  // sglang.launch_server itself prints "Example: sglang serve --model-path <model> [options]".
  if (launch.argv.back().text == "[options]") return true;
  if (launch.program_end != launch.argv[0].span.begin) return false;
  for (const Token& t : launch.argv)
    if (names_model(t.text) || starts_with(t.text, "--config")) return false;
  return true;
}

// A command whose lines all lack their backslash is one mistake with one fix.
void join_missing_continuations(ReadResult& out) {
  size_t kept = 0, more = 0;
  for (size_t i = 0; i < out.findings.size(); ++i) {
    ReadFinding& f = out.findings[i];
    ReadFinding* first = kept ? &out.findings[kept - 1] : nullptr;
    const auto both = [&](const Launch& l) {
      return l.span.begin <= first->span.begin && f.span.end <= l.span.end;
    };
    const bool joins = first && f.rule == &kMissingContinuation && first->rule == f.rule &&
                       !f.edits.empty() && !first->edits.empty() &&
                       std::any_of(out.launches.begin(), out.launches.end(), both);
    if (joins) {
      first->edits.insert(first->edits.end(), f.edits.begin(), f.edits.end());
      first->edit_title = "Continue the lines";
      const std::string before =
          more ? fill(" {} more below it have none either.", {more}) : std::string();
      first->message.resize(first->message.size() - before.size());
      first->message += fill(" {} more below it have none either.", {++more});
      continue;
    }
    more = 0;
    if (kept != i) out.findings[kept] = std::move(f);
    ++kept;
  }
  out.findings.resize(kept);
}

}  // namespace

constexpr size_t kMostChecked = 1000;  // launches of a text; the rest is a finding

void Reader::drop_loose(size_t from) {
  out_.launches.erase(
      std::remove_if(out_.launches.begin() + static_cast<long>(from), out_.launches.end(), loose),
      out_.launches.end());
}

ReadResult Reader::finish() {
  const bool alone = launches() == 1 &&
                     text_.size() < out_.launches[0].span.end - out_.launches[0].span.begin + 300;
  if (!alone) drop_loose(0);
  // A report of a bug ends with what `python -m sglang.check_env` prints.
  constexpr std::string_view kLine = "\nsglang: ";
  if (const size_t at = text_.find(kLine); at != text_.npos) {
    const size_t begin = at + kLine.size();
    const std::string_view version =
        text_.substr(begin, std::min(text_.find_first_of(" \r\n`", begin), text_.size()) - begin);
    const std::optional<Release> exact = parse_release(version);
    const std::optional<Release> release = exact ? exact : nearest_release(version);
    for (Launch& launch : out_.launches) {
      if (!release || launch.release || !launch.version.empty()) continue;
      launch.release = release;
      if (exact) continue;
      launch.version = version;
      find(kUnknownRelease,
           {static_cast<uint32_t>(begin), static_cast<uint32_t>(begin + version.size())},
           {version, release_name(*release)});
    }
  }
  if (const size_t count = launches(); count > kMostChecked) {
    const Rule& rule = kTooManyLaunches;
    out_.findings.push_back(
        {&rule,
         fill(rule.message, {static_cast<int64_t>(count), static_cast<int64_t>(kMostChecked)}),
         out_.launches[kMostChecked].span,
         {},
         {}});
    out_.launches.erase(out_.launches.begin() + static_cast<long>(kMostChecked),
                        out_.launches.end());
  }
  for (Launch& launch : out_.launches) launch.contexts = contexts_;
  stable_sort(out_.findings, [](const ReadFinding& a, const ReadFinding& b) {
    return a.span.begin < b.span.begin;
  });
  join_missing_continuations(out_);
  return std::move(out_);
}

ReadResult read(std::string_view text) {
  Reader reader(text);
  const size_t nul = text.find('\0');
  const size_t bad = first_invalid(text);
  const auto place = [](size_t at) {
    return Span{static_cast<uint32_t>(at), static_cast<uint32_t>(at + 1)};
  };
  // What is no UTF-8 at all is not shown either.
  if (nul != text.npos || bad != text.npos) {
    const Rule* rule = &kUtf16;
    const char* what = wide_encoding(text);
    if (!*what) rule = &kNotText, what = kind_of_file(text);
    if (!*what && text.find_first_not_of('\0') == text.npos)
      rule = &kNulByte, what = "nothing but NUL bytes";
    if (*what) {
      reader.find(*rule, {}, {what});
      return reader.finish();
    }
  }
  if (text.size() > kMaxText) {
    reader.find(kTextTooLong, {},
                {static_cast<int64_t>(text.size()), static_cast<int64_t>(kMaxText)});
    return reader.finish();
  }
  const size_t mark = starts_with(text, "\xEF\xBB\xBF") ? 3 : 0;
  reader.read_text(reader.whole().part(mark, text.size()));
  if (nul != text.npos && bad != text.npos && reader.launches() == 0) {
    reader.find(kNotText, {}, {"binary data"});
    return reader.finish();
  }
  if (nul != text.npos) reader.find(kNulByte, place(nul), {"a NUL byte"});
  if (bad != text.npos) reader.find(kNotUtf8, place(bad), {static_cast<int64_t>(bad)});
  return reader.finish();
}

}  // namespace sglint
