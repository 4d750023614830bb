#pragma once
// Every step of the pipeline (pipeline.cpp has their order). A step mirrors the ServerArgs method
// of the same name with `_handle_` taken off; the file that defines it is named above each group.

#include "base/rule.h"
#include "resolve/resolution.h"

namespace sglint {

// moe.cpp, moe_all_to_all.cpp, sgl_marlin.cpp
void moe_runner_backend_alias(Resolution& r);
void moe_kernel_config(Resolution& r);
RuleList moe_rules();
void a2a_moe(Resolution& r);
void validate_cutedsl_a2a_token_budget(Resolution& r);
RuleList moe_all_to_all_rules();
void validate_experimental_sgl_marlin(Resolution& r);
RuleList sgl_marlin_rules();

// eplb.cpp
void eplb_and_dispatch(Resolution& r);
void expert_distribution_metrics(Resolution& r);
RuleList eplb_rules();

// elastic_ep.cpp
void elastic_ep(Resolution& r);
RuleList elastic_ep_rules();
RuleList elastic_ep_scale_rules();

// serving.cpp
void return_hidden_states_mode(Resolution& r);
void ssl_validation(Resolution& r);
void asr_validation(Resolution& r);
void missing_default_values(Resolution& r);
void prefill_delayer_env_compat(Resolution& r);
void tokenizer_batching(Resolution& r);
void grammar_backend(Resolution& r);
RuleList serving_rules();

// multimodal.cpp
void media_url_security(Resolution& r);
void multimodal(Resolution& r);
void multimodal_feature_transport(Resolution& r);  // a part of environment_variables
RuleList multimodal_rules();

// deprecated_args.cpp
void deprecated_args(Resolution& r);
RuleList deprecated_args_rules();

// hicache.cpp
void hicache_ratio_default(Resolution& r);
void hicache(Resolution& r);
RuleList hicache_rules();

// model_source.cpp
void model_source_paths(Resolution& r);
RuleList model_source_rules();

// pd_disaggregation.cpp
void pd_disaggregation(Resolution& r);
void load_balance_method(Resolution& r);
RuleList pd_disaggregation_rules();

// context_parallelism.cpp
void legacy_cp_arguments(Resolution& r);
void context_parallelism(Resolution& r);
void dcp_validation(Resolution& r);
RuleList context_parallelism_rules();

// prefill_only.cpp
void validate_prefill_only_disable_kv_cache_args(Resolution& r);
void prefill_only_disable_kv_cache(Resolution& r);
RuleList prefill_only_rules();

// cuda_graph.cpp
void apply_inkling_prefill_cuda_graph_default(Resolution& r);
void apply_muse_glimmer_prefill_cuda_graph_max_bs_default(Resolution& r);
void cuda_graph_config(Resolution& r);
void disable_prefill_cuda_graph_for_deepseek_trtllm_mla(Resolution& r);
RuleList cuda_graph_rules();

// dwdp.cpp
void dwdp(Resolution& r);
RuleList dwdp_rules();

// platform_backends.cpp
void fuseep_mode_env_compat(Resolution& r);
void hpu_backends(Resolution& r);
void cpu_backends(Resolution& r);
void npu_backends(Resolution& r);
void mps_backends(Resolution& r);
void xpu_backends(Resolution& r);
void amd_specifics(Resolution& r);
void nccl_pre_warm(Resolution& r);
RuleList platform_backends_rules();

// gpu_memory.cpp
void gpu_memory_settings(Resolution& r);
RuleList gpu_memory_rules();

// model_adjustments.cpp
void model_specific_adjustments(Resolution& r);
void model_capability_adjustments(Resolution& r);
RuleList model_adjustments_rules();

// attention_backend.cpp
void sampling_backend(Resolution& r);
void attention_backend_compatibility(Resolution& r);
RuleList attention_backend_rules();

// deterministic.cpp
void deterministic_inference(Resolution& r);
RuleList deterministic_rules();

// kv_cache_dtype.cpp
void kv4_compatibility(Resolution& r);
void mxfp8_kv_cache_compatibility(Resolution& r);
RuleList kv_cache_dtype_rules();

// page_size.cpp
void page_size(Resolution& r);
RuleList page_size_rules();

// mamba_cache.cpp
void mamba_backend(Resolution& r);
void int8_mamba_checkpoint(Resolution& r);
RuleList mamba_cache_rules();

// mamba_radix_cache.cpp: called by model_specific_adjustments
RuleList mamba_radix_cache_rules();

// linear_attention.cpp
void linear_attn_backend(Resolution& r);
void validate_gdn_replayssm_spec_ring(Resolution& r);
RuleList linear_attention_rules();

// multi_item_scoring.cpp
void multi_item_scoring(Resolution& r);
RuleList multi_item_scoring_rules();

// data_parallelism.cpp
void data_parallelism(Resolution& r);
RuleList data_parallelism_rules();

// pipeline_parallelism.cpp
void pipeline_parallelism(Resolution& r);
RuleList pipeline_parallelism_rules();

// speculative.cpp, and speculative_<algorithm>.cpp (declared in speculative.h)
void speculative_decoding(Resolution& r);
RuleList speculative_rules();
RuleList speculative_adaptive_rules();
RuleList speculative_dflash_rules();
RuleList speculative_dspark_rules();
RuleList speculative_eagle_rules();
RuleList speculative_ngram_rules();

// load_format.cpp
void load_format(Resolution& r);
RuleList load_format_rules();

// encoder_disaggregation.cpp
void encoder_disaggregation(Resolution& r);
RuleList encoder_disaggregation_rules();

// environment.cpp
void environment_variables(Resolution& r);
void crash_dump_env(Resolution& r);
RuleList environment_rules();

// cache_compatibility.cpp
void cache_compatibility(Resolution& r);
RuleList cache_compatibility_rules();

// memory_layout.cpp
void page_major_kv_layout(Resolution& r);
void unified_memory_pool(Resolution& r);
RuleList memory_layout_rules();

// diffusion_llm.cpp
void dllm_inference(Resolution& r);
RuleList diffusion_llm_rules();

// other_validations.cpp
void debug_utils(Resolution& r);
void other_validations(Resolution& r);
RuleList other_validations_rules();

// check_server_args.cpp: ServerArgs.check_server_args, after the pipeline. Its parts are declared
// in check_server_args.h.
void check_server_args(Resolution& r);
RuleList check_server_args_rules();
RuleList check_parallelism_rules();
RuleList check_scheduling_rules();
RuleList check_serving_rules();
RuleList lora_rules();
RuleList token_buckets_rules();

// model_config.cpp
RuleList model_config_rules();

}  // namespace sglint
