#pragma once
// The parts that the JSON forms of reports, matrices and upgrades share.

#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "sglint/sglint.h"

namespace sglint {

// Appends "key":value pairs; the commas are its business.
class Object {
 public:
  explicit Object(std::string& out) : out_(out) { out_ += '{'; }
  ~Object() { out_ += '}'; }
  Object(const Object&) = delete;
  Object& operator=(const Object&) = delete;

  std::string& key(std::string_view name) {
    if (!first_) out_ += ',';
    first_ = false;
    append_json(out_, name);
    out_ += ':';
    return out_;
  }
  void text(std::string_view name, std::string_view value) { append_json(key(name), value); }
  void text_or_null(std::string_view name, std::string_view value) {
    if (value.empty()) {
      key(name) += "null";
    } else {
      text(name, value);
    }
  }
  void boolean(std::string_view name, bool value) { key(name) += value ? "true" : "false"; }
  template <class List, class Each>
  void list(std::string_view name, const List& items, Each each) {
    key(name) += '[';
    bool first = true;
    for (const auto& item : items) {
      if (!first) out_ += ',';
      first = false;
      each(item);
    }
    out_ += ']';
  }
  void strings(std::string_view name, const std::vector<std::string>& items) {
    list(name, items, [this](const std::string& s) { append_json(out_, std::string_view(s)); });
  }

 private:
  std::string& out_;
  bool first_ = true;
};

void append_span(std::string& out, SourceSpan span);
void append_edits(Object& o, std::string_view name, std::string& out,
                  const std::vector<SourceEdit>& edits);
void append_error(Object& o, std::string& out, Outcome outcome, std::string_view type,
                  std::string_view message);  // "error": null or {type, message}
void append_cell(Object& o, std::string& out, const MatrixCell& cell);
void append_diagnostic(std::string& out, const Diagnostic& d);

}  // namespace sglint
