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

TEST(Model, IsTakenFromTheNameOfItsFolder) {
  for (const char* path :
       {"/models/Qwen3-8B", "models/qwen3-8b/", "Qwen3-8B", "unsloth/Qwen3-8B",
        "C:\\models\\Qwen3-8B", "/root/.cache/modelscope/hub/models/Qwen/Qwen3-8B",
        "/root/.cache/huggingface/hub/models--Qwen--Qwen3-8B/snapshots/0123abc/"}) {
    const std::optional<ModelFiles> m = find_model_like(path);
    ASSERT_TRUE(m) << path;
    EXPECT_EQ(m->name, "Qwen/Qwen3-8B");
    EXPECT_EQ(m->taken_from, path);
    EXPECT_FALSE(m->from_catalogue);
  }
  EXPECT_EQ(find_model_like("Qwen2___5-7B-Instruct")->name, "Qwen/Qwen2.5-7B-Instruct");
  EXPECT_EQ(find_model_like("/m/DeepSeek-V3-0324")->name, "deepseek-ai/DeepSeek-V3");
  for (const char* other :
       {"", "/", "/models/Qwen3-8B-AWQ", "/models/Qwen3-8B/checkpoint-100", "/models/my-Qwen3-8B",
        "/c/models--acme--Qwen3-8Bx/snapshots/1", "models--", "models--a"})
    EXPECT_FALSE(find_model_like(other)) << other;
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
