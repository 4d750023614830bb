#include "facts/machine.h"

#include <gtest/gtest.h>

#include "base/json.h"

namespace sglint {
namespace {

std::optional<Machine> facts(std::string_view json, std::string* why = nullptr) {
  return machine_from_facts(parse_json(json).value_or(Value()), why);
}

TEST(Machine, KnowsThePackagesOfAnInstallation) {
  const Machine h100 = *find_machine("h100");
  EXPECT_TRUE(has_package(h100, "deep_ep"));
  EXPECT_FALSE(has_package(h100, "triton_kernels"));
  EXPECT_FALSE(has_package(h100, "aiter"));
  EXPECT_TRUE(has_package(*find_machine("mi300x"), "aiter"));
  const Machine own = *facts(R"({"platform":"cuda","packages":{"deep_ep":null,"granian":"2.0"}})");
  EXPECT_FALSE(has_package(own, "deep_ep"));
  EXPECT_TRUE(has_package(own, "granian"));
}

TEST(Machine, FillsInWhatFactsLeaveOutAndSaysSo) {
  const Machine m = *facts(R"({"platform":"cuda","num_gpus":2})");
  EXPECT_TRUE(is_sm90_supported(m));
  EXPECT_TRUE(is_flashinfer_available(m));
  EXPECT_EQ(m.assumed.size(), 4u);
  EXPECT_TRUE(find_machine("h100")->assumed.empty());
}

TEST(Machine, HasNoCudaWithoutAGpu) {
  const Machine m = *facts(R"({"platform":"cuda","num_gpus":0})");
  EXPECT_FALSE(is_cuda(m));
  EXPECT_EQ(device_sm(m), 0);
}

TEST(Machine, RefusesBadFacts) {
  std::string why;
  EXPECT_FALSE(facts(R"({"platform":"toaster"})", &why));
  EXPECT_FALSE(facts(R"({"sm":90})", &why));
  EXPECT_FALSE(facts(R"({"num_gpus":-1})", &why));
  EXPECT_NE(why.find("num_gpus"), std::string::npos);
  EXPECT_FALSE(facts(R"([1])", &why));
}

TEST(Machine, BlackwellNeedsCuda128) {
  EXPECT_TRUE(is_sm100_supported(*find_machine("b200-cu128")));
  Machine old = *find_machine("b200");
  old.cuda = "12.6";
  EXPECT_FALSE(is_sm100_supported(old));
  EXPECT_FALSE(is_blackwell_supported(old));
}

}  // namespace
}  // namespace sglint
