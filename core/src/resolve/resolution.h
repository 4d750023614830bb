#pragma once
// One run of SGLang's argument resolution: fields with provenance, log lines, and the rejection
// that stops it.
//
// Steps are plain functions over a Resolution. SGLang keeps two layers of values while it resolves:
// the fields themselves, and declarations that are laid over them and written back at the end
// (arg_groups/overrides.py). So there are two ways to read and two to write:
//
//   SGLang                                   here
//   self.x, server_args.x                    r.get(f::x)        r.value(f::x) for the raw Value
//   resolved_view(self).x, view.x in a pass  r.view(f::x)       r.view_value(f::x)
//   self.x = v                               r.set(f::x, v, because)
//   return {"x": v} from a pass / override   r.declare(f::x, v, because)
//   logger.info / logger.warning             r.info(template, {args}) / r.warn(template, {args})
//   raise ValueError(…), assert              r.reject(kRule, {args}, {fixes})
//
// reject() freezes the run: every later set, declare, log and reject is ignored, so a helper needs
// no status to thread through; return where going on makes no sense. What lies behind the rejection
// is found by running again with the rule's preferred fix applied (repair/repair.cpp).

#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "arguments/arguments.h"
#include "base/log.h"
#include "base/rule.h"
#include "base/text.h"
#include "facts/env.h"
#include "facts/machine.h"
#include "facts/model.h"
#include "resolve/model_config.h"

namespace sglint {

// Everything that is known before the first step.
struct Facts {
  Release release = kReferenceRelease;
  Machine machine;
  std::optional<ModelFiles> model;  // what --model-path stands for; nullopt: unknown
  std::vector<std::pair<std::string, ModelFiles>> extra_models;  // draft models, by path
  Environment env;
  Files files;
  bool all_files = false;  // there are no others than `files`: the request is the arguments alone
};

// Why a value is what it is, in our words, one sentence; `rule` where a rule speaks for it. It only
// refers to its text: use it within the expression that makes it.
struct Because {
  Because(const char* t) : text(t) {}                 // NOLINT(google-explicit-constructor)
  Because(const std::string& t) : text(t.c_str()) {}  // NOLINT(google-explicit-constructor)
  Because(const Rule& r) : rule(&r) {}                // NOLINT(google-explicit-constructor)
  const char* text = nullptr;
  const Rule* rule = nullptr;
};

// A value that a step gave to a field.
struct Change {
  Field field{};
  Value value;
  Value before;
  std::string because;
  const Rule* rule = nullptr;
  std::string_view step;  // the pipeline step that made it
  bool declared = false;
};

// What stops SGLang, or (warnings, stage load) what the user should know.
struct Finding {
  const Rule* rule = nullptr;
  std::string message;           // SGLang's text where it has one
  std::vector<Field> fields;     // what it is about: spans follow from these
  std::vector<std::string> env;  // environment variables it is about
  std::vector<Fix> fixes;        // preferred first, not yet verified
  std::string_view step;
};

class Resolution {
 public:
  Resolution(const Facts& facts, const Arguments& arguments);

  Release release() const { return facts_.release; }
  bool since(Release r) const { return facts_.release >= r; }
  const Machine& machine() const { return facts_.machine; }
  const Facts& facts() const { return facts_; }
  Environment& env() { return env_; }
  const Environment& env() const { return env_; }

  // SGLang's self.get_model_config(): built at the first call, which may reject. Empty after a
  // rejection, so test stopped() where it matters.
  const ModelConfig& model();
  bool model_known() const { return facts_.model.has_value(); }

  template <class T>
  T get(Key<T> key) const {
    return convert<T>(value(key.id));
  }
  template <class T>
  T view(Key<T> key) const {
    return convert<T>(view_value(key.id));
  }
  template <class T>
  const Value& value(Key<T> key) const {
    return value(key.id);
  }
  const Value& value(Field field) const {
    if (any_unknown_) touch(field);
    return values_[index(field)];
  }
  template <class T>
  const Value& view_value(Key<T> key) const {
    return view_value(key.id);
  }
  const Value& view_value(Field field) const {
    if (any_unknown_) touch(field);
    return declared_set_[index(field)] ? declared_[index(field)] : values_[index(field)];
  }

  // V: what Value can be made from; B: a literal, a Rule, or a std::string that is copied. Each
  // pair of types is one small function, so that a call is three words and no temporaries.
  template <class V, class B>
  void set(Field field, const V& v, const B& because) {
    write<Passed<V>, Passed<B>>(field, v, because, false);
  }
  template <class V, class B>
  void declare(Field field, const V& v, const B& because) {
    write<Passed<V>, Passed<B>>(field, v, because, true);
  }
  template <class T, class V, class B>
  void set(Key<T> key, const V& v, const B& because) {
    set(key.id, v, because);
  }
  template <class T, class V, class B>
  void declare(Key<T> key, const V& v, const B& because) {
    declare(key.id, v, because);
  }
  void clear_declarations();        // self._resolved_overrides = []
  void materialize_declarations();  // at the end of __post_init__
  bool materialized() const { return materialized_; }

