// The parts of ServerArgs._handle_model_capability_adjustments that belong to one kind of model.

#include <algorithm>

#include "base/text.h"
#include "rules/cuda_graph.h"
#include "rules/models/families.h"
#include "rules/steps.h"

namespace sglint {
namespace {

// resolve_embedding_model_spec(...).auto_enable_embedding, EmbeddingGemma aside.
bool is_native_embedding_model(const ModelConfig& model) {
  bool embedding = false;
  for (const std::string& arch : model.architectures) {
    if (one_of(arch, {"BertForSequenceClassification", "LlamaForSequenceClassification",
                      "LlamaForSequenceClassificationWithNormal_Weights",
                      "Qwen2ForSequenceClassification", "Qwen3ForSequenceClassification",
                      "XLMRobertaForSequenceClassification"})) {
      return false;
    }
    embedding =
        embedding || one_of(arch, {"BertModel", "CLIPModel", "Contriever", "LlamaEmbeddingModel",
                                   "MistralModel", "XLMRobertaModel"});
  }
  return embedding;
}

bool is_embedding_gemma(const ModelConfig& model) {
  return model.hf_text_config["model_type"].as_str() == "gemma3_text" &&
         model.hf_text_config["use_bidirectional_attention"].truthy();
}

void capture_whole_prefill(Resolution& r) {
  set_graph_backend(r, "prefill", "breakable",
                    "EmbeddingGemma's prefill is captured as one breakable graph.");
  if (graph_locked(r, "prefill", "max_bs")) return;
  constexpr int64_t kEightRequestsOf2K = 16384;
  const int64_t max_bs = std::max(
      {graph_setting(r, "prefill", "max_bs").as_int(), r.model().context_len, kEightRequestsOf2K});
  set_graph_setting(r, "prefill", "max_bs", max_bs, "A full embedding batch is captured.");
  if (!graph_locked(r, "prefill", "bs")) {
    set_graph_setting(r, "prefill", "bs", Value(prefill_graph_batch_sizes(max_bs)),
                      "The capture sizes up to the largest embedding batch.");
  }
}

void set_up_embedding_gemma(Resolution& r) {
  const char* because =
      "EmbeddingGemma attends in both directions, so a prompt must be computed whole and not "
      "reused in parts.";
  r.set(f::is_embedding, true, because);
  r.set(f::disable_radix_cache, true, because);
  r.set(f::chunked_prefill_size, -1, because);
  r.set(f::enable_tokenizer_batch_encode, true,
        "A list of texts is tokenized at once, so that it fills one prefill batch.");
  const Machine& m = r.machine();
  auto prefill = r.get(f::prefill_attention_backend);
  if (!prefill || prefill->empty()) prefill = r.get(f::attention_backend);
  if ((is_sm90_supported(m) || is_sm100_supported(m)) &&
      (!prefill || one_of(*prefill, {"fa3", "fa4"}))) {
    r.set(f::prefill_only_disable_kv_cache, true,
          "FlashAttention reads the keys and values directly; no KV pool is needed.");
    validate_prefill_only_disable_kv_cache_args(r);
    if (r.stopped()) return;
  }
  set_graph_backend(r, "decode", "disabled", "An embedding model does not decode.");
  if (is_cuda(m) && !graph_disabled(r, "prefill")) {
    capture_whole_prefill(r);
  } else if (!is_cuda(m)) {
    set_graph_backend(r, "prefill", "disabled", "Breakable graphs exist on CUDA only.");
  }
  r.info(
      "EmbeddingGemma detected: disabling radix cache and chunked prefill; using breakable CUDA "
      "graph for CUDA prefill.");
}

}  // namespace

void force_hrm_text(Resolution& r) {
  const ModelConfig& model = r.model();
  bool hrm = model.hf_config["model_type"].as_str() == "hrm_text";
  for (const std::string& arch : model.architectures) hrm = hrm || arch == "HrmTextForCausalLM";
  const Value* prefix_lm = model.hf_config.find("prefix_lm");
  if (!hrm || (prefix_lm != nullptr && !prefix_lm->truthy())) return;

  const auto backend = r.view(f::attention_backend);
  if (backend && *backend != "triton") {
    r.warn(
        "Overriding --attention-backend {} -> 'triton': only the Triton backend supports "
        "HRM-Text's bidirectional prefix attention.",
        {repr(*backend)});
  }
  const char* because =
      "HRM-Text attends in both directions within a prompt, so a prompt must be computed whole.";
  r.declare(f::attention_backend, "triton", because);
  r.set(f::chunked_prefill_size, -1, because);
  r.set(f::disable_radix_cache, true, because);
  r.set(f::disable_cuda_graph, true, because);
  set_graph_backend(r, "decode", "disabled", because);
  set_graph_backend(r, "prefill", "disabled", because);
  r.warn(
      "HRM-Text (prefix_lm) detected: forcing --attention-backend triton, --chunked-prefill-size "
      "-1, --disable-radix-cache, and --disable-cuda-graph for correctness of the bidirectional "
      "prompt attention.");
}

void enable_embedding_models(Resolution& r) {
  if (!r.since(Release::v0_5_17)) return;
  const ModelConfig& model = r.model();
  const bool gemma = is_embedding_gemma(model);
  if ((gemma || is_native_embedding_model(model)) && !r.get(f::is_embedding)) {
    r.set(f::is_embedding, true, "The architecture can only embed.");
    r.info("Embedding architecture detected: enabling embedding mode automatically.");
  }
  if (gemma) set_up_embedding_gemma(r);
}

}  // namespace sglint
