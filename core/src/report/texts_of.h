#pragma once
// Every string of a report that people may see, for what is done to all of them.

#include "sglint/sglint.h"

namespace sglint {

template <class Each>
void for_each_text(Diagnostic& d, const Each& each) {
  each(d.message);
  if (d.suppressed) each(*d.suppressed);
  for (VerifiedFix& fix : d.fixes) {
    each(fix.title);
    each(fix.command);
    for (std::string& word : fix.argv) each(word);
  }
}

template <class Each>
void for_each_text(Report& report, const Each& each) {
  each(report.error);
  for (auto* list : {&report.diagnostics, &report.deployment})
    for (Diagnostic& d : *list) for_each_text(d, each);
  for (LaunchReport& l : report.launches) {
    for (std::string* s : {&l.name, &l.machine, &l.model, &l.error_message, &l.fixed_command})
      each(*s);
    for (std::vector<std::string>* list : {&l.argv, &l.fixed_argv, &l.assumptions})
      for (std::string& s : *list) each(s);
    for (auto& log : l.logs) each(log.second);
    for (auto& variable : l.env) each(variable.second);
    for (Diagnostic& d : l.diagnostics) for_each_text(d, each);
    for (EffectiveValue& e : l.effective) {
      each(e.value);
      each(e.because);
    }
    for (ResolvedValue& v : l.resolved) {
      each(v.value);
      each(v.because);
      for (auto& earlier : v.earlier) {
        each(earlier.first);
        each(earlier.second);
      }
    }
  }
}

}  // namespace sglint
