#include "arguments/rules.h"

namespace sglint {

// The sources are argparse's methods where no SGLang file is named. Rules about the content of a
// --config file have no example: an example is a command line alone.

const Rule kUnknownFlag{
    .id = "arguments/unknown-flag",
    .stage = Stage::arguments,
    .message = "unrecognized arguments: {}",
    .why =
        "No flag of this release has that name. SGLang lists every leftover word behind it, so "
        "only the first one tells what is wrong.",
    .source = "argparse: ArgumentParser.parse_args",
    .bad = {"--model-path Qwen/Qwen3-8B --tp_size 2"},
    .good = {"--model-path Qwen/Qwen3-8B --tp-size 2"},
};
const Rule kFlagOfOtherRelease{
    .id = "arguments/flag-of-other-release",
    .stage = Stage::arguments,
    .message = "unrecognized arguments: {}",
    .why = "SGLang has or had this flag in another release, but not in this one.",
    .source = "argparse: ArgumentParser.parse_args",
    .bad = {"--model-path Qwen/Qwen3-8B --enable-deepep-waterfill"},
    .good = {"--model-path Qwen/Qwen3-8B --enable-waterfill"},
};
const Rule kFlagOfOtherServer{
    .id = "arguments/flag-of-other-server",
    .stage = Stage::arguments,
    .message = "unrecognized arguments: {}",
    .why =
        "This is a flag of another inference server; SGLang has its own name for it, or needs no "
        "flag.",
    .source = "argparse: ArgumentParser.parse_args",
    .bad = {"--model-path Qwen/Qwen3-8B --max-model-len 8192"},
    .good = {"--model-path Qwen/Qwen3-8B --context-length 8192"},
};
const Rule kStrayValue{
    .id = "arguments/stray-value",
    .stage = Stage::arguments,
    .message = "unrecognized arguments: {}",
    .why = "This word belongs to no flag: the flag before it takes no value or already has one.",
    .source = "argparse: ArgumentParser.parse_args",
    .bad = {"--model-path Qwen/Qwen3-8B --trust-remote-code true"},
    .good = {"--model-path Qwen/Qwen3-8B --trust-remote-code"},
};
const Rule kAmbiguousFlag{
    .id = "arguments/ambiguous-flag",
    .stage = Stage::arguments,
    .message = "ambiguous option: {} could match {}",
    .why =
        "The name is cut short and several flags begin so. A new release with one more such flag "
        "breaks a command that was fine before, so write flags out.",
    .source = "argparse: ArgumentParser._parse_optional",
    .bad = {"--model-path Qwen/Qwen3-8B --dist 600"},
    .good = {"--model-path Qwen/Qwen3-8B --dist-timeout 600"},
};
const Rule kMissingValue{
    .id = "arguments/missing-value",
    .stage = Stage::arguments,
    .message = "argument {}: expected {}",
    .why =
        "The flag needs a value and the next word is a flag or the end. A value that begins with a "
        "dash must be glued on with an equals sign, unless it is a number.",
    .source = "argparse: ArgumentParser._match_argument",
    .bad = {"--model-path Qwen/Qwen3-8B --tp-size --trust-remote-code"},
    .good = {"--model-path Qwen/Qwen3-8B --tp-size 1 --trust-remote-code"},
};
const Rule kValueNotExpected{
    .id = "arguments/value-not-expected",
    .stage = Stage::arguments,
    .message = "argument {}: ignored explicit argument {}",
    .why = "The flag is a switch: it takes no value.",
    .source = "argparse: ArgumentParser._parse_known_args",
    .bad = {"--model-path Qwen/Qwen3-8B --trust-remote-code=true"},
    .good = {"--model-path Qwen/Qwen3-8B --trust-remote-code"},
};
const Rule kInvalidInt{
    .id = "arguments/invalid-int",
    .stage = Stage::arguments,
    .message = "argument {}: invalid int value: {}",
    .why = "The flag takes a whole number.",
    .source = "argparse: ArgumentParser._get_value",
    .bad = {"--model-path Qwen/Qwen3-8B --tp-size two"},
    .good = {"--model-path Qwen/Qwen3-8B --tp-size 2"},
};
const Rule kInvalidFloat{
    .id = "arguments/invalid-float",
    .stage = Stage::arguments,
    .message = "argument {}: invalid float value: {}",
    .why = "The flag takes a number.",
    .source = "argparse: ArgumentParser._get_value",
    .bad = {"--model-path Qwen/Qwen3-8B --mem-fraction-static 80%"},
    .good = {"--model-path Qwen/Qwen3-8B --mem-fraction-static 0.8"},
};
const Rule kInvalidSize{
    .id = "arguments/invalid-size",
    .stage = Stage::arguments,
    .message = "argument {}: {}",
    .why =
        "The flag takes a whole number, also with k, M, G, T (powers of 1000) or Ki, Mi, Gi, Ti "
        "(powers of 1024) right behind it; a capital K alone is not among them.",
    .source = "utils/common.py: human_readable_int",
    .bad = {"--model-path Qwen/Qwen3-8B --context-length 32K"},
    .good = {"--model-path Qwen/Qwen3-8B --context-length 32k"},
};
const Rule kInvalidJson{
    .id = "arguments/invalid-json",
    .stage = Stage::arguments,
    .message = "argument {}: {}",
    .why =
        "The flag takes JSON. Keys and strings need double quotes, so the whole value needs single "
        "quotes in a shell.",
    .source = "argparse: ArgumentParser._get_value",
    .bad = {R"(--model-path Qwen/Qwen3-8B --mm-process-config "{'image': {}}")"},
    .good = {R"(--model-path Qwen/Qwen3-8B --mm-process-config '{"image": {}}')"},
};
const Rule kInvalidChoice{
    .id = "arguments/invalid-choice",
    .stage = Stage::arguments,
    .message = "argument {}: invalid choice: {} (choose from {})",
    .why = "The flag takes only the values listed; they differ by release.",
    .source = "argparse: ArgumentParser._check_value",
    .bad = {"--model-path Qwen/Qwen3-8B --dtype fp16"},
    .good = {"--model-path Qwen/Qwen3-8B --dtype float16"},
};
const Rule kRequired{
    .id = "arguments/required",
    .stage = Stage::arguments,
    .message = "the following arguments are required: {}",
    .why = "No model is given, so there is nothing to serve.",
    .source = "argparse: ArgumentParser._parse_known_args",
    .bad = {"--tp-size 2"},
    .good = {"--model-path Qwen/Qwen3-8B --tp-size 2"},
};
const Rule kRemovedFlag{
    .id = "arguments/removed-flag",
    .stage = Stage::arguments,
    .message = "{}",
    .why = "The flag still has a name but does nothing any more; SGLang refuses it.",
    .source = "arg_groups/argparse_actions.py: DeprecatedAction",
    .bad = {"--model-path Qwen/Qwen3-8B --enable-expert-distribution-metrics"},
    .good = {"--model-path Qwen/Qwen3-8B"},
    .releases = {Release::v0_5_18, Release::v0_5_18},
};
const Rule kHelp{
    .id = "arguments/help",
    .stage = Stage::arguments,
    .exception = "SystemExit",
    .message = "0",
    .why = "With this flag SGLang prints its help text and ends; nothing is started.",
    .source = "argparse: _HelpAction",
    .bad = {"--model-path Qwen/Qwen3-8B --help"},
    .good = {"--model-path Qwen/Qwen3-8B"},
};
const Rule kLoraPathNotJson{
    .id = "arguments/lora-path-not-json",
    .stage = Stage::arguments,
    .exception = "JSONDecodeError",
    .message = "{}",
    .why = "A value of --lora-paths in braces must be JSON with \"lora_name\" and \"lora_path\".",
    .source = "arg_groups/argparse_actions.py: LoRAPathAction",
    .bad = {R"(--model-path Qwen/Qwen3-8B --lora-paths "{lora_name: a}" --max-lora-rank 16)"},
    .good =
        {R"(--model-path Qwen/Qwen3-8B --lora-paths a=/adapters/a --max-lora-rank 16 --lora-target-modules all)"},
};
const Rule kLoraPathIncomplete{
    .id = "arguments/lora-path-incomplete",
    .stage = Stage::arguments,
    .exception = "AssertionError",
    .message =
        "{} looks like a JSON str, but it does not contain 'lora_name' and 'lora_path' keys.",
    .why = "A value of --lora-paths in braces must have both \"lora_name\" and \"lora_path\".",
    .source = "arg_groups/argparse_actions.py: LoRAPathAction",
    .bad = {R"(--model-path Qwen/Qwen3-8B --lora-paths '{"lora_name": "a"}')"},
    .good =
        {R"(--model-path Qwen/Qwen3-8B --lora-paths a=/adapters/a --max-lora-rank 16 --lora-target-modules all)"},
};
const Rule kUnknownLogLevel{
    .id = "arguments/unknown-log-level",
    .stage = Stage::arguments,
    .exception = "AttributeError",
    .message = "module 'logging' has no attribute {}",
    .why =
        "--log-level takes the level names of Python's logging module: debug, info, warning, "
        "error, critical.",
    .source = "server_args.py: prepare_server_args",
    .bad = {"--model-path Qwen/Qwen3-8B --log-level verbose"},
    .good = {"--model-path Qwen/Qwen3-8B --log-level debug"},
};
const Rule kLogLevelIsFormat{
    .id = "arguments/log-level-is-a-format",
    .stage = Stage::arguments,
    .exception = "ValueError",
    .message = "Unknown level: '%(levelname)s:%(name)s:%(message)s'",
    .why =
        "--log-level takes the level names of Python's logging module; this is the name of a "
        "format.",
    .source = "server_args.py: prepare_server_args",
    .bad = {"--model-path Qwen/Qwen3-8B --log-level basic_format"},
    .good = {"--model-path Qwen/Qwen3-8B --log-level info"},
};

const Rule kSeveralConfigFiles{
    .id = "config-file/several",
    .stage = Stage::arguments,
    .exception = "ValueError",
    .message = "Multiple config files specified! Only one allowed.",
    .why = "--config may stand once.",
    .source = "server_args_config_parser.py: ConfigArgumentMerger._extract_config_file_path",
    .bad = {"--model-path Qwen/Qwen3-8B --config a.yaml --config b.yaml"},
    .good = {"--model-path Qwen/Qwen3-8B"},
};
const Rule kNoConfigFile{
    .id = "config-file/missing-name",
    .stage = Stage::arguments,
    .exception = "ValueError",
    .message = "No config file specified after --config flag!",
    .why = "--config is the last word of the command, so no file follows it.",
    .source = "server_args_config_parser.py: ConfigArgumentMerger._extract_config_file_path",
    .bad = {"--model-path Qwen/Qwen3-8B --config"},
    .good = {"--model-path Qwen/Qwen3-8B"},
};
const Rule kConfigNotYaml{
    .id = "config-file/not-yaml",
    .stage = Stage::arguments,
    .exception = "ValueError",
    .message = "Config file must be YAML format, got: {}",
    .why = "Only the name is looked at: it must end in .yaml or .yml.",
    .source = "server_args_config_parser.py: ConfigArgumentMerger._validate_yaml_file",
    .bad = {"--model-path Qwen/Qwen3-8B --config server.json"},
    .good = {"--model-path Qwen/Qwen3-8B"},
};
const Rule kConfigNotFound{
    .id = "config-file/not-found",
    .stage = Stage::arguments,
    .exception = "ValueError",
    .message = "Config file not found: {}",
    .why = "The file of --config is not there.",
    .source = "server_args_config_parser.py: ConfigArgumentMerger._validate_yaml_file",
    // No example: a file that a text names and that is not given is unknown, not missing.
};
const Rule kConfigBroken{
    .id = "config-file/broken-yaml",
    .stage = Stage::arguments,
    .exception = "YAMLError",  // a subclass of it is raised
    .message = "{}",
    .why = "The file of --config is not valid YAML.",
    .source = "server_args_config_parser.py: ConfigArgumentMerger._parse_yaml_config",
};
const Rule kConfigNotAMap{
    .id = "config-file/not-a-map",
    .stage = Stage::arguments,
    .exception = "ValueError",
    .message = "Config file must contain a dictionary at root level",
    .why =
        "The file of --config must be a YAML map of flag names (without the dashes in front) to "
        "values.",
    .source = "server_args_config_parser.py: ConfigArgumentMerger._parse_yaml_config",
};
const Rule kConfigUnsupportedOption{
    .id = "config-file/unsupported-option",
    .stage = Stage::arguments,
    .exception = "ValueError",
    .message = "Unsupported config option '{}' with action '{}'",
    .why =
        "The reader of --config knows plain flags only. It also refuses a plain flag when a "
        "deprecated flag sets the same thing, whatever the file says; give that one on the command "
        "line.",
    .source = "server_args_config_parser.py: ConfigArgumentMerger._convert_config_to_args",
};
const Rule kConfigKeyNotText{
    .id = "config-file/key-not-text",
    .stage = Stage::arguments,
    .exception = "AttributeError",
    .message = "'{}' object has no attribute 'replace'",
    .why =
        "A key of the --config file is a number, a boolean or null for YAML; keys must be flag "
        "names. Note that yes, no, on and off are booleans.",
    .source = "server_args_config_parser.py: ConfigArgumentMerger._convert_config_to_args",
};
const Rule kConfigNotJson{
    .id = "config-file/date-in-a-map",
    .stage = Stage::arguments,
    .exception = "TypeError",
    .message = "Object of type {} is not JSON serializable",
    .why =
        "A map in the --config file is passed on as JSON, and YAML reads this unquoted value in it "
        "as a date. Put it in quotes.",
    .source = "server_args_config_parser.py: ConfigArgumentMerger._convert_config_to_args",
};

const Rule kConfigIgnored{
    .id = "config-file/ignored",
    .stage = Stage::arguments,
    .severity = Severity::warning,
    .message = "{} is accepted, but the file is never read.",
    .why =
        "SGLang reads the file only if --config stands as a word of its own with the name behind "
        "it: --config=file, a shortened --conf, or a config key inside the file do nothing.",
    .source = "server_args.py: prepare_server_args",
    .bad = {"--model-path Qwen/Qwen3-8B --config=server.yaml"},
    .good = {"--model-path Qwen/Qwen3-8B"},
};
const Rule kRepeatedFlag{
    .id = "arguments/repeated-flag",
    .stage = Stage::arguments,
    .severity = Severity::warning,
    .message = "{} is given more than once; the last one counts.",
    .why = "SGLang takes the last value and says nothing about the ones before it.",
    .source = "argparse: _StoreAction",
    .bad = {"--model-path Qwen/Qwen3-8B --tp-size 2 --tp-size 4"},
    .good = {"--model-path Qwen/Qwen3-8B --tp-size 4"},
};
const Rule kDeprecatedFlag{
    .id = "arguments/deprecated-flag",
    .stage = Stage::arguments,
    .severity = Severity::info,
    .message = "{}",
    .why = "SGLang still takes this flag but means to drop it.",
    .source = "arg_groups/argparse_actions.py",
    .bad = {"--model-path Qwen/Qwen3-8B --cuda-graph-max-bs 64"},
    .good = {"--model-path Qwen/Qwen3-8B --cuda-graph-max-bs-decode 64"},
};

RuleList arguments_rules() {
  return {
      &kUnknownFlag,
      &kFlagOfOtherRelease,
      &kFlagOfOtherServer,
      &kStrayValue,
      &kAmbiguousFlag,
      &kMissingValue,
      &kValueNotExpected,
      &kInvalidInt,
      &kInvalidFloat,
      &kInvalidSize,
      &kInvalidJson,
      &kInvalidChoice,
      &kRequired,
      &kRemovedFlag,
      &kHelp,
      &kLoraPathNotJson,
      &kLoraPathIncomplete,
      &kUnknownLogLevel,
      &kLogLevelIsFormat,
      &kSeveralConfigFiles,
      &kNoConfigFile,
      &kConfigNotYaml,
      &kConfigNotFound,
      &kConfigBroken,
      &kConfigNotAMap,
      &kConfigUnsupportedOption,
      &kConfigKeyNotText,
      &kConfigNotJson,
      &kConfigIgnored,
      &kRepeatedFlag,
      &kDeprecatedFlag,
  };
}

}  // namespace sglint
