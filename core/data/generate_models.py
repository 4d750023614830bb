#!/usr/bin/env python3
"""The catalogue of public models: core/data/models.ndjson and core/src/facts/model_catalogue.cpp.

usage: generate_models.py                        write model_catalogue.cpp from models.ndjson
       generate_models.py --check                exit 1 if that would change it
       generate_models.py --add NAME CONFIG.json [HF_QUANT_CONFIG.json]
                                                 put a model in models.ndjson (or replace it), then write

A line of models.ndjson is {"name": hub id, "config": facts, "hf_quant_config": facts or absent}. Facts are the
keys of config.json that SGLang's argument resolution reads, under their own names; everything else is left
out, and lists of layers and modules are cut down to what a rule can tell apart (see `quantization` below).
"""
import json
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
MODELS = HERE / "models.ndjson"
TYPES = json.load(open(HERE / "model_types.json"))

KEYS = """architectures model_type dtype max_sequence_length seq_length max_seq_len model_max_length
max_position_embeddings original_max_position_embeddings head_dim v_head_dim swa_head_dim swa_v_head_dim global_head_dim
num_global_key_value_heads swa_num_key_value_heads hidden_size num_attention_heads num_key_value_heads num_hidden_layers
num_layers vocab_size vision_vocab_size kv_lora_rank qk_nope_head_dim qk_rope_head_dim index_topk index_head_dim
index_topk_freq index_topk_pattern sliding_window sliding_window_size window_size use_sliding_window
sliding_window_pattern attention_chunk_size hc_mult n_group is_hybrid_swa use_mla num_nextn_predict_layers
mamba_chunk_size chunk_size mlp_hidden_act prefix_lm use_bidirectional_attention attention_projection_layout
add_swa_attention_sink_bias add_full_attention_sink_bias language_model_only encoder_layers decoder_layers
n_head_kv num_kv_heads multi_query multi_query_group_num num_attention_groups attn_config new_decoder_architecture
is_causal block_size mask_token mask_token_id num_target_layers target_layer_ids markov_rank markov_head_type
dflash_config dspark_config dspark_block_size dspark_markov_rank dspark_markov_head_type dspark_noise_token_id
dspark_target_layer_ids linear_key_head_dim linear_value_head_dim mamba_ssm_dtype
intermediate_size moe_intermediate_size shared_expert_intermediate_size num_experts n_routed_experts num_local_experts
routed_expert_hidden_size
linear_num_key_heads linear_num_value_heads linear_conv_kernel_dim full_attention_interval layer_group_size
mamba_num_heads mamba_head_dim ssm_state_size n_groups conv_kernel
mamba_n_heads mamba_d_head mamba_d_state mamba_n_groups mamba_d_conv conv_L_cache""".split()
PARTS = ["text_config", "llm_config", "language_config", "thinker_config"]
QUANTIZATION_KEYS = """quant_method quant_algo moe_quant_algo kv_cache_quant_algo group_size bits sym desc_act
zero_point checkpoint_format is_marlin_format scale_fmt fmt activation_scheme weight_block_size""".split()


def quantization(config):
    """quantization_config. `ignore` becomes its length; of quantized_layers and config_groups one of a kind stays."""
    out = {k: config[k] for k in QUANTIZATION_KEYS if k in config}
    if config.get("moe_quant_algo") and isinstance(config.get("ignore"), list):
        out["ignore"] = len(config["ignore"])
    layers, kinds = {}, set()
    for name, layer in (config.get("quantized_layers") or {}).items():
        kind = (layer.get("quant_algo"), ".experts." in name)
        if kind not in kinds:
            kinds.add(kind)
            layers[name] = {"quant_algo": layer.get("quant_algo")}
    if layers:
        out["quantized_layers"] = layers
    groups = {}
    for name, group in (config.get("config_groups") or {}).items():
        groups[name] = {k: group[k] for k in ("format",) if k in group}
        weights = group.get("weights") or {}
        groups[name]["weights"] = {k: weights[k] for k in ("num_bits", "group_size", "strategy", "type") if k in weights}
    if groups:
        out["config_groups"] = groups
    return out


def rope(parameters):
    if all(isinstance(v, dict) for v in parameters.values()):
        return {k: {} for k in parameters}  # one for each kind of layer: no factor of the whole
    kept = ["rope_type", "type", "factor", "original_max_position_embeddings", "apply_yarn_scaling", "apply_scale"]
    if parameters.get("high_freq_factor", 1) <= parameters.get("low_freq_factor", 0):  # worth a warning
        kept += ["low_freq_factor", "high_freq_factor"]
    return {k: parameters[k] for k in kept if k in parameters}


