#pragma once
// The passes of arg_groups/overrides.py that ServerArgs._handle_attention_backend_compatibility
// runs, and what its neighbours share with it.

#include <string_view>
#include <vector>

#include "arguments/edit.h"
#include "base/rule.h"
#include "resolve/resolution.h"

namespace sglint {

// attention_default.cpp
void attention_backend_default(Resolution& r);  // _attention_backend_default

// attention_pages.cpp
void mla_backend_page_constraints(Resolution& r);  // _mla_backend_page_constraints
void fa4_page_constraint(Resolution& r);           // _fa4_page_constraint
void intel_xpu_page_constraint(Resolution& r);     // _intel_xpu_page_constraint

// attention_mla.cpp
void mla_kv_cache_dtype_checks(Resolution& r);     // _mla_kv_cache_dtype_checks
void cutedsl_prefill_backend_fill(Resolution& r);  // _cutedsl_prefill_backend_fill
RuleList attention_mla_rules();
RuleList attention_default_rules();

// The edits that take `backend` out of the launch: every flag that names it is removed. Where no
// flag does (the model or a default chose it), --attention-backend is set to `instead`.
std::vector<Edit> without_attention_backend(const Resolution& r, std::string_view backend,
                                            std::string_view instead);

}  // namespace sglint
