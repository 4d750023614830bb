// Environment variables that SGLang sets from the arguments, for itself and for its workers.
#include "rules/steps.h"

namespace sglint {
namespace {

constexpr Rule kFp4IndexerBefore17{
    .id = "environment/fp4-indexer-needs-sm100",
    .exception = "ValueError",
    .message =
        "--enable-deepseek-v4-fp4-indexer requires SM100 GPUs with DeepGEMM FP4 indexer support.",
    .why = "The FP4 indexer kernels use the tensor cores of Blackwell data centre GPUs.",
    .source = "server_args.py: ServerArgs._handle_environment_variables",
    .bad = {"--model-path Qwen/Qwen3-8B --enable-deepseek-v4-fp4-indexer", "h100", "0.5.16"},
    .good = {"--model-path Qwen/Qwen3-8B --enable-deepseek-v4-fp4-indexer", "b200", "0.5.16"},
    .releases = {Release::v0_5_15_post1, Release::v0_5_16}};

constexpr Rule kFp4Indexer{
    .id = "environment/fp4-indexer-needs-blackwell",
    .exception = "ValueError",
    .message =
        "--enable-deepseek-v4-fp4-indexer requires SM100 or SM120 GPUs with DeepGEMM FP4 indexer "
        "support.",
    .why = "The FP4 indexer kernels use Blackwell's FP4 tensor cores.",
    .source = "server_args.py: ServerArgs._handle_environment_variables",
    .bad = {"--model-path Qwen/Qwen3-8B --enable-deepseek-v4-fp4-indexer", "h100"},
    .good = {"--model-path Qwen/Qwen3-8B --enable-deepseek-v4-fp4-indexer", "b200"},
    .releases = {Release::v0_5_17, Release::v0_5_18}};

std::string_view number(bool yes) { return yes ? "1" : "0"; }

// ServerArgs._handle_custom_all_reduce_v2_multinode
void custom_all_reduce_v2_multinode(Resolution& r) {
  constexpr std::string_view kV2 = "SGLANG_OPT_USE_CUSTOM_ALL_REDUCE_V2";
  constexpr std::string_view kMultinode = "SGLANG_ENABLE_CUSTOM_ALL_REDUCE_V2_MULTINODE";
  Environment& env = r.env();
  const int64_t nodes = r.get(f::nnodes);
  if (nodes <= 1 || !env.flag(kV2)) return;
  if (r.since(Release::v0_5_17)) {
    if (!env.is_set(kMultinode) && is_mnnvl_fabric_device(r.machine()) && r.get(f::tp_size) <= 8) {
      r.info(
          "MNNVL fabric device detected with nnodes={}: enabling custom all-reduce v2 multinode "
          "mode (SGLANG_ENABLE_CUSTOM_ALL_REDUCE_V2_MULTINODE=1; set it to 0 to opt out).",
          {nodes});
      env.put(std::string(kMultinode), "1");
    }
    if (env.flag(kMultinode)) return;
  }
  if (env.is_set(kV2))
    r.warn(
        "Disabling SGLANG_OPT_USE_CUSTOM_ALL_REDUCE_V2 because nnodes={} (custom all-reduce v2 is "
        "intra-node only).",
        {nodes});
  env.put(std::string(kV2), "0");
}

// layers/deep_gemm_wrapper/configurer.py: ENABLE_JIT_DEEPGEMM
bool jit_deep_gemm(const Resolution& r) {
  const Machine& m = r.machine();
  return is_cuda(m) && device_sm(m) >= 90 && device_sm(m) != 120 && has_package(m, "deep_gemm") &&
         r.env().flag("SGLANG_ENABLE_JIT_DEEPGEMM");
}

void fp8_wo_a_gemm(Resolution& r) {
  constexpr std::string_view kGemm = "SGLANG_OPT_FP8_WO_A_GEMM";
  const Machine& m = r.machine();
  if (!is_cuda(m) || !r.env().flag(kGemm)) return;
  const bool explicit_choice = r.env().is_set(kGemm);
  const bool supported =
      r.since(Release::v0_5_16)
          ? jit_deep_gemm(r) && (is_sm100_supported(m) || (is_sm90_supported(m) && explicit_choice))
          : device_sm(m) >= 100;
  if (supported) return;
  if (explicit_choice)
    r.warn(r.since(Release::v0_5_16)
               ? "Disabling SGLANG_OPT_FP8_WO_A_GEMM: requires DeepGEMM JIT and sm100+ "
                 "(Blackwell), or explicit opt-in on sm90; detected sm{}."
               : "Disabling SGLANG_OPT_FP8_WO_A_GEMM: requires sm100+ (Blackwell), detected sm{}.",
           {device_sm(m)});
  r.env().put(std::string(kGemm), "False");
}

}  // namespace

void environment_variables(Resolution& r) {
  if (r.since(Release::v0_5_16)) multimodal_feature_transport(r);
  if (r.stopped()) return;
  Environment& env = r.env();
  const bool deterministic = r.get(f::enable_deterministic_inference);
  env.put("SGLANG_ENABLE_TORCH_COMPILE", std::string(number(r.get(f::enable_torch_compile))));
  if (const auto dtype = r.get(f::mamba_ssm_dtype))
    env.put("SGLANG_MAMBA_SSM_DTYPE", std::string(*dtype));
  env.put("SGLANG_DISABLE_OUTLINES_DISK_CACHE",
          std::string(number(r.get(f::disable_outlines_disk_cache))));
  env.put("SGLANG_ENABLE_DETERMINISTIC_INFERENCE", std::string(number(deterministic)));
  custom_all_reduce_v2_multinode(r);
  if (r.since(Release::v0_5_18) && deterministic)
    env.put("SGLANG_FLASHINFER_MOE_FUSED_FINALIZE", "0");
  const Machine& m = r.machine();
  if (r.get(f::debug_cuda_graph)) {
    if (is_cuda(m) || is_hip(m)) {
      env.put("SGLANG_USE_BREAKABLE_CUDA_GRAPH", "1");
      r.warn(
          "Debug mode for CUDA graph is enabled via breakable CUDA graph. All operations will run "
          "eagerly through the graph capture/replay path.");
    } else {
      r.warn(
          "--debug-cuda-graph is not supported on non CUDA/HIP devices. Disabling breakable CUDA "
          "graph.");
      r.set(f::debug_cuda_graph, false, "CUDA graphs need a CUDA or HIP device.");
    }
  }
  if (r.get(f::enable_deepseek_v4_fp4_indexer)) {
    const std::vector<Fix> fixes{
        {{unset(f::enable_deepseek_v4_fp4_indexer)}, "the indexer runs in FP8"}};
    if (r.since(Release::v0_5_17)) {
      if (!is_sm100_supported(m) && !is_sm120_supported(m)) return r.reject(kFp4Indexer, {}, fixes);
    } else if (!is_sm100_supported(m)) {
      return r.reject(kFp4IndexerBefore17, {}, fixes);
    }
  }
  fp8_wo_a_gemm(r);
}

void crash_dump_env(Resolution& r) {
  const std::string_view folder = r.get(f::crash_dump_folder).value_or("");
  if (folder.empty()) return;
  Environment& env = r.env();
  const std::pair<const char*, std::string> defaults[] = {
      {"CUDA_ENABLE_COREDUMP_ON_EXCEPTION", "1"},
      {"CUDA_ENABLE_USER_TRIGGERED_COREDUMP", "1"},
      {"CUDA_COREDUMP_SHOW_PROGRESS", "1"},
      {"CUDA_COREDUMP_GENERATION_FLAGS",
       "skip_nonrelocated_elf_images,skip_global_memory,skip_shared_memory,skip_local_memory,"
       "skip_constbank_memory"},
      {"CUDA_COREDUMP_FILE", fill("{}/%h/core.cuda.%t.%p", {folder})},
      {"CUDA_COREDUMP_PIPE", "/tmp/corepipe.cuda.%h.%p"},
  };
  for (const auto& [name, value] : defaults) {
    if (env.is_set(name)) continue;
    env.put(name, value);
    r.info("Auto-set {}={} (from --crash-dump-folder)", {name, value});
  }
  if (!r.since(Release::v0_5_16)) return;
  // The host name is not known; SGLang names it in the message.
  std::string file(env.raw("CUDA_COREDUMP_FILE").value_or(""));
  for (size_t at; (at = file.find("%h")) != std::string::npos;) file.replace(at, 2, "localhost");
  const size_t slash = file.rfind('/');
  const std::string directory = slash == std::string::npos ? "" : file.substr(0, slash);
  if (contains(directory, "%"))
    r.warn(
        "Cannot pre-create CUDA coredump directory {}: only %h is supported in the directory part "
        "of CUDA_COREDUMP_FILE; coredumps may fail to write.",
        {directory});
}

RuleList environment_rules() { return {&kFp4IndexerBefore17, &kFp4Indexer}; }

}  // namespace sglint
