// What a test of the self-test says.
#pragma once

#include <string>
#include <vector>

namespace sglint::gpu {

enum class Verdict { kPass, kWarn, kFail, kSkipped };

struct Result {
  std::string rule;  // "gpu/numerics/gdn/f32/replay": stable, names what failed
  Verdict verdict = Verdict::kPass;
  double value = 0;
  double limit = 0;
  std::string unit;
  std::string reason;  // in words, for warn, fail and skipped
};

inline const char* verdict_name(Verdict v) {
  switch (v) {
    case Verdict::kPass:
      return "pass";
    case Verdict::kWarn:
      return "warn";
    case Verdict::kFail:
      return "fail";
    case Verdict::kSkipped:
      return "skipped";
  }
  return "";
}

// Passes when value <= limit; NaN fails.
inline Result at_most(std::string rule, double value, double limit, std::string unit,
                      std::string otherwise) {
  const bool pass = value <= limit;
  return {std::move(rule), pass ? Verdict::kPass : Verdict::kFail, value, limit,
          std::move(unit), pass ? "" : std::move(otherwise)};
}

}  // namespace sglint::gpu
