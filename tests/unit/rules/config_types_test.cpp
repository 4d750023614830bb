// What transformers' config classes say of values of the wrong type, as SGLang's users see it.
#include <gtest/gtest.h>

#include "base/json.h"
#include "base/text.h"
#include "facts/model.h"
#include "sglint/sglint.h"

namespace sglint {
namespace {

Value run(Value::List argv, const char* config = nullptr, const char* release = "0.5.18") {
  Value request = Value::dict({{"id", "1"},
                               {"release", release},
                               {"argv", Value(std::move(argv))},
                               {"machine", "h100"},
                               {"fix", false}});
  if (config) request = request.with("model_config", parse_json(config).value_or(Value()));
  return parse_json(check_batch_line(to_json(request))).value_or(Value());
}

std::string ending(const Value& v) {
  return v["error"].is_none() ? std::string(v["outcome"].as_str())
                              : str(v["error"]["type"]) + ": " + str(v["error"]["message"]);
}

std::string override_of(const char* model, const char* json, const char* release = "0.5.18") {
  return ending(run({"--model-path", model, "--json-model-override-args", json}, nullptr, release));
}

std::string of_config(const char* config) { return ending(run({"--model-path", "x/y"}, config)); }

TEST(ConfigTypes, Overrides) {
  EXPECT_EQ(override_of("zai-org/GLM-5.1", R"({"num_key_value_heads": 1e6})"),
            "StrictDataclassFieldValidationError: Validation error for field "
            "'num_key_value_heads':\n    TypeError: Field 'num_key_value_heads' expected int, got "
            "float (value: 1000000.0)");
  EXPECT_EQ(override_of("Qwen/Qwen3-8B", R"({"attention_dropout": null})"),
            "StrictDataclassFieldValidationError: Validation error for field "
            "'attention_dropout':\n    TypeError: Field 'attention_dropout' with value None "
            "doesn't match any type in (<class 'float'>, <class 'int'>). Errors: Field "
            "'attention_dropout' expected float, got NoneType (value: None); Field "
            "'attention_dropout' expected int, got NoneType (value: None)");
  EXPECT_EQ(override_of("Qwen/Qwen3-8B-FP8", R"({"rope_scaling": true})"),
            "StrictDataclassFieldValidationError: Validation error for field "
            "'rope_parameters':\n    TypeError: Field 'rope_parameters' with value True doesn't "
            "match any type in (<class 'transformers.modeling_rope_utils.RopeParameters'>, <class "
            "'dict'>, <class 'NoneType'>). Errors: TypedDict does not support instance and class "
            "checks; Field 'rope_parameters' expected dict, got bool (value: True); Field "
            "'rope_parameters' expected NoneType, got bool (value: True)");
  EXPECT_EQ(override_of("Qwen/Qwen3-8B", R"({"num_hidden_layers": 4})"), "ok");
  EXPECT_EQ(override_of("Qwen/Qwen3-8B", R"({"index_topk": "4"})"), "ok");  // not a field of Qwen3
  EXPECT_EQ(override_of("Qwen/Qwen3-8B", R"({"architectures": []})"),
            "IndexError: list index out of range");
}

// Since 0.5.17 a nested override goes through the part's own class; before, it took its place.
TEST(ConfigTypes, NestedOverrides) {
  const char* json = R"({"text_config": {"num_hidden_layers": "8"}})";
  EXPECT_TRUE(starts_with(override_of("Qwen/Qwen3.5-27B", json),
                          "StrictDataclassFieldValidationError: Validation error for field "
                          "'num_hidden_layers'"));
  EXPECT_EQ(override_of("Qwen/Qwen3.5-27B", json, "0.5.16"), "AssertionError: ");
}

TEST(ConfigTypes, ConfigFiles) {
  EXPECT_EQ(of_config(R"({"architectures": ["LlamaForCausalLM"], "model_type": "llama",
                          "eos_token_id": 4.0})"),
            "StrictDataclassFieldValidationError: Validation error for field 'eos_token_id':\n    "
            "TypeError: Field 'eos_token_id' with value 4.0 doesn't match any type in (<class "
            "'int'>, list[int], <class 'NoneType'>). Errors: Field 'eos_token_id' expected int, "
            "got float (value: 4.0); Field 'eos_token_id' expected a list, got float; Field "
            "'eos_token_id' expected NoneType, got float (value: 4.0)");
  EXPECT_EQ(of_config(R"({"architectures": ["Qwen3ForCausalLM"], "model_type": "qwen3",
                          "num_hidden_layers": 3, "layer_types": ["full_attention"]})"),
            "StrictDataclassClassValidationError: Class validation error for validator "
            "'validate_layer_type':\n    ValueError: `num_hidden_layers` (3) must be equal to the "
            "number of `layer_types` (1)");
}

// A class of the model's own code that leaves the RoPE parameters to PreTrainedConfig.
// The catalogue keeps a part of a config.json: what is missing from it is no fault of the launch,
// whichever way the model is named.
TEST(ConfigTypes, AFoldersNameEndsAsTheModelsOwn) {
  for (const std::string_view name : model_names()) {
    const std::string folder = "/models/" + std::string(name.substr(name.find('/') + 1));
    EXPECT_EQ(ending(run({"--model-path", folder, "--tp-size", "8", "--trust-remote-code"})),
              ending(run({"--model-path", name, "--tp-size", "8", "--trust-remote-code"})))
        << name;
  }
}

TEST(ConfigTypes, RopeScalingOfAClassWithoutRopeParameters) {
  const Value v =
      run({"--model-path", "nvidia/Llama-3_3-Nemotron-Super-49B-v1", "--trust-remote-code"});
  bool said = false;
  for (const Value& log : v["logs"].as_list())
    said |= contains(log.as_list()[1].as_str(), "DeciLMConfig got `key=rope_scaling` in kwargs");
  EXPECT_TRUE(said);
}

}  // namespace
}  // namespace sglint
