#include "rules/model_config_rules.h"

#include "rules/steps.h"

namespace sglint {

const Rule kUnknownModel{.id = "model/unknown-model",
                         .severity = Severity::warning,
                         .message = "Nothing is known of the model {}: give its config.json.",
                         .why =
                             "The catalogue does not have this model and the request brings no "
                             "config.json, so every rule that depends on the architecture, the "
                             "attention type or the quantization was checked as for a plain "
                             "decoder.",
                         .source = "configs/model_config.py: ModelConfig.__init__",
                         .bad = {"--model-path acme/unknown-7b", "h100"},
                         .good = {"--model-path Qwen/Qwen3-8B", "h100"}};

// Examples below are left out where only a config.json of one's own can show the rule.
const Rule kConfigNotObject{
    .id = "model/config-is-not-an-object",
    .exception = "OSError",
    .message = "It looks like the config file at '{}' is not a valid JSON file.",
    .why = "A config.json holds one JSON object.",
    .source = "utils/hf_transformers/config.py: get_config"};

const Rule kBadConfigValue{.id = "model/bad-value-in-config",
                           .exception = "ValueError",
                           .message = "config.json: {} must be a whole number, not {}.",
                           .why =
                               "SGLang computes with this key; it fails on such a value in one of "
                               "several ways. The text here is the checker's.",
                           .source = "utils/hf_transformers/config.py: get_config"};

const Rule kConfigFieldType{
    .id = "model/wrong-type-in-config",
    .exception = "StrictDataclassFieldValidationError",
    .message = "Validation error for field '{}':\n    TypeError: {}",
    .why =
        "transformers checks the types of the keys that the model's config class declares, in "
        "config.json as in --json-model-override-args: a number in quotes, 4.0 for 4, or null "
        "where the class knows no None.",
    .source = "huggingface_hub/dataclasses.py: type_validator",
    .bad = {"--model-path Qwen/Qwen3-8B --json-model-override-args "
            "'{\"num_hidden_layers\": \"4\"}'"},
    .good = {"--model-path Qwen/Qwen3-8B --json-model-override-args '{\"num_hidden_layers\": 4}'"}};

const Rule kConfigLayerTypes{
    .id = "model/layer-types-do-not-fit",
    .exception = "StrictDataclassClassValidationError",
    .message =
        "Class validation error for validator 'validate_layer_type':\n    ValueError: "
        "`num_hidden_layers` ({}) must be equal to the number of `{}` ({})",
    .why = "A config.json that was cut to fewer layers has to name the kinds of those layers only.",
    .source = "transformers/configuration_utils.py: PreTrainedConfig.validate_layer_type"};

const Rule kNoCapabilityOnNpu{
    .id = "quantization/moe-wna16-on-npu",
    .exception = "NotImplementedError",
    .message = "NPU hardware does not support \"get_min_capability\" feature.",
    .why = "moe_wna16 asks which GPUs can compute AWQ; Ascend NPUs have no such number.",
    .source = "layers/quantization/moe_wna16.py: MoeWNA16Config.is_moe_wna16_compatible",
    .bad = {"--model-path Qwen/Qwen3-8B-FP8 --quantization moe_wna16", "npu"},
    .good = {"--model-path Qwen/Qwen3-8B-FP8", "npu"}};

const Rule kEmptyArchitectures{
    .id = "model/no-architecture",
    .exception = "IndexError",
    .message = "list index out of range",
    .why =
        "config.json has an empty \"architectures\" list; SGLang takes its first entry to find the "
        "model's code.",
    .source = "utils/hf_transformers/config.py: HfModelConfigParser.parse"};

const Rule kNoArchitectures{.id = "model/architectures-missing",
                            .exception = "TypeError",
                            .message = "'NoneType' object is not subscriptable",
                            .why =
                                "config.json has no \"architectures\"; SGLang takes its first "
                                "entry to find the model's code.",
                            .source = "configs/model_config.py: ModelConfig.__init__"};

const Rule kRemoteCodeNotTrusted{
    .id = "model/remote-code-not-trusted",
    .exception = "ValueError",
    .message =
        " You can inspect the repository content at https://hf.co/{}.\nPlease pass the argument "
        "`trust_remote_code=True` to allow custom code to be run.",
    .why =
        "The model's config class is code in its repository, and neither transformers nor SGLang "
        "has a class of its own for it. The flag that the text means is --trust-remote-code.",
    .source = "utils/hf_transformers/config.py: HfModelConfigParser.parse",
    .bad = {"--model-path inclusionAI/Ling-mini-2.0", "h100"},
    .good = {"--model-path inclusionAI/Ling-mini-2.0 --trust-remote-code", "h100"}};

const Rule kUnknownModelType{.id = "model/unknown-model-type",
                             .exception = "ValueError",
                             .message =
                                 "The checkpoint you are trying to load has model type `{}` but "
                                 "Transformers does not recognize this architecture. This could be "
                                 "because of an issue with the checkpoint, or because your version "
                                 "of Transformers is out of date.\n\nYou can update Transformers "
                                 "with the command `pip install --upgrade transformers`. If this "
                                 "does not work, and the checkpoint is very new, then there may "
                                 "not be a release version that supports this model yet. In this "
                                 "case, you can get the most up-to-date code by installing "
                                 "Transformers from source with the command `pip install "
                                 "git+https://github.com/huggingface/transformers.git`",
                             .why =
                                 "Neither transformers nor this SGLang release has a config class "
                                 "for the model_type. A newer SGLang release may have one; a newer "
                                 "transformers alone rarely helps, because SGLang needs the "
                                 "model's code as well.",
                             .source = "utils/hf_transformers/config.py: HfModelConfigParser.parse",
                             .bad = {"--model-path MiniMaxAI/MiniMax-M3", "h200"},
                             .good = {"--model-path MiniMaxAI/MiniMax-M2.5", "h200"}};

const Rule kNoModelType{
    .id = "model/model-type-missing",
    .exception = "ValueError",
    .message = "Unrecognized model in {}. Should have a `model_type` key in its config.json.",
    .why = "Without model_type in config.json there is no telling which config class loads it.",
    .source = "utils/hf_transformers/config.py: HfModelConfigParser.parse"};

const Rule kTextConfigWithoutHeads{.id = "model/text-config-without-heads",
                                   .exception = "AssertionError",
                                   .message = "",
                                   .why =
                                       "The text part of config.json has no num_attention_heads; "
                                       "SGLang asserts that it is there and says nothing more.",
                                   .source = "utils/hf_transformers/common.py: get_hf_text_config"};

const Rule kConfigKeyMissing{.id = "model/key-missing-in-config",
                             .exception = "AttributeError",
                             .message = "'{}' object has no attribute '{}'",
                             .why =
                                 "config.json leaves out a key that SGLang needs and that the "
                                 "config class has no default for.",
                             .source = "configs/model_config.py: ModelConfig._derive_model_shapes"};

const Rule kNoHeads{
    .id = "model/no-attention-heads",
    .exception = "ZeroDivisionError",
    .message = "integer division or modulo by zero",
    .why =
        "config.json says that the model has 0 attention heads; SGLang divides hidden_size by it.",
    .source = "configs/model_config.py: ModelConfig._derive_model_shapes",
    .bad = {"--model-path Qwen/Qwen2.5-7B-Instruct --json-model-override-args "
            "'{\"num_attention_heads\": 0}'",
            "h100"},
    .good = {"--model-path Qwen/Qwen2.5-7B-Instruct", "h100"}};

const Rule kOverridesNotJson{
    .id = "model/override-args-are-not-json",
    .exception = "JSONDecodeError",
    .message = "{}",
    .why =
        "--json-model-override-args is read as JSON. A shell may have eaten the quotes: write it "
        "in single quotes.",
    .source = "configs/model_config.py: ModelConfig.__init__",
    .bad = {"--model-path Qwen/Qwen3-8B --json-model-override-args {num_hidden_layers:2}", "h100"},
    .good = {"--model-path Qwen/Qwen3-8B --json-model-override-args '{\"num_hidden_layers\": 2}'",
             "h100"}};

const Rule kOverridesNotObject{
    .id = "model/override-args-are-not-an-object",
    .exception = "AttributeError",
    .message = "'{}' object has no attribute 'items'",
    .why =
        "--json-model-override-args must be a JSON object that maps keys of config.json to new "
        "values; SGLang does not check that and trips over anything else.",
    .source = "utils/hf_transformers/config.py: get_config",
    .bad = {"--model-path Qwen/Qwen3-8B --json-model-override-args '[1]'", "h100"},
    .good = {"--model-path Qwen/Qwen3-8B --json-model-override-args '{\"num_hidden_layers\": 2}'",
             "h100"}};

const Rule kUnknownConfigParser{
    .id = "model/unknown-config-parser",
    .exception = "ValueError",
    .message = "Unknown model-config parser {}. Registered: ['hf', 'mistral']",
    .why = "Other parsers of a model's config exist only where a plugin brings them along.",
    .source = "configs/model_config_parser_registry.py: get_model_config_parser",
    .bad = {"--model-path Qwen/Qwen3-8B --model-config-parser json", "h100"},
    .good = {"--model-path Qwen/Qwen3-8B --model-config-parser hf", "h100"}};

RuleList model_config_rules() {
  return {&kUnknownModel,
          &kConfigNotObject,
          &kBadConfigValue,
          &kConfigFieldType,
          &kConfigLayerTypes,
          &kNoCapabilityOnNpu,
          &kEmptyArchitectures,
          &kNoArchitectures,
          &kRemoteCodeNotTrusted,
          &kUnknownModelType,
          &kNoModelType,
          &kTextConfigWithoutHeads,
          &kConfigKeyMissing,
          &kNoHeads,
          &kOverridesNotJson,
          &kOverridesNotObject,
          &kUnknownConfigParser,
          &kQuantizeAndServeNeedsModelopt,
          &kQuantizeAndServeDisabled,
          &kContextLengthTooLong,
          &kUnknownDtype,
          &kQuantizationMismatch,
          &kUnknownQuantization,
          &kQuantizationNotOnRocm};
}

}  // namespace sglint
