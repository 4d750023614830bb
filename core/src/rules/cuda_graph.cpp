#include "rules/cuda_graph.h"

#include <algorithm>

#include "base/sort.h"
#include "rules/attention.h"
#include "rules/model_kinds.h"
#include "rules/steps.h"

namespace sglint {
namespace {

constexpr Rule kBackendNotAllowed{
    .id = "cuda-graph/backend-not-allowed",
    .exception = "ValueError",
    .message =
        "--cuda-graph-config[{}].backend={} not allowed; allowed: ('full', 'breakable', "
        "'tc_piecewise', 'disabled')",
    .why = "The JSON of --cuda-graph-config names a capture backend that does not exist.",
    .source = "server_args.py: ServerArgs._validate_cuda_graph_config",
    .bad = {R"(--model-path Qwen/Qwen3-8B --cuda-graph-config '{"decode": {"backend": "eager"}}')"},
    .good = {R"(--model-path Qwen/Qwen3-8B --cuda-graph-config '{"decode": {"backend": "full"}}')"},
};

// ModelConfig.is_multimodal_piecewise_cuda_graph_supported: multimodal models whose language part
// was checked under tc_piecewise.
bool multimodal_piecewise_supported(const Resolution& r, const ModelConfig& m) {
  if (!m.enable_multimodal && !m.is_multimodal) return false;
  for (const std::string& arch : m.architectures) {
    if (arch == "Cohere2VisionForConditionalGeneration") return true;
    if (r.since(Release::v0_5_16) &&
        one_of(arch, {"KimiK25ForConditionalGeneration", "MiniMaxM3SparseForCausalLM",
                      "MiniMaxM3SparseForConditionalGeneration"}))
      return true;
  }
  return false;
}

// ModelConfig.is_multimodal_breakable_cuda_graph_supported
bool multimodal_breakable_supported(const Resolution& r, const ModelConfig& m) {
  if (!m.enable_multimodal && !m.is_multimodal) return false;
  for (const std::string& arch : m.architectures) {
    if (r.since(Release::v0_5_16) &&
        one_of(arch, {"Qwen3_5ForConditionalGeneration", "Qwen3_5MoeForConditionalGeneration"}))
      return true;
    if (r.since(Release::v0_5_18) &&
        one_of(arch,
               {"InternS2MobiusForConditionalGeneration", "MuseGlimmerForConditionalGeneration",
                "KimiK3ForConditionalGeneration", "KimiK25ForConditionalGeneration"}))
      return true;
  }
  return false;
}

// configs/model_config.py: piecewise_cuda_graph_disabled_model_archs
bool piecewise_disabled_for_model(const Resolution& r, const ModelConfig& m) {
  for (const std::string& arch : m.architectures) {
    if (one_of(arch, {"DeepseekV4ForCausalLM", "DeepseekV4ForCausalLMNextN", "Qwen3NextForCausalLM",
                      "BailingMoeV2_5ForCausalLM", "LLaDAModelLM"}))
      return true;
    if (r.since(Release::v0_5_16) && arch == "DeepseekV4ForCausalLMDSpark") return true;
  }
  return false;
}

// layers/cp/bcg.py: supports_prefill_cp_bcg
bool prefill_cp_can_be_captured(const Resolution& r) {
  return r.get(f::enable_prefill_cp) && r.view(f::attn_cp_size) == r.get(f::tp_size) &&
         r.get(f::cp_strategy) == "zigzag" &&
         resolved_attention_backends(r).prefill == "trtllm_mha";
}

// What the user fixed, strongest last: global switches, per-phase flags, the JSON.
void parse_config(Resolution& r) {
  Value::Dict phase_defaults = {
      {"backend", "full"},          {"max_bs", {}}, {"bs", {}}, {"tc_compiler", "eager"},
      {"full_prefill_max_req", {}},
  };
  if (r.since(Release::v0_5_17))
    phase_defaults.emplace_back("full_prefill_prefix_chunk_tokens", Value());
  Value decode = Value::dict(phase_defaults);
  phase_defaults[0].second = is_cuda(r.machine()) ? "breakable" : "tc_piecewise";
  Value prefill = Value::dict(std::move(phase_defaults));
  Value decode_locked = Value::dict(), prefill_locked = Value::dict();

  const auto fix = [&](std::string_view phase, std::string_view key, const Value& v) {
    Value& settings = phase == "decode" ? decode : prefill;
    Value& locked = phase == "decode" ? decode_locked : prefill_locked;
    settings = settings.with(key, v);
    locked = locked.with(key, true);
  };
  const auto fix_if_given = [&](std::string_view phase, std::string_view key, const Value& v) {
    if (!v.is_none()) fix(phase, key, v);
  };

  const Value typed = r.value(f::cuda_graph_config);
  if (r.get(f::disable_cuda_graph)) {
    fix("decode", "backend", "disabled");
    fix("prefill", "backend", "disabled");
  }
  if (r.get(f::disable_prefill_cuda_graph)) fix("prefill", "backend", "disabled");
  if (r.get(f::disable_decode_cuda_graph)) fix("decode", "backend", "disabled");
  fix_if_given("decode", "backend", r.value(f::cuda_graph_backend_decode));
  fix_if_given("prefill", "backend", r.value(f::cuda_graph_backend_prefill));
  fix_if_given("decode", "max_bs", r.value(f::cuda_graph_max_bs_decode));
  fix_if_given("prefill", "max_bs", r.value(f::cuda_graph_max_bs_prefill));
  fix_if_given("decode", "bs", r.value(f::cuda_graph_bs_decode));
  fix_if_given("prefill", "bs", r.value(f::cuda_graph_bs_prefill));
  fix_if_given("decode", "tc_compiler", r.value(f::cuda_graph_tc_compiler));
  fix_if_given("prefill", "tc_compiler", r.value(f::cuda_graph_tc_compiler));
  for (const auto& [phase, settings] : typed.as_dict())
    for (const auto& [key, v] : settings.as_dict()) fix(phase, key, v);

  r.set_attribute("cuda_graph_config_locked",
                  Value::dict({{"decode", decode_locked}, {"prefill", prefill_locked}}));
  r.set(f::cuda_graph_config, Value::dict({{"decode", decode}, {"prefill", prefill}}),
        "It collects the CUDA graph flags; what no flag fixes has SGLang's default.");
}

// arg_groups/kimi_k3_hook.py: disable_kimi_k3_symm_mem
void disable_kimi_symmetric_memory(Resolution& r) {
  if (!r.get(f::enable_symm_mem) || model_from_instance(r)) return;
  const std::string_view arch = r.model().architecture();
  if (!one_of(arch, {"KimiLinearForCausalLM", "KimiK3ForConditionalGeneration"})) return;
  if (graph_disabled(r, "decode") && graph_disabled(r, "prefill")) return;
  r.set(f::enable_symm_mem, false,
        "Kimi hybrid models cannot use symmetric memory together with CUDA graphs.");
  r.warn(
      "Kimi hybrid model: ignoring --enable-symm-mem because CUDA graphs are on. The "
      "symmetric-memory pool's per-forward allocations are not valid for the lifetime of a "
      "captured graph, which corrupts speculative decoding and can silently produce wrong output. "
      "The auto-probed K3 fused all-reduce is faster anyway. Disable capture on every phase "
      "(--cuda-graph-backend-decode=disabled --cuda-graph-backend-prefill=disabled) if you "
      "genuinely need symmetric memory.");
}

// _disable_tc_piecewise_cudagraph_if_incompatible: silent, so the reason is worth telling.
void check_tc_piecewise(Resolution& r) {
  const ModelConfig& m = r.model();
  if (r.stopped()) return;
  const Machine& machine = r.machine();
  const struct {
    bool incompatible;
    const char* because;
  } checks[] = {
      {piecewise_disabled_for_model(r, m), "Piecewise graphs are switched off for this model."},
      {r.view(f::enable_dp_attention), "Piecewise graphs do not work with DP attention."},
      {r.get(f::enable_torch_compile), "Piecewise graphs do not work with --enable-torch-compile."},
      {r.get(f::pp_size) > 1, "Piecewise graphs do not work with pipeline parallelism."},
      {is_hip(machine) || is_npu(machine) || is_cpu(r) || is_mps(machine) || is_xpu(machine),
       "Piecewise graphs need an NVIDIA GPU."},
      {r.view_value(f::moe_a2a_backend) != "none",
       "Piecewise graphs do not work with an all-to-all backend for experts."},
      {r.value(f::lora_paths).truthy() || r.value(f::enable_lora).truthy(),
       "Piecewise graphs do not work with LoRA."},
      {m.is_multimodal && !multimodal_piecewise_supported(r, m),
       "Piecewise graphs are switched off for multimodal models."},
      {r.get(f::load_format) == "gguf" || r.view_value(f::quantization) == "gguf",
       "Piecewise graphs do not work with GGUF weights."},
      {!r.value(f::dllm_algorithm).is_none(),
       "Piecewise graphs do not work with diffusion models."},
      {r.value(f::cpu_offload_gb).as_int() > 0 || r.get(f::enable_hierarchical_cache),
       "Piecewise graphs do not work with CPU offload or the hierarchical cache."},
      {r.get(f::enable_deterministic_inference),
       "Piecewise graphs do not work with deterministic inference."},
      {r.value(f::disaggregation_mode) != "null",
       "Piecewise graphs do not work with PD disaggregation."},
      {r.get(f::enable_symm_mem), "Piecewise graphs do not work with symmetric memory."},
      {r.get(f::enable_eplb) || !r.value(f::expert_distribution_recorder_mode).is_none(),
       "Piecewise graphs do not work with the expert distribution recorder."},
      {r.view(f::attn_cp_size) > 1, "Piecewise graphs do not work with context parallelism."},
      {r.get(f::debug_cuda_graph), "Piecewise graphs do not work with --debug-cuda-graph."},
      {r.value(f::enable_dsa_prefill_context_parallel).truthy(),
       "Piecewise graphs do not work with DSA prefill context parallelism."},
      {r.since(Release::v0_5_16) && r.get(f::dcp_size) > 1,
       "Piecewise graphs do not work with decode context parallelism."},
  };
  for (const auto& check : checks)
    if (check.incompatible) return set_graph_backend(r, "prefill", "disabled", check.because);
}

// _disable_breakable_cudagraph_if_incompatible. `name` is SGLang's, for the log.
void check_breakable(Resolution& r) {
  const ModelConfig& m = r.model();
  if (r.stopped()) return;
  const Value& a2a = r.view_value(f::moe_a2a_backend);
  const bool before_17 = !r.since(Release::v0_5_17);
  const bool exactly_17 = r.release() == Release::v0_5_17;
  const bool cp = r.view(f::attn_cp_size) > 1;
  const struct {
    bool incompatible;
    const char* name;
  } checks[] = {
      {before_17 && m.use_mla(), "MLA attention"},
      {exactly_17 && m.use_mla() && !is_deepseek_dsa(r.release(), m), "MLA attention (non-DSA)"},
      {exactly_17 && is_nemotron_h(m), "NemotronH (hybrid Mamba2 prefill)"},
      {is_deepseek_v4(r.release(), m), "DeepSeek-V4 (heavy capture-pool memory pressure)"},
      {cp && (before_17 || !prefill_cp_can_be_captured(r)), "context parallel (attn_cp_size > 1)"},
      {r.since(Release::v0_5_16) && r.get(f::dcp_size) > 1,
       "decode context parallel (dcp_size > 1)"},
      {before_17 && (r.value(f::lora_paths).truthy() || r.value(f::enable_lora).truthy()), "LoRA"},
      {before_17 && a2a != "none", "MoE A2A backend"},
      {before_17 && r.view(f::enable_dp_attention), "DP attention"},
      {!before_17 && r.get(f::enable_two_batch_overlap), "two-batch overlap"},
      {!before_17 && !one_of(a2a.as_str(), {"none", "deepep", "megamoe", "flashinfer"}),
       "unvalidated a2a backend"},
      {m.is_multimodal && !multimodal_breakable_supported(r, m), "multimodal model"},
  };
  for (const auto& check : checks) {
    if (!check.incompatible) continue;
    r.warn("Breakable CUDA graph is incompatible with {}; disabling prefill CUDA graph.",
           {check.name});
    set_graph_backend(r, "prefill", "disabled",
                      fill("Breakable prefill graphs do not work with {}.", {check.name}));
    return;
  }
}

// _apply_cuda_graph_compatibility
void check_compatibility(Resolution& r) {
  if (graph_locked(r, "prefill", "backend")) return;
  if (graph_backend(r, "prefill") == "breakable" && r.since(Release::v0_5_16)) {
    const ModelConfig& m = r.model();
    if (r.stopped()) return;
    const bool to_piecewise =
        multimodal_piecewise_supported(r, m) &&
        (!r.since(Release::v0_5_18) || (!multimodal_breakable_supported(r, m) &&
                                        resolved_attention_backends(r).prefill != "trtllm_mla"));
    if (to_piecewise) {
      r.info("Using tc_piecewise CUDA graph for validated multimodal decoder prefill.");
      set_graph_backend(r, "prefill", "tc_piecewise",
                        "This multimodal model was checked under tc_piecewise, not under breakable "
                        "graphs.");
    }
  }
  if (graph_backend(r, "prefill") == "tc_piecewise") {
    check_tc_piecewise(r);
  } else if (graph_backend(r, "prefill") == "breakable") {
    check_breakable(r);
  }
}

// _apply_deepep_adjustments
void align_buckets_for_deepep(Resolution& r) {
  if (r.view_value(f::moe_a2a_backend) != "deepep" || graph_backend(r, "prefill") != "breakable")
    return;
  Value::List sizes = graph_setting(r, "prefill", "bs").as_list();
  if (graph_setting(r, "prefill", "bs").is_none()) {
    const int64_t max_bs = graph_setting(r, "prefill", "max_bs").as_int();
    sizes = prefill_graph_batch_sizes(max_bs ? max_bs : 2048);
  }
  const auto less = [](const Value& a, const Value& b) { return a.as_int() < b.as_int(); };
  stable_sort(sizes, less);
  Value::List aligned;
  for (const Value& bs : sizes) {
    // Python's floor division.
    const int64_t n = bs.as_int() + 7;
    const Value up = (n >= 0 ? n / 8 : -((-n + 7) / 8)) * 8;
    if (aligned.empty() || aligned.back() != up) aligned.push_back(up);
  }
  if (aligned == sizes) return;
  r.info(
      "Breakable prefill CUDA graph with DeepEP requires bucket sizes divisible by 8; aligning {} "
      "-> {}.",
      {Value(std::move(sizes)), Value(aligned)});
  const char* why =
      "DeepEP can hang when a breakable prefill graph has a size that 8 does not divide.";
  set_graph_setting(r, "prefill", "max_bs", aligned.back(), why);
  set_graph_setting(r, "prefill", "bs", Value(std::move(aligned)), why);
}

// _apply_cuda_graph_disaggregation_roles
void apply_disaggregation_role(Resolution& r) {
  const Value& mode = r.value(f::disaggregation_mode);
  if (mode == "prefill" && !graph_locked(r, "decode", "backend"))
    set_graph_backend(r, "decode", "disabled", "A prefill worker never decodes.");
  if (mode == "decode" && !graph_locked(r, "prefill", "backend"))
    set_graph_backend(r, "prefill", "disabled", "A decode worker never prefills.");
}

// _validate_cuda_graph_config
void validate(Resolution& r) {
  for (const char* phase : {"decode", "prefill"}) {
    const Value& backend = graph_setting(r, phase, "backend");
    if (backend.is_str() &&
        one_of(backend.as_str(), {"full", "breakable", "tc_piecewise", "disabled"}))
      continue;
    r.reject(kBackendNotAllowed, {phase, repr(backend)},
             {{{unset(f::cuda_graph_config)}, "the other settings of that JSON are lost too"}});
  }
}

}  // namespace

void apply_inkling_prefill_cuda_graph_default(Resolution& r) {
  if (!r.value(f::cuda_graph_backend_prefill).is_none() || r.get(f::disable_prefill_cuda_graph) ||
      model_from_instance(r))
    return;
  if (one_of(r.model().architecture(),
             {"InklingForConditionalGeneration", "InklingForConditionalGenerationMTP"}))
    r.set(f::cuda_graph_backend_prefill, "full",
          "Inkling captures the whole prefill forward by default.");
}

void apply_muse_glimmer_prefill_cuda_graph_max_bs_default(Resolution& r) {
  if (!r.value(f::cuda_graph_max_bs_prefill).is_none() || model_from_instance(r)) return;
  if (one_of(r.model().architecture(),
             {"MuseGlimmerForCausalLM", "MuseGlimmerForConditionalGeneration"}))
    r.set(f::cuda_graph_max_bs_prefill, 512,
          "Muse Glimmer captures prefill up to 512 tokens by default.");
}

void cuda_graph_config(Resolution& r) {
  parse_config(r);
  if (r.since(Release::v0_5_17)) disable_kimi_symmetric_memory(r);
  check_compatibility(r);
  if (r.since(Release::v0_5_17)) align_buckets_for_deepep(r);
  if (r.since(Release::v0_5_16)) apply_disaggregation_role(r);
  validate(r);
  if (graph_backend(r, "prefill") == "full")
    r.warn(
        "cuda_graph_config[prefill].backend='full' is experimental. Use breakable or tc_piecewise "
        "for production workloads.");
}

void disable_prefill_cuda_graph_for_deepseek_trtllm_mla(Resolution& r) {
  if (graph_locked(r, "prefill", "backend") || graph_disabled(r, "prefill")) return;
  const std::vector<std::string>& architectures = r.model().architectures;
  if (std::find(architectures.begin(), architectures.end(), "DeepseekV3ForCausalLM") ==
      architectures.end())
    return;
  if (resolved_attention_backends(r).prefill != "trtllm_mla") return;
  r.warn(
      "Disabling prefill CUDA graph ({}) by default for the DeepSeek-V3 arch on the trtllm_mla "
      "attention backend (a captured prefill graph forces a FlashAttention fallback that regresses "
      "prefill). Set the prefill cuda graph backend explicitly (e.g. --cuda-graph-backend-prefill "
      "tc_piecewise) to override.",
      {graph_backend(r, "prefill")});
  set_graph_backend(
      r, "prefill", "disabled",
      "With trtllm_mla a captured prefill falls back to slower attention on DeepSeek-V3.");
}

RuleList cuda_graph_rules() { return {&kBackendNotAllowed}; }

}  // namespace sglint
