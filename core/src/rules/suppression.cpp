#include "rules/suppression.h"

namespace sglint {

const Rule kSuppressionUnused{
    .id = "suppression/unused",
    .stage = Stage::read,
    .severity = Severity::warning,
    .message = "The suppression of {} matches no finding.",
    .why =
        "What it was written for is fixed or stands elsewhere, and it would hide the next finding "
        "of that rule. A comment speaks of its own line or the line below, and of the whole "
        "launch where that is the launch's first or last line.",
    .source = "sglint: suppressions",
    .bad = {.text = "# sglint: ignore replayssm/needs-no-buffer known\n"
                    "sglang serve --model-path Qwen/Qwen3-8B\n"},
    .good = {.text = "sglang serve --model-path Qwen/Qwen3-8B\n"}};

const Rule kSuppressionUnknownRule{
    .id = "suppression/unknown-rule",
    .stage = Stage::read,
    .severity = Severity::warning,
    .message = "The suppression names {}, which is no rule.",
    .why = "It hides nothing. `sglint rules` lists the ids; a finding shows its own in brackets.",
    .source = "sglint: suppressions",
    .bad = {.text = "# sglint: ignore replayssm/no-such-rule known\n"
                    "sglang serve --model-path Qwen/Qwen3-8B\n"},
    .good = kSuppressionUnused.good};

RuleList suppression_rules() { return {&kSuppressionUnused, &kSuppressionUnknownRule}; }

}  // namespace sglint
