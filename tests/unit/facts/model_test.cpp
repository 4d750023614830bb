#include "facts/model.h"

#include <gtest/gtest.h>

#include "base/rows.h"
#include "facts/model_catalogue.h"
#include "facts/model_types.h"

namespace sglint {
namespace {

TEST(Model, IsFoundByHubIdAndByFileName) {
  ASSERT_TRUE(find_model("Qwen/Qwen3-8B"));
  const std::optional<ModelFiles> m = find_model("Qwen__Qwen3-8B");
  ASSERT_TRUE(m);
  EXPECT_EQ(m->name, "Qwen/Qwen3-8B");
  EXPECT_EQ(m->config["num_key_value_heads"], Value(8));
  EXPECT_FALSE(find_model("Qwen/Qwen3-9000B"));
  EXPECT_FALSE(find_model(""));
}

TEST(Model, EveryEntryOfTheCatalogueIsFound) {
  for (std::string_view name : model_names()) {
    const std::optional<ModelFiles> m = find_model(name);
    ASSERT_TRUE(m) << name;
    EXPECT_TRUE(m->config["architectures"].is_list()) << name;
  }
}

TEST(ModelTypes, EveryRowIsFound) {
  int rows = 0;
  for (std::string_view rest = kModelTypeRows; !rest.empty(); ++rows) {
    std::string_view row = take_until(rest, '\n');
    const std::string_view name = take_until(row, '\t');
    const std::optional<ModelType> type = find_model_type(name, Release::v0_5_18);
    ASSERT_TRUE(type) << name;
    EXPECT_EQ(type->name, name);
  }
  EXPECT_GT(rows, 500);
}

TEST(ModelTypes, KnowTheirRelease) {
  EXPECT_TRUE(find_model_type("qwen3", Release::v0_5_15_post1));
  EXPECT_FALSE(find_model_type("kimi_k3", Release::v0_5_16));
  EXPECT_TRUE(find_model_type("kimi_k3", Release::v0_5_17));
  EXPECT_FALSE(find_model_type("no_such_type", Release::v0_5_18));
  EXPECT_FALSE(find_model_type("", Release::v0_5_18));
  EXPECT_FALSE(find_model_type("zzz", Release::v0_5_18));
}

}  // namespace
}  // namespace sglint