def linear_layers(config):
    """How many layers keep a recurrent state, where a list of config.json says so: a key of our own."""
    if isinstance(config.get("linear_attn_config"), dict):
        return len(config["linear_attn_config"].get("kda_layers") or [])
    if config.get("full_attn_idxs"):
        return config["num_hidden_layers"] - len(config["full_attn_idxs"])
    layers = config.get("layer_types") or config.get("layers_block_type") or config.get("hybrid_override_pattern") or []
    return sum(layer in ("linear_attention", "mamba", "M", "conv", "jet") for layer in layers)


def facts(config, top=True):
    model_type = TYPES.get(config.get("model_type"), {})
    out = {k: config[k] for k in KEYS if k in config and config[k] is not None}
    for renamed in model_type.get("map", {}).values():
        if renamed in config:
            out[renamed] = config[renamed]
    if "torch_dtype" in config:
        out.setdefault("dtype", config["torch_dtype"])
    for key in ("rope_scaling", "rope_parameters"):
        if config.get(key):
            out[key] = rope(config[key])
    for key in ("quantization_config", "compression_config"):
        if config.get(key):
            out[key] = quantization(config[key])
    layers = config.get("layers_block_type") or config.get("hybrid_override_pattern")
    if layers:
        out["num_hidden_layers"] = len(layers)
    if "mamba" in (config.get("layer_types") or []):
        out["layer_types"] = sorted(set(config["layer_types"]))
    if isinstance(config.get("linear_attn_config"), dict):
        out["linear_attn_config"] = {k: config["linear_attn_config"][k]
                                     for k in ("head_dim", "gate_lower_bound", "num_heads", "short_conv_kernel_size")
                                     if k in config["linear_attn_config"]}
    if jet := (config.get("efficient_attention_config") or {}).get("jet"):
        out["efficient_attention_config"] = {"jet": {k: jet[k] for k in ("expand_v", "num_heads", "head_dim", "conv_size")}}
    if count := linear_layers(config):
        out["linear_layers"] = count
    if "compress_ratios" in config:
        out["compress_ratios"] = []
    if "dual_chunk_attention_config" in config:
        out["dual_chunk_attention_config"] = {}
    for key in PARTS:
        if isinstance(config.get(key), dict):
            out[key] = facts(config[key], top=False)
    for key in ("vision_config", "audio_config", "sound_config"):
        part = config.get(key)
        if not isinstance(part, dict):
            continue
        sub = TYPES.get(part.get("model_type"), {}).get("map", {}).values()
        out[key] = {k: part[k] for k in ("model_type", "hidden_size", "num_hidden_layers",
                                         "vt_hidden_size", "vt_num_hidden_layers", *sub) if k in part}
    remote = config.get("auto_map", {})
    if top and "AutoConfig" in remote:  # an older release may not know the type yet
        out["auto_map"] = {"AutoConfig": remote["AutoConfig"]}
        if config.get("model_type") not in TYPES and "rope_theta" in config:
            out["rope_theta"] = config["rope_theta"]
    return out


def raw(text):
    """A C++ raw string literal, in pieces that every compiler accepts."""
    return " ".join(f'R"~({text[i:i + 8000]})~"' for i in range(0, len(text), 8000))


def dump(value):
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def read():
    return [json.loads(line) for line in open(MODELS)]


def write(models):
    MODELS.write_text("".join(dump(m) + "\n" for m in sorted(models, key=lambda m: m["name"].encode())))


def add(name, config, hf_quant_config=None):
    model = {"name": name, "config": facts(json.load(open(config)))}
    if hf_quant_config:
        model["hf_quant_config"] = {"quantization": quantization(json.load(open(hf_quant_config))["quantization"])}
    write([m for m in read() if m["name"] != name] + [model])


def main(argv):
    if argv[:1] == ["--add"]:
        add(*argv[1:])
    out = ("// Generated by core/data/generate_models.py from core/data/models.ndjson. Do not edit.\n"
           "// clang-format off\n"
           '#include "facts/model_catalogue.h"\n\nnamespace sglint {\nnamespace {\n\n'
           "constexpr CatalogueModel kModels[] = {\n")
    for model in read():
        quant = model.get("hf_quant_config")
        out += f'    {{"{model["name"]}", {raw(dump(model["config"]))}, {raw(dump(quant)) if quant else chr(34) * 2}}},\n'
    out += ("};\n\n}  // namespace\n\nstd::span<const CatalogueModel> model_catalogue() { return kModels; }\n\n"
            "}  // namespace sglint\n")
    path = HERE.parent / "src/facts/model_catalogue.cpp"
    if "--check" in argv:
        sys.exit(0 if path.exists() and path.read_text() == out else 1)
    path.write_text(out)


if __name__ == "__main__":
    main(sys.argv[1:])
