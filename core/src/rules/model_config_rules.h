#pragma once
// The records of what SGLang rejects while it loads a model's config (defined in
// model_config_rules.cpp).

#include "base/rule.h"

namespace sglint {

extern const Rule kUnknownModel, kConfigNotObject, kBadConfigValue, kConfigFieldType,
    kConfigLayerTypes, kEmptyArchitectures, kNoArchitectures, kRemoteCodeNotTrusted,
    kUnknownModelType, kNoModelType, kTextConfigWithoutHeads, kConfigKeyMissing, kNoHeads,
    kOverridesNotJson, kOverridesNotObject, kUnknownConfigParser, kQuantizeAndServeNeedsModelopt,
    kQuantizeAndServeDisabled, kContextLengthTooLong, kUnknownDtype, kQuantizationMismatch,
    kUnknownQuantization, kQuantizationNotOnRocm, kNoCapabilityOnNpu;

}  // namespace sglint
