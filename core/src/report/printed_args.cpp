#include "report/printed_args.h"

#include <algorithm>
#include <cstdlib>

#include "arguments/option_index.h"
#include "base/python_text.h"
#include "base/text.h"
#include "repair/flag_groups.h"

namespace sglint {
namespace {

// How far what is printed is from a release's fields.
size_t distance(const Launch& launch, Release release) {
  size_t unknown = 0;
  for (const Token& t : launch.argv)
    unknown += starts_with(t.text, "--") && !option_index(release).find(t.text);
  int fields = 0;
  for (int i = 0; i < kFieldCount; ++i)
    fields +=
        has_field(release, static_cast<Field>(i)) && is_server_args_field(static_cast<Field>(i));
  return 1000 * unknown + static_cast<size_t>(std::abs(launch.printed_fields - fields));
}

bool says(const Value& value, std::string_view word) {
  if (value.is_real()) return python_float(word) == value.as_real();
  return str(value) == word;
}

bool is_default(const Launch& launch, const FlagGroup& group, Release release) {
  const Option& option = *group.option;
  if (option.dest == kNoField) return false;
  const Value& fallback = field_defaults(release)[static_cast<size_t>(option.dest)];
  const Token* const words = &launch.argv[group.first];
  const size_t values = group.last - group.first;
  if (values == 0) return fallback.truthy() == !starts_with(words[0].text, "--no-");
  if (values == 1 && !fallback.is_list()) return says(fallback, words[1].text);
  const Value::List& items = fallback.as_list();
  if (items.size() != values) return false;
  for (size_t i = 0; i < values; ++i)
    if (!says(items[i], words[i + 1].text)) return false;
  return true;
}

// What SGLang fills in from the model's path or at random.
bool is_filled_in(const FlagGroup& group, const Token* words, std::string_view model) {
  const Field field = group.option->dest;
  if (field == Field::random_seed) return true;
  return (field == Field::tokenizer_path || field == Field::served_model_name) &&
         group.last == group.first + 1 && words[1].text == model;
}

void drop_defaults_of(Launch& launch, std::optional<Release> given) {
  Release release = kReferenceRelease;
  size_t least = distance(launch, release);
  for (int r = 0; r < kReleaseCount; ++r) {
    const size_t here = distance(launch, static_cast<Release>(r));
    if (here >= least) continue;
    least = here;
    release = static_cast<Release>(r);
  }
  if (!given) launch.release = release;
  const std::vector<FlagGroup> groups = flag_groups(release, launch.argv);
  std::string_view model;
  for (const FlagGroup& g : groups)
    if (g.option && g.option->dest == Field::model_path && g.last > g.first)
      model = launch.argv[g.first + 1].text;
  std::vector<Token> kept;
  std::string strange;
  for (const FlagGroup& g : groups) {
    if (!g.option) {
      strange += (strange.empty() ? "" : ", ") + launch.argv[g.first].text;
      continue;
    }
    if (is_default(launch, g, release) || is_filled_in(g, &launch.argv[g.first], model)) continue;
    kept.insert(kept.end(), launch.argv.begin() + static_cast<long>(g.first),
                launch.argv.begin() + static_cast<long>(g.last) + 1);
  }
  launch.argv = std::move(kept);
  if (!strange.empty())
    launch.assumptions.push_back(fill("Left out, because SGLang {} has no such flag: {}.",
                                      {release_name(release), strange}));
}

}  // namespace

void drop_defaults(std::vector<Launch>& launches, std::optional<Release> given) {
  const auto same = [](const Launch& a, const Launch& b) {
    return std::equal(a.argv.begin(), a.argv.end(), b.argv.begin(), b.argv.end(),
                      [](const Token& x, const Token& y) { return x.text == y.text; });
  };
  std::vector<Launch> kept;
  for (Launch& launch : launches) {
    if (launch.printed_fields) {
      drop_defaults_of(launch, given);
      if (std::any_of(kept.begin(), kept.end(), [&](const Launch& k) { return same(k, launch); }))
        continue;
    }
    kept.push_back(std::move(launch));
  }
  launches = std::move(kept);
}

}  // namespace sglint
