#include "resolve/resolution.h"

#include "rules/model_config.h"

namespace sglint {

namespace {

// prepare_server_args sets Python's logging up with --log-level before anything is resolved.
int least_level(std::string_view name) {
  const std::string level = lower(name);
  if (one_of(level, {"debug", "notset"})) return static_cast<int>(Level::debug);
  if (one_of(level, {"warning", "warn"})) return static_cast<int>(Level::warning);
  if (level == "error") return static_cast<int>(Level::error);
  if (one_of(level, {"critical", "fatal"})) return static_cast<int>(Level::error) + 1;
  return static_cast<int>(Level::info);
}

}  // namespace

Resolution::Resolution(const Facts& facts, const Arguments& arguments)
    : facts_(facts),
      arguments_(arguments),
      env_(facts.env),
      values_(arguments.values),
      declared_(kFieldCount),
      declared_set_(kFieldCount, false) {
  env_.start(facts.release);
  changes_.reserve(96);
  for (const Origin& origin : arguments.origins) any_unknown_ = any_unknown_ || origin.unknown;
}

void Resolution::touch(Field field) const {
  const Origin& origin = arguments_.origins[index(field)];
  // A model's name is only compared with known ones.
  const bool name = field == Field::model_path || field == Field::tokenizer_path ||
                    field == Field::served_model_name;
  if (origin.unknown && !(name && origin.kind == Origin::Kind::typed)) in_doubt_ = true;
}

const ModelConfig& Resolution::model() {
  if (!model_) {
    model_ = std::make_unique<ModelConfig>();
    if (!stopped()) build_model_config(*this, *model_);
  }
  return *model_;
}

void Resolution::write_value(Field field, Value v, Because because, bool declared) {
  if (stopped()) return;
  declared = declared && !materialized_;
  changes_.push_back({field, v, declared ? view_value(field) : values_[index(field)],
                      because.rule ? std::string(because.rule->why) : std::string(because.text),
                      because.rule, step_, declared});
  if (!declared) {
    values_[index(field)] = std::move(v);
    return;
  }
  declared_set_[index(field)] = true;
  declared_[index(field)] = v;
  declaration_order_.emplace_back(field, std::move(v));
}

void Resolution::clear_declarations() {
  if (stopped()) return;
  for (const auto& [field, value] : declaration_order_) declared_set_[index(field)] = false;
  declaration_order_.clear();
}

void Resolution::materialize_declarations() {
  if (stopped()) return;
  for (const auto& [field, value] : declaration_order_) values_[index(field)] = value;
  clear_declarations();
  materialized_ = true;
}

void Resolution::log(Level level, std::string message) {
  if (stopped()) return;
  if (static_cast<int>(level) < least_level(arguments_.values[index(Field::log_level)].as_str()))
    return;
  logs_.push_back({level, std::move(message)});
}

void Resolution::info(const char* pattern, std::initializer_list<Arg> args) {
  if (!stopped()) log(Level::info, fill(pattern, args));
}

void Resolution::warn(const char* pattern, std::initializer_list<Arg> args) {
  if (!stopped()) log(Level::warning, fill(pattern, args));
}

namespace {

Finding make_finding(const Rule& rule, std::string message, std::vector<Fix> fixes,
                     std::initializer_list<Field> fields, std::string_view step) {
  Finding finding{&rule, std::move(message), fields, {}, std::move(fixes), step};
  for (const Fix& fix : finding.fixes) {
    for (const Edit& edit : fix.edits) {
      if (edit.kind == Edit::Kind::set_env || edit.kind == Edit::Kind::unset_env) {
        finding.env.push_back(edit.env);
        continue;
      }
      bool known = false;
      for (Field f : finding.fields) known = known || f == edit.field;
      if (!known) finding.fields.push_back(edit.field);
    }
  }
  return finding;
}

}  // namespace

void Resolution::reject(const Rule& rule, std::initializer_list<Arg> args, std::vector<Fix> fixes,
                        std::initializer_list<Field> fields) {
  if (!stopped()) reject_with(rule, fill(rule.message, args), std::move(fixes), fields);
}

void Resolution::reject_with(const Rule& rule, std::string message, std::vector<Fix> fixes,
                             std::initializer_list<Field> fields) {
  if (stopped()) return;
  if (in_doubt_) {
    open_end_ = true;
    return;
  }
  rejection_ = make_finding(rule, std::move(message), std::move(fixes), fields, step_);
}

void Resolution::note(const Rule& rule, std::initializer_list<Arg> args, std::vector<Fix> fixes,
                      std::initializer_list<Field> fields) {
  if (stopped() || in_doubt_) return;
  notes_.push_back(make_finding(rule, fill(rule.message, args), std::move(fixes), fields, step_));
}

void Resolution::assume(std::string sentence) {
  for (const std::string& known : assumptions_)
    if (known == sentence) return;
  assumptions_.push_back(std::move(sentence));
}

const Value& Resolution::attribute(std::string_view name) const {
  for (const auto& [key, value] : attributes_)
    if (key == name) return value;
  return kNone;
}

void Resolution::set_attribute(std::string_view name, Value v) {
  for (auto& [key, value] : attributes_) {
    if (key == name) {
      value = std::move(v);
      return;
    }
  }
  attributes_.emplace_back(std::string(name), std::move(v));
}

}  // namespace sglint
