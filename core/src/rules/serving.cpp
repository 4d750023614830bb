#include "rules/steps.h"

namespace sglint {

void return_hidden_states_mode(Resolution& r) { (void)r; }

void media_url_security(Resolution& r) { (void)r; }

void multimodal(Resolution& r) { (void)r; }

void ssl_validation(Resolution& r) { (void)r; }

void asr_validation(Resolution& r) { (void)r; }

void missing_default_values(Resolution& r) { (void)r; }

void prefill_delayer_env_compat(Resolution& r) { (void)r; }

void tokenizer_batching(Resolution& r) { (void)r; }

void grammar_backend(Resolution& r) { (void)r; }

RuleList serving_rules() { return {}; }

}  // namespace sglint
