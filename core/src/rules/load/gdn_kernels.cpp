// Kernels of Gated Delta Net layers (Qwen3-Next, Qwen3.5, Jet-Nemotron):
// layers/attention/linear/gdn_backend.py, GDNKernelDispatcher and flashinfer_gdn_prefill_default.

#include "base/text.h"
#include "rules/attention.h"
#include "rules/load/layout.h"
#include "rules/load/linear_kernels.h"
#include "rules/load/state_pool.h"

namespace sglint {
namespace {

constexpr std::string_view kDispatcher =
    "layers/attention/linear/gdn_backend.py: GDNKernelDispatcher.__init__";
constexpr ReleaseRange kSince0516{Release::v0_5_16, Release::v0_5_18};

constexpr Rule kHelionIsKdaOnly{
    .id = "linear-kernels/helion-is-kda-only",
    .stage = Stage::load,
    .exception = "ValueError",
    .message = "The Helion linear-attention backend supports KDA only, not GDN.",
    .why =
        "ServerArgs takes helion for any model; the server stops when it makes the attention "
        "backend, after the weights are loaded. Helion has kernels for KDA (Kimi) only.",
    .source = kDispatcher,
    .bad = {"--model-path Qwen/Qwen3-Next-80B-A3B-Instruct --linear-attn-backend helion"},
    .good = {"--model-path Qwen/Qwen3-Next-80B-A3B-Instruct"},
    .releases = {Release::v0_5_18, Release::v0_5_18},
};

constexpr Rule kUnsupportedDecode{
    .id = "linear-kernels/gdn-decode-backend",
    .stage = Stage::load,
    .exception = "ValueError",
    .message = "Unsupported GDN decode backend: {}",
    .why =
        "ServerArgs offers one list of backends for all linear attention; GDN decode has triton, "
        "cutedsl and flashinfer. The server stops after the weights are loaded.",
    .source = kDispatcher,
    .bad = {"--model-path Qwen/Qwen3-Next-80B-A3B-Instruct --linear-attn-decode-backend ptx_kda"},
    .good = {"--model-path Qwen/Qwen3-Next-80B-A3B-Instruct --linear-attn-decode-backend triton"},
    .releases = kSince0516,
};

constexpr Rule kUnsupportedPrefill{
    .id = "linear-kernels/gdn-prefill-backend",
    .stage = Stage::load,
    .exception = "ValueError",
    .message = "Unsupported GDN prefill backend: {}",
    .why =
        "ServerArgs offers one list of backends for all linear attention; flashkda, nvidia_kda and "
        "ptx_kda are for KDA (Kimi), while GDN prefill has triton, cutedsl and flashinfer. The "
        "server stops after the weights are loaded.",
    .source = kDispatcher,
    .bad = {"--model-path Qwen/Qwen3-Next-80B-A3B-Instruct --linear-attn-backend flashkda"},
    .good = {"--model-path Qwen/Qwen3-Next-80B-A3B-Instruct --linear-attn-backend triton"},
    .releases = kSince0516,
};

constexpr Rule kCuteDslNeedsCuda{
    .id = "linear-kernels/gdn-cutedsl-needs-cuda",
    .stage = Stage::load,
    .exception = "ValueError",
    .message = "GDN CuTe DSL backend requires CUDA",
    .why = "CuTe DSL compiles for NVIDIA GPUs only; ServerArgs does not look.",
    .source = kDispatcher,
    .bad = {"--model-path Qwen/Qwen3-Next-80B-A3B-Instruct --linear-attn-backend cutedsl",
            "mi300x"},
    .good = {"--model-path Qwen/Qwen3-Next-80B-A3B-Instruct --linear-attn-backend triton",
             "mi300x"},
    .releases = kSince0516,
};

constexpr Rule kFlashInferNeedsCuda{
    .id = "linear-kernels/gdn-flashinfer-needs-cuda",
    .stage = Stage::load,
    .exception = "ValueError",
    .message = "FlashInfer GDN backend requires CUDA",
    .why = "FlashInfer runs on NVIDIA GPUs only; ServerArgs does not look.",
    .source = kDispatcher,
    .bad = {"--model-path Qwen/Qwen3-Next-80B-A3B-Instruct --linear-attn-backend flashinfer",
            "mi300x"},
    .good = {"--model-path Qwen/Qwen3-Next-80B-A3B-Instruct --linear-attn-backend triton",
             "mi300x"},
    .releases = kSince0516,
};

constexpr Rule kFlashInferUnavailable{
    .id = "linear-kernels/gdn-flashinfer-needs-sm90",
    .stage = Stage::load,
    .exception = "RuntimeError",
    .message =
        "FlashInfer GDN kernels are not available. Requires SM90+ and FlashInfer with GDN kernel "
        "support.",
    .why =
        "FlashInfer's GDN kernels start at Hopper. On older GPUs ServerArgs takes the flag and the "
        "server stops after the weights are loaded.",
    .source = "layers/attention/linear/kernels/gdn_flashinfer.py: FlashInferGDNKernel.__init__",
    .bad = {"--model-path Qwen/Qwen3-Next-80B-A3B-Instruct --tp-size 8 "
            "--linear-attn-decode-backend flashinfer",
            "a100"},
    .good = {"--model-path Qwen/Qwen3-Next-80B-A3B-Instruct --tp-size 8 "
             "--linear-attn-decode-backend triton",
             "a100"},
    .releases = kSince0516,
};

constexpr Rule kCuteDslHeadDim{
    .id = "linear-kernels/gdn-cutedsl-head-dim",
    .stage = Stage::load,
    .exception = "RuntimeError",
    .message = "CuTe DSL GDN prefill requires head_k_dim=128, got {}.",
    .why =
        "The CuTe DSL prefill kernel is compiled for key heads of 128; the server starts and the "
        "first prefill fails.",
    .source =
        "layers/attention/linear/kernels/gdn_cutedsl.py: CuteDSLGDNKernel._ensure_extend_loaded",
    // Every public GDN model with such a kernel has heads of 128.
    .releases = kSince0516,
};

constexpr Rule kAttentionOnBlackwell{
    .id = "linear-kernels/gdn-attention-backend-on-blackwell",
    .stage = Stage::load,
    .exception = "AssertionError",
    .message =
        "Only {} backends are supported on Blackwell GPUs for hybrid GDN models. Got prefill={}, "
        "decode={}.",
    .why =
        "The full-attention layers of a GDN model run on these backends only on Blackwell. The "
        "check comes when the attention backend is made, after the weights are loaded. Python "
        "prints the list in any order.",
    .source = "layers/attention/attention_registry.py: attn_backend_wrapper",
    .bad =
        {"--model-path jet-ai/Jet-Nemotron-2B --trust-remote-code --attention-backend flashinfer",
         "b200"},
    .good = {"--model-path jet-ai/Jet-Nemotron-2B --trust-remote-code --attention-backend triton",
             "b200"},
    .releases = kSince0516,
};

constexpr Rule kAttentionOnBlackwellBase{
    .id = "linear-kernels/gdn-attention-backend-on-blackwell-0.5.17",
    .stage = Stage::load,
    .exception = "AssertionError",
    .message =
        "Only {} backends are supported on Blackwell GPUs for hybrid GDN models. Got "
        "attention_backend={}.",
    .why =
        "The full-attention layers of a GDN model run on these backends only on Blackwell. The "
        "check comes when the attention backend is made, after the weights are loaded. Python "
        "prints the list in any order.",
    .source = "layers/attention/attention_registry.py: attn_backend_wrapper",
    .bad =
        {"--model-path jet-ai/Jet-Nemotron-2B --trust-remote-code --attention-backend flashinfer",
         "b200", "0.5.17"},
    .good = {"--model-path jet-ai/Jet-Nemotron-2B --trust-remote-code --attention-backend triton",
             "b200", "0.5.17"},
    .releases = {Release::v0_5_16, Release::v0_5_17},
};

constexpr Rule kVerifyNotUsed{
    .id = "linear-kernels/gdn-verify-backend-not-used",
    .stage = Stage::load,
    .severity = Severity::warning,
    .message = "--linear-attn-verify-backend {} is not used: draft tokens are verified by {}.",
    .why =
        "GDN verifies on Triton, or on FlashInfer if decode or prefill runs on FlashInfer on SM90 "
        "or SM100. Any other verify backend is passed over without a word; before 0.5.18 the flag "
        "is not read for GDN at all.",
    .source = kDispatcher,
    .bad = {"--model-path Qwen/Qwen3-Next-80B-A3B-Instruct --linear-attn-verify-backend flashinfer "
            "--speculative-algorithm NEXTN"},
    .good = {"--model-path Qwen/Qwen3-Next-80B-A3B-Instruct --linear-attn-verify-backend triton "
             "--speculative-algorithm NEXTN"},
    .releases = {Release::v0_5_17, Release::v0_5_18},
};

constexpr Rule kPrefillOnTriton{
    .id = "linear-kernels/gdn-cutedsl-prefill-falls-back",
    .stage = Stage::load,
    .severity = Severity::warning,
    .message =
        "CuTe DSL GDN prefill is not supported on this GPU (requires SM100+). Falling back to "
        "Triton for prefill.",
    .why =
        "A log line of the worker says so, no error does: the flag has no effect on prefill here.",
    .source = kDispatcher,
    .bad = {"--model-path Qwen/Qwen3-Next-80B-A3B-Instruct --linear-attn-prefill-backend cutedsl"},
    .good = {"--model-path Qwen/Qwen3-Next-80B-A3B-Instruct"},
    .releases = kSince0516,
};

constexpr const char* kTriton = "TritonGDNKernel";
constexpr const char* kCuteDsl = "CuteDSLGDNKernel";
constexpr const char* kFlashInfer = "FlashInferGDNKernel";

bool flashinfer_available(const Machine& m) {
  return is_flashinfer_available(m) && m.sm_major >= 9;
}

// flashinfer_gdn_prefill_default: the domain where SGLang prefers FlashInfer for prefill by itself.
bool flashinfer_prefill_by_default(Resolution& r, const Value& config) {
  const Machine& m = r.machine();
  if (!r.since(Release::v0_5_17) || !r.value(f::linear_attn_prefill_backend).is_none() ||
      r.get(f::linear_attn_backend) != "triton" || r.get(f::enable_page_major_kv_layout) ||
      !is_cuda(m) || m.sm_major != 10 || cuda_major(m) < 13 || r.get(f::enable_dynamic_chunking))
    return false;
  const int64_t chunk = r.value(f::chunked_prefill_size).as_int(0);
  return 1 <= chunk && chunk <= 8192 && config["linear_key_head_dim"].as_int() == 128 &&
         config["linear_value_head_dim"].as_int() == 128 && state_dtype(r, config) == "bfloat16" &&
         flashinfer_available(m);
}

// The kernel of prefill or decode, "" where it cannot be made.
std::string_view make_kernel(Resolution& r, Key<std::optional<std::string_view>> phase,
                             std::string_view backend, const Rule& unsupported) {
  const Machine& m = r.machine();
  const auto fail = [&](const Rule& rule,
                        std::initializer_list<Arg> args = {}) -> std::string_view {
    kernel_fails(r, rule, phase, args);
    return "";
  };
  if (backend == "triton") return kTriton;
  if (backend == "cutedsl") return is_cuda(m) ? kCuteDsl : fail(kCuteDslNeedsCuda);
  if (backend == "flashinfer") {
    if (!is_cuda(m)) return fail(kFlashInferNeedsCuda);
    return flashinfer_available(m) ? kFlashInfer : fail(kFlashInferUnavailable);
  }
  if (backend == "helion") return fail(kHelionIsKdaOnly);
  return fail(unsupported, {backend_enum(backend)});
}

void prefill(Resolution& r, LinearBackends& backends, const Value& config) {
  std::string because = linear_backend_reason(r, f::linear_attn_prefill_backend);
  if (flashinfer_prefill_by_default(r, config)) {
    backends.prefill = "flashinfer";
    because =
        "SGLang prefers FlashInfer for GDN prefill on SM100 with CUDA 13, a bfloat16 state and "
        "chunks up to 8192.";
  }
  std::string_view kernel =
      make_kernel(r, f::linear_attn_prefill_backend, backends.prefill, kUnsupportedPrefill);
  if (kernel == kCuteDsl && r.machine().sm_major < 10) {
    r.note(kPrefillOnTriton, {}, {{{set(f::linear_attn_prefill_backend, "triton")}, ""}},
           {f::linear_attn_backend.id});
    kernel = kTriton;
    because = "CuTe DSL prefill needs SM100.";
  } else if (kernel == kCuteDsl && config["linear_key_head_dim"].as_int(128) != 128) {
    r.note(kCuteDslHeadDim, {config["linear_key_head_dim"]},
           {{{set(f::linear_attn_prefill_backend, "triton")},
             "prefill of linear attention runs on Triton"}});
  }
  if (!kernel.empty()) set_linear_kernel(r, "prefill", kernel, because);
}

void verify(Resolution& r, const LinearBackends& backends) {
  if (r.value(f::speculative_algorithm).is_none()) return;
  const int sm = r.machine().sm_major;
  const bool explicit_triton = r.since(Release::v0_5_18) && backends.verify == "triton";
  const bool flashinfer = (backends.decode == "flashinfer" || backends.prefill == "flashinfer") &&
                          (sm == 9 || sm == 10);
  const bool tree = r.value(f::speculative_eagle_topk).as_int(1) > 1;
  const std::string_view kernel = !explicit_triton && flashinfer && !tree ? kFlashInfer : kTriton;
  set_linear_kernel(r, "verify", kernel,
                    tree ? "A tree of drafts is verified by Triton."
                         : linear_backend_reason(r, f::linear_attn_verify_backend));
  const auto asked = r.get(f::linear_attn_verify_backend);
  const std::string_view kernel_asked = asked == "triton"       ? kTriton
                                        : asked == "flashinfer" ? kFlashInfer
                                                                : "";
  if (asked && r.typed(f::linear_attn_verify_backend) && kernel_asked != kernel)
    r.note(kVerifyNotUsed, {*asked, kernel}, {{{unset(f::linear_attn_verify_backend)}, ""}},
           {f::linear_attn_verify_backend.id});
}

void attention_on_blackwell(Resolution& r) {
  if (!is_blackwell_supported(r.machine())) return;
  const bool sm120 = is_sm120_supported(r.machine());
  const std::string_view names =
      sm120 ? "{'triton', 'trtllm_mha', 'flashinfer'}" : "{'triton', 'trtllm_mha', 'fa4'}";
  const auto allowed = [&](std::optional<std::string_view> backend) {
    return one_of(backend.value_or(""), {"triton", "trtllm_mha", sm120 ? "flashinfer" : "fa4"});
  };
  Fix plain{{}, "attention runs on SGLang's default"};
  for (const auto& key :
       {f::attention_backend, f::prefill_attention_backend, f::decode_attention_backend})
    if (r.typed(key)) plain.edits.push_back(unset(key));
  // Before 0.5.18 the split backends count only if both are given.
  const bool split =
      r.since(Release::v0_5_18) || (!r.value(f::prefill_attention_backend).is_none() &&
                                    !r.value(f::decode_attention_backend).is_none());
  const AttentionBackends used = attention_backends(r);
  if (split && !(allowed(used.prefill) && allowed(used.decode)))
    r.note(kAttentionOnBlackwell, {names, used.prefill, used.decode}, {plain});
  if (!split && !allowed(r.get(f::attention_backend)))
    r.note(kAttentionOnBlackwellBase, {names, r.value(f::attention_backend)}, {plain});
}

}  // namespace

// The SSM state's type: mamba2_state_dtype (configs/mamba_utils.py).
std::string_view state_dtype(Resolution& r, const Value& config) {
  if (const auto flag = r.get(f::mamba_ssm_dtype)) return *flag;
  const Value setting = r.env().get("SGLANG_MAMBA_SSM_DTYPE");  // keeps the text alive
  const std::string_view env = setting.as_str();
  const auto known = [](std::string_view d) {
    return one_of(d, {"float32", "bfloat16", "float16"});
  };
  if (known(env)) return env;
  const std::string_view own = config["mamba_ssm_dtype"].as_str();
  return known(own) ? own : "float32";
}

void gdn_kernels(Resolution& r, LinearBackends backends) {
  if (is_npu(r.machine())) return;  // Ascend has a backend of its own
  const Value& config = text_config(r.model());
  attention_on_blackwell(r);
  const std::string_view decode =
      make_kernel(r, f::linear_attn_decode_backend, backends.decode, kUnsupportedDecode);
  if (!decode.empty())
    set_linear_kernel(r, "decode", decode, linear_backend_reason(r, f::linear_attn_decode_backend));
  prefill(r, backends, config);
  verify(r, backends);
  measured_replay(r, "gdn", config, config["linear_num_value_heads"]);
}

RuleList gdn_kernel_rules() {
  return {&kHelionIsKdaOnly,  &kUnsupportedDecode,    &kUnsupportedPrefill,
          &kCuteDslNeedsCuda, &kFlashInferNeedsCuda,  &kFlashInferUnavailable,
          &kCuteDslHeadDim,   &kAttentionOnBlackwell, &kAttentionOnBlackwellBase,
          &kVerifyNotUsed,    &kPrefillOnTriton};
}

}  // namespace sglint
