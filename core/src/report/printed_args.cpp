#include "report/printed_args.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "arguments/option_index.h"
#include "base/text.h"
#include "repair/flag_groups.h"
#include "repair/run.h"

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

Release nearest_release(const Launch& launch) {
  Release release = kReferenceRelease;
  size_t least = distance(launch, release);
  for (int r = 0; r < kReleaseCount; ++r) {
    const size_t here = distance(launch, static_cast<Release>(r));
    if (here >= least) continue;
    least = here;
    release = static_cast<Release>(r);
  }
  return release;
}

// Of an object the printed form leaves out what is None.
bool agrees(const Value& printed, const Value& resolved) {
  if (!printed.is_dict() || !resolved.is_dict()) return printed == resolved;
  for (const Value::Item& item : printed.as_dict())
    if (!agrees(item.second, resolved[item.first])) return false;
  return true;
}

// The search for the flags that lead to what is printed. A run costs as much as a check without
// fixes; a launch comes by with about twenty, and what a text has left is what it has typed.
class Printed {
 public:
  Printed(Facts facts, Launch& launch, bool machine_named, size_t& runs)
      : facts_(std::move(facts)), launch_(launch), runs_(runs) {
    for (const FlagGroup& g : flag_groups(facts_.release, launch.argv)) {
      const Token* const first = &launch.argv[g.first];
      if (!g.option) strange_ += (strange_.empty() ? "" : ", ") + first->text;
      // Random, or as the machine has it.
      else if (g.option->dest != Field::random_seed &&
               (machine_named || g.option->dest != Field::cuda_graph_config))
        flags_.push_back({g.option->dest, {first, first + (g.last - g.first) + 1}, true});
    }
  }

  const std::string& strange() const { return strange_; }

  void reduce() {
    // What the parser does not take nobody has typed.
    for (;;) {
      const Arguments all = parse_arguments(facts_.release, argv(), facts_.files);
      printed_ = all.values;
      if (!all.error) break;
      if (remove_token(all.error->token)) continue;
      launch_.argv = argv();
      return;
    }
    const std::vector<Value>& defaults = field_defaults(facts_.release);
    for (Flag& f : flags_) f.kept = value(f) != defaults[static_cast<size_t>(f.field)];
    const std::vector<Flag> typed = flags_;
    const size_t as_typed = misses();
    grow();
    undo_adjustments();
    size_t least = misses();
    if (least > as_typed) {
      flags_ = typed;
      least = as_typed;
    }
    // Three neighbours at once, which a rule may give together or not at all; then one by one.
    for (const size_t width : {3, 1})
      for (size_t i = 0; i + width <= flags_.size() && runs_; ++i) least = drop(i, width, least);
    // What comes out otherwise all the same, such as what is refused here, stays.
    misses();
    for (Flag& f : flags_)
      f.kept = f.kept || (value(f) != defaults[static_cast<size_t>(f.field)] && missed(f));
    launch_.argv = argv();
  }

 private:
  struct Flag {
    Field field;
    std::vector<Token> words;
    bool kept;
  };

  const Value& value(const Flag& f) const { return printed_[static_cast<size_t>(f.field)]; }

  std::vector<Token> argv() const {
    std::vector<Token> out;
    for (const Flag& f : flags_)
      if (f.kept) out.insert(out.end(), f.words.begin(), f.words.end());
    return out;
  }

  bool remove_token(int token) {
    for (size_t i = 0, at = 0; token >= 0 && i < flags_.size(); ++i) {
      at += flags_[i].words.size();
      if (static_cast<size_t>(token) >= at) continue;
      flags_.erase(flags_.begin() + static_cast<long>(i));
      return true;
    }
    return false;
  }

  // Resolves what is kept, and counts the fields that come out otherwise than printed.
  size_t misses() {
    if (runs_) --runs_;
    run_ = run_launch(facts_, argv());
    size_t out = run_->accepted() ? 0 : 1000;
    for (size_t i = 0; run_->resolution && i < printed_.size(); ++i)
      out += !agrees(printed_[i], run_->resolution->value(static_cast<Field>(i)));
    return out;
  }

