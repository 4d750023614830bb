// Typographic characters that word processors and chat programs put where a shell wants ASCII.
#include "read/read_rules.h"
#include "read/reader.h"

namespace sglint {
namespace {

constexpr std::string_view kDashes[] = {"\xE2\x80\x93", "\xE2\x80\x94", "\xE2\x88\x92",
                                        "\xE2\x80\x90", "\xE2\x80\x91", "\xE2\x80\x92",
                                        "\xE2\x80\x95", "\xEF\xB9\xA3", "\xEF\xBC\x8D"};
constexpr std::string_view kSpaces[] = {
    "\xC2\xA0",     "\xE2\x80\x80", "\xE2\x80\x81", "\xE2\x80\x82", "\xE2\x80\x83", "\xE2\x80\x84",
    "\xE2\x80\x85", "\xE2\x80\x86", "\xE2\x80\x87", "\xE2\x80\x88", "\xE2\x80\x89", "\xE2\x80\x8A",
    "\xE2\x80\xAF", "\xE3\x80\x80", "\xE2\x80\x8B", "\xEF\xBB\xBF"};
constexpr std::string_view kQuotes[] = {"\xE2\x80\x9C", "\xE2\x80\x9D", "\xE2\x80\x9E",
                                        "\xE2\x80\x9F", "\xC2\xAB",     "\xC2\xBB",
                                        "\xE2\x80\x98", "\xE2\x80\x99", "\xE2\x80\x9A"};

template <size_t N>
size_t match(const std::string_view (&set)[N], std::string_view text, size_t i) {
  if (i >= text.size() || static_cast<unsigned char>(text[i]) < 0x80) return 0;
  for (std::string_view s : set)
    if (starts_with(text.substr(i), s)) return s.size();
  return 0;
}

}  // namespace

size_t dash_like(std::string_view text, size_t i) { return match(kDashes, text, i); }
size_t space_like(std::string_view text, size_t i) { return match(kSpaces, text, i); }

bool is_flag(std::string_view word) {
  size_t i = 0;
  while (const size_t n = space_like(word, i)) i += n;
  int dashes = 0;  // "-----Latency-----" is a heading
  for (; i < word.size() && dashes < 4; ++dashes) {
    const size_t n = word[i] == '-' ? 1 : dash_like(word, i);
    if (n == 0) break;
    i += n;
  }
  return dashes > 0 && dashes < 4 && i < word.size() &&
         ((word[i] >= 'a' && word[i] <= 'z') || (word[i] >= 'A' && word[i] <= 'Z'));
}

// The argv keeps what a shell would pass; the finding shows what was meant.
void check_characters(Reader& reader, const Launch& launch) {
  const std::string_view text = reader.text();
  for (const Token& token : launch.argv) {
    bool ascii = true;
    for (const char c : token.text) ascii = ascii && static_cast<unsigned char>(c) < 0x80;
    if (ascii || token.span.empty()) continue;
    std::vector<TextEdit> dashes, spaces, quotes;
    const bool flag = is_flag(token.text);
    bool leading = true;
    for (size_t i = token.span.begin; i < token.span.end;) {
      const size_t dash = dash_like(text, i);
      const size_t space = space_like(text, i);
      const size_t quote = match(kQuotes, text, i);
      const size_t n = std::max(std::max<size_t>(dash, space), std::max<size_t>(quote, 1));
      const Span at{static_cast<uint32_t>(i), static_cast<uint32_t>(i + n)};
      if (dash && leading && flag) {
        // `—tp` and `–tp` were `--tp`: programs join two hyphens into one dash. Next to a hyphen it
        // stands for one.
        const bool beside = (i + n < text.size() && text[i + n] == '-') ||
                            (i > 0 && text[i - 1] == '-') || dash_like(text, i + n) > 0 ||
                            (!dashes.empty() && dashes.back().span.end == at.begin);
        dashes.push_back({at, beside ? "-" : "--"});
      } else if (space) {
        const bool nothing = starts_with(text.substr(i), "\xE2\x80\x8B") ||
                             starts_with(text.substr(i), "\xEF\xBB\xBF");
        spaces.push_back({at, nothing ? "" : " "});
      } else if (quote) {
        const bool single = text[i] == '\xE2' && text[i + 2] >= '\x98' && text[i + 2] <= '\x9A';
        quotes.push_back({at, single ? "'" : "\""});
      } else if (text[i] != '-' && text[i] != '"' && text[i] != '\'') {
        leading = false;
      }
      i += n;
    }
    // Straight quotes inside a quoted token would close it.
    const bool quoted = text[token.span.begin] == '"' || text[token.span.begin] == '\'';
    if (!dashes.empty())
      reader.find(kTypographicDash, token.span, {token.text}, dashes, "Write hyphens");
    if (!spaces.empty())
      reader.find(kOddSpace, token.span, {token.text}, quoted ? std::vector<TextEdit>{} : spaces,
                  "Write plain spaces");
    if (!quotes.empty())
      reader.find(kSmartQuotes, token.span, {token.text}, quoted ? std::vector<TextEdit>{} : quotes,
                  "Write straight quotes");
  }
}

}  // namespace sglint
