#include "rules/pipeline.h"

#include "rules/environment_notes.h"
#include "rules/steps.h"

namespace sglint {
namespace {

using R = Release;

// Where SGLang returns for the model paths "none" and "dummy": nothing after it is resolved.
constexpr std::string_view kReturnForDummyModel = "dummy model";

// ServerArgs._run_resolution_pipeline, in order.
constexpr Step kPipeline[] = {
    {"_apply_fuseep_mode_env_compat", fuseep_mode_env_compat, {R::v0_5_16, R::v0_5_17}},
    {kReturnForDummyModel, nullptr, {R::v0_5_15_post1, R::v0_5_16}},
    {"_handle_moe_runner_backend_alias", moe_runner_backend_alias, {R::v0_5_18}},
    {"_handle_return_hidden_states_mode", return_hidden_states_mode, {R::v0_5_17}},
    {"_handle_media_url_security", media_url_security, {R::v0_5_18}},
    {"_handle_hicache_ratio_default", hicache_ratio_default, {R::v0_5_18}},
    {kReturnForDummyModel, nullptr, {R::v0_5_17}},
    {"_handle_model_source_paths", model_source_paths},
    {"_handle_multimodal", multimodal},
    {"_handle_ssl_validation", ssl_validation},
    {"_handle_asr_validation", asr_validation},
    {"_handle_deprecated_args", deprecated_args},
    {"_handle_prefill_delayer_env_compat", prefill_delayer_env_compat},
    {"_handle_missing_default_values", missing_default_values},
    {"_handle_pd_disaggregation", pd_disaggregation},
    {"_handle_legacy_cp_arguments", legacy_cp_arguments},
    {"_validate_prefill_only_disable_kv_cache_args", validate_prefill_only_disable_kv_cache_args},
    {"_handle_dcp_validation", dcp_validation},
    {"_apply_inkling_prefill_cuda_graph_default",
     apply_inkling_prefill_cuda_graph_default,
     {R::v0_5_16}},
    {"_apply_muse_glimmer_prefill_cuda_graph_max_bs_default",
     apply_muse_glimmer_prefill_cuda_graph_max_bs_default,
     {R::v0_5_18}},
    {"_handle_dwdp", dwdp, {R::v0_5_17}},
    {"_handle_cuda_graph_config", cuda_graph_config},
    {"_handle_hpu_backends", hpu_backends},
    {"_handle_cpu_backends", cpu_backends},
    {"_handle_npu_backends", npu_backends},
    {"_handle_mps_backends", mps_backends},
    {"_handle_xpu_backends", xpu_backends},
    {"_handle_gpu_memory_settings", gpu_memory_settings},
    {"_handle_model_specific_adjustments", model_specific_adjustments},
    {"_handle_sampling_backend", sampling_backend},
    {"_handle_deterministic_inference", deterministic_inference},
    {"_handle_attention_backend_compatibility", attention_backend_compatibility},
    {"_disable_prefill_cuda_graph_for_deepseek_trtllm_mla",
     disable_prefill_cuda_graph_for_deepseek_trtllm_mla},
    {"_handle_mamba_backend", mamba_backend},
    {"_handle_int8_mamba_checkpoint", int8_mamba_checkpoint},
    {"_handle_linear_attn_backend", linear_attn_backend},
    {"_handle_kv4_compatibility", kv4_compatibility},
    {"_handle_mxfp8_kv_cache_compatibility", mxfp8_kv_cache_compatibility, {R::v0_5_16}},
    {"_handle_page_size", page_size},
    {"_handle_amd_specifics", amd_specifics},
    {"_handle_nccl_pre_warm", nccl_pre_warm},
    {"_handle_grammar_backend", grammar_backend},
    {"_handle_multi_item_scoring", multi_item_scoring},
    {"_handle_prefill_only_disable_kv_cache", prefill_only_disable_kv_cache},
    {"_handle_hicache", hicache},
    {"_handle_data_parallelism", data_parallelism},
    {"_handle_load_balance_method", load_balance_method},
    {"_handle_legacy_cp_arguments", legacy_cp_arguments},
    {"_handle_context_parallelism", context_parallelism},
    {"_handle_moe_kernel_config", moe_kernel_config},
    {"_handle_a2a_moe", a2a_moe},
    {"_handle_eplb_and_dispatch", eplb_and_dispatch},
    {"_handle_expert_distribution_metrics", expert_distribution_metrics},
    {"_handle_elastic_ep", elastic_ep},
    {"_validate_experimental_sgl_marlin", validate_experimental_sgl_marlin, {R::v0_5_16}},
    {"_handle_pipeline_parallelism", pipeline_parallelism},
    {"handle_speculative_decoding", speculative_decoding},
    {"_validate_gdn_replayssm_spec_ring",
     validate_gdn_replayssm_spec_ring,
     {R::v0_5_16, R::v0_5_16}},
    {"_validate_cutedsl_a2a_token_budget", validate_cutedsl_a2a_token_budget},
    {"_handle_load_format", load_format},
    {"_handle_encoder_disaggregation", encoder_disaggregation},
    {"_handle_tokenizer_batching", tokenizer_batching},
    {"_handle_environment_variables", environment_variables},
    {"_handle_cache_compatibility", cache_compatibility},
    {"_handle_page_major_kv_layout", page_major_kv_layout},
    {"_handle_unified_memory_pool", unified_memory_pool},
    {"_handle_dllm_inference", dllm_inference},
    {"_handle_crash_dump_env", crash_dump_env},
    {"_handle_debug_utils", debug_utils},
    {"_handle_other_validations", other_validations},
    {"_handle_model_capability_adjustments", model_capability_adjustments, {R::v0_5_16}},
};

}  // namespace

std::span<const Step> pipeline() { return kPipeline; }

void run_pipeline(Resolution& r) {
  r.enter("environ.py");
  note_environment(r);
  for (const Step& step : kPipeline) {
    if (r.stopped()) return;
    if (!step.releases.contains(r.release())) continue;
    r.enter(step.name);
    if (step.run == nullptr) {
      if (one_of(lower(r.get(f::model_path)), {"none", "dummy"})) return;
      continue;
    }
    step.run(r);
  }
  r.materialize_declarations();
}

}  // namespace sglint
