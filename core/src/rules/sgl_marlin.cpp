// ServerArgs._validate_experimental_sgl_marlin (lora/marlin_lora_temp/policy.py), 0.5.16 on.
#include "rules/steps.h"

namespace sglint {
namespace {

constexpr std::string_view kSource =
    "lora/marlin_lora_temp/policy.py: validate_experimental_sgl_marlin_server_args";
constexpr ReleaseRange kWithMarlin{Release::v0_5_16, Release::v0_5_18};

constexpr Rule kAllToAll{
    .id = "moe/sgl-marlin-without-all-to-all",
    .exception = "ValueError",
    .message = "experimental_sgl_marlin EP requires --moe-a2a-backend none",
    .why = "The experimental Marlin runner sums partial results of the ranks itself.",
    .source = kSource,
    .bad =
        {"--model-path Qwen/Qwen3-30B-A3B --tp-size 2 --moe-runner-backend experimental_sgl_marlin "
         "--moe-a2a-backend deepep"},
    .good = {"--model-path Qwen/Qwen3-30B-A3B --tp-size 2 --moe-runner-backend "
             "experimental_sgl_marlin"},
    .releases = kWithMarlin,
};

constexpr Rule kVirtualExperts{
    .id = "moe/sgl-marlin-lora-needs-virtual-experts",
    .exception = "ValueError",
    .message = "experimental_sgl_marlin LoRA requires --lora-use-virtual-experts",
    .why = "The runner applies adapters of experts as further, virtual experts.",
    .source = kSource,
    .bad = {"--model-path Qwen/Qwen3-30B-A3B --moe-runner-backend experimental_sgl_marlin "
            "--enable-lora --max-lora-rank 16 --lora-target-modules all"},
    .good = {"--model-path Qwen/Qwen3-30B-A3B --moe-runner-backend experimental_sgl_marlin "
             "--enable-lora --max-lora-rank 16 --lora-target-modules all "
             "--lora-use-virtual-experts --lora-backend triton"},
    .releases = kWithMarlin,
};

constexpr Rule kLoraBackend{
    .id = "moe/sgl-marlin-lora-needs-triton",
    .exception = "ValueError",
    .message = "experimental_sgl_marlin LoRA requires --lora-backend triton",
    .why = "Its kernels read the batch description of the Triton LoRA backend.",
    .source = kSource,
    .bad = {"--model-path Qwen/Qwen3-30B-A3B --moe-runner-backend experimental_sgl_marlin "
            "--enable-lora --max-lora-rank 16 --lora-target-modules all --lora-use-virtual-experts "
            "--lora-backend csgmv"},
    .good = {"--model-path Qwen/Qwen3-30B-A3B --moe-runner-backend experimental_sgl_marlin "
             "--enable-lora --max-lora-rank 16 --lora-target-modules all "
             "--lora-use-virtual-experts --lora-backend triton"},
    .releases = kWithMarlin,
};

constexpr Rule kPlacement{
    .id = "moe/sgl-marlin-lora-needs-trivial-placement",
    .exception = "ValueError",
    .message =
        "experimental_sgl_marlin EP requires trivial expert placement without redundancy, EPLB, or "
        "elastic EP",
    .why = "Adapters of experts stay where the experts are at start-up.",
    .source = kSource,
    .bad = {"--model-path Qwen/Qwen3-30B-A3B --tp-size 2 --ep-size 2 --moe-runner-backend "
            "experimental_sgl_marlin --enable-lora --max-lora-rank 16 --lora-target-modules all "
            "--lora-use-virtual-experts --lora-backend triton --ep-num-redundant-experts 2"},
    .good = {"--model-path Qwen/Qwen3-30B-A3B --tp-size 2 --ep-size 2 --moe-runner-backend "
             "experimental_sgl_marlin --enable-lora --max-lora-rank 16 --lora-target-modules all "
             "--lora-use-virtual-experts --lora-backend triton"},
    .releases = kWithMarlin,
};

}  // namespace

void validate_experimental_sgl_marlin(Resolution& r) {
  if (r.view(f::moe_runner_backend) != "experimental_sgl_marlin") return;
  const Fix other_runner{{unset(f::moe_runner_backend)}, "SGLang chooses the runner"};
  const bool expert_parallel = r.view(f::ep_size) > 1;
  if (expert_parallel && r.view(f::moe_a2a_backend) != "none")
    return r.reject(kAllToAll, {}, {{{unset(f::moe_a2a_backend)}, ""}, other_runner});
  const std::optional<bool> lora = r.get(f::enable_lora);
  if (!lora.value_or(r.value(f::lora_paths).truthy())) return;
  if (!r.get(f::lora_use_virtual_experts))
    return r.reject(kVirtualExperts, {}, {{{set(f::lora_use_virtual_experts)}, ""}, other_runner});
  if (r.get(f::lora_backend) != "triton")
    return r.reject(kLoraBackend, {}, {{{set(f::lora_backend, "triton")}, ""}, other_runner});
  if (!expert_parallel) return;
  if (r.get(f::init_expert_location) != "trivial" || r.get(f::ep_num_redundant_experts) != 0 ||
      r.get(f::enable_eplb) || r.get(f::elastic_ep_backend) ||
      r.get(f::enable_elastic_expert_backup) || r.get(f::elastic_ep_rejoin))
    return r.reject(kPlacement, {},
                    {other_runner,
                     {{unset(f::init_expert_location), unset(f::ep_num_redundant_experts),
                       unset(f::enable_eplb), unset(f::elastic_ep_backend),
                       unset(f::enable_elastic_expert_backup), unset(f::elastic_ep_rejoin)},
                      "experts stay where they are loaded"}});
}

RuleList sgl_marlin_rules() { return {&kAllToAll, &kVirtualExperts, &kLoraBackend, &kPlacement}; }

}  // namespace sglint
