#include "repair/candidates.h"

#include <algorithm>

#include "arguments/config_file.h"
#include "arguments/option_index.h"
#include "arguments/rules.h"
#include "arguments/suggest.h"
#include "base/sort.h"
#include "base/text.h"
#include "repair/edits.h"
#include "repair/flag_groups.h"

namespace sglint {
namespace {

using Tokens = std::vector<Token>;

bool same_words(const Tokens& a, size_t i, const Tokens& b, size_t begin, size_t end) {
  if (i + (end - begin) > a.size()) return false;
  for (size_t k = begin; k < end; ++k)
    if (a[i + k - begin].text != b[k].text) return false;
  return true;
}

// A word that the parser refuses is refused wherever it stands: a flag with its value that is given
// twice is changed in both places.
Candidate replace_words(const Attempt& now, size_t begin, size_t end, size_t at,
                        const std::string* text) {
  Candidate c;
  c.after.env = now.env;
  for (size_t i = 0; i < now.argv.size();) {
    if (!same_words(now.argv, i, now.argv, begin, end)) {
      c.after.argv.push_back(now.argv[i++]);
      continue;
    }
    for (size_t k = begin; text && k < end; ++k) {
      c.after.argv.push_back(now.argv[i + k - begin]);
      if (k == at) c.after.argv.back() = {*text, now.argv[i + k - begin].span, false, false};
    }
    i += end - begin;
  }
  return c;
}

void of_parser(const Facts& facts, const Run& run, const Attempt& now,
               std::vector<Candidate>& out) {
  const ArgumentError& e = *run.arguments.error;
  if (!e.stray.empty()) {  // one by one they would take as many rounds
    Candidate c{fill("Remove the {} words that no flag takes", {e.stray.size()}), "", now, {}, {}};
    std::vector<Token>& argv = c.after.argv;
    size_t next = 0, kept = 0;
    for (size_t i = 0; i < now.argv.size(); ++i) {
      if (next < e.stray.size() && e.stray[next] == static_cast<int>(i))
        ++next;
      else
        argv[kept++] = now.argv[i];
    }
    argv.resize(kept);
    out.push_back(std::move(c));
    return;
  }
  FlagGroup group, before;  // what the refused word is part of, and what stands before that
  for (const FlagGroup& g : flag_groups(run.arguments.release, now.argv)) {
    if (e.token > static_cast<int>(g.last)) before = g;
    if (e.token >= static_cast<int>(g.first) && e.token <= static_cast<int>(g.last)) group = g;
  }
  const size_t first = group.first, last = group.last;
  const auto say = [&](size_t from, size_t to) {
    std::string words;
    for (size_t i = from; i <= to; ++i) words += (i > from ? " " : "") + shown(now.argv[i]);
    return words;
  };
  for (const auto& [index, text] : e.token_fixes) {
    const size_t at = static_cast<size_t>(index);
    const bool inside = e.token >= 0 && at >= first && at <= last;
    out.push_back(replace_words(now, inside ? first : at, (inside ? last : at) + 1, at, &text));
    const bool value = inside && at > first && group.option;
    out.back().title = value ? fill("Set {} to {}", {shown(now.argv[first]), text})
                             : fill("Replace {} by {}", {shown(now.argv[at]), text});
  }
  for (const Fix& fix : e.fixes) out.push_back(candidate(run, now, fix));
  if (e.token >= 0) {
    // A value that begins with a dash has to be glued on; where only a number would do, it goes
    // too.
    const bool dashed = e.rule == &kMissingValue && last + 1 < now.argv.size() && group.option &&
                        !option_of_word(run.arguments.release, now.argv[last + 1].text);
    const bool takes_text =
        dashed && group.option->choices.empty() &&
        (group.option->type == ArgType::str || group.option->type == ArgType::nullable_str);
    if (takes_text) {
      Candidate c{"Write " + say(first, last) + "=" + shown(now.argv[last + 1]), "", now, {}, {}};
      c.after.argv[last].text += "=" + now.argv[last + 1].text;
      c.after.argv.erase(c.after.argv.begin() + static_cast<long>(last) + 1);
      out.push_back(std::move(c));
    }
    const size_t through = dashed && !takes_text ? last + 1 : last;
    out.push_back(replace_words(now, first, through + 1, 0, nullptr));
    out.back().title = "Remove " + say(first, through);
    if (!group.option && first > 0)
      out.back().title += " behind " + say(before.first, before.first);
    if (!group.option && first == last && e.token_fixes.empty()) {
      const std::string_view opposite =
          opposite_switch(run.arguments.release, now.argv[first].text);
      const auto given = [&](const Token& t) {
        const Option* option = option_of_word(run.arguments.release, t.text);
        return option && option == option_index(run.arguments.release).find(opposite)->option;
      };
      if (!opposite.empty() && std::none_of(now.argv.begin(), now.argv.end(), given))
        out.back().price = fill("none: it says what holds without {}", {opposite});
    }
    if (group.option && group.option->dest == Field::config)
      out.back().price = last > first
                             ? fill("the settings in {} are not applied", {shown(now.argv[last])})
                             : "none: no file is given";
    if (group.option && group.option->dest != kNoField) out.back().removed = {group.option->dest};
    out.back().fields = out.back().removed;
  }
  // What the request says the model is.
  if (e.token < 0 && facts.model && !facts.model->name.empty() &&
      run.arguments.origins[static_cast<size_t>(Field::model_path)].kind ==
          Origin::Kind::parser_default)
    out.push_back(candidate(run, now, {{set(f::model_path, facts.model->name)}, ""}));
}

// Words of a --config file have no place in argv to change. So: the file's entries as arguments,
// with the change made there.
void of_config_file(const Facts& facts, const Run& run, const Attempt& now,
                    std::vector<Candidate>& out) {
  for (size_t i = 0; i + 1 < now.argv.size(); ++i) {
    if (now.argv[i].text != "--config") continue;
    MergedArgv merged = merge_config_file(facts.release, now.argv, facts.files);
    if (merged.error) return;
    const Attempt inlined{std::move(merged.argv), now.env};
    Run again;
    again.arguments = parse_arguments(facts.release, inlined.argv, facts.files);
    if (!again.arguments.error || again.arguments.error->message != run.arguments.error->message)
      return;
    std::vector<Candidate> changes;
    of_parser(facts, again, inlined, changes);
    for (Candidate& c : changes) {
      c.title = fill("Give the entries of {} as arguments instead of {}, and {}",
                     {now.argv[i + 1].text, now.argv[i].text, c.title});
      out.push_back(std::move(c));
    }
    return;
  }
}

bool typed(const Run& run, Field field) {
  return run.arguments.origins[static_cast<size_t>(field)].kind == Origin::Kind::typed;
}

Fix removal(Field field) { return {{unset(field)}, ""}; }

}  // namespace

bool guards_the_server(Field field) {
  return field == Field::api_key || field == Field::admin_api_key || field == Field::ssl_keyfile ||
         field == Field::ssl_certfile;
}

std::string stop_of(const Run& run) {
  if (run.arguments.error) return run.arguments.error->message;
  const Finding* finding = blocker(run);
  return finding ? std::string(finding->rule->id) + " " + finding->message : "";
}

const Finding* blocker(const Run& run) {
  if (!run.resolution) return nullptr;
  if (run.resolution->rejection()) return &*run.resolution->rejection();
  return load_failure(*run.resolution);
}

Candidate candidate(const Run& run, const Attempt& now, const Fix& fix) {
  std::vector<Edit> edits;
  Candidate c;
  for (Edit edit : fix.edits) {
    const bool of_env = edit.kind == Edit::Kind::set_env || edit.kind == Edit::Kind::unset_env;
    if (edit.kind == Edit::Kind::unset_env && !now.env.is_set(edit.env)) continue;
    if (!of_env) {
      const Origin::Kind origin = run.arguments.origins[static_cast<size_t>(edit.field)].kind;
      if (edit.kind == Edit::Kind::unset_flag) {
        if (origin == Origin::Kind::parser_default) continue;
        c.removed.push_back(edit.field);
      }
      c.fields.push_back(edit.field);
      // What a --config file says can only be overruled.
      if (edit.kind == Edit::Kind::unset_flag && origin == Origin::Kind::config_file) {
        const Value& usual = field_defaults(run.arguments.release)[static_cast<size_t>(edit.field)];
        if (!usual.is_str() && !usual.is_int() && !usual.is_real()) continue;
        edit = set(edit.field, str(usual));
      }
    }
    edits.push_back(std::move(edit));
  }
  c.title = title_of(run.arguments, now.argv, edits);
  c.price = std::string(fix.price);
  c.after.argv = apply_to_argv(run.arguments, now.argv, edits);
  c.after.env = now.env;
  apply_to_env(c.after.env, edits);
  return c;
}

std::vector<Candidate> candidates(const Facts& facts, const Run& run, const Attempt& now) {
  std::vector<Candidate> out;
  if (run.arguments.error) {
    of_parser(facts, run, now, out);
    if (run.arguments.error->token < 0) of_config_file(facts, run, now, out);
    return out;
  }
  const Finding& finding = *blocker(run);
  std::vector<const Fix*> fixes;
  for (const Fix& fix : finding.fixes) fixes.push_back(&fix);
  // Adding a flag or two is less than changing what was typed; adding more is not.
  const auto changes_typed = [&](const Fix* fix) {
    if (fix->edits.size() > 2) return true;
    for (const Edit& edit : fix->edits) {
      if (edit.kind == Edit::Kind::unset_env || edit.kind == Edit::Kind::set_env) {
        if (now.env.is_set(edit.env)) return true;
      } else if (typed(run, edit.field)) {
        return true;
      }
    }
    return false;
  };
  stable_sort(fixes,
              [&](const Fix* a, const Fix* b) { return changes_typed(a) < changes_typed(b); });
  for (const Fix* fix : fixes) out.push_back(candidate(run, now, *fix));
  for (const bool secret : {false, true})
    for (Field field : finding.fields)
      if (typed(run, field) && field != Field::model_path && guards_the_server(field) == secret)
        out.push_back(candidate(run, now, removal(field)));
  return out;
}

std::vector<Candidate> any_flag(const Run& run, const Attempt& now) {
  std::vector<Candidate> out;
  if (!run.resolution) return out;
  for (const bool secret : {false, true})
    for (int i = 0; i < kFieldCount; ++i) {
      const auto field = static_cast<Field>(i);
      if (field != Field::model_path && typed(run, field) && guards_the_server(field) == secret)
        out.push_back(candidate(run, now, removal(field)));
    }
  return out;
}

}  // namespace sglint