  // Leaves these flags out if nothing comes out worse. What is missed then.
  size_t drop(size_t first, size_t count, size_t least) {
    const auto begin = flags_.begin() + static_cast<long>(first);
    const auto end = begin + static_cast<long>(count);
    if (!std::all_of(begin, end,
                     [](const Flag& f) { return f.kept && f.field != Field::model_path; }))
      return least;
    const auto keep = [&](bool kept) {
      for (auto f = begin; f != end; ++f) f->kept = kept;
    };
    keep(false);
    const size_t without = misses();
    if (without <= least && std::none_of(begin, end, [&](const Flag& f) { return missed(f); }))
      return without;
    keep(true);
    return least;
  }

  bool missed(const Flag& f) const {
    return !run_->resolution || !agrees(value(f), run_->resolution->value(f.field));
  }

  // From the model alone: what no rule gives is typed; then, of what a rule gives otherwise, the
  // first, on which the later ones may rest.
  void grow() {
    for (Flag& f : flags_) f.kept = f.field == Field::model_path;
    for (bool more = true; more && runs_;) {
      misses();
      if (!run_->resolution) return;
      more = false;
      const std::vector<Change>& changes = run_->resolution->changes();
      Flag* first = nullptr;
      size_t earliest = changes.size();
      for (Flag& f : flags_) {
        if (f.kept || !missed(f)) continue;
        const size_t at =
            static_cast<size_t>(std::find_if(changes.begin(), changes.end(),
                                             [&](const Change& c) { return c.field == f.field; }) -
                                changes.begin());
        if (at == changes.size()) {
          f.kept = more = true;
        } else if (at < earliest) {
          earliest = at;
          first = &f;
        }
      }
      if (!more && first) first->kept = more = true;
    }
  }

  // A number that a rule multiplies (chunked_prefill_size by the data parallel size) was another.
  void undo_adjustments() {
    misses();
    for (Flag& f : flags_) {
      const Value now = run_->resolution ? run_->resolution->value(f.field) : Value();
      if (!f.kept || !now.is_number() || now.is_bool() || now == value(f)) continue;
      if (now.as_real() == 0 || f.words.size() != 2) continue;
      const double before = value(f).as_real() * value(f).as_real() / now.as_real();
      f.words[1].text = now.is_int() ? std::to_string(std::llround(before))
                                     : real_repr(std::round(before * 1e6) / 1e6);
    }
  }

  Facts facts_;
  Launch& launch_;
  std::vector<Flag> flags_;
  std::vector<Value> printed_;  // by Field
  std::unique_ptr<Run> run_;
  std::string strange_;
  size_t& runs_;
};

constexpr size_t kMostRuns = 3000;

// The same server once more, but for its random seed?
bool same(const Launch& a, const Launch& b) {
  bool seed = false;
  return std::equal(a.argv.begin(), a.argv.end(), b.argv.begin(), b.argv.end(),
                    [&](const Token& x, const Token& y) {
                      const bool value = seed;
                      seed = x.text == "--random-seed";
                      return value || x.text == y.text;
                    });
}

}  // namespace

void drop_chosen(LaunchFacts& given) {
  size_t runs = kMostRuns;
  std::vector<Launch> kept, printed;
  for (Launch& launch : given.launches) {
    if (launch.printed_fields) {
      if (std::any_of(printed.begin(), printed.end(),
                      [&](const Launch& p) { return same(p, launch); }))
        continue;
      printed.push_back(launch);
      const Release release = nearest_release(launch);
      if (!given.release) launch.release = release;
      Facts facts = facts_of(given, launch);
      facts.release = release;
      Printed search(std::move(facts), launch, given.machine_named, runs);
      search.reduce();
      if (!search.strange().empty())
        launch.assumptions.push_back(fill("Left out, because SGLang {} has no such flag: {}.",
                                          {release_name(release), search.strange()}));
    }
    kept.push_back(std::move(launch));
  }
  given.launches = std::move(kept);
}

}  // namespace sglint
