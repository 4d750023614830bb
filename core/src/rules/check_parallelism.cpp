// ServerArgs.check_server_args: numbers of GPUs and nodes.
#include "base/arithmetic.h"
#include "rules/check_server_args.h"
#include "rules/checks.h"
#include "rules/steps.h"

namespace sglint {
namespace {

constexpr std::string_view kSource = "server_args.py: ServerArgs.check_server_args";
using Fixes = std::vector<Fix>;
using R = const Resolution&;

constexpr Rule kNoNodes{
    .id = "parallelism/no-nodes",
    .stage = Stage::check,
    .exception = "ZeroDivisionError",
    .message = "integer modulo by zero",
    .why = "--nnodes 0 means nothing; leave it out for one machine.",
    .source = kSource,
    .bad = {"--model-path Qwen/Qwen3-8B --nnodes 0"},
    .good = {"--model-path Qwen/Qwen3-8B"},
};

constexpr Rule kNodesDivide{
    .id = "parallelism/nodes-do-not-divide",
    .stage = Stage::check,
    .exception = "AssertionError",
    .message = "tp_size must be divisible by number of nodes",
    .why =
        "Each node runs the same number of GPUs: --tp-size times --pp-size must be a multiple of "
        "--nnodes.",
    .source = kSource,
    .bad = {"--model-path deepseek-ai/DeepSeek-V3 --tp-size 16 --nnodes 3 --dist-init-addr "
            "10.0.0.1:5000"},
    .good = {"--model-path deepseek-ai/DeepSeek-V3 --tp-size 16 --nnodes 2 --dist-init-addr "
             "10.0.0.1:5000"},
};

constexpr Rule kMicroBatch{
    .id = "parallelism/micro-batch-size",
    .stage = Stage::check,
    .exception = "AssertionError",
    .message =
        "pp_max_micro_batch_size must be a positive integer or None (for auto-compute). Got: {}",
    .why = "It counts the requests of one micro-batch. Leave the flag out and SGLang computes it.",
    .source = kSource,
    .bad = {"--model-path Qwen/Qwen3-8B --pp-max-micro-batch-size 0"},
    .good = {"--model-path Qwen/Qwen3-8B"},
};

constexpr Rule kCompilePadding{
    .id = "cuda-graph/no-padding-with-compile",
    .stage = Stage::check,
    .exception = "AssertionError",
    .message =
        "--disable-cuda-graph-padding is incompatible with --enable-torch-compile. With padding "
        "disabled, every distinct batch size gets its own torch.compile + Triton autotune cycle "
        "(O(max_batch_size) compilations) instead of the small fixed set of padded bucket sizes, "
        "causing engine initialisation to stall for many minutes. Remove "
        "--disable-cuda-graph-padding or --enable-torch-compile.",
    .why = "Every batch size would be compiled on its own.",
    .source = kSource,
    .bad = {"--model-path Qwen/Qwen3-8B --disable-cuda-graph-padding --enable-torch-compile"},
    .good = {"--model-path Qwen/Qwen3-8B --enable-torch-compile"},
};

constexpr Rule kPipelineSpeculative{
    .id = "pipeline-parallelism/speculative-decoding",
    .stage = Stage::check,
    .exception = "AssertionError",
    .message = "Pipeline parallelism is not compatible with overlap schedule, speculative decoding",
    .why =
        "SGLang turns overlap scheduling off by itself; what is left is that a draft cannot run "
        "across pipeline stages.",
    .source = kSource,
    .bad =
        {"--model-path deepseek-ai/DeepSeek-V3 --tp-size 8 --pp-size 2 --nnodes 2 --dist-init-addr "
         "10.0.0.1:5000 --speculative-algorithm EAGLE"},
    .good =
        {"--model-path deepseek-ai/DeepSeek-V3 --tp-size 8 --pp-size 2 --nnodes 2 --dist-init-addr "
         "10.0.0.1:5000"},
};

constexpr Rule kPipelineSlots{
    .id = "pipeline-parallelism/min-free-slots-delay",
    .stage = Stage::check,
    .exception = "AssertionError",
    .message =
        "--min-free-slots-delay is not supported with pipeline parallelism: allocatable slots per "
        "microbatch are bounded by pp-max-micro-batch-size, so the threshold may never be reached",
    .why = "The delay could wait for ever.",
    .source = kSource,
    .bad = {"--model-path Qwen/Qwen3-8B --pp-size 2 --min-free-slots-delay 4"},
    .good = {"--model-path Qwen/Qwen3-8B --pp-size 2"},
    .releases = {Release::v0_5_18, Release::v0_5_18},
};

constexpr Rule kMultiNodeDp{
    .id = "data-parallelism/several-nodes-need-dp-attention",
    .stage = Stage::check,
    .exception = "AssertionError",
    .message = "multi-node data parallel is not supported unless dp attention!",
    .why =
        "Plain data parallelism starts whole copies of the server in one machine; over several "
        "machines use --enable-dp-attention, or one launch per machine behind a router.",
    .source = kSource,
    .bad = {"--model-path deepseek-ai/DeepSeek-V3 --tp-size 16 --dp-size 2 --nnodes 2 "
            "--dist-init-addr 10.0.0.1:5000"},
    .good = {"--model-path deepseek-ai/DeepSeek-V3 --tp-size 16 --dp-size 2 --nnodes 2 "
             "--dist-init-addr 10.0.0.1:5000 --enable-dp-attention"},
};

constexpr Rule kBaseGpu{
    .id = "devices/base-gpu-negative",
    .stage = Stage::check,
    .exception = "AssertionError",
    .message = "base_gpu_id must be non-negative",
    .why = "It is the number of the first GPU to use.",
    .source = kSource,
    .bad = {"--model-path Qwen/Qwen3-8B --base-gpu-id -1"},
    .good = {"--model-path Qwen/Qwen3-8B --base-gpu-id 1"},
};

constexpr Rule kGpuStep{
    .id = "devices/gpu-step-not-positive",
    .stage = Stage::check,
    .exception = "AssertionError",
    .message = "gpu_id_step must be positive",
    .why = "With step 2 every second GPU is used.",
    .source = kSource,
    .bad = {"--model-path Qwen/Qwen3-8B --gpu-id-step 0"},
    .good = {"--model-path Qwen/Qwen3-8B --gpu-id-step 2"},
};

constexpr Rule kDenseTp{
    .id = "moe/dense-tp-size",
    .stage = Stage::check,
    .exception = "AssertionError",
    .message = "moe_dense_tp_size only supports None, 1, or tp_size currently",
    .why = "Dense layers of a MoE model are either replicated (1) or shared by all GPUs.",
    .source = kSource,
    .bad = {"--model-path deepseek-ai/DeepSeek-V3 --tp-size 8 --moe-dense-tp-size 2"},
    .good = {"--model-path deepseek-ai/DeepSeek-V3 --tp-size 8 --moe-dense-tp-size 1"},
};

bool scale_joiner(R r) { return r.since(Release::v0_5_16) && r.get(f::ep_join_mode) == "scale"; }

constexpr Check kParallelism[] = {
    {&kNodesDivide,
     [](R r) {
       return !scale_joiner(r) && r.get(f::nnodes) != 0 &&
              floor_mod(r.get(f::tp_size) * r.get(f::pp_size), r.get(f::nnodes)) != 0;
     },
     [](R) {
       return Fixes{{{unset(f::nnodes)}, "all GPUs in one machine"}};
     }},
    {&kMicroBatch, [](R r) { return r.get(f::pp_max_micro_batch_size).value_or(1) < 1; },
     [](R) {
       return Fixes{{{unset(f::pp_max_micro_batch_size)}, ""}};
     },
     [](R r) { return std::array<Value, 2>{r.value(f::pp_max_micro_batch_size)}; }},
    {&kCompilePadding,
     [](R r) { return r.get(f::disable_cuda_graph_padding) && r.get(f::enable_torch_compile); },
     [](R) {
       return Fixes{
           {{unset(f::disable_cuda_graph_padding)}, "batches are padded to captured sizes"},
           {{unset(f::enable_torch_compile)}, "kernels are not compiled anew"}};
     }},
    {&kPipelineSpeculative,
     [](R r) {
       return r.get(f::pp_size) > 1 &&
              !(r.get(f::disable_overlap_schedule) && !r.get(f::speculative_algorithm));
     },
     [](R) {
       return Fixes{{{unset(f::speculative_algorithm)}, "no speculative decoding: slower decode"},
                    {{unset(f::pp_size)}, "fewer GPUs, unless --tp-size is raised"}};
     }},
    {&kPipelineSlots,
     [](R r) { return r.get(f::pp_size) > 1 && r.get(f::min_free_slots_delay).has_value(); },
     [](R) {
       return Fixes{{{unset(f::min_free_slots_delay)}, "prefill starts as soon as a slot is free"}};
     }},
    {&kMultiNodeDp,
     [](R r) {
       return r.get(f::dp_size) > 1 && r.get(f::nnodes) != 1 && !r.get(f::enable_dp_attention);
     },
     [](R) {
       return Fixes{{{set(f::enable_dp_attention)}, "attention is replicated per rank"},
                    {{unset(f::dp_size)}, "one copy of the model"}};
     }},
    {&kBaseGpu, [](R r) { return r.get(f::base_gpu_id) < 0; },
     [](R) {
       return Fixes{{{unset(f::base_gpu_id)}, "starts at GPU 0"}};
     }},
    {&kGpuStep, [](R r) { return r.get(f::gpu_id_step) < 1; },
     [](R) {
       return Fixes{{{unset(f::gpu_id_step)}, "neighbouring GPUs"}};
     }},
    {&kDenseTp,
     [](R r) {
       return r.get(f::moe_dense_tp_size).value_or(1) != 1 &&
              r.get(f::moe_dense_tp_size) != r.get(f::tp_size);
     },
     [](R) {
       return Fixes{{{set(f::moe_dense_tp_size, "1")}, "dense layers are replicated"},
                    {{unset(f::moe_dense_tp_size)}, ""}};
     }},
};

}  // namespace

void check_parallelism(Resolution& r) {
  if (r.get(f::nnodes) == 0 && !scale_joiner(r))
    return r.reject(kNoNodes, {}, {{{unset(f::nnodes)}, ""}});
  all_hold(r, kParallelism);
}

RuleList check_parallelism_rules() {
  RuleList rules = {&kNoNodes};
  append_rules(rules, kParallelism);
  return rules;
}

}  // namespace sglint
