// What another release changes for a launch: its flags, the defaults it relies on, the values and
// backends it ends with, what is newly rejected, and the command for that release.
#include <algorithm>

#include "arguments/option_index.h"
#include "arguments/other_names.h"
#include "read/quoting.h"
#include "repair/edits.h"
#include "repair/repair.h"
#include "repair/source_edits.h"
#include "report/check_launch.h"
#include "report/json_object.h"
#include "report/outcomes.h"
#include "report/secrets.h"

namespace sglint {
namespace {

struct Names {
  const OptionName* exact = nullptr;
  std::vector<OptionName> beginning;  // what a shortened flag may stand for
  const Option* option() const {
    return exact ? exact->option : beginning.size() == 1 ? beginning[0].option : nullptr;
  }
  std::string name() const { return std::string(exact ? exact->name : beginning[0].name); }
};

Names look_up(Release release, std::string_view flag) {
  Names out;
  const OptionIndex& index = option_index(release);
  out.exact = index.find(flag);
  if (!out.exact && starts_with(flag, "--")) out.beginning = index.beginning_with(flag);
  return out;
}

bool deprecated(const Option* option) {
  return option && option->action >= Action::deprecated_alias_store;
}

// Whether the new name can simply be written in place of the old: for a deprecated flag only where
// both set the same field, else they do not mean quite the same.
bool replaceable(Release to, const FlagChange& change) {
  if (change.instead.find_first_of("{} ,") != std::string::npos) return false;
  const std::string name = change.instead.substr(0, change.instead.find('='));
  const OptionName* instead = option_index(to).find(name);
  if (!instead) return false;
  const Option* now = look_up(to, change.flag).option();
  return change.change != "deprecated" || (now && now->dest == instead->option->dest);
}

std::optional<FlagChange> flag_change(Release from, Release to, const std::string& flag) {
  const Names old = look_up(from, flag), now = look_up(to, flag);
  if (!old.option()) {
    if (!now.option()) return std::nullopt;
    return FlagChange{flag, "added", "", {}};
  }
  if (now.beginning.size() > 1) return FlagChange{flag, "ambiguous", old.name(), {}};
  if (const Option* option = now.option()) {
    if (!deprecated(option) || deprecated(old.option())) return std::nullopt;
    const std::string_view instead = option->replacement();
    if (option->action != Action::deprecated_removed)
      return FlagChange{flag, "deprecated", std::string(instead), {}};
    return FlagChange{flag, option->error_message().empty() ? "ignored" : "removed", "", {}};
  }
  for (const OtherName& other : renamed_flags()) {
    if (other.there != old.name() || other.here.empty()) continue;
    if (look_up(to, other.here.substr(0, other.here.find('='))).exact)
      return FlagChange{flag, "renamed", std::string(other.here), {}};
  }
  return FlagChange{flag, "removed", "", {}};
}

// The flags of the launch that the two releases treat differently, and the arguments with the new
// names of those that have one.
std::vector<FlagChange> flag_changes(Release from, Release to, std::vector<Token>& argv) {
  std::vector<FlagChange> out;
  for (Token& token : argv) {
    const size_t equals = token.text.find('=');
    const std::string flag = token.text.substr(0, equals);
    if (!starts_with(flag, "-") || flag.size() < 2) continue;
    std::optional<FlagChange> change = flag_change(from, to, flag);
    if (!change) continue;
    change->span = {token.span.begin, token.span.end};
    const bool brings_value = change->instead.find('=') != std::string::npos;
    if (replaceable(to, *change) && !(brings_value && equals != std::string::npos)) {
      token.text = change->instead + (equals == std::string::npos ? "" : token.text.substr(equals));
    }
    out.push_back(std::move(*change));
  }
  return out;
}

const ResolvedValue* find_value(const LaunchReport& l, std::string_view field) {
  for (const ResolvedValue& v : l.resolved)
    if (v.field == field) return &v;
  return nullptr;
}

MatrixCell cell_of(const LaunchReport& l) {
  MatrixCell cell;
  cell.machine = l.machine;
  cell.release = l.release;
  cell.outcome = l.outcome;
  cell.error_type = l.error_type;
  cell.error_message = l.error_message;
  if (l.outcome != Outcome::ok && !l.diagnostics.empty()) {
    cell.rule = l.diagnostics[0].rule;
    if (!l.diagnostics[0].fixes.empty()) cell.fix = l.diagnostics[0].fixes[0].title;
    return cell;
  }
  for (const Diagnostic& d : l.diagnostics)
    if (d.severity == "error" && cell.load.empty()) cell.load = d.rule;
  for (const EffectiveValue& e : l.effective) cell.effective.emplace_back(e.name, e.value);
  return cell;
}

std::vector<Diagnostic> only_in(const LaunchReport& here, const LaunchReport& there) {
  std::vector<Diagnostic> out;
  for (const Diagnostic& d : here.diagnostics)
    if (std::none_of(there.diagnostics.begin(), there.diagnostics.end(),
                     [&](const Diagnostic& other) { return other.rule == d.rule; }))
      out.push_back(d);
  return out;
}

std::string quoted_json(const std::string& s) {
  std::string out;
  append_json(out, std::string_view(s));
  return out;
}

// How the old default would be typed; "" for lists and for switches, which cannot be turned off.
std::string typed_form(const Value& v) {
  return v.is_str() || v.is_int() || v.is_real() ? str(v) : "";
}

void compare_values(const LaunchReport& a, const LaunchReport& b, const Run& before,
                    const Facts& to_facts, const Attempt& now, LaunchUpgrade& out) {
  const Release from = before.arguments.release, to = to_facts.release;
  for (int i = 0; i < kFieldCount; ++i) {
    const auto field = static_cast<Field>(i);
    if (!is_server_args_field(field, to) || field_name(field)[0] == '_') continue;
    const bool old_has = has_field(from, field), now_has = has_field(to, field);
    const Value& old_default = field_defaults(from)[static_cast<size_t>(i)];
    const Value& now_default = field_defaults(to)[static_cast<size_t>(i)];
    const ResolvedValue* x = find_value(a, field_name(field));
    const ResolvedValue* y = find_value(b, field_name(field));
    if (!x && !y && old_default == now_default) continue;
    ValueChange change{std::string(field_name(field)),
                       !old_has ? ""
                       : x      ? x->value
                                : to_json(old_default),
                       !now_has ? ""
                       : y      ? y->value
                                : to_json(now_default),
                       x ? x->because : "SGLang's default", y ? y->because : "SGLang's default"};
    if (change.from == change.to) continue;
    // A field that only one release has matters where it does not rest on its default.
    if (!old_has && !(y && y->changed)) continue;
    if (!now_has && !(x && x->changed)) continue;
    const bool relies =
        old_has && now_has && old_default != now_default && !before.resolution->typed(field);
    if (relies) {
      DefaultChange d{change.field, "", to_json(old_default), to_json(now_default), ""};
      const Option* option = option_of(to, field);
      const std::string value = typed_form(old_default);
      if (option) d.flag = std::string(option->names.front());
      if (option && !value.empty()) {
        std::vector<Token> argv = now.argv;
        argv.push_back({d.flag, {}, false, false});
        argv.push_back({value, {}, false, false});
        Facts facts = to_facts;
        facts.env = now.env;
        const std::unique_ptr<Run> run = run_launch(facts, argv);
        if (run->accepted() && to_json(run->resolution->value(field)) == change.from)
          d.keep = d.flag + " " + quote_shell(value);
      }
      out.defaults.push_back(std::move(d));
    }
    out.resolved.push_back(std::move(change));
  }
  const auto effective = [](const LaunchReport& l, std::string_view name) {
    for (const EffectiveValue& e : l.effective)
      if (e.name == name) return &e;
    return static_cast<const EffectiveValue*>(nullptr);
  };
  const auto add = [&](const EffectiveValue* x, const EffectiveValue* y) {
    if (x && y && x->value == y->value) return;
    out.effective.push_back({(x ? x : y)->name, x ? quoted_json(x->value) : "",
                             y ? quoted_json(y->value) : "", x ? x->because : "",
                             y ? y->because : ""});
  };
  for (const EffectiveValue& e : a.effective) add(&e, effective(b, e.name));
  for (const EffectiveValue& e : b.effective)
    if (!effective(a, e.name)) add(nullptr, &e);
}

LaunchUpgrade upgrade_launch(LaunchFacts& given, const Launch& launch, Release from, Release to,
                             const std::vector<std::string>& secrets) {
  LaunchUpgrade out;
  Report both;
  both.secrets = secrets;
  CheckedLaunch old, fresh;
  given.release = from;
  both.launches.push_back(check_launch(given, launch, &old));
  given.release = to;
  both.launches.push_back(check_launch(given, launch, &fresh));
  const Facts& to_facts = *fresh.facts;
  out.name = launch.name;

  Attempt now{launch.argv, to_facts.env};
  out.flags = flag_changes(from, to, now.argv);
  const bool renamed = !std::equal(now.argv.begin(), now.argv.end(), launch.argv.begin(),
                                   [](const Token& x, const Token& y) { return x.text == y.text; });
  Repaired repaired = renamed ? repair(to_facts, now.argv) : std::move(fresh.repaired);
  if (repaired.fixed_run) now = std::move(repaired.fixed);
  out.accepted = repaired.first->accepted() || repaired.fixed_run;
  const Run& before = *old.repaired.first;

  hide_secrets(both);
  const LaunchReport &a = both.launches[0], &b = both.launches[1];
  out.from = cell_of(a);
  out.to = cell_of(b);
  out.appeared = only_in(b, a);
  out.gone = only_in(a, b);
  if (before.accepted() && !b.resolved.empty()) compare_values(a, b, before, to_facts, now, out);
  const bool same =
      std::equal(now.argv.begin(), now.argv.end(), launch.argv.begin(), launch.argv.end(),
                 [](const Token& x, const Token& y) { return x.text == y.text; }) &&
      now.env.all() == to_facts.env.all();
  if (same || !out.accepted) return out;
  out.command = shell_command(launch, now);
  for (const TextEdit& e : source_edits(given.text, launch, to_facts, now))
    out.edits.push_back({{e.span.begin, e.span.end}, e.text});
  for (const Token& t : now.argv) out.argv.push_back(t.secret ? "***" : t.text);
  hide_secrets(out.command, secrets);
  for (std::string& word : out.argv) hide_secrets(word, secrets);
  for (DefaultChange& d : out.defaults) hide_secrets(d.keep, secrets);
  return out;
}

Upgrade upgrade_value(const Value& request) {
  Upgrade out;
  std::optional<LaunchFacts> given = launch_facts(request, &out.error);
  if (!given) return out;
  const std::optional<Release> from = release_of(request["from"], &out.error);
  const std::optional<Release> to = from ? release_of(request["to"], &out.error) : from;
  if (!to) return out;
  if (from == to) {
    out.error = "\"from\" and \"to\" are the same release.";
    return out;
  }
  out.from = std::string(release_name(*from));
  out.to = std::string(release_name(*to));
  out.secrets = secrets_of(given->text, given->launches);
  const std::vector<Launch> launches = given->launches;
  for (const Launch& launch : launches)
    out.launches.push_back(upgrade_launch(*given, launch, *from, *to, out.secrets));
  return out;
}

}  // namespace

Upgrade upgrade(const Request& request, std::string_view from, std::string_view to) {
  return upgrade_value(request_value(request).with("from", from).with("to", to));
}

std::string to_json(const Upgrade& u) {
  std::string out;
  const auto or_null = [](const std::string& json) { return json.empty() ? "null" : json; };
  const auto changes = [&](Object& o, const char* name, const std::vector<ValueChange>& list) {
    o.list(name, list, [&](const ValueChange& v) {
      Object c(out);
      c.text("field", v.field);
      c.key("from") += or_null(v.from);
      c.key("to") += or_null(v.to);
      c.text("because_from", v.because_from);
      c.text("because", v.because);
    });
  };
  const auto diagnostics = [&](Object& o, const char* name, const std::vector<Diagnostic>& list) {
    o.list(name, list, [&](const Diagnostic& d) { append_diagnostic(out, d); });
  };
  {
    Object o(out);
    o.key("schema") += '1';
    o.text("version", kVersion);
    o.text_or_null("error", u.error);
    o.text("from", u.from);
    o.text("to", u.to);
    o.list("launches", u.launches, [&](const LaunchUpgrade& l) {
      Object launch(out);
      launch.text("name", l.name);
      for (const auto& [name, cell] : {std::pair{"from", &l.from}, std::pair{"to", &l.to}}) {
        Object c(launch.key(name));
        append_cell(c, out, *cell);
      }
      launch.list("flags", l.flags, [&](const FlagChange& f) {
        Object c(out);
        c.text("flag", f.flag);
        c.text("change", f.change);
        c.text_or_null("instead", f.instead);
        append_span(c.key("span"), f.span);
      });
      launch.list("defaults", l.defaults, [&](const DefaultChange& d) {
        Object c(out);
        c.text("field", d.field);
        c.text_or_null("flag", d.flag);
        c.key("from") += d.from;
        c.key("to") += d.to;
        c.text_or_null("keep", d.keep);
      });
      changes(launch, "resolved", l.resolved);
      changes(launch, "effective", l.effective);
      diagnostics(launch, "appeared", l.appeared);
      diagnostics(launch, "gone", l.gone);
      launch.boolean("accepted", l.accepted);
      launch.text("command", l.command);
      launch.strings("argv", l.argv);
      append_edits(launch, "edits", out, l.edits);
    });
  }
  return out;
}

std::string upgrade_json(std::string_view request_json) {
  Upgrade broken;
  const std::optional<Value> request = parse_request(request_json, &broken.error);
  return to_json(request ? upgrade_value(*request) : broken);
}

}  // namespace sglint
