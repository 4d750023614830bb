#include "report/effective.h"

#include "rules/hybrid.h"

namespace sglint {
namespace {

std::string first_of(std::initializer_list<std::string_view> values) {
  for (std::string_view v : values)
    if (!v.empty()) return std::string(v);
  return {};
}

// The last reason given for a field, else where its value comes from.
std::string reason(const Resolution& r, Field field) {
  for (auto it = r.changes().rbegin(); it != r.changes().rend(); ++it)
    if (it->field == field) return it->because;
  return r.typed(field) ? "as typed" : "SGLang's default";
}

}  // namespace

std::vector<EffectiveValue> effective_values(const Resolution& r) {
  std::vector<EffectiveValue> out;
  const auto add = [&](const char* name, std::string value, std::string because) {
    if (!value.empty()) out.push_back({name, std::move(value), std::move(because)});
  };
  const auto split = [&](const char* name, Key<std::optional<std::string_view>> own,
                         Key<std::optional<std::string_view>> base) {
    const std::optional<std::string_view> value = r.get(own);
    add(name, first_of({value.value_or(""), r.get(base).value_or("")}),
        reason(r, value ? own.id : base.id));
  };
  split("attention.prefill", f::prefill_attention_backend, f::attention_backend);
  split("attention.decode", f::decode_attention_backend, f::attention_backend);
  if (uses_linear_attention(r) || r.attribute("linear_attn.decode_kernel").is_dict()) {
    // The kernels that the load stage found; the flag's value where it found none.
    const auto phase = [&](const char* name, const char* kernel_name,
                           Key<std::optional<std::string_view>> own) {
      const Value& kernel = r.attribute(kernel_name);
      if (kernel.is_dict())
        return add(kernel_name, std::string(kernel["kernel"].as_str()),
                   std::string(kernel["because"].as_str()));
      const std::optional<std::string_view> value = r.get(own);
      add(name, std::string(value.value_or(r.get(f::linear_attn_backend))),
          reason(r, value ? own.id : f::linear_attn_backend.id));
    };
    phase("linear_attn.prefill", "linear_attn.prefill_kernel", f::linear_attn_prefill_backend);
    phase("linear_attn.decode", "linear_attn.decode_kernel", f::linear_attn_decode_backend);
    if (r.get(f::speculative_algorithm))
      phase("linear_attn.verify", "linear_attn.verify_kernel", f::linear_attn_verify_backend);
  }
  if (uses_linear_attention(r)) {
    add("mamba.radix_cache_strategy", std::string(r.get(f::mamba_radix_cache_strategy)),
        reason(r, Field::mamba_radix_cache_strategy));
  }
  add("sampling", std::string(r.get(f::sampling_backend).value_or("")),
      reason(r, Field::sampling_backend));
  const Value& runner = r.attribute("moe.runner");
  if (runner.is_none())  // the load stage found nothing to say
    add("moe.runner", std::string(r.get(f::moe_runner_backend)),
        reason(r, Field::moe_runner_backend));
  if (r.get(f::moe_a2a_backend) != "none")
    add("moe.all_to_all", std::string(r.get(f::moe_a2a_backend)),
        reason(r, Field::moe_a2a_backend));
  // What the load stage found (rules/load/choices.cpp, state_pool.cpp).
  for (const char* name : {"attention.layers", "attention.verify", "attention.draft", "moe.runner",
                           "gemm.bf16", "gemm.fp8", "gemm.fp4", "all_reduce", "state_pool"}) {
    const Value& choice = r.attribute(name);
    add(name, std::string(choice["kernel"].as_str()), std::string(choice["because"].as_str()));
  }
  return out;
}

}  // namespace sglint
