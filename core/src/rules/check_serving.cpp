// ServerArgs.check_server_args: worker processes, metrics, ports and what comes last.
#include "base/arithmetic.h"
#include "rules/check_server_args.h"
#include "rules/checks.h"
#include "rules/steps.h"

namespace sglint {
namespace {

constexpr std::string_view kSource = "server_args.py: ServerArgs.check_server_args";
using Fixes = std::vector<Fix>;
using R = const Resolution&;

constexpr Rule kTokenizers{
    .id = "serving/tokenizer-workers",
    .stage = Stage::check,
    .exception = "AssertionError",
    .message = "Tokenizer worker num must >= 1",
    .why = "At least one process must tokenize.",
    .source = kSource,
    .bad = {"--model-path Qwen/Qwen3-8B --tokenizer-worker-num 0"},
    .good = {"--model-path Qwen/Qwen3-8B"},
};

constexpr Rule kDetokenizers{
    .id = "serving/detokenizer-workers",
    .stage = Stage::check,
    .exception = "AssertionError",
    .message = "Detokenizer worker num must >= 1",
    .why = "At least one process must detokenize.",
    .source = kSource,
    .bad = {"--model-path Qwen/Qwen3-8B --detokenizer-worker-num 0"},
    .good = {"--model-path Qwen/Qwen3-8B"},
};

constexpr Rule kMmProcessors{
    .id = "multimodal/processor-workers",
    .stage = Stage::check,
    .exception = "AssertionError",
    .message = "Multimodal processor worker num must >= 0",
    .why = "It counts processes.",
    .source = kSource,
    .bad = {"--model-path Qwen/Qwen3-8B --mm-processor-worker-num -1"},
    .good = {"--model-path Qwen/Qwen3-8B"},
    .releases = {Release::v0_5_17, Release::v0_5_18},
};

constexpr Rule kMmIo{
    .id = "multimodal/io-workers",
    .stage = Stage::check,
    .exception = "AssertionError",
    .message = "Multimodal I/O worker num must >= 0",
    .why = "It counts threads, so it cannot be negative.",
    .source = kSource,
    .bad = {"--model-path Qwen/Qwen3-8B --mm-io-worker-num -1"},
    .good = {"--model-path Qwen/Qwen3-8B"},
    .releases = {Release::v0_5_17, Release::v0_5_18},
};

constexpr Rule kConservativeness{
    .id = "scheduler/conservativeness-negative",
    .stage = Stage::check,
    .exception = "AssertionError",
    .message = "schedule_conservativeness must be non-negative",
    .why = "It scales how much memory is kept free for running requests.",
    .source = kSource,
    .bad = {"--model-path Qwen/Qwen3-8B --schedule-conservativeness -1"},
    .good = {"--model-path Qwen/Qwen3-8B"},
};

constexpr Rule kMindspore{
    .id = "model/mindspore-needs-npu",
    .stage = Stage::check,
    .exception = "AssertionError",
    .message = "MindSpore model impl is only supported on Ascend npu.",
    .why = "MindSpore models run on Ascend NPUs only.",
    .source = kSource,
    .bad = {"--model-path Qwen/Qwen3-8B --model-impl mindspore"},
    .good = {"--model-path Qwen/Qwen3-8B"},
};

constexpr Rule kMetricLabels{
    .id = "metrics/labels-need-header",
    .stage = Stage::check,
    .exception = "ValueError",
    .message =
        "Please set --tokenizer-metrics-custom-labels-header when setting "
        "--tokenizer-metrics-allowed-custom-labels.",
    .why =
        "Custom labels arrive in that request header; it has a default, so this only happens with "
        "an empty name.",
    .source = kSource,
    .bad = {"--model-path Qwen/Qwen3-8B --tokenizer-metrics-custom-labels-header '' "
            "--tokenizer-metrics-allowed-custom-labels tenant"},
    .good = {"--model-path Qwen/Qwen3-8B --tokenizer-metrics-allowed-custom-labels tenant"},
};

constexpr Rule kMetricsFile{
    .id = "metrics/file-needs-directory",
    .stage = Stage::check,
    .exception = "ValueError",
    .message = "--export-metrics-to-file-dir is required when --export-metrics-to-file is enabled",
    .why = "There is no default place for the files.",
    .source = kSource,
    .bad = {"--model-path Qwen/Qwen3-8B --export-metrics-to-file"},
    .good = {"--model-path Qwen/Qwen3-8B --export-metrics-to-file --export-metrics-to-file-dir "
             "metrics"},
};

constexpr Rule kTwoBatch{
    .id = "moe/two-batch-overlap-needs-partner",
    .stage = Stage::check,
    .exception = "ValueError",
    .message =
        "When enabling two batch overlap without an EP a2a backend (moe_a2a_backend='none'), "
        "--enable-dp-attention is required (DeepSeek-V4 non-EP DP TBO path).",
    .why =
        "Two-batch overlap hides the exchange of tokens between GPUs: there must be one, by an "
        "all-to-all backend or by data-parallel attention (--dp-size over 1, else SGLang switches "
        "it off again).",
    .source = "server_args.py: ServerArgs._check_two_batch_overlap",
    .bad = {"--model-path deepseek-ai/DeepSeek-V3 --tp-size 8 --enable-two-batch-overlap"},
    .good = {"--model-path deepseek-ai/DeepSeek-V3 --tp-size 8 --dp-size 8 --enable-dp-attention "
             "--enable-two-batch-overlap"},
};

constexpr Rule kQuantCommTp{
    .id = "communication/quantization-needs-tp",
    .stage = Stage::check,
    .exception = "ValueError",
    .message = "Communications quantization is only used with tp_size != 1",
    .why = "With one GPU nothing is communicated.",
    .source = kSource,
    .bad = {"--model-path Qwen/Qwen3-8B --enable-quant-communications"},
    .good = {"--model-path Qwen/Qwen3-8B"},
};

constexpr Rule kQuantCommNpu{
    .id = "communication/quantization-needs-npu",
    .stage = Stage::check,
    .exception = "ValueError",
    .message = "Communications quantization is only supported for NPU device",
    .why = "The collective exists on Ascend NPUs only.",
    .source = kSource,
    .bad = {"--model-path Qwen/Qwen3-8B --tp-size 2 --enable-quant-communications"},
    .good = {"--model-path Qwen/Qwen3-8B --tp-size 2"},
};

constexpr Rule kGrpcPort{
    .id = "serving/grpc-port-is-http-port",
    .stage = Stage::check,
    .exception = "ValueError",
    .message = "--grpc-port ({}) must differ from --port ({})",
    .why = "Two servers cannot listen on one port.",
    .source = kSource,
    .bad = {"--model-path Qwen/Qwen3-8B --grpc-port 30000"},
    .good = {"--model-path Qwen/Qwen3-8B --grpc-port 30001"},
    .releases = {Release::v0_5_16, Release::v0_5_18},
};

constexpr Rule kGcThreshold{
    .id = "serving/gc-threshold-count",
    .stage = Stage::check,
    .exception = "ValueError",
    .message = "When setting gc_threshold, it must contain 1 to 3 integers.",
    .why = "Python's collector has three generations.",
    .source = kSource,
    .bad = {"--model-path Qwen/Qwen3-8B --gc-threshold 1 2 3 4"},
    .good = {"--model-path Qwen/Qwen3-8B --gc-threshold 700 10 10"},
};

constexpr Rule kKvCanary{
    .id = "debugging/kv-canary-interval",
    .stage = Stage::check,
    .exception = "ValueError",
    .message = "--kv-canary-sweep-interval requires --kv-canary in {{log, raise}}",
    .why = "The sweep has nothing to do while the canary is off.",
    .source = kSource,
    .bad = {"--model-path Qwen/Qwen3-8B --kv-canary-sweep-interval 10"},
    .good = {"--model-path Qwen/Qwen3-8B --kv-canary log --kv-canary-sweep-interval 10"},
};

// The two-batch overlap of context-parallel prefill on AMD GPUs needs no partner (0.5.18).
bool overlaps_context_parallel(R r) {
  return r.since(Release::v0_5_18) && is_hip(r.machine()) &&
         r.get(f::enable_dsa_prefill_context_parallel) &&
         r.get(f::dsa_prefill_cp_mode) == "round-robin-split";
}

constexpr Check kWorkers[] = {
    {&kTokenizers, [](R r) { return r.get(f::tokenizer_worker_num) <= 0; },
     [](R) {
       return Fixes{{{unset(f::tokenizer_worker_num)}, ""}};
     }},
    {&kDetokenizers, [](R r) { return r.get(f::detokenizer_worker_num) <= 0; },
     [](R) {
       return Fixes{{{unset(f::detokenizer_worker_num)}, ""}};
     }},
    {&kMmProcessors, [](R r) { return r.get(f::mm_processor_worker_num) < 0; },
     [](R) {
       return Fixes{{{unset(f::mm_processor_worker_num)}, ""}};
     }},
    {&kMmIo, [](R r) { return r.get(f::mm_io_worker_num) < 0; },
     [](R) {
       return Fixes{{{unset(f::mm_io_worker_num)}, ""}};
     }},
};

constexpr Check kRest[] = {
    {&kConservativeness, [](R r) { return r.get(f::schedule_conservativeness) < 0; },
     [](R) {
       return Fixes{{{unset(f::schedule_conservativeness)}, ""}};
     }},
    {&kMindspore, [](R r) { return r.get(f::model_impl) == "mindspore" && !is_npu(r.machine()); },
     [](R) {
       return Fixes{{{unset(f::model_impl)}, ""}};
     }},
    {&kMetricLabels,
     [](R r) {
       return !r.value(f::tokenizer_metrics_custom_labels_header).truthy() &&
              r.value(f::tokenizer_metrics_allowed_custom_labels).truthy();
     },
     [](R) {
       return Fixes{{{unset(f::tokenizer_metrics_custom_labels_header)}, ""}};
     }},
    {&kMetricsFile,
     [](R r) { return r.get(f::export_metrics_to_file) && !r.get(f::export_metrics_to_file_dir); },
     [](R) {
       return Fixes{{{set(f::export_metrics_to_file_dir, "metrics")}, ""},
                    {{unset(f::export_metrics_to_file)}, "no metrics files"}};
     }},
    {&kTwoBatch,
     [](R r) {
       return r.get(f::enable_two_batch_overlap) && r.get(f::moe_a2a_backend) == "none" &&
              !r.get(f::enable_dp_attention) && !overlaps_context_parallel(r);
     },
     [](R) {
       return Fixes{
           {{unset(f::enable_two_batch_overlap)}, "communication is not hidden"},
           {{set(f::moe_a2a_backend, "deepep")}, "tokens travel to their experts: needs DeepEP"}};
     }},
    {&kQuantCommTp,
     [](R r) {
       return r.get(f::enable_quant_communications).value_or(false) && r.get(f::tp_size) == 1;
     },
     [](R) {
       return Fixes{{{unset(f::enable_quant_communications)}, ""}};
     }},
    {&kQuantCommNpu,
     [](R r) {
       return r.get(f::enable_quant_communications).value_or(false) && r.get(f::device) != "npu";
     },
     [](R) {
       return Fixes{{{unset(f::enable_quant_communications)}, ""}};
     }},
    {&kGrpcPort,
     [](R r) {
       return !r.get(f::smg_grpc_mode) && !r.get(f::grpc_mode) &&
              r.get(f::grpc_port) == r.get(f::port);
     },
     [](R r) {
       return Fixes{{{set(f::grpc_port, std::to_string(r.get(f::port) + 1))}, ""},
                    {{unset(f::grpc_port)}, "no gRPC server"}};
     },
     [](R r) {
       return std::array<Value, 2>{r.value(f::grpc_port), r.value(f::port)};
     }},
    {&kGcThreshold, [](R r) { return r.value(f::gc_threshold).as_list().size() > 3; },
     [](R) {
       return Fixes{{{unset(f::gc_threshold)}, ""}};
     }},
    {&kKvCanary,
     [](R r) { return r.get(f::kv_canary_sweep_interval) > 0 && r.get(f::kv_canary) == "none"; },
     [](R) {
       return Fixes{{{unset(f::kv_canary_sweep_interval)}, ""},
                    {{set(f::kv_canary, "log")}, "a little slower"}};
     }},
};

}  // namespace

void check_workers(Resolution& r) { all_hold(r, kWorkers); }

void check_serving(Resolution& r) { all_hold(r, kRest); }

RuleList check_serving_rules() {
  RuleList rules;
  append_rules(rules, kWorkers);
  append_rules(rules, kRest);
  return rules;
}

}  // namespace sglint
