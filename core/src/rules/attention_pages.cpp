// Attention kernels that work with certain page sizes only: SGLang warns and changes --page-size.

#include "base/text.h"
#include "rules/attention.h"
#include "rules/attention_passes.h"

namespace sglint {
namespace {

struct PageSizes {
  std::string_view backend;
  std::string_view name;     // as the warning says it
  std::string_view allowed;  // as the warning lists them
  std::initializer_list<int64_t> sizes;
  bool prefill_counts;  // whether --prefill-attention-backend alone brings the constraint
  ReleaseRange releases = {};
};

constexpr Release kFirst = Release::v0_5_15_post1;
constexpr Release kLast = Release::v0_5_18;

// Those that keep a fitting page size and take 64 otherwise.
constexpr PageSizes kSnapTo64[] = {
    {"trtllm_mla", "TensorRT-LLM MLA only supports page_size", "32 or 64", {32, 64}, false},
    {"tokenspeed_mla", "tokenspeed_mla only supports page_size", "32 or 64", {32, 64}, false},
    {"cutedsl_mla", "CuteDSL MLA only supports page_size", "32 or 64", {32, 64}, true},
    {"trtllm_mha",
     "TensorRT-LLM MHA only supports page_size",
     "16, 32 or 64",
     {16, 32, 64},
     true,
     {kFirst, Release::v0_5_16}},
    {"trtllm_mha",
     "TensorRT-LLM MHA only supports page_size",
     "16, 32, 64 or 128",
     {16, 32, 64, 128},
     true,
     {Release::v0_5_17, kLast}},
    {"hpc_ops",
     "HPC-Ops attention only supports a page_size",
     "64",
     {64},
     true,
     {Release::v0_5_17, kLast}},
};

bool contains(std::initializer_list<int64_t> sizes, const Value& page_size) {
  for (int64_t size : sizes)
    if (page_size.is_int() && page_size.as_int() == size) return true;
  return false;
}

}  // namespace

void mla_backend_page_constraints(Resolution& r) {
  const auto used = [&](std::string_view backend, bool prefill_counts) {
    return r.view(f::attention_backend) == backend ||
           r.view(f::decode_attention_backend) == backend ||
           (prefill_counts && r.view(f::prefill_attention_backend) == backend);
  };
  const Value before = r.view_value(f::page_size);
  Value page_size = before;
  std::string because;
  if (used("flashmla", false)) {
    r.warn("FlashMLA only supports a page_size of 64, change page_size to 64.");
    page_size = 64;
    because = "FlashMLA works with pages of 64 tokens only.";
  }
  if (used("cutlass_mla", false)) {
    r.warn("Cutlass MLA only supports a page_size of 128, change page_size to 128.");
    page_size = 128;
    because = "Cutlass MLA works with pages of 128 tokens only.";
  }
  for (const PageSizes& rule : kSnapTo64) {
    if (!rule.releases.contains(r.release())) continue;
    const bool for_drafts = r.since(Release::v0_5_17) && rule.backend == "trtllm_mha" &&
                            r.view(f::speculative_draft_attention_backend) == rule.backend;
    if (!used(rule.backend, rule.prefill_counts) && !for_drafts) continue;
    if (contains(rule.sizes, page_size)) continue;
    r.warn("{} of {}, changing page_size from {} to 64.", {rule.name, rule.allowed, page_size});
    page_size = 64;
    because = fill("The attention backend {} works with pages of {} tokens only.",
                   {rule.backend, rule.allowed});
  }
  if (page_size != before) r.declare(f::page_size, page_size, because);
}

void fa4_page_constraint(Resolution& r) {
  const bool fa4 = r.view(f::attention_backend) == "fa4" ||
                   r.view(f::decode_attention_backend) == "fa4" ||
                   r.view(f::prefill_attention_backend) == "fa4";
  // A tree of drafts is verified page by page with pages of one token, so it keeps them.
  if (!fa4 || use_mla_backend(r) || !is_sm100_supported(r.machine()) ||
      r.view(f::speculative_eagle_topk).value_or(0) > 1)
    return;
  r.warn(
      "FA4 backend only supports page size 128 for non-MLA model architectures, changing page_size "
      "from {} to 128.",
      {r.view_value(f::page_size)});
  r.declare(f::page_size, 128, "On SM100, FlashAttention 4 works with pages of 128 tokens only.");
}

void intel_xpu_page_constraint(Resolution& r) {
  if (resolved_attention_backends(r).decode != "intel_xpu") return;
  const bool mla = use_mla_backend(r);
  const Value& page_size = r.view_value(f::page_size);
  if (mla ? contains({16, 32, 64, 128}, page_size) : contains({64, 128}, page_size)) return;
  r.warn("{} only supports page_sizes of {}, changing page_size from {} to 128.",
         {mla ? "Intel XPU attention backend for MLA Decode" : "Intel XPU attention backend",
          mla ? "[16, 32, 64, 128]" : "[64, 128]", page_size});
  r.declare(f::page_size, 128,
            "The Intel XPU attention kernels do not work with the page size asked for.");
}

}  // namespace sglint
