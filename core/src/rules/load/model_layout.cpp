// The model's sizes against the layout, in the order in which a worker meets them while it makes
// the model: experts, vocabulary, recurrent layers, attention heads, experts' and MLPs' sizes, with
// the blocks of quantized weights in between.

#include <algorithm>
#include <span>

#include "base/text.h"
#include "rules/load/layout.h"
#include "rules/load/linear_kernels.h"

namespace sglint {
namespace {

constexpr ReleaseRange kSince0516{Release::v0_5_16, Release::v0_5_18};

constexpr Rule kExperts{
    .id = "layout/experts",
    .stage = Stage::load,
    .exception = "AssertionError",
    .message = "assert num_physical_experts % ep_size == 0",
    .why =
        "Every expert group holds as many experts, so that their number (with "
        "--ep-num-redundant-experts) must be a multiple of --ep-size. The assertion has no text; "
        "this is the line that the traceback shows.",
    .source = "eplb/expert_location.py: ExpertLocationMetadata._init_common",
    .bad = {"--model-path Qwen/Qwen3-30B-A3B --tp-size 6 --ep-size 3", "h100"},
    .good = {"--model-path Qwen/Qwen3-30B-A3B --tp-size 4 --ep-size 4", "h100"},
    .releases = kSince0516,
};

constexpr Rule kVocabulary{
    .id = "layout/vocabulary",
    .stage = Stage::load,
    .exception = "AssertionError",
    .message = "{} is not divisible by {}",
    .why =
        "The embedding is the first layer that is shared out: the vocabulary, rounded up to a "
        "multiple of 64, over --tp-size. A TP size of 3, 5, 6 or 7 nearly always stops here, and "
        "would stop at the attention heads next.",
    .source =
        "layers/vocab_parallel_embedding.py: VocabParallelEmbedding.__init__ "
        "(distributed/utils.py: ensure_divisibility)",
    .bad = {"--model-path Qwen/Qwen3-8B --tp-size 3"},
    .good = {"--model-path Qwen/Qwen3-8B --tp-size 4"},
    .releases = kSince0516,
};

constexpr Rule kVisionHeads{
    .id = "layout/vision-heads",
    .stage = Stage::load,
    .exception = "AssertionError",
    .message = "{} is not divisible by {}",
    .why =
        "Qwen3-VL and Qwen3.5 make their vision encoder first, and share its heads out over the "
        "ranks of attention. --mm-enable-dp-encoder keeps it whole on every rank.",
    .source = "layers/attention/vision.py: VisionAttention.__init__ (distributed/utils.py: divide)",
    .bad = {"--model-path Qwen/Qwen3-VL-8B-Instruct --tp-size 3"},
    .good = {"--model-path Qwen/Qwen3-VL-8B-Instruct --tp-size 4"},
    .releases = kSince0516,
};

constexpr Rule kHeads{
    .id = "layout/attention-heads",
    .stage = Stage::load,
    .exception = "AssertionError",
    .message = "assert {}",
    .why =
        "Attention heads are shared out over the ranks of attention (--tp-size, or --tp-size over "
        "--dp-size and --attn-cp-size with dp-attention): their number must be a multiple. The "
        "assertion has no text; this is the line that the traceback shows.",
    .source = "models/: the attention layer's __init__",
    .bad = {"--model-path Qwen/Qwen2.5-7B-Instruct --tp-size 8"},
    .good = {"--model-path Qwen/Qwen2.5-7B-Instruct --tp-size 4"},
    .releases = kSince0516,
};

constexpr Rule kKvHeads{
    .id = "layout/kv-heads",
    .stage = Stage::load,
    .exception = "AssertionError",
    .message = "assert {}",
    .why =
        "KV heads are either shared out (as many or more than ranks: a multiple of them) or "
        "replicated (fewer: a divisor of them). The assertion has no text; this is the line that "
        "the traceback shows.",
    .source = "models/: the attention layer's __init__",
    // Every public model whose heads divide has KV heads that do.
    .releases = kSince0516,
};

constexpr Rule kKdaHeads{
    .id = "layout/kda-heads",
    .stage = Stage::load,
    .exception = "ValueError",
    .message = "KDA num_heads ({}) must be divisible by global tp_size ({})",
    .why =
        "Kimi Delta Attention shares its heads out over all of --tp-size, with dp-attention too.",
    .source = "models/kimi_linear.py: _get_kda_local_num_heads",
    .bad = {"--model-path moonshotai/Kimi-Linear-48B-A3B-Instruct --trust-remote-code --tp-size 64 "
            "--nnodes 8 --dist-init-addr 10.0.0.1:5000"},
    .good =
        {"--model-path moonshotai/Kimi-Linear-48B-A3B-Instruct --trust-remote-code --tp-size 32 "
         "--nnodes 4 --dist-init-addr 10.0.0.1:5000"},
    .releases = {Release::v0_5_17, Release::v0_5_18},
};

constexpr Rule kMambaHeads{
    .id = "layout/mamba-heads",
    .stage = Stage::load,
    .exception = "AssertionError",
    .message = "Tensor parallel world size must divide num heads.",
    .why = "Mamba-2 layers share their heads out over the ranks of attention.",
    .source = "layers/attention/mamba/mamba.py: MambaMixer2.__init__",
    .bad =
        {"--model-path ibm-granite/granite-4.0-h-micro --tp-size 128 --nnodes 16 --dist-init-addr "
         "10.0.0.1:5000"},
    .good = {"--model-path ibm-granite/granite-4.0-h-micro --tp-size 8"},
    .releases = kSince0516,
};

constexpr Rule kMambaGroups{
    .id = "layout/mamba-groups",
    .stage = Stage::load,
    .exception = "AssertionError",
    .message =
        "If tensor parallel world size does not divide num_groups, then num_groups must "
        "equal 1.",
    .why = "Mamba-2 layers share their groups out with their heads; one group alone is replicated.",
    .source = "layers/attention/mamba/mamba.py: MambaMixer2.__init__",
    .bad = {"--model-path nvidia/Nemotron-H-56B-Base-8K --tp-size 16 --nnodes 2 --dist-init-addr "
            "10.0.0.1:5000"},
    .good = {"--model-path nvidia/Nemotron-H-56B-Base-8K --tp-size 8"},
    .releases = kSince0516,
};

constexpr Rule kMambaQuantized{
    .id = "layout/mamba-groups-quantized",
    .stage = Stage::load,
    .exception = "AssertionError",
    .message =
        "Tensor parallel currently supported for quantized models only if tensor parallel world "
        "size divides num groups.",
    .why = "With quantized weights even a single group of a Mamba-2 layer cannot be replicated.",
    .source = "layers/attention/mamba/mamba.py: MambaMixer2.__init__",
    .bad = {"--model-path tiiuae/Falcon-H1-7B-Instruct --tp-size 2 --quantization fp8"},
    .good = {"--model-path tiiuae/Falcon-H1-7B-Instruct --tp-size 2"},
    .releases = kSince0516,
};

constexpr Rule kColumns{
    .id = "layout/merged-sizes",
    .stage = Stage::load,
    .exception = "AssertionError",
    .message = "assert all(output_size % tp_size == 0 for output_size in output_sizes)",
    .why =
        "A projection of the model (the value heads of Gated Delta Net, the intermediate size of "
        "an MLP) is not a multiple of the TP size. The assertion has no text; this is the line "
        "that the traceback shows.",
    .source = "layers/linear.py: MergedColumnParallelLinear.__init__",
    .bad = {"--model-path Qwen/Qwen3-Next-80B-A3B-Instruct --tp-size 64 --dp-size 1 --nnodes 8 "
            "--dist-init-addr 10.0.0.1:5000"},
    .good = {"--model-path Qwen/Qwen3-Next-80B-A3B-Instruct --tp-size 16 --nnodes 2 "
             "--dist-init-addr 10.0.0.1:5000"},
    .releases = kSince0516,
};

constexpr Rule kExpertSize{
    .id = "layout/expert-size",
    .stage = Stage::load,
    .exception = "AssertionError",
    .message = "assert intermediate_size % self.moe_tp_size == 0",
    .why =
        "Each expert is shared out over --tp-size / --ep-size / --moe-dp-size ranks, which must "
        "divide its intermediate size. The assertion has no text; this is the line that the "
        "traceback shows.",
    .source = "layers/moe/fused_moe_triton/layer.py: FusedMoE.__init__",
    // Sizes of public models are powers of two times a small number: heads fail first.
    .releases = kSince0516,
};

constexpr Rule kExpertBlock{
    .id = "layout/expert-quantization-block",
    .stage = Stage::load,
    .exception = "ValueError",
    .message =
        "The output_size of gate's and up's weight = {} is not divisible by weight quantization "
        "block_n = {}.",
    .why =
        "The experts' weights are quantized in blocks (128 x 128), which a rank cannot hold a part "
        "of: the expert's intermediate size over --tp-size / --ep-size must be a multiple of the "
        "block. --ep-size keeps experts whole.",
    .source = "layers/quantization/fp8.py: Fp8MoEMethod.create_weights",
    .bad = {"--model-path Qwen/Qwen3-235B-A22B-FP8 --tp-size 8"},
    .good = {"--model-path Qwen/Qwen3-235B-A22B-FP8 --tp-size 8 --ep-size 8"},
    .releases = kSince0516,
};

constexpr Rule kOutputBlock{
    .id = "layout/output-quantization-block",
    .stage = Stage::load,
    .exception = "ValueError",
    .message =
        "Weight output_partition_size = {} is not divisible by weight quantization block_n = {}.",
    .why =
        "Weights quantized in blocks (128 x 128) can be shared out only in whole blocks; this TP "
        "size leaves a rank with a part of one.",
    .source = "layers/quantization/fp8.py: Fp8LinearMethod.validate_block_quant_shapes",
    .bad = {"--model-path Qwen/Qwen3-32B-FP8 --tp-size 16 --nnodes 2 --dist-init-addr "
            "10.0.0.1:5000"},
    .good = {"--model-path Qwen/Qwen3-32B-FP8 --tp-size 8"},
    .releases = kSince0516,
};

constexpr Rule kStages{
    .id = "layout/fewer-layers-than-stages",
    .stage = Stage::load,
    .message = "{} pipeline stages for {} layers: a stage without layers cannot run.",
    .why =
        "Each stage of --pp-size takes a share of the layers (distributed/utils.py: "
        "get_pp_indices); with fewer layers than stages some get none.",
    .source = "distributed/utils.py: get_pp_indices",
    .bad = {"--model-path Qwen/Qwen3-0.6B --tp-size 1 --pp-size 32 --nnodes 4 --dist-init-addr "
            "10.0.0.1:5000"},
    .good = {"--model-path Qwen/Qwen3-0.6B --pp-size 4"},
    .releases = kSince0516,
};

std::string text(int64_t n) { return str(Value(n)); }

int64_t first_size(const Value& config, std::initializer_list<const char*> names) {
  for (const char* name : names)
    if (const int64_t n = config[name].as_int(); n > 0) return n;
  return 0;
}

bool divides(int64_t part, int64_t whole) { return part > 0 && whole % part == 0; }

// The TP size that the model's attention asserts with, by the name it has there.
std::string_view attention_ranks(std::string_view arch) {
  for (const char* own : {"Qwen3Next", "Qwen3_5", "FalconH1"})
    if (starts_with(arch, own)) return "self.attn_tp_size";
  for (const char* whole : {"Qwen2F", "Qwen2_5_VL", "Llama", "Mistral", "Mixtral", "Gemma",
                            "Granite", "NemotronH", "BailingMoeV2_5", "MiMoF", "Bert"})
    if (starts_with(arch, whole) && !starts_with(arch, "Llama4")) return "tp_size";
  return "attn_tp_size";
}

std::optional<LayoutStop> attention_stop(const ModelConfig& model, const Layout& l) {
  const std::string_view arch = model.architecture();
  if (one_of(arch, {"DeciLMForCausalLM", "WhisperForConditionalGeneration"}) ||
      starts_with(arch, "DeepseekV4"))
    return std::nullopt;  // heads of their own
  const std::string_view ranks = model.use_mla() ? "attn_tp_size" : attention_ranks(arch);
  const int64_t tp = ranks == "tp_size" ? l.tp : l.attn_tp();
  const int64_t heads = model.num_attention_heads,
                kv = model.hf_text_config["num_key_value_heads"].as_int();
  const auto stop = [&](const Rule& rule, std::string_view a, std::string_view b, int64_t x,
                        int64_t y) {
    return LayoutStop{&rule, {fill("{} % {} == 0 ({} % {})", {a, b, x, y})}};
  };
  if (heads > 0 && !divides(tp, heads))
    return stop(kHeads, model.use_mla() ? "num_heads" : "self.total_num_heads", ranks, heads, tp);
  if (model.use_mla() || kv <= 0) return std::nullopt;
  constexpr std::string_view kName = "self.total_num_kv_heads";
  if (kv >= tp && kv % tp != 0) return stop(kKvHeads, kName, ranks, kv, tp);
  if (kv < tp && tp % kv != 0) return stop(kKvHeads, ranks, kName, tp, kv);
  return std::nullopt;
}

std::optional<LayoutStop> recurrent_stop(Resolution& r, const ModelConfig& model, const Value& c,
                                         const Layout& l) {
  const int64_t tp = l.attn_tp();
  if (const int64_t heads = c["linear_attn_config"]["num_heads"].as_int();
      heads > 0 && l.tp > 0 && heads % l.tp != 0 && r.since(Release::v0_5_17))
    return LayoutStop{&kKdaHeads, {text(heads), text(l.tp)}};
  if (const int64_t heads = c["linear_num_value_heads"].as_int(); heads > 0 && !divides(tp, heads))
    return LayoutStop{&kColumns, {}};
  if (const int64_t heads = first_size(c, {"mamba_num_heads", "mamba_n_heads"}); heads > 0) {
    const int64_t groups = first_size(c, {"n_groups", "mamba_n_groups"});
    if (!divides(tp, heads)) return LayoutStop{&kMambaHeads, {}};
    if (groups > 1 && groups % tp != 0) return LayoutStop{&kMambaGroups, {}};
    if (groups == 1 && tp > 1 && !model.quantization.empty())
      return LayoutStop{&kMambaQuantized, {}};
  }
  return std::nullopt;
}

// One linear layer of blockwise quantized weights: what it gives out over `tp` ranks.
std::optional<LayoutStop> block_stop(int64_t block, int64_t size, int64_t tp) {
  if (block <= 0 || tp <= 1 || size <= 0 || size / tp % block == 0) return std::nullopt;
  return LayoutStop{&kOutputBlock, {text(size / tp), text(block)}};
}

}  // namespace

const Value& text_config(const ModelConfig& model) {
  return model.hf_text_config.is_dict()             ? model.hf_text_config
         : model.hf_config["text_config"].is_dict() ? model.hf_config["text_config"]
                                                    : model.hf_config;
}

std::optional<LayoutStop> layout_stop(Resolution& r, const Layout& l) {
  const ModelConfig& model = r.model();
  const Value& c = text_config(model);
  const int64_t experts = first_size(c, {"num_experts", "n_routed_experts", "num_local_experts"});
  // CPU pads what does not divide (configs/update_config.py).
  if (!model.known || l.tp <= 1 || l.attn_tp() == 0 || is_cpu(r)) return std::nullopt;

  if (experts > 0 && l.ep > 1 && (experts + r.get(f::ep_num_redundant_experts)) % l.ep != 0)
    return LayoutStop{&kExperts, {}};
  const std::string_view arch = model.architecture();
  if ((starts_with(arch, "Qwen3VL") || starts_with(arch, "Qwen3_5")) &&
      arch.find("ForConditionalGeneration") != std::string_view::npos &&
      !r.get(f::mm_enable_dp_encoder) && !r.get(f::language_model_only)) {
    const int64_t heads = model.hf_config["vision_config"]["num_heads"].as_int(16);
    if (!divides(l.attn_tp(), heads))
      return LayoutStop{&kVisionHeads, {text(heads), text(l.attn_tp())}};
  }
  const int64_t vocabulary = (model.vocab_size + 63) / 64 * 64;
  const int64_t embedding = l.dp_attention ? l.attn_tp() : l.tp;
  if (vocabulary % embedding != 0)
    return LayoutStop{&kVocabulary, {text(vocabulary), text(embedding)}};
  // Falcon's layers have both, attention first.
  const bool attention_first = c["model_type"].as_str() == "falcon_h1";
  if (attention_first)
    if (auto stop = attention_stop(model, l)) return stop;
  if (auto stop = recurrent_stop(r, model, c, l)) return stop;
  if (auto stop = attention_stop(model, l)) return stop;

  const Value& quantization = model.hf_config["quantization_config"];
  const bool blocks = model.quantization == "fp8" && is_cuda(r.machine());
  const int64_t block = blocks && quantization["weight_block_size"].is_list()
                            ? quantization["weight_block_size"].as_list()[0].as_int()
                            : 0;
  if (experts == 0) {
    const int64_t size = c["intermediate_size"].as_int();
    if (size <= 0 || !one_of(c["model_type"].as_str(),
                             {"qwen2", "qwen3", "llama", "mistral", "qwen3_vl_text", "gemma2",
                              "gemma3_text", "qwen2_5_vl", "qwen3_5_text", "mimo"}))
      return std::nullopt;
    if (size % l.tp != 0) return LayoutStop{&kColumns, {}};
    if (auto stop = quantized_mlp_stop(r, size, l.tp)) return stop;
    return block_stop(block, size, l.tp);
  }
  if (l.moe_tp() == 0) return std::nullopt;
  // DeepSeek's first layers have an MLP instead of experts (DeepseekV2DecoderLayer.__init__).
  if (model.use_mla() && r.value(f::moe_dense_tp_size).as_int() != 1 &&
      !starts_with(model.architecture(), "DeepseekV4"))
    if (auto stop = block_stop(block, c["intermediate_size"].as_int(), l.tp)) return stop;
  const int64_t size = first_size(c, {"moe_intermediate_size", "intermediate_size"});
  if (size <= 0) return std::nullopt;
  if (size % l.moe_tp() != 0) return LayoutStop{&kExpertSize, {}};
  if (block > 0 && size / l.moe_tp() % block != 0)
    return LayoutStop{&kExpertBlock, {text(size / l.moe_tp()), text(block)}};
  if (auto stop = quantized_expert_stop(r, size, l.moe_tp())) return stop;
  // Qwen2MoeSparseMoeBlock.__init__: with an all-to-all backend every rank has the whole of it.
  if (r.get(f::moe_a2a_backend) != "none") return std::nullopt;
  return block_stop(block, c["shared_expert_intermediate_size"].as_int(), l.tp);
}

constexpr int64_t kLargestLayout = 4096;  // GPUs that a search for a better size looks at

int64_t fitting_tp(Resolution& r, int64_t most) {
  Layout l = layout_of(r);
  const bool experts_follow = l.ep == l.tp;
  for (l.tp = std::min(most, kLargestLayout); l.tp > 1; --l.tp) {
    if (experts_follow) l.ep = l.tp;
    if (l.attn_tp() != 0 && (l.moe_tp() != 0 || l.ep == 1) &&
        (!r.model_known() || !layout_stop(r, l)))
      return l.tp;
  }
  return 1;
}

void model_layout(Resolution& r) {
  if (!r.since(Release::v0_5_16)) return;
  const Layout l = layout_of(r);
  const int64_t layers = r.model().num_hidden_layers;
  if (l.pp > 1 && layers > 0 && layers < l.pp)
    r.note(kStages, {l.pp, layers}, {{{unset(f::pp_size)}, "one stage"}}, {f::pp_size.id});
  const std::optional<LayoutStop> stop = layout_stop(r, l);
  if (!stop) return;
  std::vector<Fix> fixes;
  const bool experts = starts_with(stop->rule->id, "layout/expert-");
  const auto try_ep = [&](int64_t ep) {
    Layout other = l;
    other.ep = ep;
    if (other.moe_tp() == 0 || layout_stop(r, other)) return false;
    fixes.push_back({ep == 1 ? std::vector<Edit>{unset(f::ep_size)}
                             : std::vector<Edit>{set(f::ep_size, text(ep))},
                     ep == 1 ? "every GPU holds a part of every expert"
                             : "experts stay whole: each GPU holds some of them"});
    return true;
  };
  if (experts)
    for (int64_t ep = l.ep * 2; ep <= std::min(l.tp, kLargestLayout) && !try_ep(ep); ep *= 2)
      continue;
  if (stop->rule == &kExperts) try_ep(1);
  const int64_t smaller = fitting_tp(r, l.tp - 1);
  Fix fewer{{set(f::tp_size, text(smaller))}, "fewer GPUs: the model must fit in their memory"};
  if (l.ep > 1 && smaller % l.ep != 0) fewer.edits.push_back(set(f::ep_size, text(smaller)));
  fixes.push_back(std::move(fewer));
  const int64_t nodes = std::max<int64_t>(r.get(f::nnodes), 1);
  const int64_t most = std::max<int64_t>(r.machine().num_gpus, 0) * nodes;
  Layout larger = l;
  for (larger.tp = std::min(l.tp, most) + 1; larger.tp <= most; ++larger.tp) {
    if (l.ep == l.tp) larger.ep = larger.tp;
    if (larger.tp % nodes != 0 || larger.attn_tp() == 0 || larger.moe_tp() == 0 ||
        layout_stop(r, larger))
      continue;
    fixes.push_back({{set(f::tp_size, text(larger.tp))}, "more GPUs"});
    break;
  }
  r.note(*stop->rule, {stop->fills[0], stop->fills[1], stop->fills[2]}, std::move(fixes),
         {f::tp_size.id});
}

RuleList model_layout_rules() {
  return {&kVisionHeads, &kExperts,     &kVocabulary,  &kHeads,          &kKvHeads,
          &kKdaHeads,    &kMambaHeads,  &kMambaGroups, &kMambaQuantized, &kColumns,
          &kExpertSize,  &kExpertBlock, &kOutputBlock, &kStages};
}

}  // namespace sglint