  // Whether the user wrote the flag (or the --config file did).
  template <class T>
  bool typed(Key<T> key) const {
    return typed(key.id);
  }
  bool typed(Field field) const {
    return arguments_.origins[index(field)].kind != Origin::Kind::parser_default;
  }

  // gnu::cold, here and below: most launches do not come by. What leads up to such a call (its
  // arguments, the fixes) is laid aside, in WebAssembly as functions of their own that a browser
  // does not compile before they are needed.
  [[gnu::cold]] void info(const char* pattern, std::initializer_list<Arg> args = {});
  [[gnu::cold]] void warn(const char* pattern, std::initializer_list<Arg> args = {});
  void log(Level level, std::string message);

  // SGLang raises here. `args` fill the rule's message; `fields` is what the finding points at (the
  // fields of the fixes are added). Fixes are proposals, the preferred one first.
  [[gnu::cold]] void reject(const Rule& rule, std::initializer_list<Arg> args = {},
                            std::vector<Fix> fixes = {}, std::initializer_list<Field> fields = {});
  // With a message that the template cannot express (built lists and the like).
  [[gnu::cold]] void reject_with(const Rule& rule, std::string message, std::vector<Fix> fixes = {},
                                 std::initializer_list<Field> fields = {});
  // A finding that does not stop SGLang: a trap, a surprise, a load-stage failure.
  [[gnu::cold]] void note(const Rule& rule, std::initializer_list<Arg> args = {},
                          std::vector<Fix> fixes = {}, std::initializer_list<Field> fields = {});
  void assume(std::string sentence);  // a fact that nobody stated and that a step relied on

  // SGLang stopped, or what an unknown value decides is where it might have.
  bool stopped() const { return rejection_.has_value() || open_end_; }
  const std::optional<Finding>& rejection() const { return rejection_; }
  const std::vector<Finding>& notes() const { return notes_; }
  const std::vector<Log>& logs() const { return logs_; }
  const std::vector<Change>& changes() const { return changes_; }
  const std::vector<std::string>& assumptions() const { return assumptions_; }
  const Arguments& arguments() const { return arguments_; }
  void enter(std::string_view step) {
    step_ = step;
    in_doubt_ = false;
  }

  // Facts that later steps and the load stage keep on the side (SGLang's private attributes), e.g.
  // "cuda_graph_config_locked". Not part of the resolved fields.
  const Value& attribute(std::string_view name) const;
  void set_attribute(std::string_view name, Value v);

 private:
  // By value what fits a register, literals as the pointer, the rest by reference.
  template <class V>
  using Passed = std::conditional_t<
      std::is_same_v<std::decay_t<V>, char*> || std::is_array_v<V>, const char*,
      std::conditional_t<std::is_same_v<V, bool>, bool,
                         std::conditional_t<std::is_integral_v<V>, int64_t,
                                            std::conditional_t<std::is_scalar_v<V>, V, const V&>>>>;
  template <class V, class B>
  [[gnu::noinline, gnu::cold]] void write(Field field, V v, B because, bool declared) {
    write_value(field, Value(v), Because(because), declared);
  }
  void write_value(Field field, Value v, Because because, bool declared);

  static size_t index(Field f) { return static_cast<size_t>(f); }
  void touch(Field field) const;

  template <class T>
  static T convert(const Value& v) {
    if constexpr (std::is_same_v<T, Value>) {
      return v;
    } else if constexpr (std::is_same_v<T, bool>) {
      return v.truthy();
    } else if constexpr (std::is_same_v<T, int64_t>) {
      return v.as_int();
    } else if constexpr (std::is_same_v<T, double>) {
      return v.as_real();
    } else if constexpr (std::is_same_v<T, std::string_view>) {
      return v.as_str();
    } else {
      if (v.is_none()) return std::nullopt;
      return convert<typename T::value_type>(v);
    }
  }

  const Facts& facts_;
  const Arguments& arguments_;
  Environment env_;
  std::vector<Value> values_;
  std::vector<Value> declared_;
  std::vector<bool> declared_set_;
  std::vector<std::pair<Field, Value>> declaration_order_;
  bool materialized_ = false;
  std::vector<Change> changes_;  // keeps earlier values alive: string_views from get() stay valid
  std::vector<Log> logs_;
  std::optional<Finding> rejection_;
  std::vector<Finding> notes_;
  std::vector<std::string> assumptions_;
  std::vector<std::pair<std::string, Value>> attributes_;
  std::string_view step_;
  // Whether a step read a flag whose value a placeholder or an unresolved variable stands for: what
  // it then finds rests on a default that the user does not mean, so it is not said.
  bool any_unknown_ = false;
  mutable bool in_doubt_ = false;
  bool open_end_ = false;
  std::unique_ptr<ModelConfig> model_;
};

// utils/common.py: is_cpu(). The variable makes it one also where there are GPUs.
inline bool is_cpu(const Resolution& r) {
  return is_cpu(r.machine()) || r.env().raw("SGLANG_USE_CPU_ENGINE") == "1";
}

}  // namespace sglint
