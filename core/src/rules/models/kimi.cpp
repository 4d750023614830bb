#include <cstdlib>

#include "base/text.h"
#include "rules/attention.h"
#include "rules/models/families.h"

namespace sglint {
namespace {

constexpr ReleaseRange kSince17{Release::v0_5_17, Release::v0_5_18};

constexpr Rule kDcpDecodeBackend{
    .id = "models/kimi-k3-dcp-decode-backend",
    .exception = "AssertionError",
    .message =
        "Decode attention backend for Kimi-K3 DCP must be 'cutedsl_mla' or 'tokenspeed_mla', got "
        "{}.",
    .why =
        "Only these two decode kernels combine partial attention results of several ranks. The "
        "name may come from a default of the platform (CPU, NPU) rather than from the command: "
        "--dcp-size does not work there.",
    .source = "arg_groups/overrides.py: _kimi_k3_overrides",
    .bad = {"--model-path moonshotai/Kimi-K3 --trust-remote-code --tp-size 8 --dcp-size 2 "
            "--attention-backend trtllm_mla",
            "b200"},
    .good = {"--model-path moonshotai/Kimi-K3 --trust-remote-code --tp-size 8 --dcp-size 2",
             "b200"},
    .releases = kSince17,
};

constexpr Rule kDcpNeedsFlashInfer{
    .id = "models/kimi-k3-dcp-needs-flashinfer",
    .exception = "RuntimeError",
    .message =
        "Kimi-K3 DCP with decode_attention_backend='cutedsl_mla' requires FlashInfer 0.6.17 or "
        "newer with trtllm_batch_decode_with_kv_cache_mla exposing enable_dcp.",
    .why =
        "The default decode backend for --dcp-size is FlashInfer's cutedsl_mla, and FlashInfer is "
        "not installed (it exists for NVIDIA GPUs only).",
    .source = "arg_groups/overrides.py: _require_kimi_k3_cutedsl_dcp_support",
    .bad = {"--model-path moonshotai/Kimi-K3 --trust-remote-code --tp-size 8 --dcp-size 2",
            "mi300x"},
    .good = {"--model-path moonshotai/Kimi-K3 --trust-remote-code --tp-size 8", "mi300x"},
    .releases = kSince17,
};

constexpr Rule kDcpOldFlashInfer{
    .id = "models/kimi-k3-dcp-old-flashinfer",
    .exception = "RuntimeError",
    .message =
        "Kimi-K3 DCP with decode_attention_backend='cutedsl_mla' requires enable_dcp in the "
        "signature of flashinfer.decode.trtllm_batch_decode_with_kv_cache_mla; upgrade to "
        "FlashInfer 0.6.17 or newer.",
    .why =
        "The installed FlashInfer is older than 0.6.17 and its decode kernel does not know context "
        "parallelism.",
    .source = "arg_groups/overrides.py: _require_kimi_k3_cutedsl_dcp_support",
    // No example: the catalogue's machines have a FlashInfer that is new enough.
    .releases = kSince17,
};

constexpr Rule kDcpRaggedVerify{
    .id = "models/kimi-k3-dcp-ragged-verify",
    .exception = "ValueError",
    .message =
        "Kimi-K3 DCP + DSPARK currently requires SGLANG_RAGGED_VERIFY_MODE=static; "
        "compact/cap-accept are not validated under DCP (got {}).",
    .why = "With decode context parallelism every verification step must have the same length.",
    .source = "arg_groups/overrides.py: _kimi_k3_overrides",
    // No example: an example is a command, and this needs SGLANG_RAGGED_VERIFY_MODE=compact.
    .releases = kSince17,
};

constexpr Rule kRaggedVerifyMode{
    .id = "models/ragged-verify-mode",
    .exception = "ValueError",
    .message =
        "invalid SGLANG_RAGGED_VERIFY_MODE={}; expected one of 'static', 'cap-accept', 'compact'",
    .why = "The environment variable names no known mode.",
    .source = "speculative/ragged_verify.py: read_ragged_verify_mode",
    // No example: it needs an environment variable.
    .releases = kSince17,
};

constexpr Rule kCubinPool{
    .id = "models/kimi-k3-cubin-pool",
    .exception = "RuntimeError",
    .message =
        "Kimi-K3 on Blackwell with moe_runner_backend='auto' or 'flashinfer_mxfp4' requires a "
        "valid SGLANG_TRTLLM_GEN_MOE_CUBIN_POOL. Install it with:\n"
        "wget https://github.com/sgl-project/whl/releases/download/"
        "trtllm_gen_moe_cubin_20260617/trtllm_gen_moe_cubin_pool_20260617_v0613rc1.zip\n"
        "sudo mkdir -p /opt/trtllm_gen_moe_cubin_pool\n"
        "sudo unzip -q trtllm_gen_moe_cubin_pool_20260617_v0613rc1.zip -d "
        "/opt/trtllm_gen_moe_cubin_pool\n"
        "export SGLANG_TRTLLM_GEN_MOE_CUBIN_POOL=/opt/trtllm_gen_moe_cubin_pool/"
        "trtllm_gen_moe_cubin_pool_20260617_v0613rc1\n"
        "To use Marlin instead, set --moe-runner-backend marlin explicitly.",
    .why =
        "0.5.17 does not ship the kernels that it wants for Kimi K3's experts on Blackwell; they "
        "must be downloaded and named by the environment variable. 0.5.18 has them.",
    .source = "arg_groups/overrides.py: _kimi_k3_moe_runner_overrides",
    .bad = {"--model-path moonshotai/Kimi-K3 --trust-remote-code --tp-size 8", "b200", "0.5.17"},
    .good = {"--model-path moonshotai/Kimi-K3 --trust-remote-code --tp-size 8 --moe-runner-backend "
             "marlin",
             "b200", "0.5.17"},
    .releases = {Release::v0_5_17, Release::v0_5_17},
};

bool flashinfer_at_least_0_6_17(const Machine& m) {
  if (!m.flashinfer) return false;
  char* end = nullptr;
  const long major = strtol(m.flashinfer->c_str(), &end, 10);
  const long minor = *end == '.' ? strtol(end + 1, &end, 10) : 0;
  const long patch = *end == '.' ? strtol(end + 1, &end, 10) : 0;
  if (major != 0 || minor != 6) return major > 0 || minor > 6;
  return patch >= 17;
}

// _require_kimi_k3_cutedsl_dcp_support
void require_cutedsl_dcp(Resolution& r) {
  const std::vector<Fix> fixes = {{{unset(f::dcp_size)}, "no decode context parallelism"},
                                  {{set(f::decode_attention_backend, "tokenspeed_mla")},
                                   "another decode kernel, FP8 KV cache"}};
  const bool since18 = r.since(Release::v0_5_18);
  const std::string_view patch =
      "https://github.com/sgl-project/sglang/blob/b701464720ca22aa1851d5dda7144e84a410f2c7/docker/"
      "kimi_k3/kimi_k3_cu13.Dockerfile#L116-L123";
  if (!is_flashinfer_available(r.machine())) {
    r.reject_with(
        kDcpNeedsFlashInfer,
        since18
            ? std::string(kDcpNeedsFlashInfer.message)
            : fill("Kimi-K3 DCP with decode_attention_backend='cutedsl_mla' requires a DCP-patched "
                   "FlashInfer trtllm_batch_decode_with_kv_cache_mla exposing enable_dcp in its "
                   "signature. Apply the patch as shown in {}.",
                   {patch}),
        fixes, {f::dcp_size.id});
  } else if (!flashinfer_at_least_0_6_17(r.machine())) {
    r.reject_with(
        kDcpOldFlashInfer,
        since18
            ? std::string(kDcpOldFlashInfer.message)
            : fill(
                  "Kimi-K3 DCP with decode_attention_backend='cutedsl_mla' requires enable_dcp in "
                  "the signature of flashinfer.decode.trtllm_batch_decode_with_kv_cache_mla. Apply "
                  "the FlashInfer DCP patch as shown in {}.",
                  {patch}),
        fixes, {f::dcp_size.id});
  }
}

void require_static_verify(Resolution& r) {
  const Value mode = r.env().get("SGLANG_RAGGED_VERIFY_MODE");
  if (mode.as_str() == "static") return;
  const std::vector<Fix> fixes = {
      {{unset_env("SGLANG_RAGGED_VERIFY_MODE")}, "every verification step has full length"}};
  const Rule& rule =
      one_of(mode.as_str(), {"cap-accept", "compact"}) ? kDcpRaggedVerify : kRaggedVerifyMode;
  r.reject(rule, {repr(mode)}, fixes, {f::dcp_size.id});
}

void declare_backends(Resolution& r, const char* prefill, const char* decode, const char* because) {
  replace(r, f::prefill_attention_backend, prefill, because);
  replace(r, f::decode_attention_backend, decode, because);
}

void declare_dcp(Resolution& r) {
  if (r.get(f::enable_symm_mem)) {
    r.warn("Kimi-K3 DCP disables --enable-symm-mem due to decode CUDA graph correctness issues.");
    r.declare(f::enable_symm_mem, false,
              "Symmetric memory gives wrong results in captured decode graphs here.");
  }
  if (r.get(f::speculative_algorithm) == "DSPARK") {
    require_static_verify(r);
    r.declare(
        f::speculative_attention_mode, "decode",
        "Verification must run on the decode backend, which knows decode context parallelism.");
  }
  const AttentionBackends got = attention_backends(r);
  if (!got.decode || *got.decode == "cutedsl_mla") {
    require_cutedsl_dcp(r);
    r.info("Kimi-K3 DCP keeps decode attention backend 'cutedsl_mla' (prefill={} -> 'trtllm_mla').",
           {repr(Value(got.prefill))});
    declare_backends(r, "trtllm_mla", "cutedsl_mla",
                     "The pair of backends for Kimi K3 with decode context parallelism.");
  } else if (*got.decode == "tokenspeed_mla") {
    r.info("Kimi-K3 DCP overrides attention backends: prefill={}, decode={} -> 'tokenspeed_mla'.",
           {repr(Value(got.prefill)), repr(Value(got.decode))});
    r.info("Kimi-K3 DCP with tokenspeed mla backend overrides KV cache dtype: {} -> 'fp8_e4m3'.",
           {repr(r.value(f::kv_cache_dtype))});
    declare_backends(r, "tokenspeed_mla", "tokenspeed_mla",
                     "tokenspeed_mla serves both phases or none here.");
    replace(r, f::kv_cache_dtype, "fp8_e4m3", "tokenspeed_mla reads FP8 KV caches only.");
  } else {
    Fix drop{{}, "cutedsl_mla for decode"};
    for (const auto& key : {f::attention_backend, f::decode_attention_backend})
      if (r.typed(key)) drop.edits.push_back(unset(key));
    std::vector<Fix> fixes;
    if (!drop.edits.empty()) fixes.push_back(std::move(drop));
    fixes.push_back({{unset(f::dcp_size)}, "no decode context parallelism"});
    r.reject(kDcpDecodeBackend, {repr(Value(got.decode))}, std::move(fixes), {f::dcp_size.id});
  }
  if (r.value(f::dcp_replicate_q_proj).is_none()) {
    r.info("Kimi-K3 DCP enables replicated Q projection by default.");
    r.declare(f::dcp_replicate_q_proj, true, "Saves an exchange of queries between the ranks.");
  }
  const Machine& m = r.machine();
  const bool fabric = is_mnnvl_fabric_device(m);
  const char* comm = fabric ? "fi_a2a" : "a2a";
  const Value name = m.gpu_name.empty() ? Value() : Value(m.gpu_name);
  r.info("Kimi-K3 DCP selects communication backend on {}: {} -> {}.",
         {repr(name), repr(r.value(f::dcp_comm_backend)), repr(std::string_view(comm))});
  r.declare(f::dcp_comm_backend, comm,
            fabric ? "GB200 and GB300 exchange partial results over their NVLink fabric."
                   : "Partial results are exchanged with all-to-all.");
}

// _dspark_verify_on_decode_backend
bool decode_backend_can_verify(std::optional<std::string_view> backend, int64_t q_len,
                               std::string_view kv_dtype) {
  if (backend == "trtllm_mla" || backend == "cutedsl_mla") return true;
  return backend == "tokenspeed_mla" && kv_dtype == "fp8_e4m3" && q_len <= 8;
}

void declare_dspark_on_sm100(Resolution& r) {
  int64_t q_len = r.get(f::speculative_num_draft_tokens).value_or(0);
  if (q_len == 0) {
    const auto block = r.get(f::speculative_dspark_block_size);
    q_len = block ? *block + 1 : 8;
  }
  std::optional<std::string_view> backend = "trtllm_mla";
  if (attention_backend_not_set(r)) {
    r.declare(f::decode_attention_backend, "trtllm_mla", "Kimi K3's default on SM100 and SM103.");
    r.declare(f::prefill_attention_backend, "trtllm_mla", "Kimi K3's default on SM100 and SM103.");
  } else {
    backend = attention_backends(r).decode;
  }
  if (decode_backend_can_verify(backend, q_len, r.get(f::kv_cache_dtype))) {
    r.declare(f::speculative_attention_mode, "decode",
              "DSPARK verifies on the decode backend, which needs no host round trip.");
    r.info(
        "Kimi-K3 DSPARK on SM100/SM103: decode/verify attention backend {} "
        "(speculative_attention_mode=decode).",
        {backend});
  } else {
    r.warn(
        "Kimi-K3 DSPARK: decode attention backend {} cannot serve target verify at q_len={}, so "
        "verify runs on the prefill backend (speculative_attention_mode=prefill). A host-plan "
        "prefill backend costs a per-step seq_lens D2H sync; leave the attention backend knobs "
        "unset for the sync-free default.",
        {repr(Value(backend)), q_len});
  }
}

// _is_mxfp4_pack_quantized
bool is_mxfp4_packed(const Value& hf_config) {
  const Value* text = hf_config.find("text_config");
  const Value& quantization = (text ? *text : hf_config)["quantization_config"];
  for (const auto& [name, group] : quantization["config_groups"].as_dict())
    if (contains(group["format"].as_str(), "mxfp4")) return true;
  return false;
}

bool on_sm100_or_sm103(const Resolution& r) {
  const int sm = device_sm(r.machine());
  return is_sm100_supported(r.machine()) && (sm == 100 || sm == 103);
}

// _kimi_k3_overrides
void declare_attention(Resolution& r) {
  if (r.get(f::dcp_size) > 1) return declare_dcp(r);
  if (!on_sm100_or_sm103(r)) return;
  if (r.get(f::speculative_algorithm) == "DSPARK") return declare_dspark_on_sm100(r);
  if (!attention_backend_not_set(r)) return;
  r.info(
      "Use trtllm_mla as the default prefill and decode attention backend for Kimi-K3 on "
      "SM100/SM103.");
  r.declare(f::decode_attention_backend, "trtllm_mla", "Kimi K3's default on SM100 and SM103.");
  r.declare(f::prefill_attention_backend, "trtllm_mla", "Kimi K3's default on SM100 and SM103.");
}

// _kimi_k3_moe_runner_overrides
void declare_moe_runner(Resolution& r) {
  const std::string_view runner = r.get(f::moe_runner_backend);
  const bool since18 = r.since(Release::v0_5_18);
  if (runner != "auto" && (since18 || runner != "flashinfer_mxfp4")) return;
  if (!on_sm100_or_sm103(r) || !is_mxfp4_packed(r.model().hf_config)) return;
  if (!since18) {
    if (!r.env().get("SGLANG_TRTLLM_GEN_MOE_CUBIN_POOL").truthy()) {
      return r.reject(kCubinPool, {},
                      {{{set(f::moe_runner_backend, "marlin")}, "a slower MoE kernel"}},
                      {f::moe_runner_backend.id});
    }
    r.assume(
        "SGLANG_TRTLLM_GEN_MOE_CUBIN_POOL names a folder with the kernels that Kimi K3 needs.");
    if (runner != "auto") return;
  }
  r.info(
      since18
          ? "Kimi-K3 on SM100/SM103: moe_runner_backend=flashinfer_mxfp4 (FlashInfer SiTU kernels)."
          : "Kimi-K3 on SM100/SM103: moe_runner_backend=flashinfer_mxfp4 (trtllm-gen SiTU cubin "
            "pool found).");
  r.declare(f::moe_runner_backend, "flashinfer_mxfp4",
            "The fastest kernel for Kimi K3's MXFP4 experts on SM100 and SM103.");
}

}  // namespace

void kimi_k3_overrides(Resolution& r) {
  declare_attention(r);
  declare_moe_runner(r);
}

// kimi_k3_hook.py: apply_kimi_k3_linear_attn_defaults, apply_kimi_k3_spec_backend_defaults
void kimi_hybrid_defaults(Resolution& r) {
  const bool sm100 = is_sm100_supported(r.machine());
  if (!r.get(f::linear_attn_decode_backend) && r.get(f::mamba_ssm_dtype) == "bfloat16" && sm100) {
    r.set(f::linear_attn_decode_backend, "triton",
          "With bfloat16 states Kimi's packed triton decode beats the flashinfer kernel that SM100 "
          "gets otherwise, and ReplaySSM needs triton.");
    r.info(
        "Kimi hybrid model with bf16 SSM state: defaulting --linear-attn-decode-backend to "
        "triton.");
  }
  const auto algorithm = r.get(f::speculative_algorithm);
  if (!algorithm) return;
  if (!r.get(f::linear_attn_verify_backend)) {
    r.set(f::linear_attn_verify_backend, "nv_cutedsl",
          "Verification of drafts has a fused CuTe DSL kernel for Kimi.");
    r.info(
        "Kimi hybrid model with speculative decoding: pinning --linear-attn-verify-backend to "
        "nv_cutedsl (uses the fused Kimi-K3/DSPARK CuTeDSL kernel).");
  }
  if (*algorithm == "DSPARK" && !r.get(f::speculative_draft_attention_backend) && sm100) {
    r.set(f::speculative_draft_attention_backend, "trtllm_mha",
          "DSPARK's draft is dense, and trtllm_mha plans on the GPU.");
    r.info("Kimi hybrid DSPARK: defaulting --speculative-draft-attention-backend to trtllm_mha.");
  }
}

RuleList kimi_rules() {
  return {&kDcpDecodeBackend, &kDcpNeedsFlashInfer, &kDcpOldFlashInfer,
          &kDcpRaggedVerify,  &kRaggedVerifyMode,   &kCubinPool};
}

}  // namespace sglint
