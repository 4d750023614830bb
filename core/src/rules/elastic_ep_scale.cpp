// The part of ServerArgs._handle_elastic_ep for a deployment that may grow while it runs:
// --max-ep-size is over --tp-size.
#include "rules/checks.h"
#include "rules/cuda_graph.h"
#include "rules/elastic_ep.h"
#include "rules/steps.h"

namespace sglint {
namespace {

constexpr std::string_view kSource = "server_args.py: ServerArgs._handle_elastic_ep";
constexpr ReleaseRange kWithScaling{Release::v0_5_16, Release::v0_5_18};
using Fixes = std::vector<Fix>;
using R = const Resolution&;

bool joiner(R r) { return r.get(f::ep_join_mode) == "scale"; }
std::optional<int64_t> initial(R r) { return r.get(f::elastic_ep_initial_size); }
int64_t join_target(R r) { return r.get(f::ep_join_rank_offset) + r.get(f::tp_size); }

Fixes no_growth(R) { return {{{unset(f::max_ep_size)}, "the deployment cannot grow"}}; }
Fixes only_primary(R) {
  return {
      {{unset(f::ep_join_mode), unset(f::ep_join_rank_offset), unset(f::elastic_ep_initial_size)},
       "the group starts on its own"}};
}
Fixes drop(R r, Edit edit) { return {{{std::move(edit)}, ""}, no_growth(r)[0]}; }

constexpr Rule kTimeout{
    .id = "elastic-ep/scale-timeout-not-positive",
    .exception = "AssertionError",
    .message = "--elastic-ep-scale-timeout must be greater than zero.",
    .why = "It is how long the deployment waits for a joining group.",
    .source = kSource,
    .bad = {"--model-path deepseek-ai/DeepSeek-V3 --tp-size 4 --dp-size 4 --ep-size 4 "
            "--enable-dp-attention --enable-dp-lm-head --moe-a2a-backend nixl --elastic-ep-backend "
            "mooncake --max-ep-size 8 --load-balance-method round_robin --disable-cuda-graph "
            "--elastic-ep-scale-timeout 0"},
    .good =
        {"--model-path deepseek-ai/DeepSeek-V3 --tp-size 4 --dp-size 4 --ep-size 4 "
         "--enable-dp-attention --enable-dp-lm-head --moe-a2a-backend nixl --elastic-ep-backend "
         "mooncake --max-ep-size 8 --load-balance-method round_robin --disable-cuda-graph"},
    .releases = kWithScaling,
};

constexpr Rule kTokenizerWorkers{
    .id = "elastic-ep/scale-needs-one-tokenizer",
    .exception = "AssertionError",
    .message = "Elastic EP runtime scale-up currently requires --tokenizer-worker-num 1.",
    .why = "Growing is coordinated in the one tokenizer process.",
    .source = kSource,
    .bad = {"--model-path deepseek-ai/DeepSeek-V3 --tp-size 4 --dp-size 4 --ep-size 4 "
            "--enable-dp-attention --enable-dp-lm-head --moe-a2a-backend nixl --elastic-ep-backend "
            "mooncake --max-ep-size 8 --load-balance-method round_robin --disable-cuda-graph "
            "--tokenizer-worker-num 2"},
    .good =
        {"--model-path deepseek-ai/DeepSeek-V3 --tp-size 4 --dp-size 4 --ep-size 4 "
         "--enable-dp-attention --enable-dp-lm-head --moe-a2a-backend nixl --elastic-ep-backend "
         "mooncake --max-ep-size 8 --load-balance-method round_robin --disable-cuda-graph"},
    .releases = kWithScaling,
};

constexpr Rule kRay{
    .id = "elastic-ep/scale-without-ray",
    .exception = "AssertionError",
    .message = "Elastic EP runtime scale-up does not support --use-ray.",
    .why = "Ray places the processes itself and knows of no group that joins.",
    .source = kSource,
    .bad = {"--model-path deepseek-ai/DeepSeek-V3 --tp-size 4 --dp-size 4 --ep-size 4 "
            "--enable-dp-attention --enable-dp-lm-head --moe-a2a-backend nixl --elastic-ep-backend "
            "mooncake --max-ep-size 8 --load-balance-method round_robin --disable-cuda-graph "
            "--use-ray"},
    .good =
        {"--model-path deepseek-ai/DeepSeek-V3 --tp-size 4 --dp-size 4 --ep-size 4 "
         "--enable-dp-attention --enable-dp-lm-head --moe-a2a-backend nixl --elastic-ep-backend "
         "mooncake --max-ep-size 8 --load-balance-method round_robin --disable-cuda-graph"},
    .releases = kWithScaling,
};

constexpr Rule kBackup{
    .id = "elastic-ep/scale-without-expert-backup",
    .exception = "AssertionError",
    .message = "Elastic EP runtime scale-up does not support --enable-elastic-expert-backup.",
    .why = "The backup's layout is fixed at start-up.",
    .source = kSource,
    .bad = {"--model-path deepseek-ai/DeepSeek-V3 --tp-size 4 --dp-size 4 --ep-size 4 "
            "--enable-dp-attention --enable-dp-lm-head --moe-a2a-backend nixl --elastic-ep-backend "
            "mooncake --max-ep-size 8 --load-balance-method round_robin --disable-cuda-graph "
            "--enable-elastic-expert-backup"},
    .good =
        {"--model-path deepseek-ai/DeepSeek-V3 --tp-size 4 --dp-size 4 --ep-size 4 "
         "--enable-dp-attention --enable-dp-lm-head --moe-a2a-backend nixl --elastic-ep-backend "
         "mooncake --max-ep-size 8 --load-balance-method round_robin --disable-cuda-graph"},
    .releases = kWithScaling,
};

constexpr Rule kJoinerInitial{
    .id = "elastic-ep/joiner-needs-initial-size",
    .exception = "AssertionError",
    .message =
        "Elastic EP scale joiners require --elastic-ep-initial-size set to the primary "
        "deployment's launch-time EP size.",
    .why = "The joining group must know how many ranks there were in the beginning.",
    .source = kSource,
    .bad = {"--model-path deepseek-ai/DeepSeek-V3 --tp-size 4 --dp-size 4 --ep-size 4 "
            "--enable-dp-attention --enable-dp-lm-head --moe-a2a-backend nixl --elastic-ep-backend "
            "mooncake --max-ep-size 16 --load-balance-method round_robin --disable-cuda-graph "
            "--elastic-ep-join-mode scale --nnodes 2 --node-rank 1 --dist-init-addr 10.0.0.1:5000 "
            "--elastic-ep-join-rank-offset 4"},
    .good =
        {"--model-path deepseek-ai/DeepSeek-V3 --tp-size 4 --dp-size 4 --ep-size 4 "
         "--enable-dp-attention --enable-dp-lm-head --moe-a2a-backend nixl --elastic-ep-backend "
         "mooncake --max-ep-size 16 --load-balance-method round_robin --disable-cuda-graph "
         "--elastic-ep-join-mode scale --nnodes 2 --node-rank 1 --dist-init-addr 10.0.0.1:5000 "
         "--elastic-ep-join-rank-offset 4 --elastic-ep-initial-size 4"},
    .releases = kWithScaling,
};

constexpr Rule kJoinerInitialOver{
    .id = "elastic-ep/joiner-initial-size-over-current",
    .exception = "AssertionError",
    .message =
        "--elastic-ep-initial-size cannot exceed the current EP size (initial={}, current={}).",
    .why = "The deployment can only have grown since.",
    .source = kSource,
    .bad = {"--model-path deepseek-ai/DeepSeek-V3 --tp-size 4 --dp-size 4 --ep-size 4 "
            "--enable-dp-attention --enable-dp-lm-head --moe-a2a-backend nixl --elastic-ep-backend "
            "mooncake --max-ep-size 16 --load-balance-method round_robin --disable-cuda-graph "
            "--elastic-ep-join-mode scale --nnodes 2 --node-rank 1 --dist-init-addr 10.0.0.1:5000 "
            "--elastic-ep-join-rank-offset 4 --elastic-ep-initial-size 8"},
    .good =
        {"--model-path deepseek-ai/DeepSeek-V3 --tp-size 4 --dp-size 4 --ep-size 4 "
         "--enable-dp-attention --enable-dp-lm-head --moe-a2a-backend nixl --elastic-ep-backend "
         "mooncake --max-ep-size 16 --load-balance-method round_robin --disable-cuda-graph "
         "--elastic-ep-join-mode scale --nnodes 2 --node-rank 1 --dist-init-addr 10.0.0.1:5000 "
         "--elastic-ep-join-rank-offset 4 --elastic-ep-initial-size 4"},
    .releases = kWithScaling,
};

constexpr Rule kJoinerOverMaximum{
    .id = "elastic-ep/joiner-over-maximum",
    .exception = "AssertionError",
    .message = "Elastic EP joining group exceeds --max-ep-size (join_target={}, max_ep_size={}).",
    .why = "Buffers are sized for --max-ep-size ranks.",
    .source = kSource,
    .bad = {"--model-path deepseek-ai/DeepSeek-V3 --tp-size 4 --dp-size 4 --ep-size 4 "
            "--enable-dp-attention --enable-dp-lm-head --moe-a2a-backend nixl --elastic-ep-backend "
            "mooncake --max-ep-size 16 --load-balance-method round_robin --disable-cuda-graph "
            "--elastic-ep-join-mode scale --nnodes 2 --node-rank 1 --dist-init-addr 10.0.0.1:5000 "
            "--elastic-ep-join-rank-offset 14 --elastic-ep-initial-size 4"},
    .good =
        {"--model-path deepseek-ai/DeepSeek-V3 --tp-size 4 --dp-size 4 --ep-size 4 "
         "--enable-dp-attention --enable-dp-lm-head --moe-a2a-backend nixl --elastic-ep-backend "
         "mooncake --max-ep-size 16 --load-balance-method round_robin --disable-cuda-graph "
         "--elastic-ep-join-mode scale --nnodes 2 --node-rank 1 --dist-init-addr 10.0.0.1:5000 "
         "--elastic-ep-join-rank-offset 4 --elastic-ep-initial-size 4"},
    .releases = kWithScaling,
};

constexpr Rule kJoinerDenseTp{
    .id = "elastic-ep/single-joiner-needs-dense-tp-1",
    .exception = "AssertionError",
    .message = "A single-rank Elastic EP joining group requires --moe-dense-tp-size 1.",
    .why = "One rank has nobody to share dense layers with.",
    .source = kSource,
    .bad = {"--model-path deepseek-ai/DeepSeek-V3 --tp-size 1 --dp-size 1 --ep-size 1 "
            "--enable-dp-attention --enable-dp-lm-head --moe-a2a-backend nixl --elastic-ep-backend "
            "mooncake --max-ep-size 16 --load-balance-method round_robin --disable-cuda-graph "
            "--elastic-ep-join-mode scale --nnodes 2 --node-rank 1 --dist-init-addr 10.0.0.1:5000 "
            "--elastic-ep-join-rank-offset 4 --elastic-ep-initial-size 4"},
    .good =
        {"--model-path deepseek-ai/DeepSeek-V3 --tp-size 1 --dp-size 1 --ep-size 1 "
         "--enable-dp-attention --enable-dp-lm-head --moe-a2a-backend nixl --elastic-ep-backend "
         "mooncake --max-ep-size 16 --load-balance-method round_robin --disable-cuda-graph "
         "--elastic-ep-join-mode scale --nnodes 2 --node-rank 1 --dist-init-addr 10.0.0.1:5000 "
         "--elastic-ep-join-rank-offset 4 --elastic-ep-initial-size 4 --moe-dense-tp-size 1"},
    .releases = kWithScaling,
};

constexpr Rule kPrimaryInitial{
    .id = "elastic-ep/primary-initial-size",
    .exception = "AssertionError",
    .message = "The primary --elastic-ep-initial-size must equal its launch-time TP size ({}).",
    .why = "The first group's size is its own number of ranks; the flag can be left out there.",
    .source = kSource,
    .bad = {"--model-path deepseek-ai/DeepSeek-V3 --tp-size 4 --dp-size 4 --ep-size 4 "
            "--enable-dp-attention --enable-dp-lm-head --moe-a2a-backend nixl --elastic-ep-backend "
            "mooncake --max-ep-size 8 --load-balance-method round_robin --disable-cuda-graph "
            "--elastic-ep-initial-size 2"},
    .good =
        {"--model-path deepseek-ai/DeepSeek-V3 --tp-size 4 --dp-size 4 --ep-size 4 "
         "--enable-dp-attention --enable-dp-lm-head --moe-a2a-backend nixl --elastic-ep-backend "
         "mooncake --max-ep-size 8 --load-balance-method round_robin --disable-cuda-graph"},
    .releases = kWithScaling,
};

constexpr Rule kInitialNotPositive{
    .id = "elastic-ep/initial-size-not-positive",
    .exception = "AssertionError",
    .message = "",
    .why =
        "A joining group's --elastic-ep-initial-size must be positive. SGLang stops here without a "
        "message.",
    .source = kSource,
    .bad = {"--model-path deepseek-ai/DeepSeek-V3 --tp-size 4 --dp-size 4 --ep-size 4 "
            "--enable-dp-attention --enable-dp-lm-head --moe-a2a-backend nixl --elastic-ep-backend "
            "mooncake --max-ep-size 16 --load-balance-method round_robin --disable-cuda-graph "
            "--elastic-ep-join-mode scale --nnodes 2 --node-rank 1 --dist-init-addr 10.0.0.1:5000 "
            "--elastic-ep-join-rank-offset 4 --elastic-ep-initial-size 0"},
    .good =
        {"--model-path deepseek-ai/DeepSeek-V3 --tp-size 4 --dp-size 4 --ep-size 4 "
         "--enable-dp-attention --enable-dp-lm-head --moe-a2a-backend nixl --elastic-ep-backend "
         "mooncake --max-ep-size 16 --load-balance-method round_robin --disable-cuda-graph "
         "--elastic-ep-join-mode scale --nnodes 2 --node-rank 1 --dist-init-addr 10.0.0.1:5000 "
         "--elastic-ep-join-rank-offset 4 --elastic-ep-initial-size 4"},
    .releases = kWithScaling,
};

constexpr Rule kLoadBalance{
    .id = "elastic-ep/scale-needs-round-robin",
    .exception = "AssertionError",
    .message =
        "Elastic EP scale-up requires --load-balance-method round_robin; load-aware methods "
        "require global-rank load snapshots after scale (got {}).",
    .why =
        "Load-aware balancing does not know of ranks that join later. Note that the default method "
        "is not round_robin.",
    .source = kSource,
    .bad = {"--model-path deepseek-ai/DeepSeek-V3 --tp-size 4 --dp-size 4 --ep-size 4 "
            "--enable-dp-attention --enable-dp-lm-head --moe-a2a-backend nixl --elastic-ep-backend "
            "mooncake --max-ep-size 8 --load-balance-method total_tokens --disable-cuda-graph"},
    .good =
        {"--model-path deepseek-ai/DeepSeek-V3 --tp-size 4 --dp-size 4 --ep-size 4 "
         "--enable-dp-attention --enable-dp-lm-head --moe-a2a-backend nixl --elastic-ep-backend "
         "mooncake --max-ep-size 8 --load-balance-method round_robin --disable-cuda-graph"},
    .releases = kWithScaling,
};

constexpr Rule kMooncake{
    .id = "elastic-ep/scale-needs-mooncake",
    .exception = "AssertionError",
    .message =
        "Elastic EP runtime scale-up requires --elastic-ep-backend mooncake (got "
        "elastic_ep_backend={}).",
    .why = "Only Mooncake's process groups can take further ranks.",
    .source = kSource,
    .bad = {"--model-path deepseek-ai/DeepSeek-V3 --tp-size 4 --dp-size 4 --ep-size 4 "
            "--enable-dp-attention --enable-dp-lm-head --moe-a2a-backend nixl --elastic-ep-backend "
            "nixl --max-ep-size 8 --load-balance-method round_robin --disable-cuda-graph"},
    .good =
        {"--model-path deepseek-ai/DeepSeek-V3 --tp-size 4 --dp-size 4 --ep-size 4 "
         "--enable-dp-attention --enable-dp-lm-head --moe-a2a-backend nixl --elastic-ep-backend "
         "mooncake --max-ep-size 8 --load-balance-method round_robin --disable-cuda-graph"},
    .releases = kWithScaling,
};

constexpr Rule kPipeline{
    .id = "elastic-ep/scale-without-pipeline",
    .exception = "AssertionError",
    .message =
        "Elastic EP scale-up requires --pp-size 1 (got pp_size={}); WORLD must not span PP stages.",
    .why = "Elastic EP refuses pipeline stages already before this.",
    .source = kSource,
    .releases = kWithScaling,
};

constexpr Rule kCudaGraph{
    .id = "elastic-ep/scale-without-cuda-graphs",
    .exception = "AssertionError",
    .message =
        "Elastic EP runtime scale-up requires decode and prefill CUDA graphs to be disabled.",
    .why = "A captured graph holds the group's size, which changes when ranks join.",
    .source = kSource,
    .bad = {"--model-path deepseek-ai/DeepSeek-V3 --tp-size 4 --dp-size 4 --ep-size 4 "
            "--enable-dp-attention --enable-dp-lm-head --moe-a2a-backend nixl --elastic-ep-backend "
            "mooncake --max-ep-size 8 --load-balance-method round_robin"},
    .good =
        {"--model-path deepseek-ai/DeepSeek-V3 --tp-size 4 --dp-size 4 --ep-size 4 "
         "--enable-dp-attention --enable-dp-lm-head --moe-a2a-backend nixl --elastic-ep-backend "
         "mooncake --max-ep-size 8 --load-balance-method round_robin --disable-cuda-graph"},
    .releases = kWithScaling,
};

constexpr Rule kDpAttention{
    .id = "elastic-ep/scale-needs-dp-attention",
    .exception = "AssertionError",
    .message =
        "Elastic EP scale-up requires --enable-dp-attention; without it the TP group is not "
        "equivalent to WORLD and the post-scale collective path is invalid.",
    .why =
        "Only data-parallel attention leaves every rank independent of how many others there are.",
    .source = kSource,
    .bad = {"--model-path deepseek-ai/DeepSeek-V3 --tp-size 4 --ep-size 4 --moe-a2a-backend nixl "
            "--elastic-ep-backend mooncake --max-ep-size 8 --load-balance-method round_robin "
            "--disable-cuda-graph"},
    .good =
        {"--model-path deepseek-ai/DeepSeek-V3 --tp-size 4 --dp-size 4 --ep-size 4 "
         "--enable-dp-attention --enable-dp-lm-head --moe-a2a-backend nixl --elastic-ep-backend "
         "mooncake --max-ep-size 8 --load-balance-method round_robin --disable-cuda-graph"},
    .releases = kWithScaling,
};

constexpr Rule kDpLmHead{
    .id = "elastic-ep/scale-needs-dp-lm-head",
    .exception = "AssertionError",
    .message =
        "Elastic EP scale-up requires --enable-dp-lm-head so output projection does not depend on "
        "the joining group's TP size.",
    .why = "A sharded LM head would have to be cut anew when ranks join.",
    .source = kSource,
    .bad = {"--model-path deepseek-ai/DeepSeek-V3 --tp-size 4 --dp-size 4 --ep-size 4 "
            "--enable-dp-attention --moe-a2a-backend nixl --elastic-ep-backend mooncake "
            "--max-ep-size 8 --load-balance-method round_robin --disable-cuda-graph"},
    .good =
        {"--model-path deepseek-ai/DeepSeek-V3 --tp-size 4 --dp-size 4 --ep-size 4 "
         "--enable-dp-attention --enable-dp-lm-head --moe-a2a-backend nixl --elastic-ep-backend "
         "mooncake --max-ep-size 8 --load-balance-method round_robin --disable-cuda-graph"},
    .releases = kWithScaling,
};

constexpr Rule kAttnCp{
    .id = "elastic-ep/scale-without-context-parallel",
    .exception = "AssertionError",
    .message = "Elastic EP scale-up requires --attn-cp-size 1 (got attn_cp_size={}).",
    .why = "Context-parallel ranks depend on each other.",
    .source = kSource,
    // No launch comes here that an earlier step has not refused.
    .releases = kWithScaling,
};

constexpr Rule kMoeDp{
    .id = "elastic-ep/scale-without-moe-dp",
    .exception = "AssertionError",
    .message = "Elastic EP scale-up requires --moe-dp-size 1 (got moe_dp_size={}).",
    .why = "Expert groups must coincide with the whole deployment.",
    .source = kSource,
    // No launch comes here that an earlier step has not refused.
    .releases = kWithScaling,
};

constexpr Rule kEpSize{
    .id = "elastic-ep/scale-needs-full-ep",
    .exception = "AssertionError",
    .message =
        "Elastic EP scale-up requires ep_size == tp_size (got ep_size={}, tp_size={}); EP, TP and "
        "the attention DP group must all coincide with WORLD.",
    .why = "Every rank must hold experts of its own.",
    .source = kSource,
    .bad = {"--model-path deepseek-ai/DeepSeek-V3 --tp-size 4 --dp-size 4 --ep-size 2 "
            "--enable-dp-attention --enable-dp-lm-head --moe-a2a-backend none --elastic-ep-backend "
            "mooncake --max-ep-size 8 --load-balance-method round_robin --disable-cuda-graph"},
    .good =
        {"--model-path deepseek-ai/DeepSeek-V3 --tp-size 4 --dp-size 4 --ep-size 4 "
         "--enable-dp-attention --enable-dp-lm-head --moe-a2a-backend nixl --elastic-ep-backend "
         "mooncake --max-ep-size 8 --load-balance-method round_robin --disable-cuda-graph"},
    .releases = kWithScaling,
};

constexpr Rule kDpSize{
    .id = "elastic-ep/scale-needs-pure-dp",
    .exception = "AssertionError",
    .message = "Elastic EP scale-up requires dp_size == tp_size (got dp_size={}, tp_size={}).",
    .why = "Every rank must be a data-parallel rank of its own.",
    .source = kSource,
    .bad = {"--model-path deepseek-ai/DeepSeek-V3 --tp-size 4 --dp-size 2 --ep-size 4 "
            "--enable-dp-attention --enable-dp-lm-head --moe-a2a-backend nixl --elastic-ep-backend "
            "mooncake --max-ep-size 8 --load-balance-method round_robin --disable-cuda-graph"},
    .good =
        {"--model-path deepseek-ai/DeepSeek-V3 --tp-size 4 --dp-size 4 --ep-size 4 "
         "--enable-dp-attention --enable-dp-lm-head --moe-a2a-backend nixl --elastic-ep-backend "
         "mooncake --max-ep-size 8 --load-balance-method round_robin --disable-cuda-graph"},
    .releases = kWithScaling,
};

constexpr Rule kA2a{
    .id = "elastic-ep/scale-needs-nixl",
    .exception = "AssertionError",
    .message = "Elastic EP scale-up requires --moe-a2a-backend nixl (got moe_a2a_backend={}).",
    .why = "Only the NIXL dispatcher can take further ranks.",
    .source = kSource,
    .bad =
        {"--model-path deepseek-ai/DeepSeek-V3 --tp-size 4 --dp-size 4 --ep-size 4 "
         "--enable-dp-attention --enable-dp-lm-head --moe-a2a-backend deepep --elastic-ep-backend "
         "mooncake --max-ep-size 8 --load-balance-method round_robin --disable-cuda-graph"},
    .good =
        {"--model-path deepseek-ai/DeepSeek-V3 --tp-size 4 --dp-size 4 --ep-size 4 "
         "--enable-dp-attention --enable-dp-lm-head --moe-a2a-backend nixl --elastic-ep-backend "
         "mooncake --max-ep-size 8 --load-balance-method round_robin --disable-cuda-graph"},
    .releases = kWithScaling,
};

constexpr Check kProcessChecks[] = {
    {&kTimeout, [](R r) { return r.get(f::elastic_ep_scale_timeout) <= 0; },
     [](R r) { return drop(r, unset(f::elastic_ep_scale_timeout)); }},
    {&kTokenizerWorkers, [](R r) { return r.get(f::tokenizer_worker_num) != 1; },
     [](R r) { return drop(r, unset(f::tokenizer_worker_num)); }},
    {&kRay, [](R r) { return r.get(f::use_ray); }, [](R r) { return drop(r, unset(f::use_ray)); }},
    {&kBackup, [](R r) { return r.get(f::enable_elastic_expert_backup); },
     [](R r) { return drop(r, unset(f::enable_elastic_expert_backup)); }},
};

constexpr Check kMembershipChecks[] = {
    {&kJoinerInitial, [](R r) { return joiner(r) && !initial(r); }, only_primary},
    {&kJoinerInitialOver,
     [](R r) { return joiner(r) && *initial(r) > r.get(f::ep_join_rank_offset); }, only_primary,
     [](R r) {
       return std::array<Value, 2>{r.value(f::elastic_ep_initial_size),
                                   r.value(f::ep_join_rank_offset)};
     }},
    {&kJoinerOverMaximum, [](R r) { return joiner(r) && join_target(r) > *r.get(f::max_ep_size); },
     [](R r) {
       return Fixes{
           {{set(f::max_ep_size, std::to_string(join_target(r)))}, "larger buffers on every rank"},
           only_primary(r)[0]};
     },
     [](R r) {
       return std::array<Value, 2>{join_target(r), r.value(f::max_ep_size)};
     }},
    {&kJoinerDenseTp,
     [](R r) { return joiner(r) && r.get(f::tp_size) == 1 && r.get(f::moe_dense_tp_size) != 1; },
     [](R) {
       return Fixes{{{set(f::moe_dense_tp_size, "1")}, ""}};
     }},
    {&kPrimaryInitial, [](R r) { return !joiner(r) && initial(r) != r.get(f::tp_size); },
     [](R r) { return drop(r, unset(f::elastic_ep_initial_size)); },
     [](R r) { return std::array<Value, 2>{r.value(f::tp_size)}; }},
    {&kInitialNotPositive, [](R r) { return *initial(r) <= 0; }, only_primary},
    {&kLoadBalance, [](R r) { return r.get(f::load_balance_method) != "round_robin"; },
     [](R r) {
       return Fixes{
           {{set(f::load_balance_method, "round_robin")}, "requests are shared out by turns"},
           no_growth(r)[0]};
     },
     [](R r) { return std::array<Value, 2>{r.value(f::load_balance_method)}; }},
    {&kMooncake, [](R r) { return r.get(f::elastic_ep_backend) != "mooncake"; },
     [](R r) {
       return Fixes{{{set(f::elastic_ep_backend, "mooncake")}, "needs Mooncake"}, no_growth(r)[0]};
     },
     [](R r) { return std::array<Value, 2>{r.value(f::elastic_ep_backend)}; }},
    {&kPipeline, [](R r) { return r.get(f::pp_size) != 1; },
     [](R r) { return drop(r, unset(f::pp_size)); },
     [](R r) { return std::array<Value, 2>{r.value(f::pp_size)}; }},
    {&kCudaGraph, [](R r) { return !graph_disabled(r, "decode") || !graph_disabled(r, "prefill"); },
     [](R r) {
       return Fixes{{{set(f::disable_cuda_graph)}, "slower decode of small batches"},
                    no_growth(r)[0]};
     }},
    {&kDpAttention, [](R r) { return !r.view(f::enable_dp_attention); },
     [](R r) {
       return Fixes{
           {{set(f::enable_dp_attention), set(f::dp_size, std::to_string(r.get(f::tp_size)))},
            "attention is replicated per rank: more memory"},
           no_growth(r)[0]};
     }},
    {&kDpLmHead, [](R r) { return !r.view(f::enable_dp_lm_head); },
     [](R r) {
       return Fixes{{{set(f::enable_dp_lm_head)}, "each rank holds the whole LM head: more memory"},
                    no_growth(r)[0]};
     }},
    {&kAttnCp, [](R r) { return r.view(f::attn_cp_size) != 1; },
     [](R r) { return drop(r, unset(f::attn_cp_size)); },
     [](R r) { return std::array<Value, 2>{r.view_value(f::attn_cp_size)}; }},
    {&kMoeDp, [](R r) { return r.get(f::moe_dp_size) != 1; },
     [](R r) { return drop(r, unset(f::moe_dp_size)); },
     [](R r) { return std::array<Value, 2>{r.value(f::moe_dp_size)}; }},
    {&kEpSize, [](R r) { return r.view(f::ep_size) != r.get(f::tp_size); },
     [](R r) {
       return Fixes{{{set(f::ep_size, std::to_string(r.get(f::tp_size)))}, ""}, no_growth(r)[0]};
     },
     [](R r) {
       return std::array<Value, 2>{r.view_value(f::ep_size), r.value(f::tp_size)};
     }},
    {&kDpSize, [](R r) { return r.get(f::dp_size) != r.get(f::tp_size); },
     [](R r) {
       return Fixes{{{set(f::dp_size, std::to_string(r.get(f::tp_size)))},
                     "attention is replicated per rank: more memory"},
                    no_growth(r)[0]};
     },
     [](R r) {
       return std::array<Value, 2>{r.value(f::dp_size), r.value(f::tp_size)};
     }},
    {&kA2a, [](R r) { return r.view(f::moe_a2a_backend) != "nixl"; },
     [](R r) {
       return Fixes{{{set(f::moe_a2a_backend, "nixl")}, "needs NIXL"}, no_growth(r)[0]};
     },
     [](R r) { return std::array<Value, 2>{r.view_value(f::moe_a2a_backend)}; }},
};

}  // namespace

void elastic_ep_scale(Resolution& r) {
  if (!all_hold(r, kProcessChecks)) return;
  r.set(f::enable_dp_attention_local_control_broadcast, true,
        "Control messages must not wait for ranks that may come and go.");
  if (!joiner(r) && !initial(r))
    r.set(f::elastic_ep_initial_size, r.get(f::tp_size), "The first group's own number of ranks.");
  all_hold(r, kMembershipChecks);
}

RuleList elastic_ep_scale_rules() {
  RuleList rules;
  append_rules(rules, kProcessChecks);
  append_rules(rules, kMembershipChecks);
  return rules;
}

}  // namespace sglint
