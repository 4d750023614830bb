#include "facts/model.h"

#include <gtest/gtest.h>

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

TEST(ModelTypes, AreSortedAndKnowTheirRelease) {
  const std::span<const ModelType> all = model_types();
  for (size_t i = 1; i < all.size(); ++i) EXPECT_LT(all[i - 1].name, all[i].name);
  EXPECT_NE(find_model_type("qwen3", Release::v0_5_15_post1), nullptr);
  EXPECT_EQ(find_model_type("kimi_k3", Release::v0_5_16), nullptr);
  EXPECT_NE(find_model_type("kimi_k3", Release::v0_5_17), nullptr);
  EXPECT_EQ(find_model_type("no_such_type", Release::v0_5_18), nullptr);
}

}  // namespace
}  // namespace sglint
