#pragma once
// Go templates (Helm charts) and Jinja in YAML: `{{ .Values.tp }}`, `{{- if … }}`, `{% for … %}`.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "read/source.h"

namespace sglint {

// Cheap: is there anything to do at all?
bool has_templates(std::string_view text);

// What is left for a YAML parser. Each expression is one character of a private plane there, which
// is unknown to whoever reads on; control lines, comments and `else` branches are gone.
struct Templates {
  Decoded text;
  std::vector<std::string_view> expressions;  // the k-th is character U+F0000 + k
  std::vector<Span> conditions;               // `{{ if … }}` and the like, taken as true
  std::vector<Span> left_out;                 // what is inserted where nothing can stand for it
  std::optional<Span> unclosed;

  // Writes the expressions again as they stood; with `defaults`, `x | default "y"` becomes y. True
  // if there were any (with `defaults`: that have one).
  bool restore(std::string& s, bool defaults = false) const;
};
Templates render_templates(const Source& source);

// The first character of a template in a word; npos if there is none.
size_t template_in(std::string_view word);
// The blocks ({{ if }} … {{ end }}) that open behind `from`, the outermost ones.
std::vector<Span> template_blocks(std::string_view text, uint32_t from);
// Every tag of the text, in order.
std::vector<Span> template_tags(std::string_view text);

}  // namespace sglint
