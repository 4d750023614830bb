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

template <class Each>
void for_each_text(MatrixCell& c, const Each& each) {
  for (std::string* s : {&c.error_type, &c.error_message, &c.fix}) each(*s);
  for (auto& named : c.effective) each(named.second);
}

template <class Each>
void for_each_text(Matrix& m, const Each& each) {
  each(m.error);
  for (MatrixLaunch& l : m.launches) {
    each(l.name);
    for (MatrixCell& c : l.cells) for_each_text(c, each);
  }
}

template <class Each>
void for_each_text(Upgrade& u, const Each& each) {
  each(u.error);
  for (LaunchUpgrade& l : u.launches) {
    for (std::string* s : {&l.name, &l.command}) each(*s);
    for (FlagChange& f : l.flags) each(f.flag), each(f.instead);
    for (DefaultChange& d : l.defaults) each(d.keep);
    for (auto* list : {&l.resolved, &l.effective})
      for (ValueChange& v : *list)
        for (std::string* s : {&v.from, &v.to, &v.because}) each(*s);
    for (auto* list : {&l.appeared, &l.gone})
      for (Diagnostic& d : *list) for_each_text(d, each);
  }
}

}  // namespace sglint
