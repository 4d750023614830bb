#include "arguments/suggest.h"

#include <algorithm>

#include "arguments/option_index.h"
#include "arguments/other_names.h"
#include "arguments/rules.h"
#include "base/python_text.h"
#include "base/sort.h"
#include "base/text.h"
#include "read/reader.h"

namespace sglint {
namespace {

constexpr size_t kMost = 3;

// Edits of one letter (insert, drop, change, swap neighbours) from `a` to `b`; limit + 1 if more
// than that.
size_t distance(std::string_view a, std::string_view b, size_t limit) {
  constexpr size_t kLongest = 100;  // of any flag or choice
  const size_t difference = a.size() > b.size() ? a.size() - b.size() : b.size() - a.size();
  if (difference > limit || b.size() > kLongest) return limit + 1;
  const auto far = static_cast<uint8_t>(limit + 1);
  uint8_t rows[3][kLongest + 2];
  uint8_t *before = rows[0], *row = rows[1], *next = rows[2];
  for (size_t j = 0; j <= b.size() + 1; ++j) row[j] = static_cast<uint8_t>(std::min(j, limit + 1));
  // Only cells beside the diagonal can be within the limit; the others count as far.
  for (size_t i = 1; i <= a.size(); ++i) {
    const size_t first = i > limit ? i - limit : 1, last = std::min(b.size(), i + limit);
    next[first - 1] = first == 1 ? static_cast<uint8_t>(std::min(i, limit + 1)) : far;
    uint8_t least = next[first - 1];
    for (size_t j = first; j <= last; ++j) {
      int cell = std::min({row[j] + 1, next[j - 1] + 1, row[j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        cell = std::min(cell, before[j - 2] + 1);
      next[j] = static_cast<uint8_t>(std::min<int>(cell, far));
      least = std::min(least, next[j]);
    }
    next[last + 1] = far;
    if (least == far && *std::min_element(row + first - 1, row + last) == far) return far;
    std::swap(before, row);
    std::swap(row, next);
  }
  return row[b.size()];
}

// "--TP_Size" and, with a typographic dash, "–tp-size" -> "--tp-size"
std::string usual_spelling(std::string_view name) {
  while (const size_t n = starts_with(name, "-") ? 1 : dash_like(name, 0)) name.remove_prefix(n);
  return "--" + hyphens(lower(name));
}

// Whether the words of `part` ("kv-dtype") stand in `whole` ("kv-cache-dtype") in that order; gives
// how many more there are.
std::optional<size_t> missing_words(std::string_view part, std::string_view whole) {
  size_t more = 0;
  while (!whole.empty()) {
    const std::string_view word = whole.substr(0, whole.find('-'));
    whole.remove_prefix(std::min(whole.size(), word.size() + 1));
    const std::string_view wanted = part.substr(0, part.find('-'));
    if (!part.empty() && word == wanted) {
      part.remove_prefix(std::min(part.size(), wanted.size() + 1));
    } else {
      ++more;
    }
  }
  if (!part.empty()) return std::nullopt;
  return more;
}

std::string_view first_word(std::string_view words) { return words.substr(0, words.find('-')); }

// "--enabel-metrics" -> "metrics": without the dashes and a word (or its misspelling) that says on
// or off.
std::string_view subject(std::string_view name) {
  name.remove_prefix(std::min(name.size(), name.find_first_not_of('-')));
  const std::string_view begin = first_word(name);
  const bool switches = distance(begin, "enable", 2) <= 2 || distance(begin, "disable", 2) <= 2 ||
                        one_of(begin, {"no", "not", "without"});
  if (switches && begin.size() < name.size()) name.remove_prefix(begin.size() + 1);
  return name;
}

// Whether a name turns something off; "no-skip" does not.
bool negative(std::string_view name) {
  bool out = false;
  for (name.remove_prefix(2); !name.empty();) {
    const std::string_view word = first_word(name);
    out ^= starts_with(word, "disable") || distance(word, "disable", 2) <= 2 ||
           one_of(word, {"no", "not", "without", "skip"});
    name.remove_prefix(std::min(name.size(), word.size() + 1));
  }
  return out;
}

// Whether two names may be the same with a typo: "--no-trust-remote-code", "--notrust-remote-code"
// and "--trust-remote-code" are not.
bool same_direction(std::string_view typed, std::string_view flag) {
  if (starts_with(typed, "--no") && distance(typed.substr(4), flag.substr(2), 2) <= 1) return false;
  return negative(typed) == negative(flag);
}

// 8 and 4, or fp8 and fp, are no typo of each other.
bool same_digits(std::string_view a, std::string_view b) {
  const auto next = [](std::string_view& s) {
    while (!s.empty() && (s.front() < '0' || s.front() > '9')) s.remove_prefix(1);
    const char c = s.empty() ? '\0' : s.front();
    if (c) s.remove_prefix(1);
    return c;
  };
  for (;;) {
    const char x = next(a), y = next(b);
    if (x != y) return false;
    if (!x) return true;
  }
}

struct Scored {
  size_t score;
  std::string_view text;
};

std::vector<std::string_view> best(std::vector<Scored> found, size_t most) {
  stable_sort(found, [](const Scored& a, const Scored& b) { return a.score < b.score; });
  std::vector<std::string_view> out;
  for (const Scored& s : found)
    if (out.size() < most && std::find(out.begin(), out.end(), s.text) == out.end())
      out.push_back(s.text);
  return out;
}

}  // namespace

std::vector<std::string_view> nearest(std::string_view word,
                                      const std::vector<std::string_view>& all, size_t most) {
  const size_t letters = subject(word).size();
  const size_t limit = letters < 3 ? 0 : letters < 6 ? 1 : letters < 10 ? 2 : 3;
  std::vector<Scored> found;
  for (std::string_view candidate : all) {
    const size_t edits = distance(word, candidate, limit);
    if (edits > limit || !same_digits(word, candidate)) continue;
    // Letters too many or too few are likelier than wrong ones, and the first is seldom wrong.
    const bool only_length =
        edits + std::min(word.size(), candidate.size()) == std::max(word.size(), candidate.size());
    const size_t first = candidate.find_first_not_of('-');
    const bool same_start = first < word.size() && word[first] == candidate[first];
    const bool common = one_of(candidate, {"--model-path", "--tp-size", "--tp", "--dp-size", "--dp",
                                           "--port", "--host", "--mem-fraction-static"});
    found.push_back({edits * 8 + !only_length * 4u + !same_start * 2u + !common, candidate});
  }
  return best(std::move(found), most);
}

FlagSuggestions suggest_flag(Release release, std::string_view word) {
  const OptionIndex& index = option_index(release);
  // A space that is none for the shell glues the value to the flag.
  size_t equals = word.find('='), behind = equals + 1;
  for (size_t i = 0; i < std::min(equals, word.size()); ++i) {
    const size_t n = word[i] == ' ' ? 1 : space_like(word, i);
    if (n == 0 || i == 0) continue;
    equals = i;
    behind = i + n;
    break;
  }
  const std::string_view typed = word.substr(0, equals);
  const std::string name = usual_spelling(typed);
  FlagSuggestions out{&kUnknownFlag, {}};

  // `flag` may bring its value; a switch takes none. `cut_short`: a short form of one flag will do.
  const auto propose = [&](std::string_view flag, bool cut_short = false) {
    const OptionName* known = index.find(flag.substr(0, flag.find('=')));
    std::vector<OptionName> begun;
    if (!known && cut_short) begun = index.beginning_with(flag);
    if (begun.size() == 1) known = &begun.front();
    if (!known) return;
    const bool takes_value =
        std::string_view(known->option->nargs) != "0" && flag.find('=') == flag.npos;
    std::string proposal(flag);
    if (takes_value && equals != word.npos) proposal.append("=").append(word.substr(behind));
    if (std::find(out.words.begin(), out.words.end(), proposal) == out.words.end() &&
        out.words.size() < kMost)
      out.words.push_back(std::move(proposal));
  };

  propose(name, /*cut_short=*/!starts_with(word, "-"));
  if (!out.words.empty()) return out;
  for (int r = 0; r < kReleaseCount; ++r)
    if (option_index(static_cast<Release>(r)).find(name)) out.rule = &kFlagOfOtherRelease;
  for (const OtherName& other : renamed_flags()) {
    if (other.there != name) continue;
    out.rule = &kFlagOfOtherRelease;
    propose(other.here);
  }
  if (out.rule == &kUnknownFlag) {
    for (const OtherName& other : other_server_flags()) {
      if (other.there != name && other.there != typed) continue;
      out.rule = &kFlagOfOtherServer;
      propose(other.here);
    }
  }
  if (out.rule != &kUnknownFlag) return out;

  if (!opposite_switch(release, name).empty()) return out;
  const std::vector<OptionName> beginning = index.beginning_with(name);
  if (beginning.size() == 1 && same_direction(name, beginning.front().name))
    propose(beginning.front().name);
  std::vector<std::string_view> names;
  for (const OptionName& n : index.all()) {
    names.push_back(n.name);
    const std::string_view short_form = n.name.substr(0, 4);  // --tp, as people write it
    if (n.name.size() > 5 && n.name[4] == '-' && index.beginning_with(short_form).size() == 1)
      names.push_back(short_form);
  }
  names.erase(std::remove_if(names.begin(), names.end(),
                             [&](std::string_view flag) { return !same_direction(name, flag); }),
              names.end());
  propose("--enable-" + name.substr(2));
  for (std::string_view flag : nearest(name, names, kMost)) propose(flag, true);
  // Of one word ("--enable-overlap") as many may be missing, of more words two.
  const std::string_view about = subject(name);
  const size_t most = about.find('-') == about.npos ? 1 : 2;
  std::vector<Scored> longer;
  for (std::string_view flag : names) {
    const std::optional<size_t> more =
        missing_words(std::string_view(name).substr(2), flag.substr(2));
    if (more && *more <= most) longer.push_back({*more, flag});
  }
  for (std::string_view flag : best(std::move(longer), kMost)) propose(flag);
  return out;
}

std::string_view opposite_switch(Release release, std::string_view word) {
  const std::string name = usual_spelling(word);
  const std::string_view about = subject(name);
  for (std::string_view begin : {"--", "--enable-", "--disable-", "--skip-"}) {
    const OptionName* known = option_index(release).find(std::string(begin).append(about));
    if (!known || negative(known->name) == negative(name)) continue;
    const Option& option = *known->option;
    const bool off = option.dest == kNoField ||
                     !field_defaults(release)[static_cast<size_t>(option.dest)].as_bool();
    if (off &&
        (option.action == Action::store_true || option.action == Action::deprecated_store_true ||
         option.action == Action::deprecated_store_const))
      return known->name;
  }
  return {};
}

std::vector<std::string> suggest_full_name(Release release, std::string_view word) {
  const size_t equals = word.find('=');
  const std::string_view prefix = word.substr(0, equals);
  std::vector<OptionName> matches = option_index(release).beginning_with(prefix);
  // What the short form meant in another release comes first, then the shortest names.
  std::string_view meant;
  for (int r = 0; r < kReleaseCount; ++r) {
    const std::vector<OptionName> there =
        option_index(static_cast<Release>(r)).beginning_with(prefix);
    if (there.size() == 1) meant = there.front().name;
  }
  std::vector<Scored> scored;
  for (const OptionName& m : matches)
    scored.push_back({m.name == meant ? 0 : m.name.size(), m.name});
  std::vector<std::string> out;
  for (std::string_view name : best(std::move(scored), kMost))
    out.push_back(std::string(name) + std::string(equals == word.npos ? "" : word.substr(equals)));
  return out;
}

std::vector<std::string> suggest_value(const Option& option, std::string_view value) {
  std::vector<std::string> out;
  const auto add = [&](std::string s) {
    if (s != value && out.size() < kMost && std::find(out.begin(), out.end(), s) == out.end())
      out.push_back(std::move(s));
  };
  const std::string_view stripped = python_strip(value);
  switch (option.type) {
    case ArgType::int_:
      if (const auto n = python_float(stripped);
          n && *n == static_cast<double>(static_cast<int64_t>(*n)))
        add(std::to_string(static_cast<int64_t>(*n)));
      return out;
    case ArgType::float_:
      if (ends_with(stripped, "%"))
        if (const auto n = python_float(stripped.substr(0, stripped.size() - 1)))
          add(real_repr(*n / 100));
      return out;
    case ArgType::human_readable_int:
      if (ends_with(stripped, "K")) add(std::string(stripped.substr(0, stripped.size() - 1)) + "k");
      if (ends_with(stripped, "m")) add(std::string(stripped.substr(0, stripped.size() - 1)) + "M");
      return out;
    case ArgType::loads:
    case ArgType::json_list_type:
    case ArgType::parse_cuda_graph_config_arg: {
      // Python literals and shells that ate the quotes: single quotes are the common case.
      std::string json(stripped);
      if (json.find('"') == json.npos && json.find('\'') != json.npos) {
        std::replace(json.begin(), json.end(), '\'', '"');
        add(std::move(json));
      }
      return out;
    }
    default:
      break;
  }
  const auto offered = [&](std::string_view choice) {
    return std::find(option.choices.begin(), option.choices.end(), choice) != option.choices.end();
  };
  for (const OtherValue& other : other_server_values())
    if (option.dest != kNoField && other.field == field_name(option.dest) && other.there == value &&
        offered(other.here))
      add(std::string(other.here));
  const std::string wanted = usual_spelling(value);
  std::vector<std::string_view> choices(option.choices.begin(), option.choices.end());
  for (std::string_view choice : choices)
    if (usual_spelling(choice) == wanted) add(std::string(choice));
  for (std::string_view choice : nearest(lower(value), choices, kMost)) add(std::string(choice));
  return out;
}

}  // namespace sglint
