// Which form a text has, and what is refused outright.
#include <algorithm>

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

// By its mark, or by a NUL in every second byte.
bool is_utf16(std::string_view s) {
  if (starts_with(s, "\xFF\xFE") || starts_with(s, "\xFE\xFF")) return true;
  const std::string_view head = s.substr(0, 200);
  return head.size() >= 8 &&
         static_cast<size_t>(std::count(head.begin(), head.end(), '\0')) * 5 > head.size() * 2;
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

void Reader::read_text(const Source& source) {
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
  if (read_markdown(source)) return;
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
  const bool left_out = std::any_of(first.begin(), first.end(),
                                    [](const ReadFinding& f) { return f.rule == &kRouterLeftOut; });
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
  if (!left_out && flags) {
    ShellState fresh;
    read_shell(source, fresh, {});
    if (launches() > before) return;
    restart();
  }
  // What the first reading found stands only if the text was about SGLang at all.
  if (sglang) out_.findings.insert(out_.findings.end(), first.begin(), first.end());
}

ReadResult Reader::finish() {
  for (Launch& launch : out_.launches) launch.contexts = contexts_;
  std::stable_sort(
      out_.findings.begin(), out_.findings.end(),
      [](const ReadFinding& a, const ReadFinding& b) { return a.span.begin < b.span.begin; });
  return std::move(out_);
}

ReadResult read(std::string_view text) {
  if (text.size() > kMaxText) {
    ReadResult refused;
    ReadFinding f;
    f.rule = &kTextTooLong;
    f.message = fill(kTextTooLong.message,
                     {static_cast<int64_t>(text.size()), static_cast<int64_t>(kMaxText)});
    refused.findings.push_back(std::move(f));
    return refused;
  }
  Reader reader(text);
  if (is_utf16(text)) {
    reader.find(kUtf16, {0, static_cast<uint32_t>(std::min<size_t>(text.size(), 2))}, {});
    return reader.finish();
  }
  const size_t nul = text.find('\0');
  const size_t mark = starts_with(text, "\xEF\xBB\xBF") ? 3 : 0;
  reader.read_text(reader.whole().part(mark, text.size()));
  if (nul != text.npos)
    reader.find(kNulByte, {static_cast<uint32_t>(nul), static_cast<uint32_t>(nul + 1)}, {});
  if (const size_t bad = first_invalid(text); bad != text.npos)
    reader.find(kNotUtf8, {static_cast<uint32_t>(bad), static_cast<uint32_t>(bad + 1)},
                {static_cast<int64_t>(bad)});
  return reader.finish();
}

}  // namespace sglint
